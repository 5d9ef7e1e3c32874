# SPDX-License-Identifier: Apache-2.0
"""Voice activity: where speech begins and ends, in samples, for any cutting of the sound."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import BackendError
from venus_ros.core.messages import Pcm

RATE_HZ = 16000
FRAME_SAMPLES = 512
CONTEXT_SAMPLES = 64


@dataclass(frozen=True, slots=True)
class Edge:
    """Speech began (`speech`) or ended at `sample`, counted from the first sample pushed."""

    speech: bool
    sample: int


class Silero:
    """Probability of speech for consecutive frames, by the Silero network (one thread)."""

    def __init__(self) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._net = onnxruntime.InferenceSession(
            str(_weights()), options, providers=['CPUExecutionProvider']
        )
        self.reset()

    def reset(self) -> None:
        """Forget all sound."""
        self._state: NDArray[np.float32] = np.zeros((2, 1, 128), np.float32)
        self._context: NDArray[np.float32] = np.zeros(CONTEXT_SAMPLES, np.float32)

    def __call__(self, frame: NDArray[np.float32]) -> float:
        """Probability for one frame: float32 [512] in -1 to 1."""
        given = np.concatenate([self._context, frame])
        self._context = given[-CONTEXT_SAMPLES:]
        rate = np.array(RATE_HZ, np.int64)
        out, self._state = self._net.run(
            None, {'input': given[None], 'state': self._state, 'sr': rate}
        )
        return float(out[0, 0])


class VoiceActivity:
    """Edges of speech, with hysteresis so that a flicker of the probability makes none.

    Args:
        begin: probability from which a frame counts as speech while silent.
        end: probability below which a frame counts as silence while speaking.
        begin_frames: frames of speech in a row that begin it (32 ms each).
        end_frames: frames of silence in a row that end it.
    """

    def __init__(
        self, begin: float = 0.5, end: float = 0.35, begin_frames: int = 2, end_frames: int = 3
    ) -> None:
        self._net = Silero()
        self._begin, self._end = begin, end
        self._begin_frames, self._end_frames = begin_frames, end_frames
        self.reset()

    def reset(self) -> None:
        """Forget all sound; samples are counted from 0 again."""
        self._net.reset()
        self._rest: Pcm = np.zeros(0, np.int16)
        self._sample = 0
        self._run = 0
        self.speaking = False

    def push(self, pcm: Pcm) -> list[Edge]:
        """Take the next sound, int16 [any length] at 16 kHz. Returns the edges found in it.

        Error: edges lie on frame borders, so they are exact to 32 ms; they are reported
        `begin_frames` or `end_frames` later than they are dated.
        """
        sound = np.concatenate([self._rest, pcm])
        edges = []
        whole = len(sound) - len(sound) % FRAME_SAMPLES
        for at in range(0, whole, FRAME_SAMPLES):
            frame = sound[at : at + FRAME_SAMPLES].astype(np.float32) * np.float32(1 / 32768)
            edges += self._advance(self._net(frame))
        self._rest = sound[whole:]
        return edges

    def _advance(self, probability: float) -> list[Edge]:
        self._sample += FRAME_SAMPLES
        against = probability < self._end if self.speaking else probability >= self._begin
        self._run = self._run + 1 if against else 0
        if self._run < (self._end_frames if self.speaking else self._begin_frames):
            return []
        self.speaking = not self.speaking
        edge = Edge(self.speaking, self._sample - self._run * FRAME_SAMPLES)
        self._run = 0
        return [edge]


def _weights() -> Path:
    """The network's file inside its package, found without importing the package."""
    package = find_spec('silero_vad')
    if package is None or package.origin is None:
        raise BackendError(
            'the voice detector is missing: pip install --no-deps silero-vad==6.2.3'
        )
    return Path(package.origin).parent / 'data' / 'silero_vad.onnx'
