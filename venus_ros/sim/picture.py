# SPDX-License-Identifier: Apache-2.0
"""Pictures of the house: the robot's camera, and views from above for people.

Rendering in software takes a tenth of a second and more, and a GL context belongs to one thread.
So a `Painter` is used by the thread that made it, and draws a copy of the state, taken at once.
"""

from __future__ import annotations

import os

import mujoco
import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import BackendError
from venus_ros.sim.sight import HEIGHT_PX, WIDTH_PX
from venus_ros.sim.world import SimWorld

VIEWS = ('camera', 'top', 'dollhouse')
Picture = NDArray[np.uint8]


class Snapshot:
    """The state of a world at one moment, to be drawn later by another thread."""

    def __init__(self, world: SimWorld) -> None:
        self.model = world.model
        self.data = mujoco.MjData(world.model)
        self.changes = -1
        self.take(world)

    def take(self, world: SimWorld) -> None:
        """Copy the world's state as it is now."""
        mujoco.mj_copyData(self.data, self.model, world.data)
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)
        self.changes = world.changes


class Painter:
    """Draws pictures of one size.

    Args:
        world: the house to draw.
        width, height: size of its pictures, px; at most 1600 x 1000.

    Raises:
        BackendError: no off-screen OpenGL here.
    """

    def __init__(self, world: SimWorld, width: int = WIDTH_PX, height: int = HEIGHT_PX) -> None:
        try:
            self._renderer = mujoco.Renderer(world.model, height, width)
        except Exception as error:
            raise BackendError(
                f'no off-screen OpenGL ({error}); install libegl1 and libgl1-mesa-dri',
                f'MUJOCO_GL={os.environ.get("MUJOCO_GL", "")}',
            ) from error
        self._outside, self._inside = mujoco.MjvOption(), mujoco.MjvOption()
        self._outside.geomgroup[:] = [1, 1, 0, 0, 1, 0]
        self._inside.geomgroup[:] = [1, 1, 1, 0, 1, 0]

    def draw(self, snapshot: Snapshot, view: str = 'camera') -> Picture:
        """A picture, uint8 [height, width, 3] RGB, from one of `VIEWS`."""
        options = self._inside if view == 'camera' else self._outside
        self._renderer.update_scene(snapshot.data, view, options)
        return self._renderer.render().copy()

    def close(self) -> None:
        """Release the GL context; from the thread that made it."""
        self._renderer.close()


def draw_once(
    world: SimWorld, view: str = 'dollhouse', width: int = 1400, height: int = 900
) -> Picture:
    """One picture of the world as it is now, uint8 [height, width, 3] RGB."""
    painter = Painter(world, width, height)
    try:
        return painter.draw(Snapshot(world), view)
    finally:
        painter.close()
