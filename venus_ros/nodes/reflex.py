# SPDX-License-Identifier: Apache-2.0
"""Serves `stop`, hears stop words, and lowers the robot's level while the user speaks.

Needs no other node.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from action_msgs.srv import CancelGoal
from geometry_msgs.msg import Twist
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from venus_ros.core import messages as m
from venus_ros.core.errors import BackendError, InputError
from venus_ros.core.voice import VoiceActivity
from venus_ros.harness.skills import load, moves
from venus_ros.nodes import intake, qos
from venus_ros.nodes.capability_server import CAPABILITIES_FILE
from venus_ros.nodes.convert import ROS_TYPES, from_ros, to_ros
from venus_ros.nodes.interfaces import srv
from venus_ros.nodes.lifecycle import WATCH_S, Health, Level, Param, VenusNode
from venus_ros.nodes.process import run
from venus_ros.nodes.run_id import run_id
from venus_ros.reflex.reflex import Reflex
from venus_ros.reflex.stop_words import THRESHOLD, WORDS, StopWords, open_stop_words
from venus_ros.silero import open_voice

HOLD_PERIOD_S = 0.1


class ReflexNode(VenusNode):
    """The reflex engine: a stop goes to the robot's servers directly, cancelling all goals."""

    PARAMS = (
        CAPABILITIES_FILE,
        Param('ducking', True, "Lower the robot's level while somebody speaks."),
        Param(
            'stop.words',
            [''],
            f'Experimental: words that stop everything: {", ".join(WORDS)}; an empty one = off.',
        ),
        Param(
            'stop.threshold',
            THRESHOLD,
            'Confidence from which a stop word counts: higher = fewer false stops, more missed.',
            0.0,
            1.0,
        ),
        Param(
            'stop.hold_topic',
            '',
            'After a stop of motion, hold the base on this topic; empty = no.',
        ),
        Param('stop.hold_type', 'twist', 'What is sent there.', choices=('twist', 'lock')),
        *intake.PARAMS,
    )

    def __init__(self, **node_options: Any) -> None:
        super().__init__('reflex', **node_options)
        self._holding = False
        self._deaf = self._wordless = ''
        self._sent = 0

    def setup(self) -> None:
        names = moves(load(self.param('capabilities_file')))
        self._cancellers = {name: self._canceller(name) for name in names}
        self._reflex = Reflex(
            names,
            self._open_voice(),
            source=run_id(self.get_name()),
            stamp=self.stamp,
            stop_words=self._open_stop_words(),
        )
        self.engine = self._reflex
        self.route(m.RobotCancel, self._cancel_all)
        self._stopped = self.publisher(ROS_TYPES[m.Stopped], 'stopped', qos.LATCHED)
        self.route(m.Stopped, self._announce)
        self.tell(m.Event, 'events', qos.EVENTS)
        self.hear(m.Playout, 'playout', qos.LATCHED)
        self.hear(m.Event, 'events', qos.EVENTS)
        self._intake = intake.Intake(self, self.feed)
        self.serve(srv.Stop, 'stop', self._on_stop)
        self._prepare_hold()
        self.every(WATCH_S, self.tick)

    def _open_voice(self) -> VoiceActivity | None:
        self._deaf = ''
        try:
            return open_voice(hasty=True) if self.param('ducking') else None
        except BackendError as error:
            self._deaf = str(error)
            self.get_logger().warning(self._deaf)
            return None

    def _open_stop_words(self) -> StopWords | None:
        self._wordless = ''
        try:
            return open_stop_words(self.param('stop.words'), self.param('stop.threshold'))
        except BackendError as error:
            self._wordless = str(error)
            self.get_logger().warning(self._wordless)
            return None

    # ---- stop --------------------------------------------------------------------------------

    def _canceller(self, action_name: str) -> Any:
        client = self.create_client(CancelGoal, f'{action_name}/_action/cancel_goal')
        self.own(partial(self.destroy_client, client))
        return client

    def _cancel_all(self, cancel: m.RobotCancel) -> None:
        """Cancel every goal of a server: zero id and zero stamp mean all."""
        client = self._cancellers[cancel.server]
        if client.service_is_ready():
            client.call_async(CancelGoal.Request())
            self._sent += 1

    def _announce(self, stopped: m.Stopped) -> None:
        self._holding = self._holding or stopped.scope.motion
        self._stopped.publish(to_ros(stopped))

    def _on_stop(self, request: Any, response: Any) -> Any:
        self._sent = 0
        out = self._reflex.stop(_request(request))
        self.send(out)
        stopped = next(message for message in out if isinstance(message, m.Stopped))
        response.request_id = stopped.request_id
        response.cancels_sent = self._sent
        response.message = f'stopped {stopped.scope.name.lower()}'
        return response

    # ---- hold --------------------------------------------------------------------------------

    def _prepare_hold(self) -> None:
        """Cancelling a goal does not halt every base: some must be held."""
        topic = self.param('stop.hold_topic')
        if not topic:
            return
        message = Twist() if self.param('stop.hold_type') == 'twist' else Bool(data=True)
        out = self.publisher(type(message), topic, qos.EVENTS)

        def hold() -> None:
            if self._holding:
                out.publish(message)

        def release(_: Any, response: Any) -> Any:
            self._holding = False
            if isinstance(message, Bool):
                out.publish(Bool(data=False))
            response.success = True
            return response

        self.every(HOLD_PERIOD_S, hold)
        self.serve(Trigger, '~/release', release)

    def diagnose(self) -> Iterator[Health]:
        absent = [n for n, client in self._cancellers.items() if not client.service_is_ready()]
        if absent:
            text = f'cannot stop what is not there: {", ".join(absent)}'
            yield Health('stop', Level.WARN, text)
        else:
            yield Health('stop', Level.OK, f'ready to cancel at {len(self._cancellers)} servers')
        if self._holding and self.param('stop.hold_topic'):
            yield Health('hold', Level.WARN, 'the base is held; call ~/release')
        if self._deaf:
            yield Health('ducking', Level.WARN, self._deaf)
        if self._wordless:
            yield Health('stop words', Level.WARN, f'not heard: {self._wordless}')
        yield from self._intake.health()


def _request(ros: Any) -> m.StopRequest:
    """What is asked for; a scope that nobody knows stops everything."""
    try:
        return from_ros(ros, m.StopRequest)
    except InputError:
        return m.StopRequest(ros.request_id, m.Scope.ALL)


def main() -> None:
    """Run the node until a signal."""
    run(ReflexNode)


if __name__ == '__main__':
    main()
