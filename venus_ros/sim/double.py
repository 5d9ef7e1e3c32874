# SPDX-License-Identifier: Apache-2.0
"""A stand-in for one of the robot's action servers, whose behaviour a scene chooses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from venus_ros.core.messages import (
    GoalStatus,
    RobotAnswer,
    RobotCancel,
    RobotFeedback,
    RobotGoal,
    RobotResult,
    RobotServer,
)
from venus_ros.scenes.format import Double


@dataclass
class _Open:
    """A goal between its arrival and its end; times are seconds of the double's own clock."""

    goal: RobotGoal
    answer_at_s: float
    accepted: bool = False
    end_at_s: float = math.inf
    feedback_at_s: float = math.inf
    cancel_at_s: float = math.inf


class RobotDouble:
    """One action server with a given behaviour. Its time starts at its first call.

    Args:
        server: action name.
        behaviour: what it does; `silent` accepts a goal and then says nothing any more.
        start_s: what its clock shows at its first call, s; scenes count before t = 0 too.
        result: fields of a good result.
        feedback: fields of each feedback; `progress` and `distance_remaining` come by themselves.
    """

    CANCEL_TAKES_S = 0.1

    def __init__(
        self,
        server: str,
        behaviour: Double,
        start_s: float = 0.0,
        result: dict[str, Any] | None = None,
        feedback: dict[str, Any] | None = None,
    ) -> None:
        self.server = server
        self._behaviour = behaviour
        self._start_s = start_s
        self._result = result or {}
        self._feedback = feedback or {}
        self._origin_s: float | None = None
        self._open: dict[str, _Open] = {}
        self._visible: bool | None = None

    @property
    def visible(self) -> bool:
        """Whether the server can be seen on the graph now."""
        return bool(self._visible)

    def set_time(self, t_s: float, now_s: float) -> None:
        """Set the double's clock to `t_s` at steady time `now_s`; open goals keep their times."""
        self._origin_s = now_s - t_s

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Take a RobotGoal or RobotCancel for this server."""
        out = self.tick(now_s)
        t_s = self._time(now_s)
        if getattr(message, 'server', None) != self.server:
            return out
        if isinstance(message, RobotGoal):
            out += self._receive_goal(message, t_s)
        elif isinstance(message, RobotCancel) and self.visible:
            out += self._cancel(message, t_s)
        return out + self._work(t_s)

    def tick(self, now_s: float) -> list[Any]:
        """Let time pass. Returns what became due: presence, answers, feedback, results."""
        t_s = self._time(now_s)
        return self._presence(t_s) + self._work(t_s)

    def _time(self, now_s: float) -> float:
        if self._origin_s is None:
            self._origin_s = now_s - self._start_s
        return now_s - self._origin_s

    def _presence(self, t_s: float) -> list[Any]:
        behaviour = self._behaviour
        dead = behaviour.die_at_s is not None and t_s >= behaviour.die_at_s
        visible = t_s >= behaviour.unavailable_until_s and not dead
        if visible == self._visible:
            return []
        self._visible = visible
        if dead:
            self._open.clear()
        return [RobotServer(self.server, visible, '' if visible else 'no such server is seen')]

    def _receive_goal(self, goal: RobotGoal, t_s: float) -> list[Any]:
        if not self.visible:
            return [RobotAnswer(goal.goal_id, False, 'absent')]
        if goal.goal_id in self._open:
            return [RobotAnswer(goal.goal_id, False, 'refused')]
        self._open[goal.goal_id] = _Open(goal, t_s + self._behaviour.accept_after_s)
        return []

    def _cancel(self, cancel: RobotCancel, t_s: float) -> list[Any]:
        """Cancel one goal, or all. Of a goal that is not there it can only say that."""
        if cancel.goal_id and cancel.goal_id not in self._open:
            return [RobotResult(cancel.goal_id, GoalStatus.UNKNOWN, {})]
        for goal in self._open.values():
            if cancel.goal_id in ('', goal.goal.goal_id):
                goal.cancel_at_s = min(goal.cancel_at_s, t_s + self.CANCEL_TAKES_S)
        return []

    def _work(self, t_s: float) -> list[Any]:
        if not self.visible:
            return []
        out: list[Any] = []
        for goal in list(self._open.values()):
            if not goal.accepted and t_s >= goal.answer_at_s:
                out += self._answer(goal, t_s)
            if goal.accepted:
                out += self._progress(goal, t_s)
        return out

    def _answer(self, goal: _Open, t_s: float) -> list[Any]:
        behaviour, goal_id = self._behaviour, goal.goal.goal_id
        if behaviour.result == 'refuse':
            del self._open[goal_id]
            return [RobotAnswer(goal_id, False, 'refused')]
        goal.accepted = True
        if behaviour.result != 'silent':
            goal.end_at_s = goal.answer_at_s + behaviour.after_s
            goal.feedback_at_s = goal.answer_at_s if behaviour.feedback_hz > 0 else math.inf
        return [RobotAnswer(goal_id, True)]

    def _progress(self, goal: _Open, t_s: float) -> list[Any]:
        goal_id = goal.goal.goal_id
        if t_s >= goal.cancel_at_s and not self._behaviour.ignore_cancel:
            del self._open[goal_id]
            return [RobotResult(goal_id, GoalStatus.CANCELED, {})]
        if t_s >= goal.end_at_s:
            del self._open[goal_id]
            return [self._end(goal_id)]
        if t_s >= goal.feedback_at_s:
            goal.feedback_at_s = t_s + 1 / self._behaviour.feedback_hz
            return [RobotFeedback(goal_id, self._feedback_now(goal, t_s))]
        return []

    def _end(self, goal_id: str) -> RobotResult:
        behaviour = self._behaviour
        if behaviour.result == 'abort':
            reason = {'error_code': behaviour.error_code, 'error_msg': behaviour.error_msg}
            return RobotResult(goal_id, GoalStatus.ABORTED, reason)
        good = {'error_code': 0, 'error_msg': '', **self._result}
        return RobotResult(goal_id, GoalStatus.SUCCEEDED, good)

    def _feedback_now(self, goal: _Open, t_s: float) -> dict[str, Any]:
        whole_s = self._behaviour.after_s
        done = 1.0 if whole_s <= 0 else 1 - (goal.end_at_s - t_s) / whole_s
        return {'progress': done, 'distance_remaining': (1 - done) * 4.0, **self._feedback}
