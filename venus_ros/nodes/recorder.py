# SPDX-License-Identifier: Apache-2.0
"""Watches a whole running graph: every message of the conversation, as dataclasses.

It is the audience of a scene that is played live: it also types, calls `stop`, shows pictures
and starts the user's sound.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from sensor_msgs.msg import Image
from std_msgs.msg import String

from venus_ros.core import messages as m
from venus_ros.core.errors import BackendError, VenusError
from venus_ros.nodes import qos
from venus_ros.nodes.convert import ROS_TYPES, from_ros, to_ros, to_time
from venus_ros.nodes.farewell import let_others_leave
from venus_ros.nodes.interfaces import srv

See = Callable[[str, Any, int], None]
"""(source, message, ROS time of its arrival in ns)."""

CHANGE_S = 20.0

TOPICS: tuple[tuple[str, type, Any], ...] = (
    ('works', m.Works, qos.LATCHED_READER),
    ('capabilities', m.Capabilities, qos.LATCHED_READER),
    ('state', m.ConversationState, qos.LATCHED_READER),
    ('stopped', m.Stopped, qos.LATCHED_READER),
    ('playout', m.Playout, qos.LATCHED_READER),
    ('speech', m.SpeechChunk, qos.SPEECH),
    ('events', m.Event, qos.EVENTS),
    ('transcript', m.Transcript, qos.EVENTS),
    ('delegations', m.DelegateSpan, qos.DELEGATIONS),
    ('units', m.UnitReport, qos.EVENTS),
)


class Recorder:
    """A node of its own context and executor; call `spin` often.

    Args:
        see: takes every message.
        capabilities: servers whose own `works` are watched too.
        domain_id: DDS domain; none = that of the environment.
        namespace: the robot's.

    Attributes:
        values: 'node: part' → the newest values of its diagnostics.
    """

    def __init__(
        self,
        see: See,
        capabilities: Iterable[str] = (),
        domain_id: int | None = None,
        namespace: str = '',
    ) -> None:
        self._see = see
        self._context = rclpy.Context()
        rclpy.init(
            context=self._context,
            domain_id=domain_id,
            signal_handler_options=SignalHandlerOptions.NO,
        )
        self._node = rclpy.create_node('recorder', namespace=namespace, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._first_sound_ns: int | None = None
        self._text = self._node.create_publisher(String, 'text_in', qos.EVENTS)
        self._image = self._node.create_publisher(Image, 'image', qos.IMAGE)
        self._stop = self._node.create_client(srv.Stop, 'stop')
        self._asked: dict[str, _Asked] = {}
        for topic, cls, profile in TOPICS:
            self._subscribe(topic, cls, profile)
        for name in capabilities:
            self._subscribe(f'{name}/works', m.Works, qos.LATCHED_READER)
        self.values: dict[str, dict[str, str]] = {}
        self._node.create_subscription(
            DiagnosticArray, '/diagnostics', self._diagnose, qos.DIAGNOSTICS
        )
        self._sound: Any = self._node.create_subscription(
            ROS_TYPES[m.AudioChunk], 'audio', self._hear, qos.AUDIO
        )

    @property
    def first_sound_ns(self) -> int | None:
        """ROS stamp of the first sample of sound, once it was heard."""
        return self._first_sound_ns

    def now_ns(self) -> int:
        """ROS time."""
        return int(self._node.get_clock().now().nanoseconds)

    def spin(self, seconds: float) -> None:
        """Serve callbacks for so long."""
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 0:
            self._executor.spin_once(timeout_sec=left_s)

    def close(self) -> None:
        """Leave the graph."""
        let_others_leave([self._node], self.spin)
        self._executor.shutdown(timeout_sec=1.0)
        self._node.destroy_node()
        self._context.try_shutdown()

    # ---- what an audience can do --------------------------------------------------------------

    def type_text(self, text: str) -> None:
        """Publish typed words of the user."""
        self._text.publish(String(data=text))

    def show(self, frame: m.Frame) -> None:
        """Publish a picture as the camera would."""
        height, width, _ = frame.pixels.shape
        image = Image(height=height, width=width, encoding='rgb8', step=3 * width)
        image.header.frame_id = frame.frame_id
        image.header.stamp = to_time(self.now_ns())
        image.data.frombytes(frame.pixels.tobytes())
        self._image.publish(image)

    def call_stop(self, request: m.StopRequest) -> None:
        """Call the stop service without waiting for its answer."""
        self._see('user', request, self.now_ns())
        self._stop.call_async(to_ros(request))

    def watch(self, nodes: Iterable[str]) -> None:
        """Ask these lifecycle nodes for their state from now on; see `active`."""
        for node in nodes:
            self._asked[node] = _Asked(self._node.create_client(GetState, f'{node}/get_state'))

    def state_of(self, node: str) -> str:
        """Newest state of a watched node, empty before the first; asks until it is active."""
        return self._asked[node].label(time.monotonic())

    def configure(self, node: str) -> None:
        """Configure a lifecycle node. Raises BackendError if it does not take it."""
        self._change(node, Transition.TRANSITION_CONFIGURE)

    def activate(self, node: str) -> None:
        """Activate a configured lifecycle node. Raises BackendError if it does not take it."""
        self._change(node, Transition.TRANSITION_ACTIVATE)

    def _change(self, node: str, transition: int) -> None:
        request = ChangeState.Request()
        request.transition.id = transition
        answer = self._call(ChangeState, f'{node}/change_state', request, CHANGE_S)
        if answer is None or not answer.success:
            raise BackendError('does not change its state; its log says why', node)

    def set_number(self, node: str, name: str, value: float) -> None:
        """Set a parameter of a node. Raises BackendError if it does not take it."""
        request = SetParameters.Request()
        number = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
        request.parameters = [Parameter(name=name, value=number)]
        answer = self._call(SetParameters, f'{node}/set_parameters', request, 5.0)
        if answer is None or not answer.results[0].successful:
            raise BackendError(f'does not take {name}', node)

    def _call(self, kind: Any, name: str, request: Any, timeout_s: float) -> Any:
        client = self._node.create_client(kind, name)
        try:
            end_s = time.monotonic() + timeout_s
            while not client.service_is_ready():
                if time.monotonic() > end_s:
                    return None
                self.spin(0.02)
            future: Future = client.call_async(request)
            while not future.done() and time.monotonic() < end_s:
                self.spin(0.02)
            return future.result() if future.done() else None
        finally:
            self._node.destroy_client(client)

    # ---- what it sees -------------------------------------------------------------------------

    def _subscribe(self, topic: str, cls: type, profile: Any) -> None:
        def take(ros: Any) -> None:
            try:
                message: Any = from_ros(ros, cls)
            except VenusError as error:
                self._node.get_logger().warning(f'{topic}: {error}')
                return
            self._see(_source(topic, message), message, self.now_ns())

        self._node.create_subscription(ROS_TYPES[cls], topic, take, profile)

    def _diagnose(self, ros: Any) -> None:
        for status in ros.status:
            part = status.name.removeprefix('venus: ')
            self.values[part] = {pair.key: pair.value for pair in status.values}

    def _hear(self, ros: Any) -> None:
        """Only the first chunk matters: it says when t = 0 was."""
        if self._first_sound_ns is None:
            chunk = from_ros(ros, m.AudioChunk)
            before_ns = chunk.first_sample * 1_000_000_000 // chunk.sample_rate
            self._first_sound_ns = chunk.stamp_ns - before_ns
            self._executor.create_task(self._forget_sound)

    def _forget_sound(self) -> None:
        self._node.destroy_subscription(self._sound)


class _Asked:
    """A lifecycle node that is asked for its state, again and again, until it is active."""

    EVERY_S = 0.5
    PATIENCE_S = 5.0

    def __init__(self, client: Any) -> None:
        self._client = client
        self._answer: Future | None = None
        self._asked_s = 0.0
        self._label = ''

    def label(self, now_s: float) -> str:
        """The newest answer; '' before the first."""
        if self._answer is not None and self._answer.done():
            self._label = self._answer.result().current_state.label
            self._answer = None
        wait_s = self.EVERY_S if self._answer is None else self.PATIENCE_S
        if self._label != 'active' and now_s - self._asked_s >= wait_s:
            self._asked_s = now_s
            ready = self._client.service_is_ready()
            self._answer = self._client.call_async(GetState.Request()) if ready else None
        return self._label


def _source(topic: str, message: Any) -> str:
    """Who sent it, as far as the message or its topic tells."""
    return getattr(message, 'source', '') or topic
