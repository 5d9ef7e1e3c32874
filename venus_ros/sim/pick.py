# SPDX-License-Identifier: Apache-2.0
"""Skill `pick_place`, with the fields of venus_msgs/action/PickPlace."""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np

from venus_ros.sim import body
from venus_ros.sim.look import look_around
from venus_ros.sim.reach import HIGHEST_M, HOVER_M, free_spots, grasp_height, stand_for
from venus_ros.sim.route import NoRouteError, Points
from venus_ros.sim.sight import Seen
from venus_ros.sim.skill import Fields, Part, Robot, Skill, SkillError, driving, quietly, words
from venus_ros.sim.world import THINGS


class PickCode(IntEnum):
    """Error codes of venus_msgs/action/PickPlace."""

    NONE = 0
    UNKNOWN_OBJECT = 1
    NOT_FOUND = 2
    OUT_OF_REACH = 3
    HAND_FULL = 4
    HAND_EMPTY = 5
    UNKNOWN_PLACE = 6
    NO_PATH = 7
    INVALID_ACTION = 8
    SUPERSEDED = 9


def check_pick_place(robot: Robot, action: str, thing: str, to: str) -> None:
    """Raise SkillError for a goal that cannot be begun."""
    held = robot.world.held
    places = (*robot.places.by_name, *robot.world.surfaces(), '', 'user')
    if action not in ('pick', 'place', 'bring'):
        problem = (PickCode.INVALID_ACTION, f'I can pick, place or bring, not {action!r}.')
    elif thing not in THINGS and not (action == 'place' and thing == ''):
        problem = (PickCode.UNKNOWN_OBJECT, f'I do not know a thing called {words(thing)}.')
    elif action == 'place' and not held:
        problem = (PickCode.HAND_EMPTY, 'I hold nothing.')
    elif action == 'place' and thing not in ('', held):
        problem = (PickCode.HAND_EMPTY, f'I do not hold the {words(thing)}.')
    elif action == 'pick' and held:
        problem = (PickCode.HAND_FULL, f'I hold the {words(held)} already.')
    elif action != 'pick' and to not in places:
        problem = (PickCode.UNKNOWN_PLACE, f'I do not know a place called {words(to)}.')
    else:
        return
    raise SkillError(_result(*problem, held, ''))


def pick_place(robot: Robot, action: str, thing: str, to: str) -> Skill:
    """Pick a thing, put down what is held, or bring a thing somewhere."""
    world = robot.world
    try:
        if action == 'bring' and world.held not in ('', thing):
            yield from _put_aside(robot)
        if action in ('pick', 'bring') and world.held != thing:
            yield from _pick(robot, thing)
        if action == 'pick':
            return _result(PickCode.NONE, '', thing, 'gripper')
        return (yield from _deliver(robot, world.held, to))
    except NoRouteError as error:
        raise SkillError(
            _result(PickCode.NO_PATH, f'I cannot get there. {error}', world.held, '')
        ) from error


def _pick(robot: Robot, thing: str) -> Part:
    """Go where the thing was last seen, look, search the room if needed, take it."""
    for _ in range(3):
        known = robot.memory.of(thing)
        if known is None:
            raise SkillError(
                _result(PickCode.NOT_FOUND, f'I have not seen the {words(thing)}.', '', '')
            )
        yield from _approach(robot, known)
        now = _seen_now(robot, thing)
        if now is None:
            robot.memory.forget(thing)
            yield from look_around(robot, thing, {})
            if robot.memory.of(thing) is None:
                raise SkillError(
                    _result(
                        PickCode.NOT_FOUND,
                        f'I cannot find the {words(thing)}.',
                        '',
                        '',
                    )
                )
        elif math.dist(now.position, known.position) < 0.05:
            yield from _grasp(robot, now)
            return
    raise SkillError(_result(PickCode.NOT_FOUND, f'I cannot find the {words(thing)}.', '', ''))


def _approach(robot: Robot, known: Seen) -> Part:
    """Stand before the thing and face it."""
    world = robot.world
    half_m = (world.extent(known.thing)[1] - world.extent(known.thing)[0])[2] / 2
    height = grasp_height(known.position[2] - half_m, known.position[2] + half_m)
    spot = np.array([[*known.position[:2], height or 0.0]])
    stand = stand_for(
        world,
        robot.floor,
        _but_near(robot.drive.found, known.position),
        spot,
        world.pose(),
        known.thing,
    )
    if height is None or stand is None:
        raise SkillError(
            _result(PickCode.OUT_OF_REACH, f'I cannot reach the {words(known.thing)}.', '', '')
        )
    yield from body.tuck(world)
    yield from driving(
        robot.drive.go_to(stand[0]), lambda share: _feedback('driving', 0.4 * share, known.thing)
    )
    yield from body.face(world, known.position)


