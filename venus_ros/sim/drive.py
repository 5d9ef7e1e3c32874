# SPDX-License-Identifier: Apache-2.0
"""Driving the base: along a route, around what its rays find, to a pose.

Motions are generators: each `next` is one control step of `CONTROL_S`, sets the wheels' speeds and
yields how far it is. Closing one leaves the wheels as they are; `halt` brings them to rest.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from venus_ros.sim.places import Pose2
from venus_ros.sim.route import FloorMap, NavCode, NoRouteError, Points, between
from venus_ros.sim.world import SimWorld

CONTROL_S = 0.02
SCAN_EVERY_S = 0.2
SCAN_REACH_M = 2.5
SCAN_HEIGHT_M = 0.12
SCAN_RAYS = 120
LOOKAHEAD_M = 0.35
FREE_START_M = 0.4  # what is nearer than this when a drive begins does not keep it from leaving
PATIENCE_S = 6.0  # without getting 0.1 m nearer: stuck


@dataclass(frozen=True, slots=True)
class Limits:
    """How fast the base may go: m/s, rad/s, m/s², rad/s²."""

    speed: float = 0.5
    turn: float = 1.2
    gain: float = 0.8
    turn_gain: float = 2.5
    stop_gain: float = 3.5
    recoveries: int = 2
    recovery_s: float = 2.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a drive is: metres and seconds that remain, recoveries tried."""

    distance_m: float
    remaining_s: float
    recoveries: int


class StuckError(Exception):
    """The base does not get nearer to its goal."""


class BlockedError(Exception):
    """Something lies on the route."""

    def __str__(self) -> str:
        return 'The way is blocked.'


Motion = Generator[Progress, None, None]


