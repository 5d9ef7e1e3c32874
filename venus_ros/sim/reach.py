# SPDX-License-Identifier: Apache-2.0
"""Where to stand to reach a point with the arm, and where there is room to put something down."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from venus_ros.sim.places import Pose2
from venus_ros.sim.route import HARD_M, FloorMap, Points
from venus_ros.sim.world import THINGS, SimWorld

NEAREST_M, FARTHEST_M = 0.40, 0.80  # from the base's middle to the grasp, arm in and out
LOWEST_M, HIGHEST_M = 0.03, 1.0  # heights at which the fingers can close
HOVER_M = 0.07
ARM_ABOVE_GRASP_M = 0.25

_SOLID = np.array([1, 1, 1, 1, 0, 0], np.uint8)


def grasp_height(low_m: float, high_m: float) -> float | None:
    """Height at which the fingers close round a thing that spans these heights; None: cannot."""
    height = min(max(high_m - 0.03, LOWEST_M), HIGHEST_M)
    return height if low_m - 0.03 <= height <= high_m + 0.03 else None


def stand_for(
    world: SimWorld, floor: FloorMap, found: Points, spots: Points, near: Pose2, thing: str
) -> tuple[Pose2, NDArray[np.float64]] | None:
    """A pose from which the arm reaches one of the spots, the one nearest to `near`.

    Args:
        world: the house.
        floor: its map.
        spots: where the fingers shall go, [n, 3] m.
        found: obstacles beside the map's, [m, 2].
        near: where standing costs least.
        thing: what is taken or put down; it is not in its own way.

    Returns:
        The pose, facing the spot, and the spot; None if no spot can be reached.
    """
    for stand, spot in _pairs(world, floor, found, spots, near):
        if _arm_is_free(world, stand, spot, thing):
            yaw = math.atan2(spot[1] - stand[1], spot[0] - stand[0])
            return Pose2(float(stand[0]), float(stand[1]), yaw), spot
    return None


def free_spots(world: SimWorld, surface: str, thing: str) -> Points:
    """Points [n, 3] on a piece of furniture where a thing's underside fits beside all others."""
    low, high = world.extent(surface)
    size_low, size_high = world.extent(thing)
    radius = float(np.max(size_high[:2] - size_low[:2])) / 2 + 0.02
    others = [world.extent(other) for other in THINGS if other not in (thing, world.held)]
    spots = []
    for x in np.arange(low[0] + radius, high[0] - radius + 1e-6, 0.08):
        for y in np.arange(low[1] + radius, high[1] - radius + 1e-6, 0.08):
            z = _level(world, surface, x, y, radius, thing)
            if z is not None and not _taken(x, y, z, radius, others):
                spots.append((x, y, z))
    return np.array(spots).reshape(-1, 3)


def _level(
    world: SimWorld, surface: str, x: float, y: float, radius: float, thing: str
) -> float | None:
    """Height of the surface there if it is flat all around; None otherwise."""
    body = world.model.body(surface).id
    heights = []
    for dx, dy in ((0, 0), (radius, 0), (-radius, 0), (0, radius), (0, -radius)):
        start = np.array([x + dx, y + dy, 2.4])
        geom, distance = world.ray(start, np.array([0.0, 0, -1]), _SOLID, thing)
        hit = -1 if geom < 0 else int(world.model.geom_bodyid[geom])
        if hit != body:
            return None
        heights.append(start[2] - distance)
    return heights[0] if max(heights) - min(heights) < 0.02 else None


def _taken(
    x: float,
    y: float,
    z: float,
    radius: float,
    others: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
) -> bool:
    def overlaps(low: NDArray[np.float64], high: NDArray[np.float64]) -> bool:
        gap = np.maximum(np.maximum(low[:2] - (x, y), (x, y) - high[:2]), 0)
        return high[2] > z - 0.05 and low[2] < z + 0.5 and float(np.linalg.norm(gap)) < radius

    return any(overlaps(low, high) for low, high in others)


def _pairs(
    world: SimWorld, floor: FloorMap, found: Points, spots: Points, near: Pose2
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Stands and spots in reach of each other, cheapest first.

    Doors do not count: whether one is open is found out on the way.
    """
    if len(spots) == 0:
        return
    free = floor.clearance(found) >= HARD_M
    stands = floor.centres[free & floor.connected(world.pose())]
    gaps = np.linalg.norm(stands[:, None] - spots[None, :, :2], axis=-1)
    which, spot = np.nonzero((gaps >= NEAREST_M) & (gaps <= FARTHEST_M))
    way = np.linalg.norm(stands[which] - (near.x, near.y), axis=1)
    order = np.argsort(way + gaps[which, spot], kind='stable')
    for i in order[:400]:
        yield stands[which[i]], spots[spot[i]]


def _arm_is_free(
    world: SimWorld, stand: NDArray[np.float64], spot: NDArray[np.float64], thing: str
) -> bool:
    """Whether gripper and arm can be put out from the stand to over the spot."""
    for height in (spot[2] + HOVER_M, spot[2] + HOVER_M + ARM_ABOVE_GRASP_M):
        start = np.array([*stand, height])
        way = np.array([*spot[:2], height]) - start
        _, distance = world.ray(start, way, _SOLID, thing)
        if 0 <= distance < 1.02:  # in lengths of the way
            return False
    return True
