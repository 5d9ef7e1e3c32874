# SPDX-License-Identifier: Apache-2.0
"""A goal from a client over the capability server to a robot's action server, on the wire."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')

from action_msgs.msg import GoalStatus  # noqa: E402
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.task import Future  # noqa: E402

from venus_ros.core import messages as m  # noqa: E402
from venus_ros.nodes import qos  # noqa: E402
from venus_ros.nodes.action_link import uuid_to_ros  # noqa: E402
from venus_ros.nodes.capability_server import CapabilityServerNode  # noqa: E402
from venus_ros.nodes.interfaces import action, msg  # noqa: E402


class Arm:
    """A robot's `pick_place` server whose goals end when the test says so."""

    def __init__(self, world: Any, accepts: bool = True) -> None:
        self.world = world
        self.goals: list[Any] = []
        self.ends: list[Future[str]] = []
        self.cancelled = 0
        self.server = ActionServer(
            world.peer,
            action.PickPlace,
            'pick_place',
            self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT if accepts else GoalResponse.REJECT,
            cancel_callback=self._cancel,
        )

    def _cancel(self, handle: Any) -> CancelResponse:
        self.cancelled += 1
        self.ends[-1].set_result('cancel')
        return CancelResponse.ACCEPT

    async def _execute(self, handle: Any) -> Any:
        self.goals.append(handle)
        self.ends.append(Future(executor=self.world.executor))
        handle.publish_feedback(action.PickPlace.Feedback(phase='driving', progress=0.25))
        how = await self.ends[len(self.goals) - 1]
        result = action.PickPlace.Result(object=handle.request.object)
        if how == 'fail':
            result.error_code = action.PickPlace.Result.NOT_FOUND
            result.error_msg = 'it is not there'
        {'ok': handle.succeed, 'fail': handle.abort, 'cancel': handle.canceled}[how]()
        return result


