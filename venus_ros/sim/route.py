# SPDX-License-Identifier: Apache-2.0
"""Routes over the floor: a grid of clearances, the cheapest way through it, drawn tight.

The map knows walls and furniture. Doors, boxes and things on the floor are not in it; they come as
points that the robot's own rays have found.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from enum import IntEnum

import mujoco
import numpy as np
from numpy.typing import NDArray

from venus_ros.sim.places import Pose2
from venus_ros.sim.world import SimWorld

CELL_M = 0.1
HARD_M = 0.27  # the base's radius and a hand's breadth: never nearer to anything
SOFT_M = 0.5  # nearer than this costs extra
_BODY_Z_M = (0.03, 1.4)  # the heights that the robot passes through

Points = NDArray[np.float64]


class NavCode(IntEnum):
    """Nav2's error codes for planning, following and navigating that can occur here."""

    NONE = 0
    FAILED_TO_MAKE_PROGRESS = 105
    GOAL_OUTSIDE_MAP = 204
    GOAL_OCCUPIED = 206
    NO_VALID_PATH = 208
    UNKNOWN = 9000
    TF_ERROR = 9002
    TIMEOUT = 9003


@dataclass
class NoRouteError(Exception):
    """There is no way. `code` as Nav2 gives it."""

    code: NavCode
    message: str

    def __str__(self) -> str:
        return self.message


