# SPDX-License-Identifier: Apache-2.0
"""General goals: the harness' own action, by which anybody may ask for anything.

A goal may name its capability or leave that to the planner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from venus_ros.core.errors import Code, VenusError
from venus_ros.core.messages import (
    DelegateAnswer,
    DelegateFeedback,
    DelegateGoal,
    DelegateResult,
    GoalStatus,
    State,
    Work,
)
from venus_ros.core.work import ENDED, RELEASED
from venus_ros.harness.choice import check_time_limit, choose
from venus_ros.harness.dispatch import Dispatch
from venus_ros.harness.journal import Entry
from venus_ros.harness.planner.base import PlannedStep, Refusal
from venus_ros.harness.requests import Asked, Requests, Steps
from venus_ros.harness.skills import Skills

_BAD = frozenset({State.FAILED, State.STALE, State.CANCELLED})


@dataclass(slots=True)
class _General:
    """An open goal, and the works that were made for it."""

    goal: DelegateGoal
    accepted_s: float
    cancelled: bool = False
    works: list[Entry] = field(default_factory=list)


class Generals:
    """Goals whose id is a request's: feedback names their works, the result is the decisive one.

    Args:
        requests: makes the works.
        dispatch: cancels them.
        skills: for goals that bring arguments instead of words.
    """

    def __init__(self, requests: Requests, dispatch: Dispatch, skills: Skills) -> None:
        self._requests = requests
        self._dispatch = dispatch
        self._skills = skills
        self._open: dict[str, _General] = {}

    def on_goal(self, goal: DelegateGoal, now_s: float, now_ns: int) -> list[Any]:
        """Take a goal and make its works."""
        if goal.goal_id in self._open or self._requests.works_named([goal.goal_id]):
            return [DelegateAnswer(goal.goal_id, False, 'duplicate: this goal is known already')]
        asked = Asked(
            request_id=goal.goal_id,
            session_id=goal.session_id,
            task=goal.task,
            opened_ns=now_ns,
            intent_epoch=goal.intent_epoch,
            priority=goal.priority,
            deliver=goal.deliver,
            time_limit_s=goal.time_limit_s,
        )
        general = self._open[goal.goal_id] = _General(goal, now_s)
        general.works = self._requests.make(asked, self._plan(goal, asked), [])
        return [DelegateAnswer(goal.goal_id, True)]

    def cancel(self, goal_id: str) -> None:
        """Cancel everything that a goal asked for."""
        if general := self._open.get(goal_id):
            general.cancelled = True
            for entry in general.works:
                self._dispatch.cancel(entry, Code.CANCELLED)

    def report(self, changed: Sequence[Entry], now_s: float) -> list[Any]:
        """Feedback for works that changed, and the results of goals that end with that."""
        out: list[Any] = []
        ids = {entry.work.work_id for entry in changed}
        for goal_id, general in list(self._open.items()):
            elapsed_s = now_s - general.accepted_s
            for entry in general.works:
                if entry.work.work_id in ids:
                    out.append(_feedback(goal_id, entry.work, elapsed_s))
            status = _status(general)
            if status is not None:
                out.append(DelegateResult(goal_id, status, _decisive(general)))
                del self._open[goal_id]
        return out

    def _plan(self, goal: DelegateGoal, asked: Asked) -> Steps | Refusal:
        """A goal with arguments is one step as it stands; else its task is planned."""
        try:
            check_time_limit(goal.time_limit_s)
            if not goal.arguments_json:
                if goal.capability:
                    self._skills.of(goal.capability)
                return self._requests.plan(asked, capability=goal.capability)
            skill, arguments = choose(
                self._skills, goal.capability, goal.skill, goal.arguments_json
            )
        except VenusError as error:
            return Refusal(error.code, error.message)
        return (PlannedStep(skill.capability, skill.skill, arguments, task=goal.task),)


def _feedback(goal_id: str, work: Work, elapsed_s: float) -> DelegateFeedback:
    text = work.summary or work.text
    return DelegateFeedback(
        goal_id, work.work_id, work.state, work.progress, text, work.revision, elapsed_s
    )


def _status(general: _General) -> GoalStatus | None:
    """ROS status with which a goal ends now; none while it stays open."""
    states = [entry.work.state for entry in general.works]
    done = ENDED if general.goal.deliver else RELEASED
    if not all(state in done for state in states):
        return None
    if general.cancelled:
        return GoalStatus.CANCELED
    return GoalStatus.ABORTED if _BAD & set(states) else GoalStatus.SUCCEEDED


def _decisive(general: _General) -> Work:
    """The work that tells how a goal ended: the first bad one, else the last."""
    works = [entry.work for entry in general.works]
    return next((work for work in works if work.state in _BAD), works[-1])
