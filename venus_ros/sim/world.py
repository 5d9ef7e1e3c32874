# SPDX-License-Identifier: Apache-2.0
"""The house and the robot in it as physics: state, motors, and what somebody may do to it.

Time is counted: nothing happens but by `step_to`. While nothing moves and no motor is asked to,
time passes without physics, so that an idle house costs nothing.
"""

from __future__ import annotations

import math
from pathlib import Path
from types import MappingProxyType

import mujoco
import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import ConfigError, InputError
from venus_ros.share import share
from venus_ros.sim.places import Pose2

THINGS = (
    'red_cup',
    'blue_cup',
    'green_bottle',
    'book',
    'keys',
    'banana',
    'ball',
    'remote',
    'plate',
    'lamp',
)
DOORS = MappingProxyType({'living_room_door': 1.5, 'kitchen_door': 1.5, 'bedroom_door': 1.5})
"""Door → angle at which it stands open, rad; 0 is closed."""

JOINTS = (
    'wheel_left',
    'wheel_right',
    'lift',
    'arm',
    'finger_left',
    'finger_right',
    'head_pan',
    'head_tilt',
)
TRAVELLING = MappingProxyType({'lift': 0.42, 'arm': 0.0, 'head_pan': 0.0, 'head_tilt': 0.32})
"""Joints while the robot drives, m and rad; it starts like that."""
WHEEL_RADIUS_M = 0.08
HALF_TRACK_M = 0.19

_GROUPS_SEEN = np.array([1, 1, 1, 0, 0, 0], np.uint8)  # neither contact shapes nor the robot
_STILL = 2e-3  # m/s and rad/s below which nothing counts as moving


