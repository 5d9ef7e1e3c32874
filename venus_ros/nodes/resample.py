# SPDX-License-Identifier: Apache-2.0
"""A running change of the sample rate."""

from __future__ import annotations

import numpy as np

from venus_ros.core.messages import Pcm

QUALITY = 'LQ'
"""Flat to 3/4 of the smaller Nyquist frequency, aliases below -110 dB, at most 22 ms of delay from
48 kHz to 16 kHz; the better settings hold sound back for 37 ms and more."""


class Resampler:
    """Mono int16 from `from_hz` to `to_hz`, piece by piece; equal rates pass through.

    The first output sample belongs to the same instant as the first input sample; output comes
    later than its input, as long as the filter needs to see ahead.
    """

    def __init__(self, from_hz: int, to_hz: int) -> None:
        self.from_hz, self.to_hz = from_hz, to_hz
        self._stream = None
        if from_hz != to_hz:
            import soxr

            self._stream = soxr.ResampleStream(from_hz, to_hz, 1, dtype='int16', quality=QUALITY)

    def push(self, pcm: Pcm) -> Pcm:
        """What is ready after `pcm`, int16 [samples]."""
        if self._stream is None or not len(pcm):
            return pcm
        return np.asarray(self._stream.resample_chunk(np.ascontiguousarray(pcm)), np.int16)


def to_mono(pcm: Pcm) -> Pcm:
    """Mean of the channels, int16 [samples]."""
    if pcm.ndim == 1 or pcm.shape[1] == 1:
        return pcm.reshape(-1)
    return pcm.mean(axis=1).round().astype(np.int16)
