# SPDX-License-Identifier: Apache-2.0
"""From probabilities of voice to the edges of speech, with hysteresis."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edge:
    """Speech began (`speech`) or ended at `sample`, counted from the first frame."""

    speech: bool
    sample: int


class Hysteresis:
    """Finds edges that a flicker of the probability does not make.

    Args:
        frame_samples: samples of one frame.
        begin: probability from which a frame counts as voice while there is none.
        end: probability below which a frame counts as none while there is voice.
        begin_frames: frames of voice in a row that begin speech.
        end_frames: frames without voice in a row that end it.

    Attributes:
        speaking: whether there is speech now.
    """

    def __init__(
        self,
        frame_samples: int,
        begin: float = 0.5,
        end: float = 0.35,
        begin_frames: int = 2,
        end_frames: int = 3,
    ) -> None:
        self._frame_samples = frame_samples
        self._begin, self._end = begin, end
        self._begin_frames, self._end_frames = begin_frames, end_frames
        self.reset()

    def reset(self) -> None:
        """Start anew, in silence, at sample 0."""
        self._sample = 0
        self._run = 0
        self.speaking = False

    def push(self, probability: float) -> Edge | None:
        """Take the next frame; the edge is dated back to the first frame of its run."""
        self._sample += self._frame_samples
        against = probability < self._end if self.speaking else probability >= self._begin
        self._run = self._run + 1 if against else 0
        if self._run < (self._end_frames if self.speaking else self._begin_frames):
            return None
        edge = Edge(not self.speaking, self._sample - self._run * self._frame_samples)
        self.speaking, self._run = edge.speech, 0
        return edge
