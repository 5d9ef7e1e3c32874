# SPDX-License-Identifier: Apache-2.0
"""What happened in a run: every message with its time, whichever way the scene was played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from venus_ros.core.messages import Pcm
from venus_ros.scenes.track import Track

T = TypeVar('T')

See = Callable[[float, str, Any], None]
"""(t_s, source, message), called for every message while a scene runs."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message. `t_s` scene time at which it was sent or received; `source` who sent it."""

    t_s: float
    source: str
    message: Any


@dataclass(slots=True)
class Log:
    """A run.

    Attributes:
        track: the user's sound.
        zero_ns: stamp of t = 0: ROS time of a live run, counted time otherwise.
        live: whether real nodes ran.
        entries: messages in the order in which they came; pictures and sound chunks are left out.
        robot_pcm: what the speaker played, int16 [samples] at `robot_rate_hz`, from t = 0.
        end_s: when the run ended.
        faults: what was done to the nodes: (time, node, what).
        errors: what nodes raised, with their names; none is right.
    """

    track: Track
    zero_ns: int
    live: bool = False
    entries: list[Entry] = field(default_factory=list)
    robot_pcm: Pcm = field(default_factory=lambda: np.zeros(0, np.int16))
    robot_rate_hz: int = 16_000
    end_s: float = 0.0
    faults: list[tuple[float, str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def add(self, t_s: float, source: str, message: Any) -> None:
        """Record a message."""
        self.entries.append(Entry(t_s, source, message))

    def of(self, kind: type[T]) -> Iterator[tuple[float, str, T]]:
        """(time, source, message) of one kind."""
        for entry in self.entries:
            if isinstance(entry.message, kind):
                yield entry.t_s, entry.source, entry.message

    def seconds(self, stamp_ns: int) -> float:
        """Scene time of a stamp."""
        return (stamp_ns - self.zero_ns) / 1e9
