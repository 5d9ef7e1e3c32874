# SPDX-License-Identifier: Apache-2.0
"""Skill `navigate_to_pose`, with the fields of nav2_msgs/action/NavigateToPose."""

from __future__ import annotations

import math

from venus_ros.sim import body
from venus_ros.sim.drive import Progress
from venus_ros.sim.places import Pose2
from venus_ros.sim.route import NavCode, NoRouteError
from venus_ros.sim.skill import Fields, Robot, Skill, SkillError


def navigate(robot: Robot, goal: Pose2) -> Skill:
    """Drive to a pose of the map frame."""
    began_s = robot.world.now_s
    yield from body.tuck(robot.world)
    try:
        for progress in robot.drive.go_to(goal):
            yield _feedback(robot, progress, robot.world.now_s - began_s)
    except NoRouteError as error:
        raise SkillError({'error_code': int(error.code), 'error_msg': str(error)}) from error
    return {'error_code': int(NavCode.NONE), 'error_msg': ''}


def _feedback(robot: Robot, progress: Progress, elapsed_s: float) -> Fields:
    """Feedback of NavigateToPose."""
    return {
        'current_pose': {'header': {'frame_id': 'map'}, 'pose': pose_dict(robot.world.pose())},
        'navigation_time': duration_dict(elapsed_s),
        'estimated_time_remaining': duration_dict(progress.remaining_s),
        'number_of_recoveries': progress.recoveries,
        'distance_remaining': progress.distance_m,
    }


def pose_dict(pose: Pose2) -> Fields:
    """A geometry_msgs/Pose as a dict."""
    half = pose.yaw / 2
    return {
        'position': {'x': pose.x, 'y': pose.y, 'z': 0.0},
        'orientation': {'x': 0.0, 'y': 0.0, 'z': math.sin(half), 'w': math.cos(half)},
    }


def duration_dict(seconds: float) -> dict[str, int]:
    """A builtin_interfaces/Duration as a dict."""
    total_ns = round(seconds * 1e9)
    return {'sec': total_ns // 1_000_000_000, 'nanosec': total_ns % 1_000_000_000}
