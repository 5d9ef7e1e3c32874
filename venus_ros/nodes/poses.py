# SPDX-License-Identifier: Apache-2.0
"""Poses in the plane to and from ROS (REP 103: metres, radians, z up)."""

from __future__ import annotations

import math
from typing import Any

from geometry_msgs.msg import PoseStamped

from venus_ros.core.messages import Pose
from venus_ros.nodes.convert import from_time, to_time


def pose_from_ros(header: Any, pose: Any) -> Pose:
    """The pose of a geometry_msgs/Pose with its header."""
    q = pose.orientation
    yaw = math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))
    stamp_ns = from_time(header.stamp)
    return Pose(stamp_ns, pose.position.x, pose.position.y, yaw, header.frame_id)


def pose_to_ros(pose: Pose) -> PoseStamped:
    """PoseStamped of a pose."""
    out = PoseStamped()
    out.header.stamp = to_time(pose.stamp_ns)
    out.header.frame_id = pose.frame_id
    out.pose.position.x, out.pose.position.y = pose.x, pose.y
    out.pose.orientation.z = math.sin(pose.yaw / 2)
    out.pose.orientation.w = math.cos(pose.yaw / 2)
    return out
