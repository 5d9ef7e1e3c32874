# SPDX-License-Identifier: Apache-2.0
"""Sends the harness' works to the capability servers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from venus_ros.core import messages as m
from venus_ros.core.errors import Code, VenusError
from venus_ros.nodes.action_link import ActionLink
from venus_ros.nodes.convert import from_ros, result_from_ros, to_ros
from venus_ros.nodes.interfaces import action
from venus_ros.nodes.lifecycle import VenusNode


class DelegateClients:
    """One `<capability>/delegate` client for each capability."""

    def __init__(self, node: VenusNode, capabilities: Iterable[str]) -> None:
        self._node = node
        self._links = {capability: self._link(capability) for capability in capabilities}
        node.route(m.DelegateGoal, self._send)
        node.route(m.DelegateCancel, self._cancel)

    @property
    def available(self) -> dict[str, bool]:
        """Capability → its server is seen."""
        return {capability: link.available for capability, link in self._links.items()}

    def poll(self) -> None:
        """Send what waits for its server. Call it regularly."""
        for link in self._links.values():
            link.poll()

    def _link(self, capability: str) -> ActionLink:
        feed = self._node.feed

        def ended(goal_id: str, status: m.GoalStatus, result: Any) -> None:
            result = result or action.Delegate.Result()
            work = result_from_ros(result, goal_id, capability)
            feed(m.DelegateResult(goal_id, status, work))

        return ActionLink(
            self._node,
            action.Delegate,
            f'{capability}/delegate',
            answered=lambda goal_id, yes, why: feed(m.DelegateAnswer(goal_id, yes, why)),
            progressed=lambda goal_id, ros: feed(
                from_ros(ros, m.DelegateFeedback, goal_id=goal_id)
            ),
            ended=ended,
        )

    def _send(self, goal: m.DelegateGoal) -> None:
        self._of(goal.capability).send(goal.goal_id, to_ros(goal))

    def _cancel(self, cancel: m.DelegateCancel) -> None:
        self._of(cancel.capability).cancel(cancel.goal_id)

    def _of(self, capability: str) -> ActionLink:
        if capability not in self._links:
            raise VenusError('no such capability', Code.UNKNOWN_CAPABILITY, capability)
        return self._links[capability]
