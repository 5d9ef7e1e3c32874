# SPDX-License-Identifier: Apache-2.0
"""A person at the command line beside a running robot: type, speak through it, look, stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

import rclpy
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import String

from venus_ros.core import messages as m
from venus_ros.core.errors import BackendError
from venus_ros.nodes import qos
from venus_ros.nodes.convert import ROS_TYPES, from_ros, to_ros
from venus_ros.nodes.interfaces import action, srv

PATIENCE_S = 5.0
TAKEN_S = 1.0
"""The conversation takes typed words within a unit."""


class Client:
    """A node for the length of a `with` block. Every call waits for what it needs.

    Args:
        namespace: the robot's.

    Raises:
        BackendError: nobody answers; the robot is not up, or on another domain.
    """

    def __init__(self, namespace: str = '') -> None:
        self._namespace = namespace

    def __enter__(self) -> Client:
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context)
        self._node = rclpy.create_node('person', namespace=self._namespace, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._executor.shutdown(timeout_sec=1.0)
        self._node.destroy_node()
        self._context.try_shutdown()

    def type_text(self, text: str) -> None:
        """Publish typed words of the user; returns once the conversation has taken them.

        That is told by the transcript, much sooner than by the middleware, which acknowledges a
        lone message with its next heartbeat.
        """
        taken: list[Any] = []
        self._node.create_subscription(
            ROS_TYPES[m.Transcript], 'transcript', taken.append, qos.EVENTS
        )
        publisher = self._node.create_publisher(String, 'text_in', qos.EVENTS)
        self._until(lambda: publisher.get_subscription_count() > 0, 'text_in')
        publisher.publish(String(data=text))
        if self._holds(lambda: bool(taken), TAKEN_S):
            return
        if not publisher.wait_for_all_acked(Duration(seconds=PATIENCE_S)):
            raise BackendError('the robot did not take the words', publisher.topic_name)

    def works(self) -> m.Works:
        """The harness' table of works."""
        found: list[Any] = []
        self._node.create_subscription(ROS_TYPES[m.Works], 'works', found.append, qos.LATCHED)
        self._until(lambda: bool(found), 'works')
        return from_ros(found[-1], m.Works)

    def stop(self, request: m.StopRequest) -> str:
        """Call the stop service. Returns what was stopped, for people."""
        client = self._node.create_client(srv.Stop, 'stop')
        self._until(client.service_is_ready, 'stop')
        future = client.call_async(to_ros(request))
        self._until(future.done, 'stop')
        return str(future.result().message)

    def speak(self, text: str, longest_s: float = 60.0) -> str:
        """Let the robot say `text`. Returns the words that were heard."""
        client = ActionClient(self._node, action.Speak, 'speak')
        self._until(client.server_is_ready, 'speak')
        sent = client.send_goal_async(action.Speak.Goal(text=text))
        self._until(sent.done, 'speak')
        if not sent.result().accepted:
            raise BackendError('the robot did not accept the words', 'speak')
        ended = sent.result().get_result_async()
        self._until(ended.done, 'speak', longest_s)
        result = ended.result().result
        if result.error_code:
            raise BackendError(result.error_msg, 'speak')
        return str(result.heard)

    def _until(
        self, condition: Callable[[], bool], name: str, timeout_s: float = PATIENCE_S
    ) -> None:
        if not self._holds(condition, timeout_s):
            raise BackendError(
                'nobody answers; is the robot up (venus up), and are ROS_DOMAIN_ID and '
                'the namespace the same?',
                self._node.resolve_topic_name(name),
            )

    def _holds(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Whether `condition` comes to hold in time."""
        end_s = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > end_s:
                return False
            self._executor.spin_once(timeout_sec=0.02)
        return True
