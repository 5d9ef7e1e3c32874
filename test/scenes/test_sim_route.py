# SPDX-License-Identifier: Apache-2.0
"""Routes through the simulated house."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

pytest.importorskip('mujoco', reason='needs MuJoCo')

from venus_ros.sim.places import Pose2, load_places
from venus_ros.sim.route import FloorMap, NavCode, NoRouteError, between
from venus_ros.sim.world import SimWorld

NOTHING = np.zeros((0, 2))
KITCHEN_DOOR = between(np.array([1.0, 1.0]), np.array([1.0, 2.0]))
PLACES = load_places()


@pytest.fixture(scope='module')
def floor() -> FloorMap:
    return FloorMap(SimWorld())


@pytest.mark.parametrize(('start', 'goal'), list(itertools.permutations(PLACES.by_name, 2)))
def test_between_all_places_the_way_is_free(floor: FloorMap, start: str, goal: str) -> None:
    a, b = (PLACES.by_name[name].pose for name in (start, goal))
    corners = floor.route(a, b, NOTHING)
    assert corners[0] == pytest.approx((a.x, a.y))
    assert corners[-1] == pytest.approx((b.x, b.y))
    for p, q in itertools.pairwise(corners):
        line = between(p, q)
        clear = floor.nearest_clearance(line, floor.standing)
        worst = line[clear.argmin()]
        assert clear.min() > 0.22, f'{start} to {goal}: {clear.min():.2f} m left at {worst}'


def test_no_way_is_longer_than_it_must_be(floor: FloorMap) -> None:
    hall, kitchen = PLACES.by_name['hall'].pose, PLACES.by_name['kitchen'].pose
    corners = floor.route(hall, kitchen, NOTHING)
    length = np.linalg.norm(np.diff(corners, axis=0), axis=1).sum()
    straight = np.hypot(kitchen.x - hall.x, kitchen.y - hall.y)
    assert length < 1.35 * straight, f'{length:.2f} m for {straight:.2f} m'


@pytest.mark.parametrize(
    ('goal', 'code'),
    [
        (Pose2(30, 0, 0), NavCode.GOAL_OUTSIDE_MAP),
        (Pose2(4.1, 1.25, 0), NavCode.GOAL_OCCUPIED),
        (Pose2(-1.0, 2.0, 0), NavCode.GOAL_OCCUPIED),
    ],
)
def test_goals_where_nobody_can_stand(floor: FloorMap, goal: Pose2, code: NavCode) -> None:
    with pytest.raises(NoRouteError) as told:
        floor.route(PLACES.by_name['hall'].pose, goal, NOTHING)
    assert told.value.code is code


def test_found_obstacles_are_driven_around_or_close_the_way(floor: FloorMap) -> None:
    hall, kitchen = PLACES.by_name['hall'].pose, PLACES.by_name['kitchen'].pose
    with pytest.raises(NoRouteError) as told:
        floor.route(hall, kitchen, KITCHEN_DOOR)
    assert told.value.code is NavCode.NO_VALID_PATH
    living = PLACES.by_name['living_room'].pose
    post = np.array([[-1.9, 0.3]])
    corners = floor.route(living, hall, post)
    way = np.vstack([between(p, q) for p, q in itertools.pairwise(corners)])
    assert np.linalg.norm(way - post, axis=1).min() > 0.22


def test_only_what_the_map_lacks_is_new(floor: FloorMap) -> None:
    points = np.array([[2.5, 1.5], [3.5, 1.25], [1.0, 0.5], [99.0, 0.0]])
    assert floor.is_new(points).tolist() == [True, False, False, False]
