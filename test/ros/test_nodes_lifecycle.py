# SPDX-License-Identifier: Apache-2.0
"""Every node walks its life cycle twice, releases what it took, and tells how it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter

from venus_ros.core import messages as m
from venus_ros.core.errors import DeviceError
from venus_ros.nodes import qos
from venus_ros.nodes.audio_file import AudioFile
from venus_ros.nodes.capability_server import CapabilityServerNode
from venus_ros.nodes.convert import from_ros, to_ros
from venus_ros.nodes.frontend import FrontendNode
from venus_ros.nodes.harness import HarnessNode
from venus_ros.nodes.interfaces import msg
from venus_ros.nodes.lifecycle import VenusNode
from venus_ros.nodes.reflex import ReflexNode
from venus_ros.nodes.speaker import SpeakerNode

ROOM = Path(__file__).parents[2] / 'venus_ros' / 'nodes'
MAKERS: dict[str, tuple[type[VenusNode], dict[str, Any]]] = {
    'audio_file': (AudioFile, {}),
    'speaker': (SpeakerNode, {'device': 'none'}),
    'reflex': (ReflexNode, {'ducking': False}),
    'frontend': (FrontendNode, {'frontend': 'scripted'}),
    'harness': (HarnessNode, {'journal': ':memory:'}),
    'search': (CapabilityServerNode, {'capability': 'search'}),
}
SUCCESS = TransitionCallbackReturn.SUCCESS


def make(name: str, **values: Any) -> Any:
    kind, given = MAKERS[name]
    overrides = {**given, **values, 'autostart': False}
    return kind(parameter_overrides=[Parameter(k, value=v) for k, v in overrides.items()])


def label(node: Any) -> str:
    return node._state_machine.current_state[1]


def entities(node: Any) -> int:
    kinds = (node.publishers, node.subscriptions, node.services, node.clients, node.timers)
    return sum(len(list(kind)) for kind in kinds) + len(list(node.waitables))


@pytest.mark.parametrize('name', MAKERS)
def test_a_node_can_be_used_twice_and_leaves_nothing(world: Any, name: str) -> None:
    node = world.add(make(name))
    before = entities(node)
    for _ in range(2):
        assert node.trigger_configure() is SUCCESS, node.fault
        assert node.trigger_activate() is SUCCESS, node.fault
        world.spin(0.1)
        assert node.active and label(node) == 'active'
        assert node.trigger_deactivate() is SUCCESS
        assert node.trigger_activate() is SUCCESS
        assert node.trigger_deactivate() is SUCCESS
        assert node.trigger_cleanup() is SUCCESS
        assert label(node) == 'unconfigured'
        assert entities(node) == before, 'cleanup left something'
    node.trigger_shutdown()
    assert label(node) == 'finalized'


@pytest.mark.parametrize('name', MAKERS)
def test_each_state_is_told_in_the_diagnostics(world: Any, name: str) -> None:
    told: list[Any] = []
    world.peer.create_subscription(
        DiagnosticArray, '/diagnostics', lambda array: told.extend(array.status), 10
    )
    node = world.add(make(name))
    prefix = f'venus: {node.get_name()}: '

    def latest(text: str) -> bool:
        return any(s.name.startswith(prefix) and text in s.message for s in told)

    world.until(lambda: latest('unconfigured'), f'unconfigured in {told}')
    node.trigger_configure()
    world.until(lambda: latest('inactive'), f'inactive in {told}')
    node.trigger_activate()
    told.clear()
    world.until(lambda: any(s.name.startswith(prefix) for s in told), 'a status while active')
    assert all(s.hardware_id for s in told if s.name.startswith(prefix))


class Fragile(VenusNode):
    """Opens a device that is there only sometimes."""

    def __init__(self) -> None:
        super().__init__('fragile')
        self.there = False

    def start(self) -> None:
        if not self.there:
            raise DeviceError('it is not plugged in', 'gramophone')


def test_an_absent_device_is_tried_again_until_it_is_there(world: Any) -> None:
    node = world.add(Fragile())
    world.until(lambda: 'not plugged in' in node.fault, 'the fault')
    assert label(node) == 'inactive'
    node.there = True
    world.until(lambda: node.active, 'the node active')
    node.lose('it was unplugged')
    assert label(node) == 'inactive' and node.fault == 'it was unplugged'
    world.until(lambda: node.active, 'the node active again')


def test_a_node_that_was_deactivated_stays_so(world: Any) -> None:
    node = world.add(Fragile())
    node.there = True
    world.until(lambda: node.active, 'the node active')
    node.trigger_deactivate()
    world.spin(2.5)
    assert not node.active


def test_an_error_in_a_callback_stops_nothing(world: Any) -> None:
    node = world.add(make('speaker'))
    node.trigger_configure()
    node.trigger_activate()
    out = world.peer.create_publisher(msg.SpeechChunk, 'speech', qos.SPEECH)
    heard: list[Any] = []
    world.peer.create_subscription(msg.Playout, 'playout', heard.append, qos.LATCHED_READER)
    world.until(out.get_subscription_count, 'the speaker')
    out.publish(msg.SpeechChunk(session_id='s', turn_id=1, kind=77))
    pcm = np.full(480, 1000, np.int16)
    for k in range(20):
        chunk = m.SpeechChunk('s', 1, k, m.SpeechKind.AUDIO, k * 480, 24000, pcm)
        out.publish(to_ros(chunk))
    out.publish(to_ros(m.SpeechChunk('s', 1, 20, m.SpeechKind.END, 9600, 24000)))
    world.until(lambda: heard and heard[-1].played == 9600, 'all samples played')
    assert node.faults_survived == 1
    assert from_ros(heard[-1], m.Playout).recent[-1].finished


def test_one_namespace_does_not_move_the_other(world: Any, make_arm: Any) -> None:
    """The servers of two robots obey their own clients only."""
    from rclpy.action import ActionClient

    from venus_ros.nodes.interfaces import action

    make_arm()  # the robot of the root namespace
    given = [Parameter('capability', value='manipulation')]
    server = world.add(CapabilityServerNode(parameter_overrides=given, namespace='robot1'))
    world.until(lambda: server.active, 'the server of robot1')
    world.spin(0.7)
    assert not server.robot_available('pick_place'), "robot1 sees the other robot's arm"
    other = ActionClient(world.peer, action.Delegate, 'manipulation/delegate')
    own = ActionClient(world.peer, action.Delegate, 'robot1/manipulation/delegate')
    world.until(own.server_is_ready, 'robot1/manipulation/delegate')
    assert not other.server_is_ready()


def test_no_node_spins_inside_a_callback_or_on_many_threads() -> None:
    forbidden = re.compile(
        r'MultiThreadedExecutor|spin_until_future|rclpy\.spin|import subprocess'
    )
    for path in sorted([*ROOM.glob('*.py'), *ROOM.parent.glob('sim/*.py')]):
        text = path.read_text()
        found = forbidden.search(text) if 'VenusNode' in text else None
        assert found is None, f'{path.name}: {found and found.group()}'