class SimWorld:
    """MuJoCo state of the house. All positions are metres in the map frame, angles radians.

    Args:
        seed: things start a few centimetres off their places by this seed; 0 = exactly there.
        model_path: an MJCF file with the same names; '' = the shipped house.
    """

    def __init__(self, seed: int = 0, model_path: Path | str = '') -> None:
        path = Path(model_path) if model_path else share('models/sim/house.xml')
        try:
            self.model = mujoco.MjModel.from_xml_path(str(path))
        except ValueError as error:
            raise ConfigError(f'MuJoCo cannot load it: {error}', str(path)) from error
        self.data = mujoco.MjData(self.model)
        self.now_s = 0.0
        self.changes = 0
        self.held = ''
        self._contypes = self.model.geom_contype.copy()
        self._held_offset: NDArray[np.float64] = np.zeros(3)
        self._held_turn: NDArray[np.float64] = np.array([1.0, 0, 0, 0])
        self._base_qpos = int(self.model.joint('base').qposadr[0])
        self._base_dof = int(self.model.joint('base').dofadr[0])
        for joint, position in {**DOORS, **TRAVELLING}.items():
            self.data.joint(joint).qpos[0] = position
            self.data.actuator(joint).ctrl[0] = position
        self._scatter(seed)
        for _ in range(100):
            mujoco.mj_step(self.model, self.data)
        mujoco.mj_forward(self.model, self.data)

    # ---- time --------------------------------------------------------------------------------

    def step_to(self, until_s: float) -> None:
        """Let time pass up to `until_s`, rounded down to whole physics steps."""
        steps = int((until_s - self.now_s) / self.model.opt.timestep + 1e-6)
        if steps <= 0:
            return
        if self.moving:
            self.changes += 1
            if not self.held:
                mujoco.mj_step(self.model, self.data, nstep=steps)
            for _ in range(steps if self.held else 0):
                mujoco.mj_step(self.model, self.data)
                self._carry()
        self.now_s += steps * self.model.opt.timestep

    @property
    def moving(self) -> bool:
        """Whether anything moves or a motor pulls towards somewhere else."""
        wheels = abs(self.data.actuator('wheel_left').ctrl[0]) + abs(
            self.data.actuator('wheel_right').ctrl[0]
        )
        return bool(wheels > 0 or np.abs(self.data.qvel).max() > _STILL or self._pulling())

    def _pulling(self) -> bool:
        names = ('lift', 'arm', 'finger_left', 'finger_right', 'head_pan', 'head_tilt', *DOORS)
        return any(abs(self.data.actuator(n).ctrl[0] - self.at(n)) > 0.02 for n in names)

    # ---- robot -------------------------------------------------------------------------------

    def pose(self) -> Pose2:
        """Where the robot's base is."""
        x, y, _, w, qx, qy, z = self.data.qpos[self._base_qpos : self._base_qpos + 7]
        yaw = math.atan2(2 * (w * z + qx * qy), 1 - 2 * (qy * qy + z * z))
        return Pose2(float(x), float(y), yaw)

    def velocity(self) -> tuple[float, float]:
        """Speed ahead (m/s) and turning speed (rad/s) of the robot's base."""
        yaw = self.pose().yaw
        vx, vy = self.data.qvel[self._base_dof : self._base_dof + 2]
        return float(vx * math.cos(yaw) + vy * math.sin(yaw)), float(
            self.data.qvel[self._base_dof + 5]
        )

    def drive(self, ahead: float, turn: float) -> None:
        """Set the wheels' speeds from a speed ahead (m/s) and a turning speed (rad/s)."""
        self.data.actuator('wheel_left').ctrl[0] = (ahead - turn * HALF_TRACK_M) / WHEEL_RADIUS_M
        self.data.actuator('wheel_right').ctrl[0] = (ahead + turn * HALF_TRACK_M) / WHEEL_RADIUS_M

    def aim(self, joint: str, value: float) -> None:
        """Set where a joint's motor shall go (m or rad), cut to the joint's range."""
        self.data.actuator(joint).ctrl[0] = self.within(joint, value)

    def within(self, joint: str, value: float) -> float:
        """The value cut to the joint's range."""
        low, high = self.model.actuator(joint).ctrlrange
        return float(min(max(value, low), high))

    def aimed(self, joint: str) -> float:
        """Where a joint's motor was told to go."""
        return float(self.data.actuator(joint).ctrl[0])

    def at(self, joint: str) -> float:
        """Where a joint is, m or rad."""
        return float(self.data.joint(joint).qpos[0])

    def joints(self) -> dict[str, tuple[float, float]]:
        """Joint → position and velocity."""
        return {name: (self.at(name), float(self.data.joint(name).qvel[0])) for name in JOINTS}

    def grasp_point(self) -> NDArray[np.float64]:
        """The point between the fingers' tips."""
        return self.data.site('grasp').xpos.copy()

    def attach(self, thing: str) -> None:
        """Let the gripper hold a thing, as it lies between the fingers now."""
        rotation = self.data.body('gripper').xmat.reshape(3, 3)
        body = self.data.body(thing)
        self._held_offset = rotation.T @ (body.xpos - self.data.body('gripper').xpos)
        inverse = np.zeros(4)
        mujoco.mju_negQuat(inverse, self.data.body('gripper').xquat)
        mujoco.mju_mulQuat(self._held_turn, inverse, body.xquat)
        self._set_contact(thing, False)
        self.held = thing

    def release(self) -> None:
        """Let go of what the gripper holds."""
        if self.held:
            self._set_contact(self.held, True)
            self.held = ''

    def _carry(self) -> None:
        """Keep the held thing in the gripper, upright as it was taken."""
        gripper = self.data.body('gripper')
        turn = np.zeros(4)
        mujoco.mju_mulQuat(turn, gripper.xquat, self._held_turn)
        joint = self._free_joint(self.held)
        position = gripper.xpos + gripper.xmat.reshape(3, 3) @ self._held_offset
        self.data.qpos[joint.qposadr[0] : joint.qposadr[0] + 7] = [*position, *turn]
        self.data.qvel[joint.dofadr[0] : joint.dofadr[0] + 6] = 0

    # ---- things ------------------------------------------------------------------------------

    def extent(self, body: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest corner of a body's box, along the map's axes."""
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for geom in self._geoms(body):
            centre, half = self._geom_box(geom)
            low, high = np.minimum(low, centre - half), np.maximum(high, centre + half)
        return low, high

    def support(self, thing: str) -> str:
        """What a thing rests on: a piece of furniture, another thing, `floor`, or `gripper`."""
        if thing == self.held:
            return 'gripper'
        low, high = self.extent(thing)
        centre = (low + high) / 2
        groups = np.array([1, 1, 1, 1, 0, 0], np.uint8)
        geom, distance = self.ray(centre, np.array([0.0, 0, -1]), groups, thing)
        if geom < 0 or distance - (centre[2] - low[2]) > 0.05:
            return ''
        root = self.model.body(int(self.model.geom_bodyid[geom])).name
        return 'floor' if root == 'world' else root

    def surfaces(self) -> tuple[str, ...]:
        """Names of all furniture."""
        names = (
            self.model.body(i).name
            for i in range(1, self.model.nbody)
            if self.model.body_weldid[i] == 0
        )
        return tuple(names)

    def ray(
        self,
        start: NDArray[np.float64],
        direction: NDArray[np.float64],
        groups: NDArray[np.uint8] = _GROUPS_SEEN,
        but_body: str = '',
    ) -> tuple[int, float]:
        """First geom that a ray hits and its distance; (-1, -1) if none."""
        geom = np.full(1, -1, np.int32)
        exclude = self.model.body(but_body).id if but_body else -1
        distance = mujoco.mj_ray(self.model, self.data, start, direction, groups, 1, exclude, geom)
        return int(geom[0]), float(distance)

    def rays(
        self, start: NDArray[np.float64], directions: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """First geoms hit by rays [n, 3] from one point and their distances, both [n]."""
        count = len(directions)
        geoms, distances = np.full(count, -1, np.int32), np.full(count, -1.0)
        mujoco.mj_multiRay(
            self.model,
            self.data,
            start,
            np.ascontiguousarray(directions).ravel(),
            _GROUPS_SEEN,
            1,
            -1,
            geoms,
            distances,
            None,
            count,
            1e6,
        )
        return geoms, distances

    # ---- what somebody else may do -----------------------------------------------------------

    def set_door(self, door: str, is_open: bool) -> None:
        """Open or close a door; it swings. Raises InputError for a door that is not there."""
        if door not in DOORS:
            raise InputError(f'no such door; there are {", ".join(DOORS)}', door)
        self.data.actuator(door).ctrl[0] = DOORS[door] if is_open else 0.0

    def put(self, body: str, x: float, y: float, z: float = 0.002, yaw: float = 0.0) -> None:
        """Put a thing, or the `box`, with its underside at a point.

        Raises:
            InputError: nothing of that name can be moved, or the gripper holds it.
        """
        if body not in (*THINGS, 'box') or body == self.held:
            raise InputError('cannot be put anywhere', body)
        joint = self._free_joint(body)
        turn = [math.cos(yaw / 2), 0, 0, math.sin(yaw / 2)]
        self.data.qpos[joint.qposadr[0] : joint.qposadr[0] + 7] = [x, y, z, *turn]
        self.data.qvel[joint.dofadr[0] : joint.dofadr[0] + 6] = [0, 0, -0.01, 0, 0, 0]
        mujoco.mj_forward(self.model, self.data)
        self.changes += 1

    # ---- inside ------------------------------------------------------------------------------

    def _scatter(self, seed: int) -> None:
        if seed:
            rng = np.random.default_rng(seed)
            for thing in THINGS:
                start = self._free_joint(thing).qposadr[0]
                self.data.qpos[start : start + 2] += rng.uniform(-0.03, 0.03, 2)

    def _free_joint(self, body: str) -> mujoco._structs._MjModelJointViews:
        return self.model.joint(int(self.model.body(body).jntadr[0]))

    def _geoms(self, body: str) -> range:
        first = int(self.model.body(body).geomadr[0])
        return range(first, first + int(self.model.body(body).geomnum[0]))

    def _geom_box(self, geom: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Centre and half size of a geom's box along the map's axes."""
        rotation = self.data.geom_xmat[geom].reshape(3, 3)
        local_centre, local_half = np.split(self.model.geom_aabb[geom], 2)
        return (self.data.geom_xpos[geom] + rotation @ local_centre, np.abs(rotation) @ local_half)

    def _set_contact(self, thing: str, on: bool) -> None:
        for geom in self._geoms(thing):
            solid = self._contypes[geom] if on else 0
            self.model.geom_contype[geom] = self.model.geom_conaffinity[geom] = solid
