# SPDX-License-Identifier: Apache-2.0
"""What the loudspeaker was given, to be read at any moment on the microphone's clock."""

from __future__ import annotations

import threading
from functools import cache

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.messages import Pcm

RATE_HZ = 16_000
KEPT_S = 2.0
"""Sound that can still be read; older is gone."""
HALF_WIDTH = 8
"""Samples at 16 kHz on each side of a moment that its value is made of."""
PHASES = 512
PASS = 0.92
"""Share of the band that is kept: the rest lies where the filter falls."""


class PlayedSound:
    """The last seconds of a loudspeaker's samples, int16 mono at its own rate.

    One thread may `put` while another reads.

    Attributes:
        rate_hz: of the samples that are put.
    """

    def __init__(self, rate_hz: int) -> None:
        self.rate_hz = rate_hz
        self._kept: Pcm = np.zeros(round(KEPT_S * rate_hz), np.int16)
        self._end = 0
        self._lock = threading.Lock()

    def put(self, pcm: Pcm) -> None:
        """The next samples that the device was given."""
        with self._lock:
            size = len(self._kept)
            last = pcm[-size:]
            self._kept = np.concatenate([self._kept[len(last) :], last])
            self._end += len(pcm)

    def read(self, first: float, step: float, samples: int) -> Pcm:
        """`samples` int16 samples at 16 kHz.

        Args:
            first: where the first one lies, counted in samples that were put; may be broken.
            step: from one to the next, in samples that were put: about `rate_hz` / 16000.
            samples: how many.

        Silence stands for what was not put yet, and for what is no longer kept.
        """
        table = _kernels(self.rate_hz)
        taps = table.shape[1]
        at = first + step * np.arange(samples)
        phase = np.rint(at * PHASES).astype(np.int64)
        whole = phase // PHASES
        with self._lock:
            kept, start = self._kept, self._end - len(self._kept)
        low = int(whole[0]) - taps // 2 + 1
        reach = int(whole[-1]) - int(whole[0]) + taps
        piece = _cut(kept, low - start, reach)
        if not piece.any():
            return np.zeros(samples, np.int16)
        rows = np.lib.stride_tricks.sliding_window_view(piece, taps)[whole - whole[0]]
        made = np.einsum('st,st->s', rows, table[phase - whole * PHASES])
        return np.clip(np.rint(made), -32768, 32767).astype(np.int16)


def _cut(kept: Pcm, low: int, reach: int) -> NDArray[np.float32]:
    """Samples [low, low + reach) of `kept`, silence outside."""
    out = np.zeros(reach, np.float32)
    first, last = max(low, 0), min(low + reach, len(kept))
    if first < last:
        out[first - low : last - low] = kept[first:last]
    return out


@cache
def _kernels(rate_hz: int) -> NDArray[np.float32]:
    """For each phase the weights of the samples around a moment, float32 [PHASES, taps].

    A sinc under a Kaiser window, whose band is that of the slower of the two rates.
    """
    ratio = min(1.0, RATE_HZ / rate_hz)
    half = int(np.ceil(HALF_WIDTH / ratio))
    away = np.arange(1 - half, half + 1)[None, :] - np.arange(PHASES)[:, None] / PHASES
    window = np.i0(8.0 * np.sqrt(np.clip(1 - (away / half) ** 2, 0, 1))) / np.i0(8.0)
    weights = np.sinc(away * ratio * PASS) * window
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