class FloorMap:
    """Where the robot's middle may be. Built once from what stands still in the world."""

    def __init__(self, world: SimWorld) -> None:
        boxes = _standing_boxes(world)
        self._low = boxes[:, :2].min(axis=0)
        size = np.ceil((boxes[:, 2:].max(axis=0) - self._low) / CELL_M).astype(int)
        rows, columns = np.mgrid[0 : size[1], 0 : size[0]]
        self.centres = self._low + (np.stack([columns, rows], axis=-1) + 0.5) * CELL_M
        self.standing = _distance_to_boxes(self.centres, boxes)

    def clearance(self, found: Points) -> NDArray[np.float64]:
        """Distance from each cell's middle to the nearest obstacle, m [rows, columns].

        Args:
            found: obstacles besides the map's, [n, 2].
        """
        field = self.standing.copy()
        for point in found:
            column, row = ((point - self._low) / CELL_M).astype(int)
            near = (slice(max(row - 9, 0), row + 10), slice(max(column - 9, 0), column + 10))
            distance = np.linalg.norm(self.centres[near] - point, axis=-1)
            field[near] = np.minimum(field[near], distance)
        return field

    def is_new(self, points: Points) -> NDArray[np.bool_]:
        """Which of the points [n, 2] are no part of the map, but inside of it."""
        inside, rows, columns = self._cells(points)
        return inside & (self.standing[rows, columns] > 0.15)

    def nearest_clearance(self, points: Points, field: NDArray[np.float64]) -> NDArray[np.float64]:
        """Clearance at points [n, 2]; 0 outside of the map."""
        inside, rows, columns = self._cells(points)
        return np.where(inside, field[rows, columns], 0.0)

    def connected(self, start: Pose2) -> NDArray[np.bool_]:
        """Cells that can be reached from `start` if nothing but the map is in the way."""
        free = self.standing >= HARD_M
        inside, rows, columns = self._cells(np.array([[start.x, start.y]]))
        reached = np.zeros_like(free)
        reached[rows[0], columns[0]] = inside[0]
        while True:
            wider = reached.copy()
            wider[1:] |= reached[:-1]
            wider[:-1] |= reached[1:]
            wider[:, 1:] |= reached[:, :-1]
            wider[:, :-1] |= reached[:, 1:]
            wider &= free | reached
            if (wider == reached).all():
                return reached
            reached = wider

    def route(self, start: Pose2, goal: Pose2, found: Points) -> Points:
        """The way from `start` to `goal` as corners [n, 2], first and last included.

        Raises:
            NoRouteError: the goal is outside or too close to something, or everything is blocked.
        """
        ends = np.array([[start.x, start.y], [goal.x, goal.y]])
        inside, rows, columns = self._cells(ends)
        if not inside[1]:
            raise NoRouteError(NavCode.GOAL_OUTSIDE_MAP, 'The goal is outside of the map.')
        first, last = ((int(rows[i]), int(columns[i])) for i in (0, 1))
        if self.standing[last] < HARD_M:
            raise NoRouteError(NavCode.GOAL_OCCUPIED, 'The goal is too close to an obstacle.')
        field = self.clearance(found)
        near_start = np.linalg.norm(self.centres - ends[0], axis=-1) < 0.35
        open_cells = (field >= HARD_M) | (near_start & (field > 0.12))
        open_cells[first] = True
        cells = _cheapest(open_cells, field, first, last)
        if cells is None:
            raise NoRouteError(NavCode.NO_VALID_PATH, 'The way is blocked.')
        corners = self.centres[tuple(np.array(cells).T)]
        corners[0] = ends[0]
        return self._tight(np.vstack([corners, ends[1]]), field)

    def _tight(self, corners: Points, field: NDArray[np.float64]) -> Points:
        """Leave out corners while the straight line keeps as clear of things as the way does."""
        clear = self.nearest_clearance(corners, field)
        kept, i = [0], 0
        while i < len(corners) - 1:
            j = i + 1
            for k in range(len(corners) - 1, i + 1, -1):
                wanted = min(float(clear[i + 1 : k].min()), SOFT_M) - 0.02
                line = between(corners[i], corners[k])
                if self.nearest_clearance(line, field)[1:].min() >= wanted:
                    j = k
                    break
            kept.append(j)
            i = j
        return corners[kept]

    def _cells(
        self, points: Points
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        columns, rows = np.floor((points - self._low) / CELL_M).astype(int).T
        height, width = self.standing.shape
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        return inside, rows.clip(0, height - 1), columns.clip(0, width - 1)


def between(a: Points, b: Points, step_m: float = 0.05) -> Points:
    """Points [n, 2] on the line from `a` to `b`, both included, at most `step_m` apart."""
    count = max(2, math.ceil(float(np.linalg.norm(b - a)) / step_m) + 1)
    return a + np.linspace(0, 1, count)[:, None] * (b - a)


def _standing_boxes(world: SimWorld) -> Points:
    """x_min, y_min, x_max, y_max [n, 4] of everything fixed that the robot could run into."""
    model, data = world.model, world.data
    boxes = []
    for geom in range(model.ngeom):
        fixed = model.body_weldid[model.geom_bodyid[geom]] == 0
        if (
            not fixed
            or not model.geom_contype[geom]
            or (model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE)
        ):
            continue
        half = np.abs(data.geom_xmat[geom].reshape(3, 3)) @ model.geom_aabb[geom, 3:]
        low, high = data.geom_xpos[geom] - half, data.geom_xpos[geom] + half
        if low[2] < _BODY_Z_M[1] and high[2] > _BODY_Z_M[0]:
            boxes.append([*low[:2], *high[:2]])
    return np.array(boxes)


def _distance_to_boxes(points: Points, boxes: Points) -> NDArray[np.float64]:
    """Distance of points [rows, columns, 2] to the nearest of the boxes [n, 4]; 0 inside."""
    field = np.full(points.shape[:2], np.inf)
    for box in boxes:
        outside = np.maximum(np.maximum(box[:2] - points, points - box[2:]), 0)
        field = np.minimum(field, np.linalg.norm(outside, axis=-1))
    return field


def _cheapest(
    open_cells: NDArray[np.bool_],
    field: NDArray[np.float64],
    first: tuple[int, int],
    last: tuple[int, int],
) -> list[tuple[int, int]] | None:
    """A* over eight neighbours; a metre costs up to four times as much close to obstacles."""
    free = open_cells.tolist()
    price = (1 + 6 * np.clip(SOFT_M - field, 0, None) / SOFT_M).tolist()
    height, width = open_cells.shape
    steps = [(r, c, math.hypot(r, c)) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]
    best: dict[tuple[int, int], float] = {first: 0.0}
    parent: dict[tuple[int, int], tuple[int, int]] = {}
    queue = [(0.0, first)]
    done = set()
    while queue:
        _, cell = heapq.heappop(queue)
        if cell == last:
            return _walk_back(parent, last)
        if cell in done:
            continue
        done.add(cell)
        for dr, dc, length in steps:
            r, c = cell[0] + dr, cell[1] + dc
            if not (0 <= r < height and 0 <= c < width and free[r][c]):
                continue
            cost = best[cell] + length * price[r][c]
            if cost < best.get((r, c), math.inf):
                best[r, c], parent[r, c] = cost, cell
                heapq.heappush(queue, (cost + math.hypot(last[0] - r, last[1] - c), (r, c)))
    return None


def _walk_back(
    parent: dict[tuple[int, int], tuple[int, int]], last: tuple[int, int]
) -> list[tuple[int, int]]:
    cells = [last]
    while cells[-1] in parent:
        cells.append(parent[cells[-1]])
    return cells[::-1]
