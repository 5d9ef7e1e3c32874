# SPDX-License-Identifier: Apache-2.0
"""Delegated work: its life, what can be delegated, and the action that carries it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class State(IntEnum):
    """States of a work; DESIGN: from QUEUED to DELIVERED."""

    UNKNOWN = 0
    QUEUED = 1
    WAITING = 2
    RUNNING = 3
    COMPLETED = 4
    DELIVERING = 5
    DELIVERED = 6
    CANCELLING = 7
    CANCELLED = 8
    FAILED = 9
    STALE = 10
    UNSPOKEN = 11


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of delegated work; a new record for every change (`dataclasses.replace`)."""

    work_id: str
    capability: str
    state: State
    states: tuple[tuple[State, int], ...] = ()
    request_id: str = ''
    session_id: str = ''
    skill: str = ''
    arguments_json: str = '{}'
    after_work_id: str = ''
    intent_epoch: int = 0
    priority: int = 0
    deliver: bool = True
    progress: float = float('nan')
    text: str = ''
    revision: int = 0
    error_code: int = 0
    error_msg: str = ''
    cause_code: int = 0
    summary: str = ''
    data_json: str = '{}'
    observed_ns: int = 0
    delivered: bool = False
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class Works:
    """All works that `source` knows: the harness, or one capability server."""

    source: str
    works: tuple[Work, ...]
    stamp_ns: int = 0


@dataclass(frozen=True, slots=True)
class Capability:
    """One skill that can be asked for."""

    capability: str
    skill: str
    description: str
    examples: tuple[str, ...] = ()
    arguments_json: str = '{}'
    effect: int = 0  # 0 unknown, 1 read, 2 speak, 3 move
    resource: str = ''
    available: bool = True
    reason: str = ''
    description_zh: str = ''
    examples_zh: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Everything that can be delegated now."""

    capabilities: tuple[Capability, ...]
    stamp_ns: int = 0


@dataclass(frozen=True, slots=True)
class DelegateGoal:
    """Goal of the action Delegate; `goal_id` is the work's id (the request's at the harness)."""

    goal_id: str
    capability: str
    task: str = ''
    arguments_json: str = ''
    request_id: str = ''
    session_id: str = ''
    skill: str = ''
    evidence_id: str = ''
    intent_epoch: int = 0
    priority: int = 0
    time_limit_s: float = 0.0
    deliver: bool = True


@dataclass(frozen=True, slots=True)
class DelegateAnswer:
    """Whether a goal was accepted."""

    goal_id: str
    accepted: bool
    reason: str = ''


@dataclass(frozen=True, slots=True)
class DelegateCancel:
    """Please cancel this goal."""

    goal_id: str
    capability: str


@dataclass(frozen=True, slots=True)
class DelegateFeedback:
    """Feedback of a Delegate goal."""

    goal_id: str
    work_id: str
    state: State
    progress: float = float('nan')
    text: str = ''
    revision: int = 0
    elapsed_s: float = 0.0


class GoalStatus(IntEnum):
    """Numbers of action_msgs/GoalStatus."""

    UNKNOWN = 0
    ACCEPTED = 1
    EXECUTING = 2
    CANCELING = 3
    SUCCEEDED = 4
    CANCELED = 5
    ABORTED = 6


@dataclass(frozen=True, slots=True)
class DelegateResult:
    """End of a Delegate goal: its ROS status, and the work as it ended."""

    goal_id: str
    status: GoalStatus
    work: Work
