# SPDX-License-Identifier: Apache-2.0
"""What all nodes share: life cycle, parameters, diagnostics and the way to their engine.

A node says in `setup` what it hears and tells, makes its engine, and is done: messages go
through `feed` into the engine, and what comes back goes out by its type.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from inspect import Parameter, Signature
from typing import Any, ClassVar

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile

from venus_ros.core.errors import VenusError
from venus_ros.core.messages import Engine
from venus_ros.nodes import qos
from venus_ros.nodes.clock import STEADY, now_s, stamper
from venus_ros.nodes.convert import ROS_TYPES, from_ros, to_ros
from venus_ros.nodes.diagnostics import DiagnosticArray, Health, Level, array
from venus_ros.nodes.parameters import Param, declare

RETRY_S = 2.0
ANY = Signature((Parameter('args', Parameter.VAR_POSITIONAL),))
"""Of guarded callbacks: told, because rclpy looks for it at each tick of a timer."""
TICK_S = 0.02
"""Engines with sound in hand are ticked so often …"""
WATCH_S = 0.1
"""… and those that only watch deadlines so often: what happens comes to them as messages."""

AUTOSTART = Param(
    'autostart', True, 'Configure and activate by itself, and again after a device was lost.'
)


class VenusNode(LifecycleNode):
    """A lifecycle node around one engine.

    A subclass gives `PARAMS` and implements `setup` (configure), `start` (activate), `stop`
    (deactivate; also after a failed `start`), `teardown` (cleanup) and `diagnose`. A
    `VenusError` raised in `setup` or `start` leaves the node unconfigured or inactive, is told
    in the diagnostics, and with `autostart` the node tries again.
    """

    PARAMS: ClassVar[tuple[Param, ...]] = ()

    def __init__(self, name: str, **node_options: Any) -> None:
        super().__init__(name, **node_options)
        declare(self, (AUTOSTART, *self.PARAMS))
        self.stamp = stamper(self)
        self.engine: Engine | None = None
        self.active = False
        self.fault = ''
        self.faults_survived = 0
        self._wanted = self.param('autostart')
        self._routes: dict[type, Callable[[Any], None]] = {}
        self._undo: list[Callable[[], Any]] = []
        self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', qos.DIAGNOSTICS)
        self.create_timer(1.0, self._publish_diagnostics, clock=STEADY)
        self._starter = self.create_timer(0.0, self._autostart, clock=STEADY)

    # ---- for subclasses ----------------------------------------------------------------------

    def setup(self) -> None:
        """Make engine, publishers, subscriptions and services."""

    def start(self) -> None:
        """Open devices and workers."""

    def stop(self) -> None:
        """Release what `start` took. Idempotent."""

    def teardown(self) -> None:
        """Release what `setup` took besides what `hear`, `tell`, `every` and `own` made."""

    def diagnose(self) -> Iterator[Health]:
        """State of the parts of an active node."""
        yield Health('node', Level.OK, 'active')

    def leave(self) -> None:
        """The process is to end: begin to bring the world to rest, such as cancelling moves."""

    def at_rest(self) -> bool:
        """What `leave` began has ended."""
        return True

    def param(self, name: str) -> Any:
        """Present value of a declared parameter."""
        return self.get_parameter(name).value

    def own(self, undo: Callable[[], Any]) -> None:
        """Call `undo` at cleanup, last made first."""
        self._undo.append(undo)

    def every(self, period_s: float, callback: Callable[[], None]) -> Any:
        """Call back on the steady clock until cleanup; returns the timer."""
        timer = self.create_timer(period_s, self.guarded(callback), clock=STEADY)
        self.own(partial(self.destroy_timer, timer))
        return timer

    def publisher(self, ros_type: Any, topic: str, profile: QoSProfile) -> Any:
        """A publisher until cleanup."""
        made = self.create_publisher(
            ros_type, topic, profile, qos_overriding_options=qos.overridable()
        )
        self.own(partial(self.destroy_publisher, made))
        return made

    def subscribe(
        self, ros_type: Any, topic: str, profile: QoSProfile, callback: Callable[[Any], None]
    ) -> Any:
        """A subscription until cleanup."""
        made = self.create_subscription(
            ros_type,
            topic,
            self.guarded(callback),
            profile,
            qos_overriding_options=qos.overridable(),
        )
        self.own(partial(self.destroy_subscription, made))
        return made

    def serve(self, ros_type: Any, name: str, callback: Callable[..., Any]) -> None:
        """A service until cleanup; a callback that fails gives an empty answer."""
        guarded = self.guarded(callback)
        made = self.create_service(
            ros_type, name, lambda *given: guarded(*given) or ros_type.Response()
        )
        self.own(partial(self.destroy_service, made))

    def route(self, cls: type, send: Callable[[Any], None]) -> None:
        """What the engine gives of type `cls` goes to `send`."""
        self._routes[cls] = send

    def tell(self, cls: type, topic: str, profile: QoSProfile) -> None:
        """Publish what the engine gives of type `cls`."""
        out = self.publisher(ROS_TYPES[cls], topic, profile)
        self.route(cls, lambda message: out.publish(to_ros(message)))

    def hear(self, cls: type, topic: str, profile: QoSProfile) -> None:
        """Feed the engine with what arrives on `topic`."""
        self.listen(cls, topic, profile, self.feed)

    def listen(
        self, cls: type, topic: str, profile: QoSProfile, take: Callable[[Any], None]
    ) -> None:
        """Call `take` with what arrives on `topic`, as dataclass `cls`."""
        self.subscribe(ROS_TYPES[cls], topic, profile, lambda ros: take(from_ros(ros, cls)))

    def feed(self, message: Any) -> None:
        """Give one message to the engine and send what comes back."""
        if self.engine is not None:
            self.send(self.engine.receive(message, now_s()))

    def tick(self) -> None:
        """Let the engine's time pass and send what comes back."""
        if self.engine is not None:
            self.send(self.engine.tick(now_s()))

    def send(self, messages: Iterable[Any]) -> None:
        """Send each message the way of its type; one that fails does not stop the others."""
        for message in messages:
            send = self._routes.get(type(message))
            if send is None:
                self.get_logger().debug(f'no way out for {type(message).__name__}')
                continue
            self.guarded(send)(message)

    def guarded(self, callback: Callable[..., Any]) -> Callable[..., Any]:
        """`callback` with errors logged and counted: one bad message must not stop a node.

        It then gives none.
        """

        def call(*args: Any) -> Any:
            try:
                return callback(*args)
            except VenusError as error:
                self.faults_survived += 1
                self.get_logger().warning(str(error), throttle_duration_sec=1.0)
            except Exception:
                self.faults_survived += 1
                self.get_logger().error(traceback.format_exc(), throttle_duration_sec=1.0)
            return None

        call.__signature__ = ANY  # type: ignore[attr-defined]
        return call

    def lose(self, reason: str) -> None:
        """What `start` had taken is gone: become inactive, and try again if `autostart`."""
        self.get_logger().error(reason)
        wanted = self._wanted
        self.trigger_deactivate()
        self.fault = reason
        self._wanted = wanted

    def rest(self) -> None:
        """Stop what runs, and release its devices, before anything of ROS is taken down."""
        if self.active:
            self.active = False
            self.guarded(self.stop)()

    # ---- life cycle --------------------------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        return self._attempt(self.setup, self._release)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        outcome = self._attempt(self.start, self.stop)
        self.active = outcome is TransitionCallbackReturn.SUCCESS
        self._wanted = self._wanted or self.active
        return outcome

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._wanted = False
        self.rest()
        return TransitionCallbackReturn.SUCCESS

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._wanted = False
        self._release()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        if self.active:
            self.on_deactivate(state)
        return self.on_cleanup(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.active = False
        self.guarded(self.stop)()
        self._release()
        return TransitionCallbackReturn.SUCCESS

    def _attempt(
        self, begin: Callable[[], None], undo: Callable[[], None]
    ) -> TransitionCallbackReturn:
        try:
            begin()
        except VenusError as error:
            self._failed(str(error), str(error))
        except Exception as error:
            self._failed(f'{type(error).__name__}: {error}', traceback.format_exc())
        else:
            self.fault = ''
            return TransitionCallbackReturn.SUCCESS
        self.guarded(undo)()
        return TransitionCallbackReturn.FAILURE

    def _failed(self, fault: str, details: str) -> None:
        if fault != self.fault:
            self.get_logger().error(details)
        self.fault = fault

    def _release(self) -> None:
        self.guarded(self.teardown)()
        while self._undo:
            self.guarded(self._undo.pop())()
        self._routes.clear()
        self.engine = None

    def _autostart(self) -> None:
        """Runs at once after construction, then again while the node is wanted but not active."""
        self._starter.timer_period_ns = int(RETRY_S * 1e9)
        if not self._wanted or self.active:
            return
        label = self._state_machine.current_state[1]
        if label == 'unconfigured':
            self.trigger_configure()
            label = self._state_machine.current_state[1]
        if label == 'inactive':
            self.trigger_activate()
        self._publish_diagnostics()

    def _publish_diagnostics(self) -> None:
        if self.fault:
            healths = [Health('node', Level.ERROR, self.fault)]
        elif not self.active:
            healths = [Health('node', Level.WARN, self._state_machine.current_state[1])]
        else:
            healths = list(self.diagnose())
        if self.faults_survived:
            count = {'survived': self.faults_survived}
            healths.append(Health('faults', Level.WARN, 'errors were survived; see log', count))
        name = self.get_name()
        namespace = self.get_namespace()
        self._diagnostics.publish(array(healths, name, namespace, self.stamp()))


__all__ = ['AUTOSTART', 'RETRY_S', 'TICK_S', 'WATCH_S', 'Health', 'Level', 'Param', 'VenusNode']
