# SPDX-License-Identifier: Apache-2.0
"""The two clocks: steady time for deadlines and sound, ROS time for stamps and poses."""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

STEADY = Clock(clock_type=ClockType.STEADY_TIME)
"""Clock of every timer: it runs also while a simulation is paused or `/clock` is late."""

now_s = time.monotonic
"""Steady seconds, the `now_s` of all engines."""


def stamper(node: Node) -> Callable[[], int]:
    """A function that gives ROS time, ns; 0 until `/clock` arrives under `use_sim_time`."""
    clock = node.get_clock()
    return lambda: clock.now().nanoseconds
