# SPDX-License-Identifier: Apache-2.0
"""A goal from a client over the capability server to a robot's action server, on the wire."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.action import ActionServer, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.parameter import Parameter
from rclpy.task import Future

from venus_ros.core import messages as m
from venus_ros.core.errors import Code
from venus_ros.nodes import qos
from venus_ros.nodes.action_link import ActionLink
from venus_ros.nodes.capability_server import CapabilityServerNode
from venus_ros.nodes.interfaces import action, msg


@pytest.fixture
def server(world: Any) -> Any:
    node = CapabilityServerNode(
        parameter_overrides=[Parameter('capability', value='manipulation')]
    )
    world.add(node)
    world.until(lambda: node.active, f'active server ({node.fault})')
    return node


def test_a_goal_walks_to_completed(
    world: Any, server: Any, make_arm: Any, make_client: Any
) -> None:
    arm, client = make_arm(), make_client()
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


def test_a_robot_that_was_restarted_within_moments_has_lost_its_goal(
    world: Any, server: Any, make_arm: Any, make_client: Any
) -> None:
    """Nobody saw it go: only the new server knows that it has no such goal."""
    arm, client = make_arm(), make_client()
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    _, result, _ = client.ask(action='pick', object='red_cup')
    world.until(lambda: 'RUNNING' in client.states, 'RUNNING')
    again = make_arm()
    arm.server.destroy()
    world.until(result.done, 'the end of the goal', 8.0)
    assert result.result().status == GoalStatus.STATUS_ABORTED
    assert result.result().result.error_code == Code.SERVER_LOST
    _, result, _ = client.ask(action='pick', object='red_cup')
    world.until(lambda: again.goals, 'goal at the new server')
    again.ends[0].set_result('ok')
    world.until(result.done, 'result')
    assert len(arm.goals) == len(again.goals) == 1


def test_a_goal_whose_server_died_before_its_answer_goes_to_the_next_one(
    world: Any, server: Any, make_arm: Any, make_client: Any
) -> None:
    async def never(goal: Any) -> GoalResponse:
        asked.append(goal)
        await Future(executor=world.executor)
        return GoalResponse.ACCEPT

    asked: list[Any] = []
    hangs = ActionServer(
        world.peer,
        action.PickPlace,
        'pick_place',
        lambda handle: None,
        goal_callback=never,
        callback_group=ReentrantCallbackGroup(),
    )
    client = make_client()
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    _, result, _ = client.ask(action='pick', object='red_cup')
    world.until(lambda: asked, 'goal at the robot')
    arm = make_arm()
    hangs.destroy()
    world.until(lambda: arm.goals, 'goal at the new server', 8.0)
    arm.ends[0].set_result('ok')
    world.until(result.done, 'result')
    assert result.result().status == GoalStatus.STATUS_SUCCEEDED


def test_a_goal_that_was_cancelled_for_an_earlier_run_and_sent_again_is_not_lost(
    world: Any, server: Any, make_arm: Any
) -> None:
    """The answer to the cancel, `unknown goal`, arrives when the goal is on its way."""
    arm = make_arm()
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    told: list[tuple[Any, ...]] = []
    link = ActionLink(
        server, action.PickPlace, 'pick_place',
        answered=lambda *answer: told.append(answer),
        progressed=lambda *_: None,
        ended=lambda goal_id, status, _: told.append((goal_id, status)),
    )  # fmt: skip
    world.until(lambda: link.available, 'pick_place seen by the link')
    goal_id = str(uuid.uuid4())
    link.send(goal_id, action.PickPlace.Goal(action='pick', object='red_cup'))
    stale = Future(executor=world.executor)
    stale.set_result(CancelGoal.Response(return_code=CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID))
    link._on_cancel_answer(goal_id, stale)
    world.until(lambda: arm.goals, 'goal at the robot')
    arm.ends[0].set_result('ok')
    world.until(lambda: (goal_id, m.GoalStatus.SUCCEEDED) in told, 'the end')
    assert [x for x in told if x[0] == goal_id] == [
        (goal_id, True, ''), (goal_id, m.GoalStatus.SUCCEEDED)
    ]  # fmt: skip


def test_with_deliver_the_goal_stays_open_until_the_harness_says_delivered(
    world: Any, server: Any, make_arm: Any, make_client: Any
) -> None:
    arm, client = make_arm(), make_client()
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    works: list[Any] = []
    world.peer.create_subscription(msg.WorkArray, 'manipulation/works', works.append, 1)
    harness = world.peer.create_publisher(msg.WorkArray, 'works', qos.LATCHED)
    _, result, work_id = client.ask(deliver=True, action='pick', object='red_cup')
    world.until(lambda: arm.goals, 'goal at the robot')
    arm.ends[0].set_result('ok')
    done = [msg.Work.COMPLETED]
    world.until(lambda: works and [w.state for w in works[-1].works] == done, 'COMPLETED')
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


def test_a_cancel_is_confirmed_by_the_robot(
    world: Any, server: Any, make_arm: Any, make_client: Any
) -> None:
    arm, client = make_arm(), make_client()
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    handle, result, _ = client.ask(action='pick', object='red_cup')
    world.until(lambda: arm.goals, 'goal at the robot')
    cancel = handle.cancel_goal_async()
    world.until(cancel.done, 'answer to the cancel')
    world.until(result.done, 'result')
    assert arm.cancelled == 1
    assert result.result().status == GoalStatus.STATUS_CANCELED
    assert m.State(result.result().result.state) is m.State.CANCELLED


def test_a_failure_carries_the_robots_code_and_words(
    world: Any, server: Any, make_arm: Any, make_client: Any
) -> None:
    arm, client = make_arm(), make_client()
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


def test_the_robot_refuses(world: Any, server: Any, make_arm: Any, make_client: Any) -> None:
    make_arm(accepts=False)
    client = make_client()
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    _, result, _ = client.ask(action='pick', object='red_cup')
    world.until(result.done, 'result')
    assert result.result().result.error_code == 20013


@pytest.mark.parametrize('arguments', [{'action': 'pick', 'object': 'moon'}, {'action': 'fly'}])
def test_wrong_arguments_end_in_a_typed_failure(
    world: Any, server: Any, make_arm: Any, make_client: Any, arguments: dict[str, str]
) -> None:
    arm, client = make_arm(), make_client()
    _, result, _ = client.ask(**arguments)
    world.until(result.done, 'result')
    assert result.result().status == GoalStatus.STATUS_ABORTED
    assert result.result().result.error_code in (20004, 20005)
    assert not arm.goals


@pytest.mark.parametrize('arguments_json', ['{"action": ', '[1, 2]', '[' * 5000])
def test_arguments_that_are_no_json_end_in_a_typed_failure(
    world: Any, server: Any, make_arm: Any, make_client: Any, arguments_json: str
) -> None:
    arm, client = make_arm(), make_client()
    result = client.send(action.Delegate.Goal(arguments_json=arguments_json))[1]
    world.until(result.done, 'result')
    assert result.result().status == GoalStatus.STATUS_ABORTED
    assert result.result().result.error_code == 20005, result.result().result.error_msg
    assert not arm.goals


def test_words_without_arguments_are_understood(
    world: Any, server: Any, make_arm: Any, make_client: Any
) -> None:
    arm, client = make_arm(), make_client()
    world.until(lambda: server.robot_available('pick_place'), 'pick_place seen')
    result = client.send(action.Delegate.Goal(task='pick up the green bottle'))[1]
    world.until(lambda: arm.goals, 'goal at the robot')
    assert (arm.goals[0].request.action, arm.goals[0].request.object) == ('pick', 'green_bottle')
    arm.ends[0].set_result('ok')
    world.until(result.done, 'result')
    assert json.loads(result.result().result.arguments_json)['object'] == 'green_bottle'


def test_a_goal_that_cannot_be_taken_still_ends(
    world: Any, server: Any, make_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_client()
    monkeypatch.setattr(server.engine, 'receive', lambda message, now_s: 1 / 0)
    _, result, _ = client.ask(action='pick', object='red_cup')
    world.until(result.done, 'result')
    assert result.result().status == GoalStatus.STATUS_ABORTED
    assert 'inside failed' in result.result().result.error_msg


def test_after_reactivation_goals_run_again(
    world: Any, server: Any, make_arm: Any, make_client: Any
) -> None:
    arm, client = make_arm(), make_client()
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


def test_a_stop_cancels_the_move(world: Any, server: Any, make_arm: Any, make_client: Any) -> None:
    arm, client = make_arm(), make_client()
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
