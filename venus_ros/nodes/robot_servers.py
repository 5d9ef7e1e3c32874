# SPDX-License-Identifier: Apache-2.0
"""Serves robot actions of any type for an engine that takes RobotGoal and RobotCancel.

An action's server exists while the engine says that it can be seen (`RobotServer`). The engine
knows a goal before it is accepted, when ROS does not tell its id yet; so goals bear numbers here.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future

from venus_ros.core import messages as m
from venus_ros.core.errors import VenusError
from venus_ros.nodes.delegate_server import RESULT_TIMEOUT_S, finish
from venus_ros.nodes.fields import fill, plain
from venus_ros.nodes.interfaces import find_interface
from venus_ros.nodes.lifecycle import VenusNode


@dataclass
class _Open:
    """A goal on its way: whether it is accepted, and its end."""

    server: str
    answer: Future[bool]
    end: Future[m.RobotResult]
    handle: ServerGoalHandle[Any, Any, Any] | None = None


class RobotServers:
    """Action servers whose goals go to `node.feed`.

    Args:
        node: owner; goals are taken while it is active.
        types: action name → type name. One whose package is missing is not served.
    """

    def __init__(self, node: VenusNode, types: Mapping[str, str]) -> None:
        self._node = node
        self._names = dict(types)
        self._types: dict[str, Any] = {}
        self.missing: dict[str, str] = {}
        for name, type_name in types.items():
            try:
                self._types[name] = find_interface(type_name)
            except VenusError as error:
                self.missing[name] = str(error)
                node.get_logger().error(f'{name} is not served: {error}')
        self._servers: dict[str, Any] = {}
        self._open: dict[str, _Open] = {}
        self._accepted: str = ''
        self._numbers = itertools.count(1)
        node.own(self.close)
        node.route(m.RobotServer, self._presence)
        node.route(m.RobotAnswer, self._answer)
        node.route(m.RobotFeedback, self._feedback)
        node.route(m.RobotResult, self._result)

    @property
    def served(self) -> tuple[str, ...]:
        """Names of the actions that can be seen now."""
        return tuple(self._servers)

    @property
    def open_goals(self) -> int:
        """How many goals have not ended."""
        return len(self._open)

    def cancel_all(self) -> None:
        """Ask the engine to cancel everything."""
        for server in self._types:
            self._node.feed(m.RobotCancel(server))

    def close(self) -> None:
        """Serve nothing any more."""
        for name in self.served:
            self._servers.pop(name).destroy()
        self._open.clear()

    def _presence(self, presence: m.RobotServer) -> None:
        name = presence.server
        if name not in self._types:
            return
        if presence.available and name not in self._servers:
            self._servers[name] = self._serve(name)
        elif not presence.available and name in self._servers:
            self._servers.pop(name).destroy()
            self._open = {key: goal for key, goal in self._open.items() if goal.server != name}

    def _serve(self, name: str) -> Any:
        async def on_goal(goal: Any) -> GoalResponse:
            return await self._on_goal(name, goal)

        return ActionServer(
            self._node,
            self._types[name],
            name,
            self._execute,
            goal_callback=on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
            result_timeout=RESULT_TIMEOUT_S,
        )

    async def _on_goal(self, server: str, goal: Any) -> GoalResponse:
        if not self._node.active:
            return GoalResponse.REJECT
        key, executor = f'goal {next(self._numbers)}', self._node.executor
        opened = _Open(server, Future(executor=executor), Future(executor=executor))
        self._open[key] = opened
        self._node.feed(m.RobotGoal(key, server, self._names[server], plain(goal)))
        if not await opened.answer:
            self._open.pop(key, None)
            return GoalResponse.REJECT
        self._accepted = key  # ROS accepts it next, before anything else runs
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle: ServerGoalHandle[Any, Any, Any]) -> None:
        self._open[self._accepted].handle = handle
        handle.execute()

    def _on_cancel(self, handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
        key = self._key(handle)
        if not key:
            return CancelResponse.REJECT
        self._node.feed(m.RobotCancel(self._open[key].server, key))
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle[Any, Any, Any]) -> Any:
        key = self._key(handle)
        opened = self._open[key]
        end = await opened.end
        self._open.pop(key, None)
        result = self._message(opened.server, 'Result', end.result)
        finish(handle, end.status, result)
        return result

    def _answer(self, answer: m.RobotAnswer) -> None:
        opened = self._open.get(answer.goal_id)
        if opened and not opened.answer.done():
            if not answer.accepted:
                self._node.get_logger().info(f'{opened.server} refused a goal: {answer.reason}')
            opened.answer.set_result(answer.accepted)

    def _feedback(self, feedback: m.RobotFeedback) -> None:
        opened = self._open.get(feedback.goal_id)
        if opened and opened.handle:
            message = self._message(opened.server, 'Feedback', feedback.feedback)
            opened.handle.publish_feedback(message)

    def _result(self, result: m.RobotResult) -> None:
        opened = self._open.get(result.goal_id)
        if opened and not opened.end.done():
            opened.end.set_result(result)

    def _key(self, handle: ServerGoalHandle[Any, Any, Any]) -> str:
        return next((key for key, goal in self._open.items() if goal.handle is handle), '')

    def _message(self, server: str, part: str, values: Mapping[str, Any]) -> Any:
        """The action's message with those of the values that it has fields for."""
        message = getattr(self._types[server], part)()
        known = message.get_fields_and_field_types()
        return fill(message, {name: value for name, value in values.items() if name in known})
