# SPDX-License-Identifier: Apache-2.0
"""The executor of every process: one thread, woken once for an event."""

from __future__ import annotations

import threading
from typing import Any

from rclpy.executors import SingleThreadedExecutor


class QuietExecutor(SingleThreadedExecutor):
    """A SingleThreadedExecutor that does not wake itself.

    rclpy's handlers trigger the executor's guard condition before and after each callback, so that
    the other threads of a pool look again. A single thread looks again by itself before it waits:
    there, each trigger costs a second wait set, which is built, found ready and thrown away.
    """

    _guard: Any

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._quiet = _Quiet(self._guard)

    def _make_handler(self, *args: Any, **options: Any) -> Any:
        """Give the handler a guard condition that this thread triggers in vain."""
        self._quiet.thread_id = threading.get_ident()
        guard, self._guard = self._guard, self._quiet
        try:
            return super()._make_handler(*args, **options)
        finally:
            self._guard = guard


class _Quiet:
    """Stands for a guard condition; only other threads can trigger it."""

    def __init__(self, guard: Any) -> None:
        self._guard = guard
        self.thread_id = 0

    def trigger(self) -> None:
        if threading.get_ident() != self.thread_id:
            self._guard.trigger()
