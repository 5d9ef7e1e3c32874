# SPDX-License-Identifier: Apache-2.0
"""Frontend, speaker, harness and a capability server together: from a request to its telling."""

from __future__ import annotations

import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

import numpy as np
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.parameter import Parameter
from rclpy.serialization import serialize_message
from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import String
from std_srvs.srv import SetBool

from venus_ros.core import messages as m
from venus_ros.nodes import qos
from venus_ros.nodes.capability_server import CapabilityServerNode
from venus_ros.nodes.convert import ROS_TYPES, from_ros, to_ros
from venus_ros.nodes.frontend import FrontendNode
from venus_ros.nodes.harness import HarnessNode
from venus_ros.nodes.interfaces import action, srv
from venus_ros.nodes.reflex import ReflexNode
from venus_ros.nodes.speaker import SpeakerNode

SCRIPT = """
- {typed: cup, delegate: bring me the red cup, say: I will bring it.}
- {typed: hello, say: Hello. It is nice to see you again after such a long time.}
- {note: any, say: 'Done: {note}'}
"""


def given(**values: Any) -> dict[str, Any]:
    return {'parameter_overrides': [Parameter(k, value=v) for k, v in values.items()]}


class Robot:
    """The whole graph but its microphone, and everything it says, by topic."""

    def __init__(self, world: Any, folder: Path) -> None:
        self.world = world
        script = folder / 'script.yaml'
        script.write_text(SCRIPT)
        self.heard: dict[type, list[Any]] = {}
        for cls, topic, profile in (
            (m.Works, 'works', qos.LATCHED_READER),
            (m.Event, 'events', qos.EVENTS),
            (m.Transcript, 'transcript', qos.EVENTS),
            (m.SpeechChunk, 'speech', qos.SPEECH),
            (m.Playout, 'playout', qos.LATCHED_READER),
            (m.ConversationState, 'state', qos.LATCHED_READER),
            (m.Stopped, 'stopped', qos.LATCHED_READER),
        ):
            self._listen(cls, topic, profile)
        self.text = world.peer.create_publisher(String, 'text_in', qos.EVENTS)
        self.nodes = {
            'speaker': SpeakerNode(**given(device='none')),
            'frontend': FrontendNode(**given(frontend='scripted', script=str(script))),
            'harness': HarnessNode(**given(journal=str(folder / 'journal.sqlite'))),
            'reflex': ReflexNode(**given(ducking=False)),
            'manipulation': CapabilityServerNode(**given(capability='manipulation')),
        }
        for node in self.nodes.values():
            world.add(node)
        world.until(lambda: self.state.stage == 'ready', 'the frontend ready')
        world.until(lambda: all(n.active for n in self.nodes.values()), 'all nodes active')

    def _listen(self, cls: type, topic: str, profile: Any) -> None:
        kept = self.heard.setdefault(cls, [])
        self.world.peer.create_subscription(
            ROS_TYPES[cls], topic, lambda ros: kept.append(from_ros(ros, cls)), profile
        )

    @property
    def state(self) -> m.ConversationState:
        states = self.heard[m.ConversationState]
        return states[-1] if states else m.ConversationState('', m.Floor.UNKNOWN, stage='')

    @property
    def works(self) -> tuple[m.Work, ...]:
        return self.heard[m.Works][-1].works if self.heard[m.Works] else ()

    def kinds(self) -> list[m.Kind]:
        return [event.kind for event in self.heard[m.Event]]

    def playing(self) -> list[m.PlayoutState]:
        return [playout.state for playout in self.heard[m.Playout]]

    def type(self, words: str) -> None:
        self.world.until(self.text.get_subscription_count, 'a reader of text_in')
        self.text.publish(String(data=words))

    def call(self, kind: Any, name: str, request: Any) -> Any:
        client = self.world.peer.create_client(kind, name)
        self.world.until(client.service_is_ready, f'service {name}')
        future = client.call_async(request)
        return self.world.until(future.done, f'answer of {name}') and future.result()

    def said(self) -> list[str]:
        return [t.text for t in self.heard[m.Transcript] if t.role is m.Role.ROBOT]


@pytest.fixture
def robot(world: Any, tmp_path: Path) -> Iterator[Robot]:
    made = Robot(world, tmp_path)
    yield made
    for node in made.nodes.values():
        node.trigger_shutdown()


