# SPDX-License-Identifier: Apache-2.0
"""Hears within a tenth of a second whether somebody speaks."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import BackendError
from venus_ros.core.messages import Pcm
from venus_ros.core.voice import Hysteresis

RATE_HZ = 16000
FRAME_SAMPLES = 512
_CONTEXT_SAMPLES = 64

Probability = Callable[[Pcm], float]
"""Probability of voice in the next frame, int16 [512] at 16 kHz."""


class Voice(Protocol):
    """What the reflex needs of a detector."""

    @property
    def speaking(self) -> bool:
        """Whether somebody speaks now."""

    def push(self, pcm: Pcm) -> None:
        """Take sound, int16 [any length] at 16 kHz."""

    def reset(self) -> None:
        """Forget all sound."""


class FramedVoice:
    """Cuts sound into frames and follows their probabilities.

    Error: speech is known two frames (64 ms) after its first full frame.
    """

    def __init__(self, probability: Probability) -> None:
        self._probability = probability
        self._edges = Hysteresis(FRAME_SAMPLES)
        self._rest: Pcm = np.zeros(0, np.int16)

    @property
    def speaking(self) -> bool:
        """Whether somebody speaks now."""
        return self._edges.speaking

    def push(self, pcm: Pcm) -> None:
        """Take the next sound."""
        sound = np.concatenate([self._rest, pcm])
        whole = len(sound) - len(sound) % FRAME_SAMPLES
        for frame in sound[:whole].reshape(-1, FRAME_SAMPLES):
            self._edges.push(self._probability(frame))
        self._rest = sound[whole:]

    def reset(self) -> None:
        """Forget what was heard."""
        self._edges.reset()
        self._rest = self._rest[:0]


class Silero:
    """The Silero network on one thread; its weights ship in the package `silero-vad`."""

    def __init__(self) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._net = onnxruntime.InferenceSession(
            str(_weights()), options, providers=['CPUExecutionProvider']
        )
        self._rate = np.array(RATE_HZ, np.int64)
        self._state: NDArray[np.float32] = np.zeros((2, 1, 128), np.float32)
        self._context: NDArray[np.float32] = np.zeros(_CONTEXT_SAMPLES, np.float32)

    def __call__(self, frame: Pcm) -> float:
        """Return the probability of voice in the next frame, int16 [512]."""
        given = np.concatenate([self._context, frame.astype(np.float32) / 32768])
        self._context = given[-_CONTEXT_SAMPLES:]
        inputs = {'input': given[None], 'state': self._state, 'sr': self._rate}
        out, self._state = self._net.run(None, inputs)
        return float(out[0, 0])


def open_voice() -> FramedVoice:
    """Return a detector that uses the Silero network.

    Raises:
        BackendError: a package is missing.
    """
    return FramedVoice(Silero())


def _weights() -> Path:
    package = find_spec('silero_vad')
    if package is None or package.origin is None or find_spec('onnxruntime') is None:
        raise BackendError(
            'the voice detector needs packages: '
            'pip install onnxruntime && pip install --no-deps silero-vad',
            'reflex',
        )
    return Path(package.origin).parent / 'data' / 'silero_vad.onnx'
