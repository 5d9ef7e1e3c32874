# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM at any moment, from the first import on: a quick, silent, complete end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

ROOT = Path(__file__).parents[2]
LONGEST_S = 5.0
GONE_S = 5.0
"""What a process has started may take so long to notice that its parent has gone."""
MARK = 'VENUS_TEST_MARK'
MOMENTS_S = (0.0, 0.2, 0.6, 1.4, 3.0)
"""After the first line of ours; until then the interpreter itself is still importing."""
START_S = 20.0
SIGNALS = (signal.SIGINT, signal.SIGTERM)
NODES = {
    'nodes.audio': (),
    'nodes.audio_file': (),
    'nodes.microphone': (),
    'nodes.speaker': ('device:=none',),
    'nodes.reflex': (),
    'nodes.frontend': (),
    'nodes.harness': ('journal:=":memory:"',),
    'nodes.capability_server': ('capability:=navigation',),
    'sim.nodes': (),
    'sim.double_node': ('server:=navigate_to_pose',),
}
COMMANDS = ('doctor', 'works', 'tell hello', 'speak hello', 'stop', 'play greeting')
WHOLE = ('up --microphone none --speaker none', 'talk --microphone none --speaker none',
         'play --live greeting')  # fmt: skip


@dataclass
class Started:
    """A process with all that it starts, found by a mark in their environment."""

    name: str
    mark: str
    process: subprocess.Popen[str]

    @classmethod
    def of(cls, name: str, module: str, *arguments: str, **environment: str) -> Started:
        mark = uuid.uuid4().hex
        process = subprocess.Popen(
            [sys.executable, '-m', f'venus_ros.{module}', *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env={**os.environ, **environment, MARK: mark},
            start_new_session=True,
        )
        return cls(name, mark, process)

    def wait_for_first_line(self) -> None:
        """Python catches SIGINT while it starts; our first line lets go of that."""
        until = time.monotonic() + START_S
        for catches in (True, False):
            while self._catches_sigint() is not catches and self.process.poll() is None:
                assert time.monotonic() < until, f'{self.name} did not begin'
                time.sleep(0.002)

    def _catches_sigint(self) -> bool:
        status = Path(f'/proc/{self.process.pid}/status').read_text()
        caught = int(status.split('SigCgt:')[1].split()[0], 16)
        return bool(caught >> (signal.SIGINT - 1) & 1)

    def family(self) -> list[int]:
        """Processes of the mark that still run."""
        found = []
        for folder in Path('/proc').glob('[0-9]*'):
            with suppress(OSError):
                ours = self.mark.encode() in (folder / 'environ').read_bytes()
                state = (folder / 'stat').read_text().rsplit(')', 1)[1].split()[0]
                if ours and state != 'Z':
                    found.append(int(folder.name))
        return found

    def expect_end(self) -> None:
        """It ends in time, says nothing of where it was, and leaves nobody behind."""
        try:
            output, _ = self.process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            pytest.fail(f'{self.name} was still there after {LONGEST_S} s')
        assert 'Traceback' not in output, f'{self.name}: {output}'
        until = time.monotonic() + GONE_S
        while left := self.family():
            assert time.monotonic() < until, f'{self.name} left {left} behind'
            time.sleep(0.05)

    def kill(self) -> None:
        for pid in self.family():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def home(domain: str, tmp_path: Path) -> dict[str, str]:
    """A home of the test's own; weights and caches are not looked for there."""
    return {'HOME': str(tmp_path), 'XDG_STATE_HOME': str(tmp_path), 'ROS_DOMAIN_ID': domain}


@pytest.fixture
def started() -> Iterator[list[Started]]:
    """What the test starts; what is left of it ends with the test."""
    processes: list[Started] = []
    yield processes
    for one in processes:
        one.kill()
        one.process.wait()


@pytest.mark.parametrize('shift', range(len(MOMENTS_S)))
def test_nodes_end_at_any_moment(started: list[Started], home: dict[str, str], shift: int) -> None:
    """Each node meets another moment in each round; all at once, as in a graph."""
    due = []
    for n, (module, parameters) in enumerate(NODES.items()):
        arguments = [word for parameter in parameters for word in ('-p', parameter)]
        one = Started.of(module, module, '--ros-args', *arguments, **home)
        started.append(one)
        one.wait_for_first_line()
        at_s = time.monotonic() + MOMENTS_S[(n + shift) % len(MOMENTS_S)]
        due.append((at_s, n, one, SIGNALS[(n + shift) % 2]))
    for at_s, _, one, how in sorted(due):
        time.sleep(max(0.0, at_s - time.monotonic()))
        with suppress(ProcessLookupError):
            one.process.send_signal(how)
    for _, _, one, _ in due:
        one.expect_end()


@pytest.mark.parametrize('command', COMMANDS)
def test_commands_end_at_any_moment(
    started: list[Started], home: dict[str, str], command: str
) -> None:
    for n, after_s in enumerate(MOMENTS_S[:-1]):
        one = Started.of(command, 'bringup.cli', *command.split(), **home)
        started.append(one)
        one.wait_for_first_line()
        time.sleep(after_s)
        one.process.send_signal(SIGNALS[n % 2])
        one.expect_end()


@pytest.mark.live
@pytest.mark.parametrize('command', WHOLE)
def test_the_whole_graph_ends_at_any_moment(
    started: list[Started], home: dict[str, str], command: str
) -> None:
    """Ctrl-C of a terminal reaches the whole process group, and impatience presses it twice."""
    for n, after_s in enumerate((0.5, 2.0, 7.0)):
        one = Started.of(command, 'bringup.cli', *command.split(), **home)
        started.append(one)
        one.wait_for_first_line()
        time.sleep(after_s)
        os.killpg(one.process.pid, SIGNALS[n % 2])
        if n:
            time.sleep(0.3)
            with suppress(ProcessLookupError):
                os.killpg(one.process.pid, SIGNALS[n % 2])
        one.expect_end()
