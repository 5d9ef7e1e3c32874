# SPDX-License-Identifier: Apache-2.0
"""The simulated robot as an engine: takes goals and cancels, gives feedback and results.

Servers: `navigate_to_pose`, `pick_place`, `look`. There is one base: a newer goal that moves it
takes over, and the older one is aborted. Looking around where the robot stands needs only the head
and goes on beside a drive.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

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
from venus_ros.sim.drive import CONTROL_S, Drive, Limits
from venus_ros.sim.look import LookCode, check_look, look, search
from venus_ros.sim.memory import Memory
from venus_ros.sim.navigate import navigate
from venus_ros.sim.pick import PickCode, check_pick_place, pick_place
from venus_ros.sim.places import Places, Pose2, load_places
from venus_ros.sim.route import FloorMap, NavCode
from venus_ros.sim.skill import Robot, Skill, SkillError, quietly
from venus_ros.sim.world import THINGS, SimWorld

SERVERS = {
    'navigate_to_pose': 'nav2_msgs/action/NavigateToPose',
    'pick_place': 'venus_msgs/action/PickPlace',
    'look': 'venus_msgs/action/Look',
}
"""Action name → type."""

FEEDBACK_EVERY_S = 0.2
REMEMBER_EVERY_S = 0.5


class RefusedError(Exception):
    """A goal that no robot could take: not even accepted."""


@dataclass
class Running:
    """One goal that is being worked on; with `ending` it only comes to rest and ends like that."""

    goal: RobotGoal
    skill: Skill
    ending: RobotResult | None = None
    feedback_at_s: float = -math.inf
    phase: str = ''


class SimRobot:
    """The robot port over the simulated house.

    Args:
        world: the house; a new one by default.
        places: named places; the shipped ones by default.
        limits: speeds of the base.
        without: names of servers that somebody else serves.
        stamp: gives ROS time, ns; with it the robot tells its pose twice a second.
        longest_step_s: if more time than this passes between two calls, the house stands still
            for the rest: a process that was stopped does not catch up before it hears a cancel.
    """

    def __init__(
        self,
        world: SimWorld | None = None,
        places: Places | None = None,
        limits: Limits | None = None,
        without: Iterable[str] = (),
        stamp: Callable[[], int] | None = None,
        longest_step_s: float = math.inf,
    ) -> None:
        self.world = world or SimWorld()
        floor = FloorMap(self.world)
        self._robot = Robot(
            self.world,
            floor,
            Drive(self.world, floor, limits),
            Memory(self.world),
            places or load_places(),
        )
        self._servers = {n: t for n, t in SERVERS.items() if n not in set(without)}
        self._slots: dict[str, Running] = {}
        self._origin_s: float | None = None
        self._stamp = stamp
        self._longest_step_s = longest_step_s
        self._tell_at_s = -math.inf
        self._remember_at_s = 0.0
        self._announced = False

    @property
    def servers(self) -> dict[str, str]:
        """Action name → type of the servers that this robot is."""
        return self._servers

    @property
    def busy(self) -> bool:
        """Whether any goal is being worked on."""
        return bool(self._slots)

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Take a RobotGoal or RobotCancel. Returns answers, and the end of what was superseded."""
        if isinstance(message, RobotGoal) and message.server in self._servers:
            return self.tick(now_s) + self._accept(message)
        if isinstance(message, RobotCancel) and message.server in self._servers:
            return self.tick(now_s) + self._cancel(message)
        return []

    def tick(self, now_s: float) -> list[Any]:
        """Let physics and skills go on up to `now_s`. Returns feedback and results."""
        self._origin_s = max(
            now_s - self.world.now_s - self._longest_step_s,
            now_s - self.world.now_s if self._origin_s is None else self._origin_s,
        )
        out: list[Any] = []
        if not self._announced:
            self._announced = True
            out += [RobotServer(name, True) for name in self._servers]
        until_s = now_s - self._origin_s
        while self.world.now_s + CONTROL_S <= until_s + 1e-9:
            if not (self._slots or self.world.moving):
                self.world.step_to(until_s)
                break
            for slot in ('base', 'head'):
                out += self._advance(slot)
            self.world.step_to(self.world.now_s + CONTROL_S)
            self._remember()
        return out + self._tell(now_s)

    def pose(self, stamp_ns: int = 0) -> Pose:
        """Where the robot is, as a message."""
        pose = self.world.pose()
        return Pose(stamp_ns, pose.x, pose.y, pose.yaw)

    # ---- goals -------------------------------------------------------------------------------

    def _accept(self, goal: RobotGoal) -> list[Any]:
        if any(running.goal.goal_id == goal.goal_id for running in self._slots.values()):
            return [RobotAnswer(goal.goal_id, False, 'a goal of this id is being worked on')]
        try:
            slot, skill = self._skill_for(goal)
        except RefusedError as refusal:
            return [RobotAnswer(goal.goal_id, False, str(refusal))]
        except SkillError as failed:
            return [
                RobotAnswer(goal.goal_id, True),
                RobotResult(goal.goal_id, GoalStatus.ABORTED, failed.result),
            ]
        out: list[Any] = [RobotAnswer(goal.goal_id, True)]
        older = self._slots.pop(slot, None)
        if older:
            older.skill.close()
            out.append(_superseded(older))
        self._slots[slot] = Running(goal, skill)
        return out

    def _skill_for(self, goal: RobotGoal) -> tuple[str, Skill]:
        """Slot and skill of a goal. Raises RefusedError, or SkillError if it cannot be begun."""
        make: Callable[[dict[str, Any]], tuple[str, Skill]] = {
            'navigate_to_pose': self._navigate,
            'pick_place': self._pick_place,
            'look': self._look,
        }[goal.server]
        return make(goal.goal)

    def _navigate(self, goal: dict[str, Any]) -> tuple[str, Skill]:
        frame, pose = _stamped_pose(goal.get('pose') or {})
        if frame not in ('', 'map'):
            raise SkillError(
                {
                    'error_code': int(NavCode.TF_ERROR),
                    'error_msg': f'No transform from {frame} to map.',
                }
            )
        return 'base', navigate(self._robot, pose)

    def _pick_place(self, goal: dict[str, Any]) -> tuple[str, Skill]:
        action, thing, to = (str(goal.get(key) or '') for key in ('action', 'object', 'to'))
        check_pick_place(self._robot, action, thing, to)
        return 'base', pick_place(self._robot, action, thing, to)

    def _look(self, goal: dict[str, Any]) -> tuple[str, Skill]:
        place, target = (str(goal.get(key) or '') for key in ('place', 'target'))
        check_look(self._robot, place)
        if place:
            return 'base', look(self._robot, place, target)
        if target in THINGS:
            return 'base', search(self._robot, target)
        return 'head', look(self._robot, '', target, self._head_is_free)

    def _head_is_free(self) -> bool:
        base = self._slots.get('base')
        return base is None or base.goal.server == 'navigate_to_pose'

    def _cancel(self, cancel: RobotCancel) -> list[Any]:
        """Cancel one goal, or all of a server; of one that is not there it can only say so."""
        there = {running.goal.goal_id for running in self._slots.values()}
        if cancel.goal_id and cancel.goal_id not in there:
            return [RobotResult(cancel.goal_id, GoalStatus.UNKNOWN, {})]
        for slot, running in self._slots.items():
            meant = running.goal.server == cancel.server and (
                cancel.goal_id in ('', running.goal.goal_id)
            )
            if meant and not running.ending:
                self._stop(slot, GoalStatus.CANCELED, {})
        return []

    def _stop(self, slot: str, status: GoalStatus, fields: dict[str, Any]) -> None:
        """Let a goal end like this, as soon as the base stands."""
        running = self._slots[slot]
        running.skill.close()
        running.ending = RobotResult(running.goal.goal_id, status, fields)
        running.skill = self._halt() if slot == 'base' else _nothing()

    def _halt(self) -> Skill:
        yield from quietly(self._robot.drive.halt())
        return {}

    # ---- one control step --------------------------------------------------------------------

    def _advance(self, slot: str) -> list[Any]:
        running = self._slots.get(slot)
        if running is None:
            return []
        try:
            feedback = next(running.skill)
        except StopIteration as end:
            return [self._end(slot, end.value)]
        except SkillError as failed:
            del self._slots[slot]
            return [RobotResult(running.goal.goal_id, GoalStatus.ABORTED, failed.result)]
        except Exception:  # a fault of one skill must not stop the robot
            logging.getLogger(__name__).exception('%s failed', running.goal.server)
            fields = {
                'error_code': int(NavCode.UNKNOWN),
                'error_msg': 'An internal error occurred.',
            }
            self._stop(slot, GoalStatus.ABORTED, fields)
            return []
        if feedback is None or running.ending:
            return []
        fresh = feedback.get('phase', '') != running.phase
        if not fresh and self.world.now_s < running.feedback_at_s + FEEDBACK_EVERY_S:
            return []
        running.feedback_at_s, running.phase = self.world.now_s, feedback.get('phase', '')
        return [RobotFeedback(running.goal.goal_id, feedback)]

    def _end(self, slot: str, fields: dict[str, Any]) -> RobotResult:
        running = self._slots.pop(slot)
        good = RobotResult(running.goal.goal_id, GoalStatus.SUCCEEDED, fields)
        return running.ending or good

    def _tell(self, now_s: float) -> list[Any]:
        if self._stamp is None or now_s < self._tell_at_s:
            return []
        self._tell_at_s = now_s + REMEMBER_EVERY_S
        return [self.pose(self._stamp())]

    def _remember(self) -> None:
        if self.world.now_s >= self._remember_at_s:
            self._remember_at_s = self.world.now_s + REMEMBER_EVERY_S
            self._robot.memory.look()


