# SPDX-License-Identifier: Apache-2.0
"""Serves the action Speak: a sentence for the robot to say, ended when it was heard."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future

from venus_ros.core import messages as m
from venus_ros.core.errors import Code
from venus_ros.nodes.action_link import uuid_from_ros
from venus_ros.nodes.convert import from_ros, said_to_ros
from venus_ros.nodes.interfaces import action
from venus_ros.nodes.lifecycle import VenusNode


class SpeakServer:
    """One `speak` action. What is cancelled is not said, or not to its end.

    Args:
        node: owner; goals are refused while it is inactive.
        ask: takes a `Say` or `Unsay`.
    """

    def __init__(self, node: VenusNode, ask: Callable[[m.Say | m.Unsay], None]) -> None:
        self._node, self._ask = node, ask
        self._open: dict[str, ServerGoalHandle[Any, Any, Any]] = {}
        self._ends: dict[str, Future[m.Said]] = {}
        server = ActionServer(
            node,
            action.Speak,
            'speak',
            self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT if node.active else GoalResponse.REJECT,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
            result_timeout=900,
        )
        node.own(server.destroy)
        node.route(m.Said, self._said)

    def end_all(self, reason: str) -> None:
        """End every open goal, since nobody will speak any more."""
        for request_id in tuple(self._ends):
            self._said(m.Said(request_id, 0, 0, '', done=True, error=reason))

    def _on_accepted(self, handle: ServerGoalHandle[Any, Any, Any]) -> None:
        request_id = uuid_from_ros(handle.goal_id)
        self._open[request_id] = handle
        self._ends[request_id] = Future(executor=self._node.executor)
        handle.execute()
        self._ask(from_ros(handle.request, m.Say, request_id=request_id))

    def _on_cancel(self, handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
        request_id = uuid_from_ros(handle.goal_id)
        if request_id not in self._open:
            return CancelResponse.REJECT
        self._ask(m.Unsay(request_id))
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle[Any, Any, Any]) -> Any:
        request_id = uuid_from_ros(handle.goal_id)
        said = await self._ends[request_id]
        del self._ends[request_id], self._open[request_id]
        result = said_to_ros(said)
        result.error_code = int(Code.NOT_TOLD) if said.error else 0
        if said.completed:
            end = handle.succeed
        else:
            end = handle.canceled if handle.is_cancel_requested else handle.abort
        end(*((result,) if inspect.signature(end).parameters else ()))
        return result

    def _said(self, said: m.Said) -> None:
        end = self._ends.get(said.request_id)
        if end is None or end.done():
            return
        if said.done:
            end.set_result(said)
        else:
            self._open[said.request_id].publish_feedback(said_to_ros(said))
