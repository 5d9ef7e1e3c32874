# SPDX-License-Identifier: Apache-2.0
"""Where speech begins and ends, in samples, for any cutting of the sound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from venus_ros.core.messages import Pcm

FRAME_SAMPLES = 512
"""Samples of a frame at 16 kHz: 32 ms."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Speech began (`speech`) or ended at `sample`, counted from the first sample pushed."""

    speech: bool
    sample: int


class Detector(Protocol):
    """Tells voice from other sound, frame by frame."""

    def __call__(self, frame: Pcm) -> float:
        """Return the probability of voice in the next frame, int16 [512] at 16 kHz."""

    def reset(self) -> None:
        """Forget all sound."""


class VoiceActivity:
    """Edges of speech, with hysteresis so that a flicker of the probability makes none.

    Args:
        detector: gives the probabilities.
        begin: probability from which a frame counts as speech while silent.
        end: probability below which a frame counts as silence while speaking.
        begin_frames: frames of speech in a row that begin it (32 ms each).
        end_frames: frames of silence in a row that end it.

    Attributes:
        speaking: whether there is speech now.
    """

    def __init__(
        self,
        detector: Detector,
        begin: float = 0.5,
        end: float = 0.35,
        begin_frames: int = 2,
        end_frames: int = 3,
    ) -> None:
        self._detector = detector
        self._begin, self._end = begin, end
        self._begin_frames, self._end_frames = begin_frames, end_frames
        self.reset()

    def reset(self) -> None:
        """Forget all sound; samples are counted from 0 again."""
        self._detector.reset()
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
        whole = len(sound) - len(sound) % FRAME_SAMPLES
        edges: list[Edge] = []
        for frame in sound[:whole].reshape(-1, FRAME_SAMPLES):
            edges += self._advance(self._detector(frame))
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
