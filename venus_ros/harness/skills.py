# SPDX-License-Identifier: Apache-2.0
"""All skills: read from `config/capabilities.yaml` and from files of the user's.

The skill files say what the robot can be asked for and how a request becomes a goal of any ROS
action. This module reads them; `outcome` uses them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from venus_ros.core.errors import Code, VenusError
from venus_ros.core.messages import Capability
from venus_ros.harness.outcome import cause_code, failure, fill_goal, progress, promise, summary
from venus_ros.harness.skill import Effect, Limits, Skill, check_arguments
from venus_ros.harness.skill_file import read_skills
from venus_ros.share import share

_EFFECTS = {Effect.READ: 1, Effect.SPEAK: 2, Effect.MOVE: 3}


class Skills:
    """All skills, in the order of the files."""

    def __init__(self, skills: Iterable[Skill]) -> None:
        self._skills = {skill.skill: skill for skill in skills}

    def __iter__(self) -> Iterator[Skill]:
        return iter(self._skills.values())

    def __len__(self) -> int:
        return len(self._skills)

    def capabilities(self) -> tuple[str, ...]:
        """Names of the capabilities (servers), in order."""
        return tuple(dict.fromkeys(skill.capability for skill in self))

    def of(self, capability: str) -> tuple[Skill, ...]:
        """Skills of one capability. Raises VenusError(UNKNOWN_CAPABILITY)."""
        found = tuple(skill for skill in self if skill.capability == capability)
        if not found:
            known = ', '.join(self.capabilities())
            raise VenusError(
                f'there is no capability {capability!r}; there are: {known}',
                Code.UNKNOWN_CAPABILITY,
            )
        return found

    def get(self, capability: str, skill: str = '') -> Skill:
        """One skill; empty = the capability's only one.

        Raises:
            VenusError: UNKNOWN_CAPABILITY or UNKNOWN_SKILL.
        """
        candidates = self.of(capability)
        if not skill and len(candidates) == 1:
            return candidates[0]
        for candidate in candidates:
            if candidate.skill == skill:
                return candidate
        known = ', '.join(candidate.skill for candidate in candidates)
        wanted = f'has no skill {skill!r}' if skill else 'needs the name of a skill'
        raise VenusError(f'{capability} {wanted}; there are: {known}', Code.UNKNOWN_SKILL)

    def offer(self, absent: Mapping[str, str] | None = None) -> tuple[Capability, ...]:
        """Messages that say what can be asked for.

        Args:
            absent: robot's action server -> why it is not available.
        """
        absent = absent or {}
        return tuple(
            Capability(
                capability=skill.capability,
                skill=skill.skill,
                description=skill.description,
                description_zh=skill.description_zh,
                examples=skill.examples,
                examples_zh=skill.examples_zh,
                arguments_json=json.dumps(skill.arguments, ensure_ascii=False),
                effect=_EFFECTS[skill.effect],
                resource=skill.resource,
                available=skill.server not in absent,
                reason=absent.get(skill.server, ''),
            )
            for skill in self
        )


def moves(skills: Skills) -> tuple[str, ...]:
    """The robot's action servers that move something, each once (for the reflex)."""
    return tuple(dict.fromkeys(s.server for s in skills if s.effect is Effect.MOVE))


def load(*files: Path | str, places: Path | str | None = None, shipped: bool = True) -> Skills:
    """Read the shipped `config/capabilities.yaml`, then `files`, which add or override entries.

    Args:
        files: further files; '' stands for none.
        places: table of places to use instead of the shipped `config/places.yaml`.
        shipped: False reads `files` alone.

    Raises:
        ConfigError: `file:line: key` and what is wrong there.
    """
    paths = [share('config/capabilities.yaml')] if shipped else []
    return Skills(read_skills([*paths, *(Path(file) for file in files if file)], places))


__all__ = [
    'Effect',
    'Limits',
    'Skill',
    'Skills',
    'cause_code',
    'check_arguments',
    'failure',
    'fill_goal',
    'load',
    'moves',
    'progress',
    'promise',
    'summary',
]
