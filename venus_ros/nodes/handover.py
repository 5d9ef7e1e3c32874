# SPDX-License-Identifier: Apache-2.0
"""Things made by worker threads, taken over on the executor's thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node


class Handover:
    """A queue whose items are taken on the executor's thread, in order, soon after `put`."""

    def __init__(self, node: Node, take: Callable[[Any], None]) -> None:
        self._node = node
        self._take = take
        self._items: deque[Any] = deque()
        self._guard = node.create_guard_condition(self.drain)

    def put(self, item: Any) -> None:
        """Hand over `item`; called from any thread. After `close` it is dropped."""
        self._items.append(item)
        try:
            self._guard.trigger()
        except _rclpy.InvalidHandle:
            self._items.clear()

    def close(self) -> None:
        """Take no more."""
        self._node.destroy_guard_condition(self._guard)
        self._items.clear()

    def drain(self) -> None:
        """Take what waits now; only on the executor's thread."""
        while self._items:
            self._take(self._items.popleft())