class Client:
    """A client of `manipulation/delegate` that writes down what comes."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.feedback: list[Any] = []
        self.client = ActionClient(world.peer, action.Delegate, 'manipulation/delegate')
        world.until(self.client.server_is_ready, 'manipulation/delegate')

    def ask(self, deliver: bool = False, **arguments: str) -> tuple[Any, Any, str]:
        work_id = str(uuid.uuid4())
        goal = action.Delegate.Goal(
            capability='manipulation', arguments_json=json.dumps(arguments), deliver=deliver
        )
        sent = self.client.send_goal_async(
            goal, lambda f: self.feedback.append(f.feedback), uuid_to_ros(work_id)
        )
        handle = self.world.until(sent.done, 'answer to the goal') and sent.result()
        return handle, handle.get_result_async() if handle.accepted else None, work_id

    @property
    def states(self) -> list[str]:
        seen = [m.State(f.state).name for f in self.feedback]
        return [s for i, s in enumerate(seen) if i == 0 or s != seen[i - 1]]


@pytest.fixture
def server(world: Any) -> Any:
    node = CapabilityServerNode(
        parameter_overrides=[Parameter('capability', value='manipulation')]
    )
    world.add(node)
    world.until(lambda: node.active, f'active server ({node.fault})')
    return node


def test_a_goal_walks_to_completed(world: Any, server: Any) -> None:
    arm, client = Arm(world), Client(world)
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    handle, result, work_id = client.ask(action='pick', object='red_cup')
    assert handle.accepted
    world.until(lambda: arm.goals, 'goal at the robot')
    assert arm.goals[0].request.object == 'red_cup'
    assert bytes(arm.goals[0].goal_id.uuid) != uuid.UUID(work_id).bytes
    world.until(lambda: 'RUNNING' in client.states, 'RUNNING')
    arm.ends[0].set_result('ok')
    world.until(result.done, 'result')
    assert result.result().status == GoalStatus.STATUS_SUCCEEDED
    assert m.State(result.result().result.state) is m.State.COMPLETED
    assert 'red cup' in result.result().result.summary
    assert client.states == ['QUEUED', 'RUNNING', 'COMPLETED']


def test_with_deliver_the_goal_stays_open_until_the_harness_says_delivered(
    world: Any, server: Any
) -> None:
    arm, client = Arm(world), Client(world)
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    works: list[Any] = []
    world.peer.create_subscription(msg.WorkArray, 'manipulation/works', works.append, 1)
    harness = world.peer.create_publisher(msg.WorkArray, 'works', qos.LATCHED)
    _, result, work_id = client.ask(deliver=True, action='pick', object='red_cup')
    world.until(lambda: arm.goals, 'goal at the robot')
    arm.ends[0].set_result('ok')
    world.until(lambda: works and works[-1].works[-1].state == msg.Work.COMPLETED, 'COMPLETED')
    assert not result.done()
    told = works[-1].works[-1]
    told.state, told.delivered = msg.Work.DELIVERED, True
    stamp = told.states[-1].stamp
    told.states += [msg.WorkState(state=s, stamp=stamp) for s in (5, 6)]
    harness.publish(msg.WorkArray(source='harness', works=[told]))
    world.until(result.done, 'result')
    assert result.result().status == GoalStatus.STATUS_SUCCEEDED
    assert result.result().result.delivered
    assert client.states[-2:] == ['DELIVERING', 'DELIVERED']


def test_a_cancel_is_confirmed_by_the_robot(world: Any, server: Any) -> None:
    arm, client = Arm(world), Client(world)
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    handle, result, _ = client.ask(action='pick', object='red_cup')
    world.until(lambda: arm.goals, 'goal at the robot')
    cancel = handle.cancel_goal_async()
    world.until(cancel.done, 'answer to the cancel')
    world.until(result.done, 'result')
    assert arm.cancelled == 1
    assert result.result().status == GoalStatus.STATUS_CANCELED
    assert m.State(result.result().result.state) is m.State.CANCELLED


def test_a_failure_carries_the_robots_code_and_words(world: Any, server: Any) -> None:
    arm, client = Arm(world), Client(world)
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    _, result, _ = client.ask(action='pick', object='red_cup')
    world.until(lambda: arm.goals, 'goal at the robot')
    arm.ends[0].set_result('fail')
    world.until(result.done, 'result')
    ended = result.result()
    assert ended.status == GoalStatus.STATUS_ABORTED
    assert ended.result.cause_code == action.PickPlace.Result.NOT_FOUND
    assert ended.result.error_code == 20014
    assert ended.result.summary


def test_the_robot_refuses(world: Any, server: Any) -> None:
    Arm(world, accepts=False)
    client = Client(world)
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    _, result, _ = client.ask(action='pick', object='red_cup')
    world.until(result.done, 'result')
    assert result.result().result.error_code == 20013


@pytest.mark.parametrize('arguments', [{'action': 'pick', 'object': 'moon'}, {'action': 'fly'}])
def test_wrong_arguments_end_in_a_typed_failure(
    world: Any, server: Any, arguments: dict[str, str]
) -> None:
    arm, client = Arm(world), Client(world)
    _, result, _ = client.ask(**arguments)
    world.until(result.done, 'result')
    assert result.result().status == GoalStatus.STATUS_ABORTED
    assert result.result().result.error_code in (20004, 20005)
    assert not arm.goals


def test_after_reactivation_goals_run_again(world: Any, server: Any) -> None:
    arm, client = Arm(world), Client(world)
    for _ in range(2):
        server.trigger_deactivate()
        handle, _, _ = client.ask(action='pick', object='red_cup')
        assert not handle.accepted, 'an inactive server took a goal'
        server.trigger_activate()
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    _, result, _ = client.ask(action='pick', object='red_cup')
    world.until(lambda: arm.goals, 'goal at the robot')
    arm.ends[0].set_result('ok')
    world.until(result.done, 'result')


def test_a_stop_cancels_the_move(world: Any, server: Any) -> None:
    arm, client = Arm(world), Client(world)
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    stopped = world.peer.create_publisher(msg.Stopped, 'stopped', qos.LATCHED)
    _, result, _ = client.ask(action='pick', object='red_cup')
    world.until(lambda: arm.goals, 'goal at the robot')
    now = world.peer.get_clock().now().to_msg()
    world.until(lambda: stopped.get_subscription_count(), 'reader of stopped')
    stopped.publish(msg.Stopped(request_id='s1', stamp=now, scope=msg.Stopped.MOTION))
    world.until(result.done, 'result')
    assert arm.cancelled == 1
    assert m.State(result.result().result.state) is m.State.CANCELLED
