# SPDX-License-Identifier: Apache-2.0
"""One process of nodes: one executor, an orderly end within seconds, no orphans.

Signals do not end ROS at once: nodes first cancel their moves and release their devices, for
which ROS must still work. Then the middleware has a second to say goodbye. A second signal, or
after 4 s the kernel's alarm, end the process whatever it is doing.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.signals import SignalHandlerOptions

from venus_ros.core.errors import VenusError
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.executor import QuietExecutor
from venus_ros.nodes.farewell import exit_after
from venus_ros.nodes.lifecycle import VenusNode

ROS_ERRORS = (_rclpy.RCLError, _rclpy.UnknownROSArgsError, _rclpy.RCLInvalidROSArgsError)
"""What wrong ROS arguments and names raise; said in one line."""
DEADLINE_S = 4.0
"""From the signal to the end, whatever hangs."""
FAREWELL_S = 1.0
"""For the middleware's own end, which is known to hang when many processes end at once."""
REST_S = 1.5
PARENT_VARIABLE = 'VENUS_PARENT_PID'
"""Environment variable: the process ends when this process is no longer its parent."""
PR_SET_PDEATHSIG = 1


class EndRequest:
    """SIGINT or SIGTERM was received; understood also while the executor waits or hangs."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self._wake: Callable[[], object] = lambda: None
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(target=self._watch, args=(reader,), daemon=True).start()

    def wake_by(self, wake: Callable[[], object]) -> None:
        """Call `wake` from the watching thread at the first signal."""
        self._wake = wake
        if self.asked.is_set():
            wake()

    def _watch(self, reader: int) -> None:
        os.read(reader, 1)
        self.asked.set()
        self._wake()
        signal.setitimer(signal.ITIMER_REAL, DEADLINE_S)
        os.read(reader, 1)
        os._exit(1)


def follow_parent() -> None:
    """End with the parent process, if `VENUS_PARENT_PID` names it."""
    wanted = os.environ.get(PARENT_VARIABLE, '')
    if not wanted.isdigit() or not sys.platform.startswith('linux'):
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(wanted):
        sys.exit(f'the parent process {wanted} has ended')


def run(*factories: Callable[[], VenusNode]) -> None:
    """Make the nodes, spin them on one executor until a signal, and end in order."""
    end = EndRequest()
    follow_parent()
    status = 0
    nodes: list[VenusNode] = []
    try:
        rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
        executor = QuietExecutor()
        for factory in factories:
            node = factory()
            nodes.append(node)
            executor.add_node(node)
        end.wake_by(nodes[0].create_guard_condition(lambda: None).trigger)
        _spin(executor, end.asked.is_set)
        _leave(executor, nodes)
    except (VenusError, *ROS_ERRORS) as error:
        print(f'error: {error}', file=sys.stderr)
        status = 2
    except ExternalShutdownException:
        pass
    if not end.asked.is_set():
        signal.setitimer(signal.ITIMER_REAL, DEADLINE_S)
        exit_after(FAREWELL_S, status)
    for node in nodes:
        node.destroy_node()
    if rclpy.ok():
        rclpy.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # what is left are threads inside of libraries, whose end may hang


def _spin(
    executor: QuietExecutor, done: Callable[[], bool], longest_s: float | None = None
) -> None:
    """Serve callbacks until `done`; a callback's error is printed and nothing stops."""
    while not done():
        try:
            executor.spin_once(timeout_sec=longest_s)
        except ExternalShutdownException:
            raise
        except Exception:
            traceback.print_exc()


def _leave(executor: QuietExecutor, nodes: Sequence[VenusNode]) -> None:
    """Bring the world to rest, then release all."""
    for node in nodes:
        node.guarded(node.leave)()
    until = now_s() + REST_S
    _spin(executor, lambda: all(n.at_rest() for n in nodes) or now_s() >= until, 0.05)
    for node in nodes:
        node.rest()
    sys.stdout.flush()
    exit_after(FAREWELL_S, 0)
    for node in nodes:
        node.trigger_shutdown()
    executor.shutdown(timeout_sec=0.5)
