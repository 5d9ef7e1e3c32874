# SPDX-License-Identifier: Apache-2.0
"""Two sound devices, two clocks: where in the loudspeaker's samples a microphone's sample lies."""

from __future__ import annotations

from collections import deque

BLOCKS = 500
"""Blocks whose lateness is remembered: about ten seconds, among which one came in time."""
RECENT = 50
JUMP_S = 0.005
"""Devices drift by microseconds a second; a larger difference means that sound was lost."""
FOLLOW = 2e-3
"""Share of the difference that is made up for per read: 10 s at 20 ms each. The canceller can
follow a slow drift, not a clock that jitters."""


class Pace:
    """When each sample of a device is due, s: the block that came earliest is the most honest."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._starts: deque[float] = deque(maxlen=BLOCKS)

    def arrive(self, sample: int, at_s: float) -> None:
        """`sample` was due at `at_s` or before."""
        self._starts.append(at_s - sample / self._rate_hz)
        recent = list(self._starts)[-RECENT:]
        if len(recent) == RECENT and min(recent) - min(self._starts) > JUMP_S:
            self._starts = deque(recent, maxlen=BLOCKS)

    @property
    def start_s(self) -> float | None:
        """When sample 0 was due; none before anything arrived."""
        return min(self._starts, default=None)


class Follower:
    """A position that moves on evenly, and slowly to where it should be.

    Args:
        rate_hz: of the samples that are read.
    """

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._at: float | None = None

    def move(self, target: float, seconds: float) -> tuple[float, float]:
        """Position from which the next `seconds` are read, and how many samples they are.

        Args:
            target: where the position should be, samples.
            seconds: on the reader's clock.
        """
        if self._at is None or abs(target - self._at) > JUMP_S * self._rate_hz:
            self._at = target
        at, length = self._at, seconds * self._rate_hz + FOLLOW * (target - self._at)
        self._at = at + length
        return at, length