def _nothing() -> Skill:
    """A skill that has ended."""
    yield from ()
    return {}


def _superseded(running: Running) -> RobotResult:
    codes = {
        'navigate_to_pose': NavCode.UNKNOWN,
        'pick_place': PickCode.SUPERSEDED,
        'look': LookCode.SUPERSEDED,
    }
    result = {
        'error_code': int(codes[running.goal.server]),
        'error_msg': 'A newer goal took over.',
    }
    return RobotResult(running.goal.goal_id, GoalStatus.ABORTED, result)


def _stamped_pose(stamped: dict[str, Any]) -> tuple[str, Pose2]:
    """Frame and floor pose of a geometry_msgs/PoseStamped dict. Raises RefusedError."""
    pose = stamped.get('pose') or {}
    position, turn = pose.get('position') or {}, pose.get('orientation') or {'w': 1.0}
    try:
        x, y = (float(position.get(axis, 0.0)) for axis in 'xy')
        qx, qy, qz, qw = (float(turn.get(axis, 0.0)) for axis in 'xyzw')
    except (TypeError, ValueError, AttributeError) as error:
        raise RefusedError('the pose has a value that is no number') from error
    norm = math.sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
    if not all(map(math.isfinite, (x, y, norm))):
        raise RefusedError('the pose is not finite')
    if norm < 1e-3:
        raise RefusedError('the orientation is no unit quaternion')
    yaw = math.atan2(2 * (qw * qz + qx * qy), norm**2 - 2 * (qy * qy + qz * qz))
    return str((stamped.get('header') or {}).get('frame_id', '')), Pose2(x, y, yaw)
