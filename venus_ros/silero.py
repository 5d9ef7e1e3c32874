# SPDX-License-Identifier: Apache-2.0
"""The Silero network, which tells voice from other sound; ears and reflex use it alike."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import BackendError
from venus_ros.core.messages import Pcm
from venus_ros.core.voice import VoiceActivity

RATE_HZ = 16000
_CONTEXT_SAMPLES = 64


class Silero:
    """A `Detector` on one thread; its weights ship in the package `silero-vad`.

    Raises:
        BackendError: a package is missing.
    """

    def __init__(self) -> None:
        weights = _weights()
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._net = onnxruntime.InferenceSession(
            str(weights), options, providers=['CPUExecutionProvider']
        )
        self._rate = np.array(RATE_HZ, np.int64)
        self.reset()

    def reset(self) -> None:
        """Forget all sound."""
        self._state: NDArray[np.float32] = np.zeros((2, 1, 128), np.float32)
        self._context: NDArray[np.float32] = np.zeros(_CONTEXT_SAMPLES, np.float32)

    def __call__(self, frame: Pcm) -> float:
        """Return the probability of voice in the next frame, int16 [512]."""
        sound = frame.astype(np.float32) * np.float32(1 / 32768)
        given = np.concatenate([self._context, sound])
        self._context = given[-_CONTEXT_SAMPLES:]
        inputs = {'input': given[None], 'state': self._state, 'sr': self._rate}
        out, self._state = self._net.run(None, inputs)
        return float(out[0, 0])


def open_voice(hasty: bool = False) -> VoiceActivity:
    """Return a voice activity that uses the network.

    Args:
        hasty: one frame that may be voice is enough, where a mistake is soon mended.

    Raises:
        BackendError: a package is missing.
    """
    return VoiceActivity(Silero(), begin=0.4, begin_frames=1) if hasty else VoiceActivity(Silero())


def _weights() -> Path:
    """Return the network's file inside its package, found without importing the package."""
    package = find_spec('silero_vad')
    if package is None or package.origin is None or find_spec('onnxruntime') is None:
        raise BackendError(
            'the voice detector needs packages: '
            'pip install onnxruntime && pip install --no-deps silero-vad'
        )
    return Path(package.origin).parent / 'data' / 'silero_vad.onnx'
