# SPDX-License-Identifier: Apache-2.0
"""Skill `look`, with the fields of venus_msgs/action/Look.

Told is only what the camera sees from where the robot stands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable
from enum import IntEnum

from venus_ros.sim import body, sight
from venus_ros.sim.route import NoRouteError
from venus_ros.sim.sight import Seen
from venus_ros.sim.skill import Fields, Part, Robot, Skill, SkillError, driving, quietly, words
from venus_ros.sim.world import TRAVELLING

FAR_TILT, NEAR_TILT = 0.45, 0.9
AROUND = tuple((pan, FAR_TILT) for pan in (0.0, 1.15, 2.3, -1.15, -2.3))
CLOSE_BY = tuple((pan, NEAR_TILT) for pan in (-2.3, -1.15, 0.0, 1.15, 2.3))
"""Pan and tilt of each view, rad."""


class LookCode(IntEnum):
    """Error codes of venus_msgs/action/Look."""

    NONE = 0
    UNKNOWN_PLACE = 1
    NO_PATH = 2
    SUPERSEDED = 3


def always() -> bool:
    """Nobody else moves the head."""
    return True


def check_look(robot: Robot, place: str) -> None:
    """Raise SkillError for a place that does not exist."""
    if place and robot.places.get(place) is None:
        raise SkillError(
            _result(
                LookCode.UNKNOWN_PLACE,
                f'I do not know a place called {words(place)}.',
                place,
                False,
                (),
            )
        )


def look(
    robot: Robot, place: str, target: str, head_is_free: Callable[[], bool] = always
) -> Skill:
    """Drive to the place unless it is here, look around, say what is seen.

    Args:
        robot: who looks.
        place: a named place; '' is where the robot stands.
        target: an object, or the furniture on which to look; '' is everything.
        head_is_free: while it is not, the camera looks only where the head points already.
    """
    try:
        if place:
            yield from _drive_to(robot, place)
        return (yield from _look_here(robot, place, target, head_is_free))
    except NoRouteError as error:
        raise SkillError(_no_path(error, place)) from error


def search(robot: Robot, thing: str) -> Skill:
    """Look for a thing here, then where it was last seen, then in every other place."""
    result = yield from _look_here(robot, '', thing, always)
    left = [place for place in robot.places.by_name if place != result['place']]
    while not result['found'] and left:
        place = _likeliest(robot, thing, left)
        left.remove(place)
        try:
            yield from _drive_to(robot, place)
        except NoRouteError as error:
            result = _no_path(error, place)
            continue
        result = yield from _look_here(robot, place, thing, always)
    if result['error_code']:
        raise SkillError(result)
    return result


def _likeliest(robot: Robot, thing: str, places: list[str]) -> str:
    """The place where the thing was last seen, else the one nearest to here."""
    known, here = robot.memory.of(thing), robot.world.pose()
    last = robot.places.at(*known.position[:2]) if known else ''
    if last in places:
        return last
    poses = {place: robot.places.by_name[place].pose for place in places}
    return min(places, key=lambda p: math.hypot(poses[p].x - here.x, poses[p].y - here.y))


def _look_here(robot: Robot, place: str, target: str, head_is_free: Callable[[], bool]) -> Skill:
    """Look around; the result tells only of what lies in this place."""
    here = robot.world.pose()
    where = place or robot.places.at(here.x, here.y)
    seen: dict[str, Seen] = {}
    in_view = yield from look_around(robot, target, seen, head_is_free)
    room = robot.places.get(where)
    inside = [s for s in seen.values() if not room or room.holds(*s.position[:2])]
    wanted = [s for s in inside if not target or _is_meant(target, s)]
    found = bool(wanted) or (in_view and target not in seen)
    return _result(LookCode.NONE, '', where, found, wanted)


def look_around(
    robot: Robot, target: str, seen: dict[str, Seen], head_is_free: Callable[[], bool] = always
) -> Generator[Fields | None, None, bool]:
    """Pan over the whole circle, or until the target is seen; fills `seen` on the way.

    A target that is not there is looked for on the floor close by, too.

    Returns:
        Whether the target, a thing or a piece of furniture, came into view.
    """
    in_view = False
    views = AROUND + (CLOSE_BY if target else ())
    for index, (pan, tilt) in enumerate(views):
        if head_is_free():
            yield from body.sweep(robot.world, head_pan=pan, head_tilt=tilt)
        top = _surface_in_view(robot, target) if target else None
        if top and head_is_free():
            yield from body.face(robot.world, top)
        seen.update({entry.thing: entry for entry in robot.memory.look()})
        yield {
            'phase': 'looking',
            'progress': 0.8 + 0.2 * (index + 1) / len(views),
            'objects': sorted(seen),
        }
        in_view = top is not None or target in seen
        if in_view:
            break
    if head_is_free():
        yield from body.sweep(robot.world, head_pan=0.0, head_tilt=TRAVELLING['head_tilt'])
    return in_view


def _drive_to(robot: Robot, place: str) -> Part:
    goal, here = robot.places.by_name[place].pose, robot.world.pose()
    yield from body.tuck(robot.world)
    if math.hypot(goal.x - here.x, goal.y - here.y) < 0.3:
        yield from quietly(robot.drive.turn_to(goal.yaw))
        return
    yield from driving(
        robot.drive.go_to(goal),
        lambda share: {'phase': 'driving', 'progress': 0.8 * share, 'objects': []},
    )


def _no_path(error: NoRouteError, place: str) -> Fields:
    return _result(LookCode.NO_PATH, f'I cannot get there. {error}', place, False, ())


def _is_meant(target: str, seen: Seen) -> bool:
    """Whether a thing is the target, or lies on it; `table` means any table."""
    wanted = set(target.split('_'))
    return wanted <= set(seen.thing.split('_')) or wanted <= set(seen.on.split('_'))


def _surface_in_view(robot: Robot, target: str) -> tuple[float, float, float] | None:
    """Middle of the upper side of a piece of furniture that is meant and shows itself here."""
    here = robot.world.pose()
    place = robot.places.at(here.x, here.y)
    wanted = set(target.split('_'))
    for name in robot.world.surfaces():
        top = sight.surface_in_view(robot.world, name) if wanted <= set(name.split('_')) else None
        if top and robot.places.at(*top[:2]) == place:
            return top
    return None


def _result(code: LookCode, message: str, place: str, found: bool, seen: Iterable[Seen]) -> Fields:
    ordered = sorted(seen, key=lambda s: (s.on, s.thing))
    return {
        'error_code': int(code),
        'error_msg': message,
        'place': place,
        'found': found,
        'objects': [s.thing for s in ordered],
        'surfaces': ['' if s.on == 'floor' else s.on for s in ordered],
    }
