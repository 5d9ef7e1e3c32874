# SPDX-License-Identifier: Apache-2.0
"""Leaving the middleware, which may hang: waiting until that is unlikely, and a last timer.

Fast DDS 3 waits for itself for ever if a participant ends in the moment in which it learns that an
endpoint of another one has gone.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Collection
from typing import Any

LEAVING_S = 2.0
"""How long others may take to leave; who was killed is only missed much later."""
QUIET_S = 0.1
"""How long the graph is left alone after that."""
_SIGEV_THREAD = 2


class _Event(ctypes.Structure):
    """`struct sigevent` of glibc, 64 bytes: call `function(value)` in a thread of its own."""

    _fields_ = (
        ('value', ctypes.c_void_p),
        ('signal', ctypes.c_int),
        ('notify', ctypes.c_int),
        ('function', ctypes.c_void_p),
        ('attributes', ctypes.c_void_p),
        ('rest', ctypes.c_byte * 32),
    )


class _Setting(ctypes.Structure):
    """`struct itimerspec`."""

    _fields_ = (
        ('interval_s', ctypes.c_long),
        ('interval_ns', ctypes.c_long),
        ('value_s', ctypes.c_long),
        ('value_ns', ctypes.c_long),
    )


def exit_after(seconds: float, status: int) -> None:
    """End the process with `status` after `seconds`, whatever it is doing then.

    The timer calls C's `_exit` itself: no Python runs, so that a call which never gives the
    interpreter back cannot hold the end up. Does nothing where the C library has no such timer.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, 'timer_create'):
        return
    end = ctypes.cast(libc._exit, ctypes.c_void_p)
    event = _Event(value=status or None, notify=_SIGEV_THREAD, function=end.value)
    timer = ctypes.c_void_p()
    if libc.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) != 0:
        return
    whole = int(seconds)
    setting = _Setting(0, 0, whole, int((seconds - whole) * 1e9))
    libc.timer_settime(timer, 0, ctypes.byref(setting), None)


def let_others_leave(nodes: Collection[Any], spin: Callable[[float], None]) -> None:
    """Wait until nodes that are just leaving the graph have left it.

    Args:
        nodes: ours, of one context, about to be destroyed.
        spin: serves callbacks for so many seconds.
    """
    ours = {node.get_fully_qualified_name() for node in nodes}
    node = next(iter(nodes))

    def others() -> set[str]:
        seen = node.get_node_names_and_namespaces()
        return {f'{space.rstrip("/")}/{name}' for name, space in seen} - ours

    end_s = time.monotonic() + LEAVING_S
    if not others():
        return
    while others() and time.monotonic() < end_s:
        spin(QUIET_S)
    spin(QUIET_S)
