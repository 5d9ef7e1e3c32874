# SPDX-License-Identifier: Apache-2.0
"""What every planner promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from venus_ros.core.errors import Code


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One work: which skill, with which arguments (valid by the skill's schema).

    Attributes:
        after: index of the step that must end well before this one starts; -1 = none.
        task: the words that asked for it.
    """

    capability: str
    skill: str
    arguments: Mapping[str, Any]
    after: int = -1
    task: str = ''


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in order; at least one."""

    steps: tuple[PlannedStep, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a task cannot be planned; `sentence` is for the user's ears."""

    code: Code
    sentence: str


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What a planner may know besides the task.

    Attributes:
        transcript: the last words of the conversation, oldest first, frozen at the request.
        mentioned: role of an argument (`place`, `object`, ...) -> its last value.
        capability: plan for this capability only; empty = any.
    """

    transcript: tuple[str, ...] = ()
    mentioned: Mapping[str, str] = field(default_factory=dict)
    capability: str = ''


class Planner(Protocol):
    """Routes a task."""

    def plan(self, task: str, context: PlanContext) -> Plan | Refusal:
        """Plan `task`. Never raises for what a user said."""
