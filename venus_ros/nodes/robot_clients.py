# SPDX-License-Identifier: Apache-2.0
"""The robot's own actions, of any type, found by the name of their type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from venus_ros.core import messages as m
from venus_ros.core.errors import VenusError
from venus_ros.nodes.action_link import ActionLink
from venus_ros.nodes.fields import fill, plain
from venus_ros.nodes.interfaces import find_interface
from venus_ros.nodes.lifecycle import VenusNode


class RobotClients:
    """Clients for the robot's action servers; answers, feedback and results go to `node.feed`.

    Args:
        node: owner.
        servers: action name → type name; these are watched from the start.
    """

    def __init__(self, node: VenusNode, servers: Mapping[str, str]) -> None:
        self._node = node
        self._links: dict[str, ActionLink] = {}
        self._types: dict[str, Any] = {}
        self._seen: dict[str, tuple[bool, str]] = {}
        self._wrong: dict[str, str] = {}
        for server, type_name in servers.items():
            try:
                self._link(server, type_name)
            except VenusError as error:
                self._wrong[server] = str(error)
                node.get_logger().error(str(error))
        node.route(m.RobotGoal, self._send)
        node.route(m.RobotCancel, self._cancel)

    @property
    def open_goals(self) -> frozenset[str]:
        """Goals at any server that have not ended."""
        return frozenset().union(*(link.open_goals for link in self._links.values()))

    @property
    def seen(self) -> dict[str, tuple[bool, str]]:
        """Server → (available, reason if not)."""
        return dict(self._seen)

    def cancel_open(self) -> None:
        """Ask to cancel every goal that has not ended."""
        for link in self._links.values():
            for goal_id in link.open_goals:
                link.cancel(goal_id)

    def poll(self) -> None:
        """Tell the engine of servers that came or went, and send what waited for one."""
        now = {name: (link.available, '') for name, link in self._links.items()}
        now |= {name: (False, reason) for name, reason in self._wrong.items()}
        for name, (available, reason) in now.items():
            if self._seen.get(name) != (available, reason):
                self._seen[name] = available, reason
                reason = reason or ('' if available else f'no server {name} is on the graph')
                self._node.feed(m.RobotServer(name, available, reason))
        for link in self._links.values():
            link.poll()

    def _link(self, server: str, type_name: str) -> ActionLink:
        if server in self._links:
            return self._links[server]
        feed = self._node.feed
        self._types[server] = find_interface(type_name)
        self._links[server] = ActionLink(
            self._node,
            self._types[server],
            server,
            answered=lambda goal_id, yes, why: feed(m.RobotAnswer(goal_id, yes, why)),
            progressed=lambda goal_id, ros: feed(m.RobotFeedback(goal_id, plain(ros))),
            ended=lambda goal_id, status, ros: feed(
                m.RobotResult(goal_id, status, {} if ros is None else plain(ros))
            ),
        )
        return self._links[server]

    def _send(self, goal: m.RobotGoal) -> None:
        try:
            link = self._link(goal.server, goal.type)
            message = fill(self._types[goal.server].Goal(), goal.goal)
        except VenusError as error:
            self._node.feed(m.RobotAnswer(goal.goal_id, False, str(error)))
            return
        link.send(goal.goal_id, message)

    def _cancel(self, cancel: m.RobotCancel) -> None:
        if link := self._links.get(cancel.server):
            link.cancel(cancel.goal_id)