class Drive:
    """The base's controller; one motion at a time."""

    def __init__(self, world: SimWorld, floor: FloorMap, limits: Limits | None = None) -> None:
        self._world = world
        self._floor = floor
        self.limits = limits or Limits()
        self.found: Points = np.zeros((0, 2))
        self._ahead = 0.0
        self._turn = 0.0
        self._scan_at_s = 0.0
        self._recoveries = 0

    def go_to(self, goal: Pose2) -> Motion:
        """Drive to a pose, replanning around what is found; waits for a blocked way to clear.

        Raises:
            NoRouteError: no way, also after the recoveries, or no progress on the way.
        """
        self._recoveries = 0
        blocked_at = None
        self._scan()
        while True:
            try:
                route = self._floor.route(self._world.pose(), goal, self.found)
                yield from self._follow(route, goal)
                yield from self.turn_to(goal.yaw)
                return
            except BlockedError as error:
                yield from self.halt()
                here = self._world.pose()
                if blocked_at and math.hypot(here.x - blocked_at.x, here.y - blocked_at.y) < 0.1:
                    yield from self._recover(error)
                blocked_at = here
            except (NoRouteError, StuckError) as error:
                yield from self._recover(error)

    def turn_to(self, yaw: float, tolerance: float = 0.012) -> Motion:
        """Turn on the spot to a heading of the map frame, rad."""
        for _ in range(int(15 / CONTROL_S)):
            error = _wrap(yaw - self._world.pose().yaw)
            if abs(error) < tolerance and abs(self._world.velocity()[1]) < 0.05:
                break
            self._command(0.0, _toward(error, self.limits.turn_gain, self.limits.turn))
            yield self._progress(0.0, abs(error))
        yield from self.halt()

    def halt(self) -> Motion:
        """Brake until the base stands."""
        for _ in range(int(2 / CONTROL_S)):
            self._command(0.0, 0.0, self.limits.stop_gain)
            ahead, turn = self._world.velocity()
            if self._ahead == self._turn == 0 and abs(ahead) < 0.02 and abs(turn) < 0.03:
                return
            yield self._progress(0.0, 0.0)

    # ---- one route ---------------------------------------------------------------------------

    def _follow(self, corners: Points, goal: Pose2) -> Motion:
        """Drive along the corners. Raises BlockedError or StuckError."""
        path = np.vstack([between(a, b) for a, b in zip(corners[:-1], corners[1:], strict=True)])
        lengths = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
        at, best_m, best_s = 0, math.inf, self._world.now_s
        while True:
            pose = self._world.pose()
            here = np.array([pose.x, pose.y])
            window = slice(at, at + 20)
            at += int(np.argmin(np.linalg.norm(path[window] - here, axis=1)))
            left_m = float(lengths[-1] - lengths[at])
            to_end = float(np.linalg.norm(path[-1] - here))
            if to_end < 0.03 or (left_m < 0.05 and to_end < 0.08):
                return
            if left_m + to_end < best_m - 0.1:
                best_m, best_s = left_m + to_end, self._world.now_s
            if self._world.now_s - best_s > PATIENCE_S:
                raise StuckError('I make no progress.')
            if self._scan_due():
                self._scan()
                self._check(path[at:], lengths[at:] - lengths[at])
            target = path[
                min(int(np.searchsorted(lengths, lengths[at] + LOOKAHEAD_M)), len(path) - 1)
            ]
            self._steer(pose, target, max(left_m, to_end))
            turns = abs(_wrap(goal.yaw - pose.yaw))
            yield self._progress(max(left_m, to_end), turns)

    def _steer(self, pose: Pose2, target: Points, left_m: float) -> None:
        error = _wrap(math.atan2(target[1] - pose.y, target[0] - pose.x) - pose.yaw)
        turn = _toward(error, self.limits.turn_gain, self.limits.turn)
        if abs(error) > 0.7:
            self._command(0.0, turn)
            return
        brake = math.sqrt(2 * self.limits.gain * max(left_m - 0.02, 0.0))
        ahead = min(self.limits.speed * (1 - abs(error) / 0.8), max(brake, 0.04))
        self._command(ahead, turn)

    def _check(self, path: Points, lengths: np.ndarray) -> None:
        """Raise BlockedError if something was found on the next stretch of the way."""
        if len(self.found) == 0:
            return
        ahead = path[(lengths < 2.0) & (lengths > FREE_START_M)]
        if len(ahead) == 0:
            return
        gaps = np.linalg.norm(ahead[:, None] - self.found[None], axis=-1)
        if gaps.min() < 0.23:
            raise BlockedError

    def _recover(self, error: Exception) -> Motion:
        """Stand, wait and look again; after enough of it give up."""
        hopeless = isinstance(error, NoRouteError) and error.code is not NavCode.NO_VALID_PATH
        if hopeless or self._recoveries >= self.limits.recoveries:
            yield from self.halt()
            if isinstance(error, NoRouteError):
                raise error
            raise NoRouteError(NavCode.FAILED_TO_MAKE_PROGRESS, str(error)) from error
        self._recoveries += 1
        yield from self.halt()
        for _ in range(int(self.limits.recovery_s / CONTROL_S)):
            yield self._progress(0.0, 0.0)
        self._scan()

    # ---- what lies around --------------------------------------------------------------------

    def _scan_due(self) -> bool:
        return self._world.now_s >= self._scan_at_s

    def _scan(self) -> None:
        """Refresh what is known of obstacles within reach of the rays."""
        self._scan_at_s = self._world.now_s + SCAN_EVERY_S
        pose = self._world.pose()
        angles = np.arange(SCAN_RAYS) * (2 * math.pi / SCAN_RAYS)
        directions = np.stack([np.cos(angles), np.sin(angles), np.zeros(SCAN_RAYS)], axis=1)
        start = np.array([pose.x, pose.y, SCAN_HEIGHT_M])
        _, distances = self._world.rays(start, directions)
        hit = (distances > 0) & (distances < SCAN_REACH_M)
        points = (start + directions * distances[:, None])[hit, :2]
        remembered = np.linalg.norm(self.found - start[:2], axis=1) > SCAN_REACH_M
        self.found = np.vstack([self.found[remembered], points[self._floor.is_new(points)]])

    # ---- wheels ------------------------------------------------------------------------------

    def _command(self, ahead: float, turn: float, gain: float = 0.0) -> None:
        """Approach the wanted speeds no faster than the limits allow."""
        limits = self.limits
        braking = abs(ahead) < abs(self._ahead)
        step = (gain or (limits.gain * 1.5 if braking else limits.gain)) * CONTROL_S
        turn_step = (gain * 4 or limits.turn_gain) * CONTROL_S
        self._ahead += min(max(ahead - self._ahead, -step), step)
        self._turn += min(max(turn - self._turn, -turn_step), turn_step)
        self._world.drive(self._ahead, self._turn)

    def _progress(self, distance_m: float, turn: float) -> Progress:
        remaining_s = distance_m / self.limits.speed + turn / self.limits.turn
        return Progress(distance_m, remaining_s, self._recoveries)


def _wrap(angle: float) -> float:
    return math.remainder(angle, 2 * math.pi)


def _toward(error: float, gain: float, most: float) -> float:
    """Turning speed that brings an error to nothing without overshooting."""
    return math.copysign(min(abs(error) * gain, math.sqrt(gain * abs(error)), most), error)