def _grasp(robot: Robot, seen: Seen) -> Part:
    """Put the arm out over the thing, lower the gripper, close it and lift."""
    world, thing = robot.world, seen.thing
    low, high = world.extent(thing)
    height = grasp_height(float(low[2]), float(high[2]))
    pose = world.pose()
    yield from quietly(
        robot.drive.turn_to(math.atan2(seen.position[1] - pose.y, seen.position[0] - pose.x))
    )
    yield _feedback('reaching', 0.42, thing)
    yield from body.grip(world, body.OPEN_M)
    yield from _put_out(robot, seen.position[0], seen.position[1], (height or 0.0), 0.0)
    yield _feedback('grasping', 0.5, thing)
    point = world.grasp_point()
    low, high = world.extent(thing)
    off = np.maximum(np.maximum(low - point, point - high), 0)
    if height is None or float(np.linalg.norm(off)) > 0.05:
        yield from _take_back(robot)
        raise SkillError(
            _result(PickCode.OUT_OF_REACH, f'I could not get hold of the {words(thing)}.', '', '')
        )
    yield from body.grip(world, body.CLOSED_M)
    world.attach(thing)
    robot.memory.forget(thing)
    yield from _take_back(robot)


def _deliver(robot: Robot, thing: str, to: str) -> Skill:
    """Carry what is held to a surface or to the person and let go of it there."""
    world = robot.world
    for surface in _surfaces_for(robot, to):
        spots = free_spots(world, surface, thing)
        spots = spots[spots[:, 2] < HIGHEST_M - 0.05]
        near = robot.places.person.pose if surface == robot.places.person.body else world.pose()
        hang_m = float(world.grasp_point()[2] - world.extent(thing)[0][2])
        spots[:, 2] += hang_m
        stand = stand_for(world, robot.floor, robot.drive.found, spots, near, thing)
        if stand is not None:
            break
    else:
        raise SkillError(
            _result(
                PickCode.OUT_OF_REACH, f'I find no room to put down the {words(thing)}.', thing, ''
            )
        )
    pose, spot = stand
    yield from body.tuck(world)
    yield from driving(
        robot.drive.go_to(pose), lambda share: _feedback('carrying', 0.55 + 0.35 * share, thing)
    )
    yield _feedback('releasing', 0.92, thing)
    yield from body.face(world, (float(spot[0]), float(spot[1]), float(spot[2])))
    yield from _put_out(robot, spot[0], spot[1], spot[2], 0.012)
    world.release()
    yield from body.grip(world, body.OPEN_M)
    yield from _take_back(robot)
    robot.memory.look()
    return _result(PickCode.NONE, '', thing, surface)


def _put_aside(robot: Robot) -> Part:
    """Free the hand: put what is held on the nearest surface of the room that has space."""
    here = robot.world.pose()
    place = robot.places.at(here.x, here.y)
    yield from _deliver(robot, robot.world.held, place)


def _surfaces_for(robot: Robot, to: str) -> list[str]:
    """Surfaces to try, best first, for a place, a surface, or '' = the person."""
    person = robot.places.person
    if to in ('', 'user', person.body):
        return [person.body, robot.places.by_name[person.place].surface]
    place = robot.places.get(to)
    if place is None:
        return [to]
    inside = [s for s in robot.world.surfaces() if _stands_in(robot, s, to)]
    return [place.surface, *(s for s in inside if s not in (place.surface, person.body))]


def _stands_in(robot: Robot, surface: str, place: str) -> bool:
    low, high = robot.world.extent(surface)
    middle = (low + high) / 2
    return robot.places.at(float(middle[0]), float(middle[1])) == place


def _put_out(robot: Robot, x: float, y: float, height_m: float, above_m: float) -> Part:
    """Bring the fingers over a point, arm out at a safe height, then down to the height."""
    world, pose = robot.world, robot.world.pose()
    base_m = float(world.grasp_point()[2]) - world.at('lift')
    rest_m = math.hypot(*(world.grasp_point()[:2] - (pose.x, pose.y))) - world.at('arm')
    out_m = math.hypot(x - pose.x, y - pose.y) - rest_m
    yield from body.move(world, lift=height_m + HOVER_M + 0.03 - base_m)
    yield from body.move(world, arm=out_m)
    yield from body.move(world, lift=height_m + above_m - base_m)


def _take_back(robot: Robot) -> Part:
    yield from body.move(robot.world, lift=min(robot.world.at('lift') + 0.12, 0.96))
    yield from body.move(robot.world, arm=0.0)


def _seen_now(robot: Robot, thing: str) -> Seen | None:
    return next((s for s in robot.memory.look() if s.thing == thing), None)


def _but_near(found: Points, position: tuple[float, float, float]) -> Points:
    """Obstacles found, but for the thing itself."""
    return found[np.linalg.norm(found - position[:2], axis=1) > 0.2]


def _feedback(phase: str, progress: float, thing: str) -> Fields:
    return {'phase': phase, 'progress': progress, 'object': thing}


def _result(code: PickCode, message: str, thing: str, to: str) -> Fields:
    return {'error_code': int(code), 'error_msg': message, 'object': thing, 'to': to}
