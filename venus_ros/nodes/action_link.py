# SPDX-License-Identifier: Apache-2.0
"""A client of one action: goals with ids of our own, cancel by id, presence of the server.

Used for the robot's own actions and for the capability servers' alike. Everything happens on the
executor's thread, and nothing waits.

A server that is killed and comes back within seconds never was out of sight: for a while the
graph shows both. So the link watches for servers that are new: what was sent and not answered is
sent again under its id, and of each open goal the new server is asked for the result, which it
knows nothing of. It is asked several times, since a server that is just being discovered can hear
a question before its answer finds the way back.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from unique_identifier_msgs.msg import UUID

from venus_ros.core.errors import InputError
from venus_ros.core.messages import GoalStatus
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.lifecycle import VenusNode

LOOK_S = 0.5
"""How often a server that is new is looked for while goals are open."""
ASK_S = 5.0
"""So long after it came a new server is asked for results."""
PATIENCE_S = 1.0
"""A goal waits so long for a server that is not seen yet: discovery takes its time."""
ABSENT = 'absent'
REFUSED = 'refused'
WITHDRAWN = 'withdrawn'


def uuid_to_ros(text: str) -> UUID:
    """ROS UUID of a UUID's text. Raises InputError if it is none."""
    try:
        return UUID(uuid=list(uuid.UUID(text).bytes))
    except ValueError:
        raise InputError(f'{text!r} is not a UUID', 'goal_id') from None


def uuid_from_ros(ros: UUID) -> str:
    """Text of a ROS UUID."""
    return str(uuid.UUID(bytes=bytes(ros.uuid)))


