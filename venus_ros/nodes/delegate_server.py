# SPDX-License-Identifier: Apache-2.0
"""Serves the action Delegate for an engine, whose messages decide when and how goals end."""

from __future__ import annotations

import inspect
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future

from venus_ros.core import messages as m
from venus_ros.core.errors import Code
from venus_ros.nodes.action_link import uuid_from_ros
from venus_ros.nodes.convert import from_ros, result_to_ros, to_ros
from venus_ros.nodes.interfaces import action
from venus_ros.nodes.lifecycle import VenusNode

RESULT_TIMEOUT_S = 900
"""Results stay this long after the end, for clients that ask late."""


class DelegateServer:
    """One `delegate` action, whose goals go to `node.feed`.

    A goal is accepted whenever the node is active. What the engine declines at once ends ABORTED
    with a typed result, since the goal's id is not known before acceptance.
    """

    def __init__(self, node: VenusNode, name: str, capability: str) -> None:
        self._node = node
        self._capability = capability
        self._open: dict[str, ServerGoalHandle[Any, Any, Any]] = {}
        self._ends: dict[str, Future[m.DelegateResult]] = {}
        server = ActionServer(
            node,
            action.Delegate,
            name,
            self._execute,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
            result_timeout=RESULT_TIMEOUT_S,
        )
        node.own(server.destroy)
        node.route(m.DelegateAnswer, self._answer)
        node.route(m.DelegateFeedback, self._feedback)
        node.route(m.DelegateResult, self._result)

    @property
    def open_goals(self) -> tuple[str, ...]:
        """Ids of goals that have not ended."""
        return tuple(self._open)

    def cancel_all(self) -> None:
        """Ask the engine to cancel every open goal."""
        for goal_id in self.open_goals:
            self._node.feed(m.DelegateCancel(goal_id, self._capability))

    def _on_goal(self, goal: Any) -> GoalResponse:
        return GoalResponse.ACCEPT if self._node.active else GoalResponse.REJECT

    def _on_accepted(self, handle: ServerGoalHandle[Any, Any, Any]) -> None:
        goal_id = uuid_from_ros(handle.goal_id)
        self._open[goal_id] = handle
        self._ends[goal_id] = Future(executor=self._node.executor)
        handle.execute()
        goal = from_ros(handle.request, m.DelegateGoal, goal_id=goal_id)
        self._node.guarded(self._take)(goal)

    def _take(self, goal: m.DelegateGoal) -> None:
        """Feed a goal; should that fail, the goal still ends."""
        try:
            self._node.feed(goal)
        except Exception:
            self._decline(goal.goal_id, Code.INTERNAL, 'something inside failed; see the log')
            raise

    def _on_cancel(self, handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
        goal_id = uuid_from_ros(handle.goal_id)
        if goal_id not in self._open:
            return CancelResponse.REJECT
        self._node.feed(m.DelegateCancel(goal_id, self._capability))
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle[Any, Any, Any]) -> Any:
        goal_id = uuid_from_ros(handle.goal_id)
        end = await self._ends[goal_id]
        del self._ends[goal_id], self._open[goal_id]
        result = result_to_ros(end.work)
        finish(handle, end.status, result)
        return result

    def _answer(self, answer: m.DelegateAnswer) -> None:
        if not answer.accepted:
            self._decline(answer.goal_id, Code.REFUSED, answer.reason)

    def _decline(self, goal_id: str, code: Code, reason: str) -> None:
        failed = m.State.FAILED
        work = m.Work(
            goal_id, self._capability, failed, error_code=code, error_msg=reason, summary=reason
        )
        self._result(m.DelegateResult(goal_id, m.GoalStatus.ABORTED, work))

    def _feedback(self, feedback: m.DelegateFeedback) -> None:
        if handle := self._open.get(feedback.goal_id):
            handle.publish_feedback(to_ros(feedback))

    def _result(self, result: m.DelegateResult) -> None:
        end = self._ends.get(result.goal_id)
        if end is not None and not end.done():
            end.set_result(result)


def finish(handle: ServerGoalHandle[Any, Any, Any], status: m.GoalStatus, result: Any) -> None:
    """End the goal; CANCELED exists only for goals whose client asked, others are ABORTED."""
    if status is m.GoalStatus.SUCCEEDED:
        end = handle.succeed
    elif status is m.GoalStatus.CANCELED and handle.is_cancel_requested:
        end = handle.canceled
    else:
        end = handle.abort
    end(*((result,) if inspect.signature(end).parameters else ()))
