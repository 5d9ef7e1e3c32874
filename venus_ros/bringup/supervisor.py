# SPDX-License-Identifier: Apache-2.0
"""Keeps the processes of a plan alive: starts, restarts after a crash, ends them in order.

Each child has a session of its own, so that whatever it started ends with it, and is told whose
child it is, so that it ends when this process does, however that happens.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from venus_ros.bringup.plan import Plan, ProcessPlan
from venus_ros.bringup.shared_memory import sweep
from venus_ros.bringup.wire import wire

END_S = 4.0
"""Children that have not ended so long after SIGTERM are killed."""
BACKOFF_S = (0.5, 1.0, 2.0, 4.0, 8.0)
STEADY_S = 10.0
"""A child that lived so long has recovered: the next restart is a quick one again."""
CONFIGURATION = 2
"""Exit status of a node that was configured wrongly: another try would end the same way."""

Say = Callable[[str, str], None]
"""(process, line) → shown to whoever watches; called from reading threads."""


@dataclass(slots=True)
class Child:
    """One process of the plan."""

    plan: ProcessPlan
    process: subprocess.Popen[str] | None = None
    started_s: float = 0.0
    crashes: int = 0
    again_s: float | None = None
    given_up: bool = False

    @property
    def pid(self) -> int | None:
        """Process id while it lives."""
        return self.process.pid if self.process and self.process.poll() is None else None


class Supervisor:
    """Runs the processes of `plan`. Call `poll` a few times per second, `end` at the end.

    All calls come from one thread, which must outlive the children.

    Args:
        plan: what to run.
        say: takes what the children print, and what happens to them.
        environment: added to this process' own.
    """

    def __init__(self, plan: Plan, say: Say, environment: Mapping[str, str] | None = None) -> None:
        self.plan = plan
        self._say = say
        self._environment = {
            **wire(os.environ),
            'RCUTILS_COLORIZED_OUTPUT': '0',
            'PYTHONUNBUFFERED': '1',
            **os.environ,
            **(environment or {}),
            'VENUS_PARENT_PID': str(os.getpid()),
        }
        self._folder = tempfile.TemporaryDirectory(prefix='venus-')
        self._parameters = Path(self._folder.name) / 'parameters.yaml'
        self._given = plan.parameters()
        self._write_parameters()
        self.children = {process.name: Child(process) for process in plan.processes}

    @property
    def pids(self) -> dict[str, int]:
        """Name → process id of those that live."""
        return {name: child.pid for name, child in self.children.items() if child.pid is not None}

    def start(self) -> None:
        """Start all processes."""
        sweep()
        for child in self.children.values():
            self._start(child)

    def poll(self) -> None:
        """Notice who has ended, and start again who is due."""
        now_s = time.monotonic()
        for child in self.children.values():
            if child.process is not None and child.process.poll() is not None:
                self._bury(child, now_s)
            if child.again_s is not None and now_s >= child.again_s:
                self._start(child)

    def give(self, node: str, **parameters: Any) -> None:
        """Let `node` have these parameters besides its own from its next start on."""
        self.plan.process_of(node)
        given = self._given.setdefault(f'/**/{node}', {'ros__parameters': {}})
        given['ros__parameters'].update(parameters)
        self._write_parameters()

    def send(self, node: str, number: signal.Signals) -> None:
        """Send a signal to the process that holds `node`. Raises ConfigError for no such node."""
        child = self.children[self.plan.process_of(node).name]
        if child.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(child.pid, number)

    def kill(self, node: str, respawn: bool = True) -> None:
        """SIGKILL the process of `node` and all that it started; it comes back if `respawn`."""
        child = self.children[self.plan.process_of(node).name]
        if child.process is not None:
            _kill_session(child.process.pid)
            child.process.wait(END_S)
            self._bury(child, time.monotonic())
        if not respawn:
            child.again_s = None

    def restart(self, node: str) -> None:
        """End the process of `node`, if it lives, and start it again at once."""
        child = self.children[self.plan.process_of(node).name]
        self._end([child])
        child.crashes, child.given_up = 0, False
        self._start(child)

    def end(self) -> None:
        """End all processes: SIGTERM, and SIGKILL for who is left after `END_S`."""
        self._end(list(self.children.values()))
        self._folder.cleanup()
        sweep()

    def command(self, process: ProcessPlan) -> list[str]:
        """What starts `process`."""
        arguments = self.plan.ros_arguments(process, str(self._parameters))
        return [sys.executable, '-m', process.module, '--ros-args', *arguments]

    def _write_parameters(self) -> None:
        text = yaml.safe_dump(self._given, sort_keys=False)
        self._parameters.write_text(text, encoding='utf-8')

    def _start(self, child: Child) -> None:
        child.again_s = None
        child.started_s = time.monotonic()
        child.process = subprocess.Popen(
            self.command(child.plan),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors='replace',
            env=self._environment,
            start_new_session=True,
        )
        threading.Thread(
            target=self._read, args=(child.plan.name, child.process), daemon=True
        ).start()

    def _read(self, name: str, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with suppress(ValueError, OSError):
            for line in process.stdout:
                self._say(name, line.rstrip('\n'))

    def _bury(self, child: Child, now_s: float) -> None:
        """Take note of an end that nobody asked for, and plan the next start."""
        assert child.process is not None
        status, child.process = child.process.returncode, None
        if now_s - child.started_s > STEADY_S:
            child.crashes = 0
        wait_s = BACKOFF_S[min(child.crashes, len(BACKOFF_S) - 1)]
        child.crashes += 1
        how = f'status {status}' if status >= 0 else signal.Signals(-status).name
        if status == CONFIGURATION:
            child.given_up = True
            self._say(child.plan.name, 'ended: wrong configuration, see above; not started again')
            return
        child.again_s = now_s + wait_s
        self._say(child.plan.name, f'ended ({how}); starts again in {wait_s:g} s')

    def _end(self, children: list[Child]) -> None:
        living = [child.process for child in children if child.process is not None]
        for process in living:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)
                os.kill(process.pid, signal.SIGCONT)
        until_s = time.monotonic() + END_S
        for process in living:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, until_s - time.monotonic()))
            _kill_session(process.pid)
            process.wait()
        for child in children:
            child.process, child.again_s = None, None


def _kill_session(pid: int) -> None:
    """SIGKILL a child and all that is left of its process group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