class ActionLink:
    """Goals at one action server.

    Args:
        node: whose executor serves the link; the link closes at its cleanup.
        action_type: class of the action.
        name: relative name of the action.
        answered: called with (goal_id, accepted, reason); reason ABSENT, REFUSED or WITHDRAWN.
        progressed: called with (goal_id, feedback message).
        ended: called with (goal_id, status, result message or none). Status UNKNOWN: the server
            does not know the goal (any more).
    """

    def __init__(
        self,
        node: VenusNode,
        action_type: Any,
        name: str,
        *,
        answered: Callable[[str, bool, str], None],
        progressed: Callable[[str, Any], None],
        ended: Callable[[str, GoalStatus, Any], None],
    ) -> None:
        self.name = name
        self._node = node
        self._type = action_type
        self._answered = node.guarded(answered)
        self._progressed = node.guarded(progressed)
        self._ended = node.guarded(ended)
        self._client = ActionClient(node, action_type, name)
        node.own(self._client.destroy)
        self._canceller = node.create_client(CancelGoal, f'{name}/_action/cancel_goal')
        node.own(partial(node.destroy_client, self._canceller))
        self._waiting: dict[str, tuple[Any, float]] = {}
        self._sent: dict[str, Any] = {}
        self._open: set[str] = set()
        self._known: frozenset[bytes] = frozenset()
        self._look_s = 0.0
        self._ask_until_s = 0.0
        self._cancel_when_accepted: set[str] = set()

    @property
    def available(self) -> bool:
        """The server is seen on the graph."""
        return self._client.server_is_ready()

    @property
    def open_goals(self) -> frozenset[str]:
        """Goals that were sent and have not ended."""
        return frozenset(self._open | self._sent.keys())

    def send(self, goal_id: str, goal: Any) -> None:
        """Send a goal now, or as soon as the server is seen."""
        uuid_to_ros(goal_id)
        if self.available:
            self._send(goal_id, goal)
        else:
            self._waiting[goal_id] = goal, now_s() + PATIENCE_S

    def poll(self) -> None:
        """Send what waits for the server, or give it up. Call it regularly."""
        for goal_id, (goal, until_s) in list(self._waiting.items()):
            if self.available:
                del self._waiting[goal_id]
                self._send(goal_id, goal)
            elif now_s() >= until_s:
                del self._waiting[goal_id]
                self._answered(goal_id, False, ABSENT)
        if self.open_goals and now_s() >= self._look_s:
            self._look_for_new_server()

    def cancel(self, goal_id: str = '') -> None:
        """Ask to cancel one goal, or all goals of the server, whoever sent them."""
        if self._waiting.pop(goal_id, None) is not None:
            self._answered(goal_id, False, WITHDRAWN)
        elif goal_id in self._sent:
            self._cancel_when_accepted.add(goal_id)
        else:
            self._cancel(goal_id)

    def _look_for_new_server(self) -> None:
        self._look_s = now_s() + LOOK_S
        before, self._known = self._known, self._known | self._servers()
        if before and self._known != before:
            self._ask_until_s = now_s() + ASK_S
            for goal_id, goal in list(self._sent.items()):
                self._send(goal_id, goal)
        if now_s() < self._ask_until_s:
            for goal_id in self._open:
                self._await_result(goal_id, self._handle(goal_id))

    def _servers(self) -> frozenset[bytes]:
        """What tells the servers on the graph apart: the writers of their status."""
        topic = self._node.resolve_topic_name(f'{self.name}/_action/status')
        writers = self._node.get_publishers_info_by_topic(topic)
        return frozenset(bytes(writer.endpoint_gid) for writer in writers)

    def _send(self, goal_id: str, goal: Any) -> None:
        if not self.open_goals:
            self._known = self._servers()
        self._sent[goal_id] = goal
        future = self._client.send_goal_async(
            goal,
            feedback_callback=lambda message: self._progressed(goal_id, message.feedback),
            goal_uuid=uuid_to_ros(goal_id),
        )
        future.add_done_callback(partial(self._on_answer, goal_id))

    def _on_answer(self, goal_id: str, future: Any) -> None:
        if self._sent.pop(goal_id, None) is None:
            return
        handle = future.result()
        cancel = goal_id in self._cancel_when_accepted
        self._cancel_when_accepted.discard(goal_id)
        if handle is None or not handle.accepted:
            self._answered(goal_id, False, REFUSED)
            return
        self._await_result(goal_id, handle)
        self._answered(goal_id, True, '')
        if cancel:
            self._cancel(goal_id)

    def _await_result(self, goal_id: str, handle: ClientGoalHandle[Any, Any, Any]) -> None:
        self._open.add(goal_id)
        handle.get_result_async().add_done_callback(partial(self._on_result, goal_id))

    def _on_result(self, goal_id: str, future: Any) -> None:
        response = future.result()
        if response is None or goal_id not in self._open:
            return
        self._open.discard(goal_id)
        self._ended(goal_id, GoalStatus(response.status), response.result)

    def _cancel(self, goal_id: str) -> None:
        request = CancelGoal.Request()
        if goal_id:
            request.goal_info.goal_id = uuid_to_ros(goal_id)
        if not self._canceller.service_is_ready():
            return
        future = self._canceller.call_async(request)
        future.add_done_callback(partial(self._on_cancel_answer, goal_id))

    def _on_cancel_answer(self, goal_id: str, future: Any) -> None:
        """Learn the end of a goal that an earlier run of this process had sent.

        The same goal may have been sent again before the answer came; then it has not ended.
        """
        response = future.result()
        ours = goal_id in self.open_goals or goal_id in self._waiting
        if not goal_id or ours or response is None:
            return
        if not response.goals_canceling:
            self._ended(goal_id, GoalStatus.UNKNOWN, None)
            return
        self._await_result(goal_id, self._handle(goal_id))

    def _handle(self, goal_id: str) -> ClientGoalHandle[Any, Any, Any]:
        """A goal that some server has, or may have, accepted."""
        accepted = self._type.Impl.SendGoalService.Response(accepted=True)
        return ClientGoalHandle(self._client, uuid_to_ros(goal_id), accepted)
