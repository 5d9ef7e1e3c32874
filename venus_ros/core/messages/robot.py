# SPDX-License-Identifier: Apache-2.0
"""The robot's own actions, whatever their types, and its pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from venus_ros.core.messages.works import GoalStatus


@dataclass(frozen=True, slots=True)
class RobotGoal:
    """A goal for one of the robot's action servers.

    Attributes:
        goal_id: UUID text, uuid5(work_id, step, attempt).
        server: action name, relative, e.g. `navigate_to_pose`.
        type: action type, e.g. `nav2_msgs/action/NavigateToPose`.
        goal: the goal's fields as nested dicts and lists of plain values; absent = default.
    """

    goal_id: str
    server: str
    type: str
    goal: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RobotAnswer:
    """Whether the robot's server accepted a goal (`reason` tells absent from refused)."""

    goal_id: str
    accepted: bool
    reason: str = ''


@dataclass(frozen=True, slots=True)
class RobotCancel:
    """Cancel one goal, or all goals of `server` if `goal_id` is empty."""

    server: str
    goal_id: str = ''


@dataclass(frozen=True, slots=True)
class RobotFeedback:
    """Feedback of a robot's goal as a nested dict."""

    goal_id: str
    feedback: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RobotResult:
    """Terminal state of a robot's goal and its result as a nested dict."""

    goal_id: str
    status: GoalStatus
    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RobotServer:
    """Whether a robot's action server can be seen on the graph."""

    server: str
    available: bool
    reason: str = ''


@dataclass(frozen=True, slots=True)
class Pose:
    """The robot's pose. Metres and radians, `frame_id` map (REP 105)."""

    stamp_ns: int
    x: float
    y: float
    yaw: float
    frame_id: str = 'map'
