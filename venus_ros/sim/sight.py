# SPDX-License-Identifier: Apache-2.0
"""What the robot's camera can see now, by rays: nothing is known that is hidden or out of view."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venus_ros.sim.world import THINGS, SimWorld

WIDTH_PX, HEIGHT_PX = 320, 240
REACH_M = 7.0
SMALLEST_PX = 2.5

_CORNERS = np.array(
    [(0, 0, 0), (0.8, 0, 0), (-0.8, 0, 0), (0, 0.8, 0), (0, -0.8, 0), (0, 0, 0.9), (0, 0, -0.8)]
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A thing in view: what it lies on and its middle, metres in the map frame."""

    thing: str
    on: str
    position: tuple[float, float, float]


def focal_px(world: SimWorld) -> float:
    """Focal length of the camera for pictures of WIDTH_PX x HEIGHT_PX."""
    fovy = math.radians(float(world.model.camera('camera').fovy[0]))
    return HEIGHT_PX / 2 / math.tan(fovy / 2)


def things_in_view(world: SimWorld) -> tuple[Seen, ...]:
    """Things of which at least two of seven points show themselves to the camera."""
    found = []
    for thing in THINGS:
        if thing == world.held:
            continue
        low, high = world.extent(thing)
        centre, half = (low + high) / 2, (high - low) / 2
        if _shows(world, thing, centre, half):
            x, y, z = (float(v) for v in centre)
            found.append(Seen(thing, world.support(thing), (x, y, z)))
    return tuple(found)


def surface_in_view(world: SimWorld, surface: str) -> tuple[float, float, float] | None:
    """Middle of a piece of furniture's upper side if at least two of seven points of it show."""
    low, high = world.extent(surface)
    top = np.array([low[0], low[1], (low[2] + high[2]) / 2])
    if not _shows(world, surface, (top + high) / 2, (high - top) / 2):
        return None
    return float((low[0] + high[0]) / 2), float((low[1] + high[1]) / 2), float(high[2])


def _shows(
    world: SimWorld, body: str, centre: NDArray[np.float64], half: NDArray[np.float64]
) -> bool:
    points = centre + _CORNERS * half
    camera = world.data.camera('camera')
    axes = camera.xmat.reshape(3, 3)  # columns: right, up, backward
    relative = points - camera.xpos
    right, up, backward = (relative @ axes).T
    depth = -backward
    focal = focal_px(world)
    with np.errstate(divide='ignore', invalid='ignore'):
        in_frame = (
            (depth > 0.1)
            & (np.abs(right / depth) * focal < WIDTH_PX / 2)
            & (np.abs(up / depth) * focal < HEIGHT_PX / 2)
        )
    nearest = float(np.linalg.norm(centre - camera.xpos))
    if in_frame.sum() < 2 or nearest > REACH_M:
        return False
    if 2 * np.sort(half)[-2] / nearest * focal < SMALLEST_PX:
        return False
    geoms, _ = world.rays(camera.xpos.copy(), relative[in_frame])
    bodies = np.where(geoms >= 0, world.model.geom_bodyid[geoms], -1)
    return int((bodies == world.model.body(body).id).sum()) >= 2
