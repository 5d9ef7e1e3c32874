# SPDX-License-Identifier: Apache-2.0
"""Joints of the robot's upper body: lift, telescopic arm, gripper, head.

As in `drive`, a motion is a generator whose every `next` is one control step of `CONTROL_S`.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping

from venus_ros.sim.drive import CONTROL_S
from venus_ros.sim.world import TRAVELLING, SimWorld

Steps = Generator[None, None, None]

SPEED = {
    'lift': 0.4,
    'arm': 0.35,
    'finger_left': 0.1,
    'finger_right': 0.1,
    'head_pan': 2.5,
    'head_tilt': 1.5,
}
"""Joint → m/s or rad/s."""

OPEN_M, CLOSED_M = 0.045, 0.018
CLOSE_ENOUGH_M, CLOSE_ENOUGH_RAD = 0.01, 0.03
_PATIENCE_S = 1.5


def move(world: SimWorld, **targets: float) -> Steps:
    """Bring joints to positions (m, rad), each at its own speed, and wait until they are there."""
    yield from _move(world, targets, settle=True)


def sweep(world: SimWorld, **targets: float) -> Steps:
    """As `move`, but it is enough that the motors were told."""
    yield from _move(world, targets, settle=False)


def _move(world: SimWorld, targets: Mapping[str, float], settle: bool) -> Steps:
    goals = {joint: world.within(joint, target) for joint, target in targets.items()}
    travel_s = max(abs(goal - world.aimed(joint)) / SPEED[joint] for joint, goal in goals.items())
    end_s = world.now_s + travel_s + _PATIENCE_S
    while world.now_s < end_s:
        arrived = True
        for joint, goal in goals.items():
            aimed, step = world.aimed(joint), SPEED[joint] * CONTROL_S
            world.aim(joint, aimed + min(max(goal - aimed, -step), step))
            arrived &= abs(goal - aimed) <= step
            if settle:
                close = CLOSE_ENOUGH_RAD if joint.startswith('head') else CLOSE_ENOUGH_M
                arrived &= abs(world.at(joint) - goal) < close
        if arrived:
            return
        yield


def tuck(world: SimWorld) -> Steps:
    """Arm in, lift at travelling height, eyes ahead on the way."""
    if world.at('arm') > 0.05:
        yield from move(world, lift=min(world.at('lift') + 0.08, 0.96))
        yield from move(world, arm=0.0)
    yield from _move(world, TRAVELLING, settle=True)


def grip(world: SimWorld, opening_m: float) -> Steps:
    """Move both fingers to half the opening, m."""
    yield from move(world, finger_left=opening_m, finger_right=opening_m)


def face(world: SimWorld, point: tuple[float, float, float]) -> Steps:
    """Turn the head until the camera looks at a point of the map frame."""
    camera, pose = world.data.camera('camera').xpos, world.pose()
    dx, dy, dz = point[0] - pose.x, point[1] - pose.y, point[2] - camera[2]
    pan = math.remainder(math.atan2(dy, dx) - pose.yaw, 2 * math.pi)
    tilt = math.atan2(-dz, math.hypot(dx, dy))
    yield from move(world, head_pan=min(max(pan, -2.6), 2.6), head_tilt=min(max(tilt, -0.6), 0.9))
