# SPDX-License-Identifier: Apache-2.0
"""One goal of a capability server: its work, and how far the robot's own server is with it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from venus_ros.core.errors import Code
from venus_ros.core.messages import DelegateGoal, GoalStatus, Scope, State, Work
from venus_ros.core.work import RELEASED
from venus_ros.harness.skills import Effect, Skill, failure, promise


class Phase(Enum):
    """How far the robot's server is with our goal."""

    IDLE = 'idle'
    """Nothing was sent."""
    SENT = 'sent'
    """Sent, not answered."""
    ACCEPTED = 'accepted'
    """The robot executes it."""
    ENDED = 'ended'
    """The robot has let go, or we have given up waiting for that."""


class Overdue(NamedTuple):
    """A deadline that has passed: why the work fails."""

    code: Code
    reason: str


def robot_goal_id(work_id: str, step: int = 1, attempt: int = 1) -> str:
    """UUID text of the robot's goal; the same for whoever executes the work after a restart."""
    try:
        base = uuid.UUID(work_id)
    except ValueError:
        base = uuid.uuid5(uuid.NAMESPACE_OID, work_id)
    return str(uuid.uuid5(base, f'{step}/{attempt}'))


def resources(names: str) -> frozenset[str]:
    """Resources named by a skill: `base`, `base arm`, or none."""
    return frozenset(names.replace(',', ' ').split())


def spoken_server(skill: Skill) -> str:
    """How the robot calls the server of a skill when it speaks: `my navigation`.

    Its name in ROS is for diagnostics, not for the user's ears.
    """
    return f'my {skill.capability.replace("_", " ")}'


def failure_words(
    skill: Skill, arguments: Mapping[str, Any], code: Code, reason: str, result: Mapping[str, Any]
) -> str:
    """What the user hears about a work that failed.

    Args:
        reason: a clause; the robot's own reason in `result` goes first.
    """
    wish = promise(skill, arguments)
    if code is Code.CANCEL_UNCONFIRMED and wish:
        return f'I was told not to {wish}, but I could not make sure that the robot has stopped.'
    return failure(skill, arguments, result, reason)


def stops(skill: Skill, scope: Scope) -> bool:
    """Whether a stop of this scope ends the skill: every move, and what its entry says."""
    motion = scope.motion and (skill.effect is Effect.MOVE or 'stop' in skill.cancel_on)
    return motion or scope.speech and 'silence' in skill.cancel_on


@dataclass(slots=True)
class Job:
    """A goal and everything that is known about its execution.

    Attributes:
        goal: as it was asked for.
        work: the newest record.
        skill: what runs it; none if the goal was refused before one was chosen.
        arguments: checked by the skill's schema.
        accepted_s: when the goal was accepted, watch time.
        phase: the robot's side.
        eligible_s: since when only the robot's server is missing, watch time.
        sent_s: when the robot's goal was sent.
        heard_s: when the robot's server was last heard about it.
        started_s: when the robot accepted.
        first_feedback: for skills that report what remains.
        cancel: why it is being cancelled; NONE if it is not.
        cancel_by_s: when an unconfirmed cancel is given up, or an ended work's hold on the robot.
        asked_cancel_s: when the robot was last asked to cancel.
        closed: the goal's result was given.
    """

    goal: DelegateGoal
    work: Work
    skill: Skill | None
    arguments: Mapping[str, Any]
    accepted_s: float
    phase: Phase = Phase.IDLE
    eligible_s: float | None = None
    sent_s: float = 0.0
    heard_s: float = 0.0
    started_s: float = 0.0
    first_feedback: Mapping[str, Any] | None = None
    cancel: Code = Code.NONE
    cancel_by_s: float = 0.0
    asked_cancel_s: float = 0.0
    closed: bool = False
    resources: frozenset[str] = field(init=False)
    robot_goal_id: str = field(init=False)

    def __post_init__(self) -> None:
        self.resources = resources(self.skill.resource if self.skill else '')
        self.robot_goal_id = robot_goal_id(self.work.work_id)

    @property
    def executing(self) -> bool:
        """Whether the work may still do something to the world."""
        return self.work.state not in RELEASED

    @property
    def with_robot(self) -> bool:
        """Whether the robot has, or may have, our goal: it then holds the resources."""
        return self.phase in (Phase.SENT, Phase.ACCEPTED)

    @property
    def total_s(self) -> float:
        """Longest run; the goal's own limit goes before the skill's."""
        assert self.skill is not None
        return self.goal.time_limit_s or self.skill.limits.total_s

    def overdue(self, watch_s: float, server_gone: bool) -> Overdue | None:
        """The deadline that has passed, if one has.

        Args:
            watch_s: watch time.
            server_gone: the robot's server has been out of sight for too long.
        """
        if self.skill is None or not self.executing:
            return None
        limits = self.skill.limits
        if self.work.state is State.CANCELLING:
            if watch_s < self.cancel_by_s:
                return None
            if self.phase is Phase.ENDED:
                return Overdue(Code.CANCELLED, 'something else cancelled it')
            return Overdue(Code.CANCEL_UNCONFIRMED, 'the cancel was not confirmed')
        if self.phase is Phase.IDLE:
            if self.eligible_s is None or watch_s - self.eligible_s < limits.accept_s:
                return None
            return Overdue(Code.SERVER_ABSENT, f'{spoken_server(self.skill)} is not there')
        if self.phase is Phase.SENT:
            if watch_s - self.sent_s < limits.accept_s:
                return None
            return Overdue(Code.SERVER_SILENT, f'{spoken_server(self.skill)} does not answer')
        if server_gone:
            return Overdue(Code.SERVER_LOST, f'{spoken_server(self.skill)} has gone')
        if watch_s - self.started_s >= self.total_s:
            return Overdue(Code.TIMED_OUT, 'it took too long')
        if 0 < limits.feedback_gap_s <= watch_s - self.heard_s:
            return Overdue(
                Code.SERVER_SILENT, f'{spoken_server(self.skill)} does not answer any more'
            )
        return None

    def goal_status(self) -> GoalStatus | None:
        """ROS status with which the goal ends now; none while it stays open."""
        match self.work.state:
            case State.COMPLETED if not self.goal.deliver:
                return GoalStatus.SUCCEEDED
            case State.DELIVERED:
                return GoalStatus.SUCCEEDED
            case State.UNSPOKEN:
                return GoalStatus.CANCELED if self.cancel else GoalStatus.SUCCEEDED
            case State.FAILED | State.STALE:
                return GoalStatus.ABORTED
            case State.CANCELLED:
                return GoalStatus.CANCELED
        return None