def test_a_request_is_done_and_told(robot: Robot, world: Any, make_arm: Any) -> None:
    arm = make_arm()
    server = robot.nodes['manipulation']
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    robot.type('the cup please')
    world.until(lambda: arm.goals, 'goal at the robot')
    assert arm.goals[0].request.object == 'red_cup'
    arm.ends[0].set_result('ok')
    world.until(lambda: robot.works and robot.works[0].state is m.State.DELIVERED, 'DELIVERED')
    walk = [state.name for state, _ in robot.works[0].states]
    assert walk == ['QUEUED', 'RUNNING', 'COMPLETED', 'DELIVERING', 'DELIVERED']
    assert any(text.startswith('Done:') for text in robot.said()), robot.said()
    stamps = [ns for _, ns in robot.works[0].states]
    assert stamps == sorted(stamps)
    told = [c for c in robot.heard[m.SpeechChunk] if robot.works[0].work_id in c.work_ids]
    assert told, 'no speech names the work'


def test_stop_cancels_moves_and_silences(robot: Robot, world: Any, make_arm: Any) -> None:
    arm = make_arm()
    server = robot.nodes['manipulation']
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    robot.type('the cup please')
    world.until(lambda: arm.goals, 'goal at the robot')
    reply = robot.call(srv.Stop, 'stop', srv.Stop.Request(request_id='once', scope=3))
    assert reply.request_id == 'once' and reply.cancels_sent >= 1
    again = robot.call(srv.Stop, 'stop', srv.Stop.Request(request_id='once', scope=3))
    assert (again.request_id, again.cancels_sent) == ('once', 0)
    world.until(lambda: robot.works and robot.works[0].state is m.State.CANCELLED, 'CANCELLED')
    assert arm.cancelled == 1
    assert robot.heard[m.Stopped][-1].scope is m.Scope.ALL


def test_a_stop_of_an_unknown_scope_stops_everything(robot: Robot) -> None:
    reply = robot.call(srv.Stop, 'stop', srv.Stop.Request(request_id='odd', scope=77))
    assert (reply.request_id, reply.message) == ('odd', 'stopped all')


def test_mute_silences_and_reset_is_taken(robot: Robot, world: Any) -> None:
    robot.type('hello')
    world.until(lambda: m.PlayoutState.PLAYING in robot.playing(), 'sound')
    assert robot.call(SetBool, 'frontend/mute', SetBool.Request(data=True)).success
    world.until(lambda: robot.playing()[-1] is m.PlayoutState.MUTED, 'the speaker muted')
    assert robot.state.muted
    assert robot.call(SetBool, 'frontend/mute', SetBool.Request(data=False)).success
    world.until(lambda: not robot.state.muted, 'not muted any more')


def test_words_that_are_no_utf8_stop_nothing(robot: Robot, world: Any) -> None:
    world.until(robot.text.get_subscription_count, 'a reader of text_in')
    raw = bytearray(serialize_message(String(data='abcd')))
    raw[8:12] = b'\xff\xfe\xc3\x28'
    robot.text.publish(bytes(raw))
    robot.type('hello')
    world.until(lambda: m.Kind.TURN_STARTED in robot.kinds(), 'an answer to the next words')


def test_a_sentence_is_spoken_by_action(robot: Robot, world: Any) -> None:
    client = ActionClient(world.peer, action.Speak, 'speak')
    world.until(client.server_is_ready, 'speak')
    feedback: list[Any] = []
    sent = client.send_goal_async(
        action.Speak.Goal(text='Good evening.', allow_barge_in=True),
        lambda f: feedback.append(f.feedback),
    )
    world.until(sent.done, 'answer to the goal')
    result = sent.result().get_result_async()
    world.until(result.done, 'the sentence spoken')
    assert result.result().result.completed, result.result().result.error_msg
    assert result.result().result.heard == 'Good evening.'
    assert feedback and feedback[-1].turn_id > 0


