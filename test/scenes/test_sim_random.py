# SPDX-License-Identifier: Apache-2.0
"""Whatever is asked of the simulated robot, and whatever happens around it, some things hold."""

from __future__ import annotations

import random
from typing import Any

import pytest

pytest.importorskip('mujoco', reason='needs MuJoCo')

from venus_ros.core.messages import (
    RobotAnswer,
    RobotCancel,
    RobotGoal,
    RobotResult,
)
from venus_ros.sim.navigate import pose_dict
from venus_ros.sim.places import Pose2, load_places
from venus_ros.sim.robot import SimRobot
from venus_ros.sim.world import DOORS, THINGS, SimWorld

PLACES = load_places()
LONGEST_S = 240.0
TO = ('', *PLACES.by_name, 'desk', 'sofa', 'bookshelf', 'kitchen_counter', 'nightstand')


class Run:
    """A robot that is asked for things at random, and what came of it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.robot = SimRobot(SimWorld(seed))
        self.now_s = 50.0
        self.open: dict[str, RobotGoal] = {}
        self.ended: list[str] = []
        self._count = 0
        self.robot.tick(self.now_s)

    def ask(self) -> RobotGoal:
        self._count += 1
        server, goal = self._goal()
        message = RobotGoal(f'goal-{self._count}', server, '', goal)
        self.open[message.goal_id] = message
        self.take(self.robot.receive(message, self.now_s))
        return message

    def meddle(self) -> None:
        world, rng = self.robot.world, self.rng
        thing = rng.choice(THINGS)
        if rng.random() < 0.5:
            world.set_door(rng.choice(list(DOORS)), rng.random() < 0.4)
        elif thing != world.held:
            low, high = world.extent(rng.choice(['kitchen_table', 'bed', 'desk', 'hall_table']))
            middle = (low + high) / 2
            world.put(thing, middle[0], middle[1], high[2] + 0.02)

    def pass_time(self, seconds: float, goal: RobotGoal) -> None:
        end_s = self.now_s + seconds
        while self.now_s < end_s and goal.goal_id in self.open:
            self.now_s += 0.1
            self.take(self.robot.tick(self.now_s))
            self.check_base(goal)

    def cancel(self, goal: RobotGoal) -> None:
        self.take(self.robot.receive(RobotCancel(goal.server, goal.goal_id), self.now_s))
        self.pass_time(0.4, goal)
        speed = self.robot.world.velocity()
        assert goal.goal_id not in self.open, f'{goal} goes on after its cancel, at {speed}'

    def take(self, messages: list[Any]) -> None:
        for message in messages:
            refused = isinstance(message, RobotAnswer) and not message.accepted
            if refused or isinstance(message, RobotResult):
                assert message.goal_id in self.open, f'ended twice: {message}'
                del self.open[message.goal_id]
                self.ended.append(message.goal_id)

    def check_base(self, goal: RobotGoal) -> None:
        pose, world = self.robot.pose(), self.robot.world
        assert -6 < pose.x < 5.6 and -3.5 < pose.y < 3.5, f'outside at {pose} with {goal}'
        upright = world.data.body('base_link').xmat.reshape(3, 3)[2, 2]
        assert upright > 0.97, f'it tips over with {goal}'
        assert abs(world.velocity()[0]) < 0.6, f'{world.velocity()} with {goal}'

    def _goal(self) -> tuple[str, dict[str, Any]]:
        rng = self.rng
        kind = rng.choice(['place', 'anywhere', 'pick', 'put', 'bring', 'look', 'glance', 'find'])
        if kind == 'place':
            pose = rng.choice([place.pose for place in PLACES.by_name.values()])
            return 'navigate_to_pose', {'pose': {'pose': pose_dict(pose)}}
        if kind == 'anywhere':
            pose = Pose2(rng.uniform(-6, 5.5), rng.uniform(-3.5, 3.5), rng.uniform(-3, 3))
            return 'navigate_to_pose', {'pose': {'pose': pose_dict(pose)}}
        if kind == 'look':
            return 'look', {'place': rng.choice(list(PLACES.by_name))}
        if kind in ('glance', 'find'):
            return 'look', {'target': rng.choice(THINGS) if kind == 'find' else ''}
        action = 'place' if kind == 'put' else kind
        return 'pick_place', {'action': action, 'object': rng.choice(THINGS), 'to': rng.choice(TO)}


@pytest.mark.parametrize('seed', [1, 3])
def test_every_goal_ends_once_and_the_robot_stays_whole(seed: int) -> None:
    run = Run(seed)
    for _ in range(25):
        if run.rng.random() < 0.25:
            run.meddle()
        goal = run.ask()
        run.pass_time(run.rng.choice([2.0, 15.0, LONGEST_S]), goal)
        if goal.goal_id in run.open and run.rng.random() < 0.4:
            run.cancel(goal)
    for goal in list(run.open.values()):
        run.pass_time(LONGEST_S, goal)
    assert not run.open, f'these have not ended in {LONGEST_S} s: {run.open}'
    assert len(run.ended) == 25
