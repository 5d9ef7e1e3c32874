# SPDX-License-Identifier: Apache-2.0
"""What the robot remembers of where things were when it last saw them."""

from __future__ import annotations

from venus_ros.sim import sight
from venus_ros.sim.sight import Seen
from venus_ros.sim.world import THINGS, SimWorld


class Memory:
    """Thing → where it was last seen. It starts with where everything stood at the start."""

    def __init__(self, world: SimWorld) -> None:
        self._world = world
        self._last: dict[str, Seen] = {}
        for thing in THINGS:
            low, high = world.extent(thing)
            x, y, z = (float(v) for v in (low + high) / 2)
            self._last[thing] = Seen(thing, world.support(thing), (x, y, z))

    def look(self) -> tuple[Seen, ...]:
        """Take in what the camera sees now."""
        seen = sight.things_in_view(self._world)
        self._last.update({entry.thing: entry for entry in seen})
        return seen

    def of(self, thing: str) -> Seen | None:
        """Where the thing was last seen."""
        return self._last.get(thing)

    def forget(self, thing: str) -> None:
        """It is no longer where it was seen."""
        self._last.pop(thing, None)
