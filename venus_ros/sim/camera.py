# SPDX-License-Identifier: Apache-2.0
"""The robot's camera: one worker thread draws, so that whoever drives the robot never waits.

While nothing has changed the last picture is given again: that costs nothing.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from venus_ros.core.errors import VenusError
from venus_ros.sim.picture import Painter, Picture, Snapshot
from venus_ros.sim.world import SimWorld

NICE = 10


class CameraWorker:
    """Draws what the robot sees when asked.

    Args:
        world: the house; touched only in `request`, by the caller's thread.
        deliver: called with (picture, stamp_ns), from the worker's thread for new pictures and
            from the caller's for unchanged ones.
    """

    def __init__(self, world: SimWorld, deliver: Callable[[Picture, int], None]) -> None:
        self._world = world
        self._deliver = deliver
        self._snapshot = Snapshot(world)
        self._asked = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._closed = False
        self._stamp_ns = 0
        self._last: tuple[int, Picture] | None = None
        self.fault = ''
        self._thread = threading.Thread(target=self._run, name='camera', daemon=True)
        self._thread.start()

    def request(self, stamp_ns: int) -> bool:
        """Ask for a picture of now. False if the one before is still being drawn, or none can."""
        if self.fault or self._closed or not self._idle.is_set():
            return False
        if self._last and self._last[0] == self._world.changes:
            self._deliver(self._last[1], stamp_ns)
            return True
        self._snapshot.take(self._world)
        self._stamp_ns = stamp_ns
        self._idle.clear()
        self._asked.set()
        return True

    def close(self) -> None:
        """End the worker and release its GL context."""
        self._closed = True
        self._asked.set()
        self._thread.join(timeout=3.0)

    def _run(self) -> None:
        if hasattr(os, 'setpriority'):  # a picture may be late, sound may not
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        try:
            painter = Painter(self._world)
        except VenusError as error:
            self.fault = str(error)
            return
        while True:
            self._asked.wait()
            self._asked.clear()
            if self._closed:
                break
            changes = self._snapshot.changes
            picture = painter.draw(self._snapshot)
            self._last = changes, picture
            self._idle.set()
            self._deliver(picture, self._stamp_ns)
        painter.close()
