# SPDX-License-Identifier: Apache-2.0
"""The simulated robot in counted time: what its actions do, tell, and how they end."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip('mujoco', reason='needs MuJoCo')

from venus_ros.core.messages import (
    GoalStatus,
    Pose,
    RobotAnswer,
    RobotCancel,
    RobotFeedback,
    RobotGoal,
    RobotResult,
    RobotServer,
)
from venus_ros.sim.drive import Limits
from venus_ros.sim.look import LookCode
from venus_ros.sim.pick import PickCode
from venus_ros.sim.places import load_places
from venus_ros.sim.reach import grasp_height, stand_for
from venus_ros.sim.robot import SimRobot
from venus_ros.sim.route import FloorMap, NavCode
from venus_ros.sim.world import THINGS, SimWorld

PLACES = load_places()
START_S = 5000.0
STEP_S = 0.1


class Client:
    """Sends goals and writes down, with their time, all messages that come back."""

    def __init__(self, robot: SimRobot, step_s: float = STEP_S) -> None:
        self.robot = robot
        self.step_s = step_s
        self.now_s = START_S
        self.log: list[tuple[float, Any]] = []
        self._ids = (f'goal-{number}' for number in itertools.count())
        self._take(robot.tick(self.now_s))

    def send(self, server: str, **goal: Any) -> str:
        goal_id = next(self._ids)
        self._take(self.robot.receive(RobotGoal(goal_id, server, '', goal), self.now_s))
        return goal_id

    def cancel(self, server: str, goal_id: str = '') -> None:
        self._take(self.robot.receive(RobotCancel(server, goal_id), self.now_s))

    def wait(self, seconds: float, until: Callable[[], Any] = lambda: False) -> None:
        end_s = self.now_s + seconds
        while self.now_s < end_s and not until():
            self.now_s += self.step_s
            self._take(self.robot.tick(self.now_s))

    def result(self, goal_id: str, within_s: float = 150.0) -> RobotResult:
        self.wait(within_s, lambda: self.of(RobotResult, goal_id))
        found = self.of(RobotResult, goal_id)
        assert found, f'{goal_id} has not ended in {within_s} s; last: {self.log[-1]}'
        return found[-1]

    def do(self, server: str, **goal: Any) -> RobotResult:
        return self.result(self.send(server, **goal))

    def of(self, cls: type, goal_id: str) -> list[Any]:
        return [m for _, m in self.log if isinstance(m, cls) and m.goal_id == goal_id]

    def _take(self, messages: list[Any]) -> None:
        self.log += [(self.now_s, message) for message in messages]


@pytest.fixture
def client() -> Client:
    return Client(SimRobot())


def pose_of(name: str, **header: str) -> dict[str, Any]:
    pose = PLACES.by_name[name].pose
    return {
        'header': {'frame_id': 'map', **header},
        'pose': {
            'position': {'x': pose.x, 'y': pose.y, 'z': 0.0},
            'orientation': {'z': math.sin(pose.yaw / 2), 'w': math.cos(pose.yaw / 2)},
        },
    }


def error_of(result: RobotResult) -> tuple[str, int]:
    return result.status.name, result.result.get('error_code')


# ---- driving ---------------------------------------------------------------------------------


@pytest.mark.parametrize('place', list(PLACES.by_name))
def test_drives_to_every_place_and_tells_how_far_it_is(client: Client, place: str) -> None:
    goal_id = client.send('navigate_to_pose', pose=pose_of(place))
    result = client.result(goal_id)
    assert error_of(result) == ('SUCCEEDED', 0), result
    goal, pose = PLACES.by_name[place].pose, client.robot.pose()
    assert math.hypot(pose.x - goal.x, pose.y - goal.y) < 0.12
    assert abs(math.remainder(pose.yaw - goal.yaw, 2 * math.pi)) < 0.05
    feedback = [f.feedback for f in client.of(RobotFeedback, goal_id)]
    left = [f['distance_remaining'] for f in feedback]
    times = [
        f['navigation_time']['sec'] + f['navigation_time']['nanosec'] * 1e-9 for f in feedback
    ]
    assert all(b <= a + 0.1 for a, b in itertools.pairwise(left)), left
    assert times == sorted(times)
    assert left[-1] < 0.3
    if left[0] > 2:
        eta = feedback[0]['estimated_time_remaining']['sec']
        assert 0.4 * times[-1] < eta < 1.5 * times[-1], f'{eta} s told, {times[-1]} s taken'


def test_obeys_its_speed() -> None:
    slow = Client(SimRobot(limits=Limits(speed=0.2)))
    slow.send('navigate_to_pose', pose=pose_of('kitchen'))
    fastest = 0.0
    for _ in range(100):
        slow.wait(STEP_S)
        fastest = max(fastest, slow.robot.world.velocity()[0])
    assert 0.15 < fastest < 0.23


@pytest.mark.parametrize('by_id', [True, False])
def test_stands_within_three_tenths_of_a_second_of_a_cancel(client: Client, by_id: bool) -> None:
    client.step_s = 0.02
    goal_id = client.send('navigate_to_pose', pose=pose_of('kitchen'))
    client.wait(7.0)
    assert client.robot.world.velocity()[0] > 0.3
    asked_s = client.now_s
    client.cancel('navigate_to_pose', goal_id if by_id else '')
    result = client.result(goal_id, 1.0)
    assert result.status is GoalStatus.CANCELED
    assert client.now_s - asked_s <= 0.3
    assert abs(client.robot.world.velocity()[0]) < 0.03
    before = client.robot.pose()
    client.wait(3.0)
    after = client.robot.pose()
    assert math.hypot(after.x - before.x, after.y - before.y) < 0.02
    assert not client.robot.busy


def test_cancelling_something_else_changes_nothing(client: Client) -> None:
    goal_id = client.send('navigate_to_pose', pose=pose_of('hall'))
    client.wait(2.0)
    client.cancel('navigate_to_pose', 'another goal')
    client.cancel('pick_place')
    assert error_of(client.result(goal_id)) == ('SUCCEEDED', 0)


def test_a_newer_goal_for_the_base_takes_over(client: Client) -> None:
    older = client.send('navigate_to_pose', pose=pose_of('kitchen'))
    client.wait(5.0)
    newer = client.send('navigate_to_pose', pose=pose_of('bedroom'))
    assert error_of(client.result(older, 0.2)) == ('ABORTED', NavCode.UNKNOWN)
    assert 'newer' in client.result(older).result['error_msg']
    client.wait(3.0)
    fetch = client.send('pick_place', action='bring', object='red_cup')
    assert client.result(newer, 0.2).status is GoalStatus.ABORTED
    client.wait(3.0)
    last = client.send('look', place='hall')
    assert error_of(client.result(fetch, 0.2)) == ('ABORTED', PickCode.SUPERSEDED)
    assert error_of(client.result(last)) == ('SUCCEEDED', 0)
    ends = [m.goal_id for _, m in client.log if isinstance(m, RobotResult)]
    assert sorted(ends) == sorted([older, newer, fetch, last]), 'each ends exactly once'


def test_the_same_goal_twice_is_refused(client: Client) -> None:
    goal = RobotGoal('one', 'navigate_to_pose', '', {'pose': pose_of('hall')})
    first = client.robot.receive(goal, client.now_s)
    second = client.robot.receive(goal, client.now_s)
    answers = [m.accepted for m in (*first, *second) if isinstance(m, RobotAnswer)]
    assert answers == [True, False]


def test_a_closed_door_is_found_waited_for_and_then_told(client: Client) -> None:
    client.robot.world.set_door('kitchen_door', False)
    goal_id = client.send('navigate_to_pose', pose=pose_of('kitchen'))
    result = client.result(goal_id)
    assert error_of(result) == ('ABORTED', NavCode.NO_VALID_PATH)
    assert result.result['error_msg']
    pose = client.robot.pose()
    assert PLACES.at(pose.x, pose.y) in ('hall', 'living_room'), 'not through the door'
    assert math.hypot(pose.x + 2.4, pose.y - 0.4) > 0.5, 'it went to see'
    tried = [f.feedback['number_of_recoveries'] for f in client.of(RobotFeedback, goal_id)]
    assert max(tried) == 2


def test_a_door_that_opens_in_time_lets_it_through(client: Client) -> None:
    client.robot.world.set_door('kitchen_door', False)
    goal_id = client.send('navigate_to_pose', pose=pose_of('kitchen'))

    def waits() -> bool:
        told = client.of(RobotFeedback, goal_id)
        return bool(told) and told[-1].feedback['number_of_recoveries'] > 0

    client.wait(60.0, waits)
    client.robot.world.set_door('kitchen_door', True)
    assert error_of(client.result(goal_id)) == ('SUCCEEDED', 0)


def test_drives_around_a_box_but_not_through_one_in_a_doorway(client: Client) -> None:
    client.robot.world.put('box', -1.9, 0.9)
    assert error_of(client.do('navigate_to_pose', pose=pose_of('hall'))) == ('SUCCEEDED', 0)
    low, high = client.robot.world.extent('box')
    assert ((low + high) / 2)[:2] == pytest.approx((-1.9, 0.9), abs=0.05), 'it was not pushed'
    client.robot.world.put('box', -1.0, 0.0)
    result = client.do('navigate_to_pose', pose=pose_of('living_room'))
    assert error_of(result) == ('ABORTED', NavCode.NO_VALID_PATH)


@pytest.mark.parametrize(
    ('x', 'y', 'frame', 'code'),
    [
        (40.0, 0.0, 'map', NavCode.GOAL_OUTSIDE_MAP),
        (4.4, -1.9, 'map', NavCode.GOAL_OCCUPIED),
        (0.0, 0.0, 'moon', NavCode.TF_ERROR),
    ],
)
def test_goals_that_cannot_be_reached(
    client: Client, x: float, y: float, frame: str, code: NavCode
) -> None:
    pose = {'header': {'frame_id': frame}, 'pose': {'position': {'x': x, 'y': y}}}
    result = client.do('navigate_to_pose', pose=pose)
    assert error_of(result) == ('ABORTED', code), result


@pytest.mark.parametrize(
    'pose',
    [
        {'position': {'x': math.nan}},
        {'position': {'y': math.inf}},
        {'position': {'x': 'near'}},
        {'position': {'x': 1.0}, 'orientation': {'w': 0.0}},
        {'orientation': {'z': math.nan}},
    ],
)
def test_a_pose_that_is_none_is_refused(client: Client, pose: dict[str, Any]) -> None:
    goal_id = client.send('navigate_to_pose', pose={'pose': pose})
    (answer,) = client.of(RobotAnswer, goal_id)
    assert not answer.accepted
    assert answer.reason
    assert error_of(client.do('look')) == ('SUCCEEDED', 0), 'nothing else stops'


# ---- moving things ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    'thing',
    ['red_cup', 'blue_cup', 'green_bottle', 'ball', 'keys', 'book', 'lamp', 'plate', 'banana'],
)
def test_brings_things_to_the_person(client: Client, thing: str) -> None:
    goal_id = client.send('pick_place', action='bring', object=thing)
    result = client.result(goal_id)
    assert error_of(result) == ('SUCCEEDED', 0), result
    client.wait(2.0)
    assert result.result == {
        'error_code': 0,
        'error_msg': '',
        'object': thing,
        'to': client.robot.world.support(thing),
    }
    low, high = client.robot.world.extent(thing)
    away = np.linalg.norm(((low + high) / 2 - (-5.2, 0.3, 0.6))[:2])
    assert away < 1.9, f'{away:.2f} m from the person'
    told = [f.feedback for f in client.of(RobotFeedback, goal_id)]
    phases = [phase for phase, _ in itertools.groupby(f['phase'] for f in told)]
    assert phases == ['driving', 'reaching', 'grasping', 'carrying', 'releasing']
    shares = [f['progress'] for f in told]
    assert shares == sorted(shares), shares
    assert shares[0] >= 0 and shares[-1] <= 1


@pytest.mark.parametrize('seed', range(1, 13))
def test_every_thing_can_be_reached_wherever_it_is_scattered(seed: int) -> None:
    world = SimWorld(seed)
    floor = FloorMap(world)
    for thing in THINGS:
        low, high = world.extent(thing)
        height = grasp_height(float(low[2]), float(high[2]))
        assert height is not None, f'{thing} cannot be gripped'
        spot = np.array([[*((low + high) / 2)[:2], height]])
        stand = stand_for(world, floor, np.zeros((0, 2)), spot, world.pose(), thing)
        assert stand, f'{thing} at {spot[0].round(2)} is out of reach'


@pytest.mark.parametrize(('to', 'room'), [('kitchen', 'kitchen'), ('desk', 'living_room')])
def test_brings_things_to_places_and_furniture(client: Client, to: str, room: str) -> None:
    result = client.do('pick_place', action='bring', object='remote', to=to)
    assert error_of(result) == ('SUCCEEDED', 0), result
    client.wait(2.0)
    low, high = client.robot.world.extent('remote')
    assert PLACES.at(*((low + high) / 2)[:2]) == room
    expected = {'kitchen': 'kitchen_table', 'desk': 'desk'}[to]
    assert client.robot.world.support('remote') == result.result['to'] == expected


def test_picks_carries_on_after_other_goals_and_places(client: Client) -> None:
    assert error_of(client.do('pick_place', action='pick', object='remote')) == ('SUCCEEDED', 0)
    assert client.robot.world.held == 'remote'
    assert error_of(client.do('navigate_to_pose', pose=pose_of('hall'))) == ('SUCCEEDED', 0)
    assert client.robot.world.support('remote') == 'gripper'
    result = client.do('pick_place', action='place', object='', to='hall_table')
    assert error_of(result) == ('SUCCEEDED', 0)
    client.wait(2.0)
    assert client.robot.world.support('remote') == 'hall_table'
    assert client.robot.world.held == ''


def test_a_full_hand_is_told_when_picking_and_freed_when_bringing(client: Client) -> None:
    client.do('pick_place', action='pick', object='remote')
    result = client.do('pick_place', action='pick', object='ball')
    assert error_of(result) == ('ABORTED', PickCode.HAND_FULL)
    assert 'remote' in result.result['error_msg']
    result = client.do('pick_place', action='bring', object='ball')
    assert error_of(result) == ('SUCCEEDED', 0)
    assert client.robot.world.support('remote') in client.robot.world.surfaces()


@pytest.mark.parametrize(
    ('goal', 'code'),
    [
        ({'action': 'pick', 'object': 'unicorn'}, PickCode.UNKNOWN_OBJECT),
        ({'action': 'bring', 'object': ''}, PickCode.UNKNOWN_OBJECT),
        ({'action': 'bring', 'object': 'ball', 'to': 'garage'}, PickCode.UNKNOWN_PLACE),
        ({'action': 'place', 'object': 'ball'}, PickCode.HAND_EMPTY),
        ({'action': 'juggle', 'object': 'ball'}, PickCode.INVALID_ACTION),
        ({}, PickCode.INVALID_ACTION),
    ],
)
def test_impossible_requests_end_at_once(
    client: Client, goal: dict[str, str], code: PickCode
) -> None:
    before = client.now_s
    result = client.do('pick_place', **goal)
    assert error_of(result) == ('ABORTED', code)
    assert result.result['error_msg']
    assert client.now_s == before


def test_what_is_gone_is_looked_for_and_told(client: Client) -> None:
    client.robot.world.put('banana', 30, 0)
    goal_id = client.send('pick_place', action='bring', object='banana')
    assert error_of(client.result(goal_id)) == ('ABORTED', PickCode.NOT_FOUND)
    pose = client.robot.pose()
    assert PLACES.at(pose.x, pose.y) == 'kitchen', 'it went where it had last seen it'


def test_what_was_moved_within_the_room_is_found(client: Client) -> None:
    client.robot.world.put('banana', 2.2, 0.9)
    assert error_of(client.do('pick_place', action='pick', object='banana')) == ('SUCCEEDED', 0)
    assert client.robot.world.held == 'banana'


def test_what_lies_too_high_is_out_of_reach(client: Client) -> None:
    low, high = client.robot.world.extent('bookshelf')
    client.robot.world.put('plate', *((low + high) / 2)[:2], high[2] + 0.01)
    client.do('look', place='living_room', target='plate')
    result = client.do('pick_place', action='pick', object='plate')
    assert error_of(result) == ('ABORTED', PickCode.OUT_OF_REACH)


def test_a_closed_door_keeps_it_from_fetching(client: Client) -> None:
    client.robot.world.set_door('bedroom_door', False)
    result = client.do('pick_place', action='bring', object='lamp')
    assert error_of(result) == ('ABORTED', PickCode.NO_PATH)


def test_a_cancel_while_reaching_holds_still_and_the_next_goal_works(client: Client) -> None:
    goal_id = client.send('pick_place', action='bring', object='remote')
    client.wait(
        60.0,
        lambda: any(f.feedback['phase'] == 'grasping' for f in client.of(RobotFeedback, goal_id)),
    )
    client.cancel('pick_place', goal_id)
    assert client.result(goal_id, 0.5).status is GoalStatus.CANCELED
    result = client.do('pick_place', action='bring', object='remote')
    assert error_of(result) == ('SUCCEEDED', 0), result


# ---- looking ---------------------------------------------------------------------------------


def test_tells_what_lies_on_the_table_of_another_room(client: Client) -> None:
    goal_id = client.send('look', place='kitchen', target='table')
    result = client.result(goal_id)
    assert error_of(result) == ('SUCCEEDED', 0)
    told = dict(zip(result.result['objects'], result.result['surfaces'], strict=True))
    assert told == {t: 'kitchen_table' for t in ('banana', 'plate', 'red_cup')}
    assert result.result['found']
    assert result.result['place'] == 'kitchen'


def test_tells_what_it_sees_not_what_was_there(client: Client) -> None:
    client.robot.world.put('banana', 2.2, 0.5)
    client.robot.world.put('plate', -3.9, -0.6, 0.45)
    result = client.do('look', place='kitchen').result
    told = dict(zip(result['objects'], result['surfaces'], strict=True))
    assert told['banana'] == '', 'on the floor'
    assert 'plate' not in told
    assert {'red_cup', 'blue_cup', 'green_bottle'} <= set(told)
    for thing in ('red_cup',):
        client.robot.world.put(thing, 30, 0)
    empty = client.do('look', place='kitchen', target='kitchen_table').result
    assert (empty['found'], empty['objects']) == (True, []), 'the table is there, and empty'


def test_finds_a_thing_wherever_it_is(client: Client) -> None:
    result = client.do('look', target='keys').result
    assert (result['place'], result['objects'], result['surfaces']) == (
        'hall', ['keys'], ['hall_table'])  # fmt: skip
    client.robot.world.put('ball', 3.0, -0.5)
    result = client.do('look', target='ball').result
    assert (result['found'], result['place'], result['surfaces']) == (True, 'bedroom', [''])


def test_says_so_when_it_does_not_see_it(client: Client) -> None:
    result = client.do('look', place='hall', target='banana')
    assert error_of(result) == ('SUCCEEDED', 0)
    assert (result.result['found'], result.result['objects']) == (False, [])


def test_places_that_cannot_be_looked_at(client: Client) -> None:
    result = client.do('look', place='garage')
    assert error_of(result) == ('ABORTED', LookCode.UNKNOWN_PLACE)
    client.robot.world.set_door('kitchen_door', False)
    assert error_of(client.do('look', place='kitchen')) == ('ABORTED', LookCode.NO_PATH)


def test_looking_here_goes_on_beside_a_drive(client: Client) -> None:
    drive = client.send('navigate_to_pose', pose=pose_of('hall'))
    client.wait(1.0)
    glance = client.send('look')
    assert error_of(client.result(glance)) == ('SUCCEEDED', 0)
    assert not client.of(RobotResult, drive)
    assert error_of(client.result(drive)) == ('SUCCEEDED', 0)


# ---- as an engine ----------------------------------------------------------------------------


def test_a_run_repeats_exactly_however_time_is_cut() -> None:
    def run(step_s: float) -> tuple[list[Any], Any]:
        client = Client(SimRobot(SimWorld(seed=3)), step_s)
        client.send('look', place='kitchen')
        client.wait(12.0)
        client.send('pick_place', action='pick', object='remote')
        client.wait(20.0)
        ends = [m for _, m in client.log if isinstance(m, (RobotFeedback, RobotResult))]
        return ends, client.robot.world.data.qpos.copy()

    first, again, coarse = run(0.1), run(0.1), run(1.0)
    assert first[0] == again[0] and np.array_equal(first[1], again[1])
    assert first[0] == coarse[0] and np.array_equal(first[1], coarse[1])


def test_a_process_that_was_stopped_does_not_drive_on_blindly() -> None:
    client = Client(SimRobot(longest_step_s=0.5))
    goal_id = client.send('navigate_to_pose', pose=pose_of('kitchen'))
    client.wait(5.0)
    before = client.robot.pose()
    client.now_s += 30.0
    client.cancel('navigate_to_pose', goal_id)
    assert client.result(goal_id, 1.0).status is GoalStatus.CANCELED
    after = client.robot.pose()
    assert math.hypot(after.x - before.x, after.y - before.y) < 0.5
    assert error_of(client.do('navigate_to_pose', pose=pose_of('hall'))) == ('SUCCEEDED', 0)


def test_says_what_it_serves_and_leaves_the_rest_to_others() -> None:
    robot = SimRobot(without=['navigate_to_pose'])
    shown = {m.server for m in robot.tick(0.0) if isinstance(m, RobotServer) and m.available}
    assert shown == {'pick_place', 'look'}
    goal = RobotGoal('one', 'navigate_to_pose', '', {'pose': pose_of('hall')})
    assert robot.receive(goal, 0.1) == []


def test_tells_its_pose_with_the_time_it_is_given() -> None:
    robot = SimRobot(stamp=lambda: 42)
    told = [m for step in range(21) for m in robot.tick(step * 0.1) if isinstance(m, Pose)]
    assert len(told) in (4, 5)
    assert {(p.stamp_ns, p.frame_id) for p in told} == {(42, 'map')}


def test_a_fault_in_a_skill_stops_the_base_and_ends_its_goal_only(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal_id = client.send('navigate_to_pose', pose=pose_of('hall'))
    client.wait(4.0)
    drive = client.robot._robot.drive
    monkeypatch.setattr(drive, '_steer', lambda *_: 1 / 0)
    assert client.result(goal_id, 2.0).status is GoalStatus.ABORTED
    assert abs(client.robot.world.velocity()[0]) < 0.05
    monkeypatch.undo()
    assert error_of(client.do('navigate_to_pose', pose=pose_of('hall'))) == ('SUCCEEDED', 0)
