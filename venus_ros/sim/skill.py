# SPDX-License-Identifier: Apache-2.0
"""What a skill of the robot is, and the parts of the robot that it uses.

A skill is a generator: each `next` is one control step and may yield the action's feedback; it
returns the action's result. Feedback and results are dicts shaped like those of the ROS action.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Any

from venus_ros.sim.drive import Drive, Progress
from venus_ros.sim.memory import Memory
from venus_ros.sim.places import Places
from venus_ros.sim.route import FloorMap
from venus_ros.sim.world import SimWorld

Fields = dict[str, Any]
Skill = Generator['Fields | None', None, Fields]
Part = Generator['Fields | None', None, None]
"""A part of a skill: gives feedback, but no result of its own."""


@dataclass
class SkillError(Exception):
    """A skill ended without doing what was asked. `result` has the action's fields."""

    result: Fields


@dataclass(frozen=True, slots=True)
class Robot:
    """All parts of the robot that a skill uses."""

    world: SimWorld
    floor: FloorMap
    drive: Drive
    memory: Memory
    places: Places


def driving(motion: Iterable[Progress], feedback: Callable[[float], Fields]) -> Part:
    """Drive; `feedback` makes the action's feedback from the share done, 0 to 1."""
    first_s, share = 0.0, 0.0
    for progress in motion:
        first_s = max(first_s, progress.remaining_s)
        share = max(share, 1 - progress.remaining_s / first_s) if first_s > 0 else share
        yield feedback(share)


def quietly(motion: Iterable[Any]) -> Part:
    """Go through a motion without feedback."""
    for _ in motion:
        yield None


def words(name: str) -> str:
    """A name as people say it."""
    return name.replace('_', ' ')
