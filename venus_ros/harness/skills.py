# SPDX-License-Identifier: Apache-2.0
"""Skills: what the robot can be asked for, as configuration.

A skill maps a request to any ROS action: how arguments fill the goal, how feedback and result
become words, which limits hold. Everything here is pure; files are read by `load`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from venus_ros.core.messages import Capability


class Effect(Enum):
    """What a skill does to the world."""

    READ = 'read'
    SPEAK = 'speak'
    MOVE = 'move'


@dataclass(frozen=True, slots=True)
class Limits:
    """How long things may take, s of steady time."""

    accept_s: float = 5.0
    feedback_gap_s: float = 10.0
    total_s: float = 120.0
    cancel_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Skill:
    """One entry of `capabilities.yaml`."""

    capability: str
    skill: str
    server: str
    type: str
    description: str
    effect: Effect
    arguments: Mapping[str, Any]
    """JSON Schema (object). `x-words` of a property: value -> phrases that mean it."""
    goal: Mapping[str, Any]
    description_zh: str = ''
    examples: tuple[str, ...] = ()
    examples_zh: tuple[str, ...] = ()
    resource: str = ''
    confirmation: str = 'risky'
    cancel_on: tuple[str, ...] = ('stop', 'correction')
    limits: Limits = field(default_factory=Limits)


class Skills:
    """All skills, in the order of the file."""

    def __iter__(self) -> Iterator[Skill]:
        raise NotImplementedError

    def capabilities(self) -> tuple[str, ...]:
        """Names of the capabilities (servers), in order."""
        raise NotImplementedError

    def of(self, capability: str) -> tuple[Skill, ...]:
        """Skills of one capability. Raises VenusError(UNKNOWN_CAPABILITY)."""
        raise NotImplementedError

    def get(self, capability: str, skill: str = '') -> Skill:
        """One skill; empty = the only one. Raises VenusError(UNKNOWN_CAPABILITY|UNKNOWN_SKILL)."""
        raise NotImplementedError

    def offer(self, absent: Mapping[str, str] | None = None) -> tuple[Capability, ...]:
        """Messages that say what can be asked for; `absent`: robot's server -> why not."""
        raise NotImplementedError


def load(*files: Path | str, places: Path | str | None = None) -> Skills:
    """Read the shipped `config/capabilities.yaml`, then `files`, which add or override entries.

    Raises:
        ConfigError: `file:line: key` and what is wrong there.
    """
    raise NotImplementedError


def check_arguments(skill: Skill, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments checked against the schema (bounds, enums, finite numbers), defaults filled in.

    Raises:
        VenusError: MISSING_ARGUMENT or INVALID_ARGUMENT, `message` is fit to be spoken.
    """
    raise NotImplementedError


def fill_goal(skill: Skill, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The robot's goal for checked `arguments`, as nested plain values."""
    raise NotImplementedError


def progress(skill: Skill, feedback: Mapping[str, Any], first: Mapping[str, Any] | None = None
             ) -> tuple[float, str]:
    """Share done (0 to 1, NaN unknown) and words for the robot's feedback.

    Args:
        first: the goal's first feedback, for skills that report what remains.
    """
    raise NotImplementedError


def summary(skill: Skill, arguments: Mapping[str, Any], result: Mapping[str, Any]
            ) -> tuple[str, dict[str, Any]]:
    """At most three spoken sentences for a result that ended well, and its data."""
    raise NotImplementedError


def failure(skill: Skill, arguments: Mapping[str, Any], result: Mapping[str, Any],
            reason: str = '') -> str:
    """A spoken sentence for an end that was not well; uses the robot's own message, or `reason`."""
    raise NotImplementedError


def cause_code(skill: Skill, result: Mapping[str, Any]) -> int:
    """The robot's own error code in `result`; 0 if none."""
    raise NotImplementedError


def moves(skills: Skills) -> tuple[str, ...]:
    """Robot's action servers that move something, without repetition (for the reflex)."""
    return tuple(dict.fromkeys(s.server for s in skills if s.effect is Effect.MOVE))