def test_a_sentence_that_waits_can_be_cancelled(robot: Robot, world: Any) -> None:
    client = ActionClient(world.peer, action.Speak, 'speak')
    world.until(client.server_is_ready, 'speak')
    results = []
    for text in ('It is a long time since I have seen you in the hall.', 'Never heard.'):
        sent = client.send_goal_async(action.Speak.Goal(text=text, allow_barge_in=True))
        world.until(sent.done, 'answer to the goal')
        results.append(sent.result().get_result_async())
    sent.result().cancel_goal_async()
    world.until(results[1].done, 'the second one cancelled')
    assert results[1].result().status == GoalStatus.STATUS_CANCELED
    assert 'withdrawn' in results[1].result().result.error_msg
    world.until(results[0].done, 'the first one spoken')
    assert results[0].result().result.completed, results[0].result().result.error_msg
    assert not any('Never' in text for text in robot.said())


def test_a_new_session_follows_a_reactivation(robot: Robot, world: Any) -> None:
    first = robot.state.session_id
    for _ in range(2):
        robot.nodes['frontend'].trigger_deactivate()
        robot.nodes['frontend'].trigger_activate()
    world.until(
        lambda: robot.state.stage == 'ready' and robot.state.session_id != first, 'a new session'
    )
    robot.type('hello')
    world.until(lambda: any('Hello' in text for text in robot.said()), 'an answer')


def test_evidence_is_what_was_known_at_the_request(robot: Robot, world: Any) -> None:
    out = world.peer.create_publisher(Image, 'image', qos.IMAGE)
    kept: list[Any] = []
    world.peer.create_subscription(CompressedImage, 'frontend/frames', kept.append, qos.IMAGE)
    data = array.array('B', bytes([200, 0, 0] * 48))
    picture = Image(encoding='rgb8', height=8, width=6, step=18, data=data)

    def seen() -> int:
        picture.header.stamp = world.peer.get_clock().now().to_msg()
        out.publish(picture)
        return len(kept)

    world.until(seen, 'a picture of the frontend')
    world.spin(1.5)  # without a microphone units follow a second behind
    robot.type('the cup please')
    world.until(lambda: robot.works, 'a work')
    span_id = robot.works[0].request_id
    known = robot.call(
        srv.GetEvidence, 'get_evidence', srv.GetEvidence.Request(evidence_id=span_id)
    )
    assert known.found and known.frames, known
    opened = known.opened_at.sec + known.opened_at.nanosec * 1e-9
    for frame in known.frames:
        assert frame.format == 'jpeg' and frame.stamp.sec + frame.stamp.nanosec * 1e-9 <= opened
    unknown = srv.GetEvidence.Request(evidence_id='nobody/1')
    assert not robot.call(srv.GetEvidence, 'get_evidence', unknown).found


def test_a_general_goal_is_routed_and_cancelled(robot: Robot, world: Any, make_arm: Any) -> None:
    arm = make_arm()
    server = robot.nodes['manipulation']
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    client = ActionClient(world.peer, action.Delegate, 'delegate')
    world.until(client.server_is_ready, 'delegate')
    feedback: list[Any] = []
    goal = action.Delegate.Goal(task='bring me the blue cup', deliver=False)
    sent = client.send_goal_async(goal, lambda f: feedback.append(f.feedback))
    handle = world.until(sent.done, 'answer to the goal') and sent.result()
    result = handle.get_result_async()
    world.until(lambda: arm.goals, 'goal at the robot')
    assert arm.goals[0].request.object == 'blue_cup'
    handle.cancel_goal_async()
    world.until(result.done, 'the result')
    assert arm.cancelled == 1
    assert m.State(result.result().result.state) is m.State.CANCELLED
    assert {f.work_id for f in feedback} == {robot.works[0].work_id}


def test_sound_plays_before_the_first_clock_of_a_simulation(world: Any) -> None:
    """Sound runs on the steady clock; only the stamps wait for `/clock`."""
    world.add(SpeakerNode(**given(device='none', use_sim_time=True)))
    out = world.peer.create_publisher(ROS_TYPES[m.SpeechChunk], 'speech', qos.SPEECH)
    heard: list[Any] = []
    world.peer.create_subscription(
        ROS_TYPES[m.Playout], 'playout', heard.append, qos.LATCHED_READER
    )
    world.until(lambda: heard and out.get_subscription_count(), 'the speaker')
    pcm = np.full(4800, 900, np.int16)
    out.publish(to_ros(m.SpeechChunk('s', 1, 0, m.SpeechKind.AUDIO, 0, 24000, pcm)))
    out.publish(to_ros(m.SpeechChunk('s', 1, 1, m.SpeechKind.END, 4800, 24000)))
    world.until(lambda: heard[-1].played == 4800, 'all of it played')
