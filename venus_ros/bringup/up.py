# SPDX-License-Identifier: Apache-2.0
"""`venus up`: the whole robot from one command, where there is no `ros2 launch`."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from venus_ros.bringup.claim import sole_robot
from venus_ros.bringup.plan import Plan
from venus_ros.bringup.supervisor import Supervisor

POLL_S = 0.1
COLOURS = (36, 33, 32, 35, 34, 96, 93, 92, 95, 94)


def up(plan: Plan) -> int:
    """Run `plan` until SIGINT or SIGTERM. Returns 0, or 1 if a process gave up.

    Raises:
        BackendError: such a robot is up already.
    """
    with sole_robot(plan.namespace), asked_to_end() as end:
        supervisor = Supervisor(plan, printer(plan))
        supervisor.start()
        while not end.wait(POLL_S):
            supervisor.poll()
        supervisor.end()
    return int(any(child.given_up for child in supervisor.children.values()))


def printer(plan: Plan) -> Callable[[str, str], None]:
    """Prints lines behind the name of their process, in its colour on a terminal."""
    width = max((len(process.name) for process in plan.processes), default=0)
    lock = threading.Lock()
    colours = {p.name: COLOURS[i % len(COLOURS)] for i, p in enumerate(plan.processes)}

    def say(name: str, line: str) -> None:
        prefix = f'{name:>{width}} │ '
        if sys.stdout.isatty():
            prefix = f'\033[{colours.get(name, 37)}m{prefix}\033[0m'
        with lock:
            print(prefix + line, flush=True)

    return say


@contextmanager
def asked_to_end() -> Iterator[threading.Event]:
    """An event that SIGINT and SIGTERM set, instead of what they did before."""
    end = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        end.set()

    before = {n: signal.signal(n, ask) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield end
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
