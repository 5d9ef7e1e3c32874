# SPDX-License-Identifier: Apache-2.0
"""Scenes on real processes and real DDS, and the command line beside a running robot."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from venus_ros.bringup.judging import decide
from venus_ros.bringup.live import play_live
from venus_ros.scenes.reading import read_scene
from venus_ros.scenes.report import Outcome, report, write_report

pytestmark = pytest.mark.live

GO = """\
frontend: scripted
script:
  - {voice: 1, say: "I will go to the kitchen.", delegate: "go to the kitchen"}
user:
  - {at: 0.5, noise: {kind: babble, snr_db: 0, for_s: 1}}
"""
TOLD = 'walk: [QUEUED, RUNNING, COMPLETED, DELIVERING, DELIVERED]'

SCENES = {
    'told': f"""\
robots:
  navigate_to_pose: {{result: ok, after_s: 2}}
expect:
  - work: {{capability: navigation, arguments: {{place: kitchen}}, {TOLD}, times: 1}}
  - said: {{matches: "will go to the kitchen"}}
  - event: {{kind: NOTE_HEARD, times: 1}}
""",
    'stopped': """\
user:
  - {at: 0.5, noise: {kind: babble, snr_db: 0, for_s: 1}}
  - {at: 5.0, stop: all}
robots:
  navigate_to_pose: {result: ok, after_s: 30}
expect:
  - work: {capability: navigation, walk: [QUEUED, RUNNING, CANCELLING, CANCELLED]}
  - event: {kind: STOPPED, after: 5.0, within_s: 1.5}
""",
    'harness_killed': """\
robots:
  navigate_to_pose: {result: ok, after_s: 8}
faults:
  - {at: 5.0, node: harness, do: kill}
expect:
  - work: {capability: navigation, arguments: {place: kitchen}, ends: DELIVERED, times: 1}
  - event: {kind: NOTE_HEARD, times: 1}
""",
    'robot_killed': """\
robots:
  navigate_to_pose: {result: ok, after_s: 30}
faults:
  - {at: 4.0, node: double_navigate_to_pose, do: kill}
expect:
  - work: {capability: navigation, ends: FAILED, within_s: 14, times: 1}
  - event: {kind: NOTE_HEARD, times: 1}
""",
    'withdrawn_while_harness_is_dead': """\
script:
  - {voice: 1, say: "I will go to the kitchen.", delegate: "go to the kitchen"}
  - {voice: 2, say: "All right.", cancel: [1]}
user:
  - {at: 0.5, noise: {kind: babble, snr_db: 0, for_s: 1}}
  - {at: 5.0, noise: {kind: babble, snr_db: 0, for_s: 1}}
robots:
  navigate_to_pose: {result: ok, after_s: 30}
faults:
  - {at: 4.8, node: harness, do: kill}
expect:
  - work: {capability: navigation, walk: [QUEUED, RUNNING, CANCELLING, CANCELLED], times: 1}
""",
    'server_frozen': """\
robots:
  navigate_to_pose: {result: ok, after_s: 4}
faults:
  - {at: 4.0, node: navigation, do: freeze}
  - {at: 7.0, node: navigation, do: thaw}
expect:
  - work: {capability: navigation, arguments: {place: kitchen}, ends: DELIVERED, times: 1}
""",
}


def played(folder: Path, name: str, text: str) -> Outcome:
    """Play a scene live; what the nodes print is shown if a test fails."""
    file = folder / f'{name}.yaml'
    base = folder / 'go.yaml'
    base.write_text(GO, encoding='utf-8')
    file.write_text(f'like: go.yaml\n{text}', encoding='utf-8')
    scene = read_scene(file)
    return decide(scene, play_live(scene, say=lambda name, line: print(f'{name}: {line}')))


@pytest.mark.parametrize('name', SCENES)
def test_scene(tmp_path: Path, name: str) -> None:
    outcome = played(tmp_path, name, SCENES[name])
    assert [str(failure) for failure in outcome.failures] == []
    if name == 'told':
        assert_reported(outcome, tmp_path / 'report')


def assert_reported(outcome: Outcome, folder: Path) -> None:
    """The report holds what the judge saw, with both sides on one clock."""
    contents = report([outcome])
    assert contents['passed'] and all(contents['invariants'].values())
    assert contents['latencies_ms']['goal_accepted']['n'] == 1
    write_report([outcome], folder)
    import soundfile

    sound, rate_hz = soundfile.read(str(folder / 'conversation.wav'))
    turn = outcome.story.turns[0]
    heard = sound[round(turn.begin_s * rate_hz) : round(turn.end_s * rate_hz), 1]
    before = sound[: round((turn.begin_s - 0.3) * rate_hz), 1]
    assert abs(heard).max() > 0.01 and abs(before).max() < 0.01
    assert (folder / 'timeline.png').stat().st_size > 10_000


# ---- the command line -------------------------------------------------------------------------


def venus(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one command of the command line."""
    return subprocess.run(
        [sys.executable, '-m', 'venus_ros.bringup.cli', *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def until(pattern: str, *arguments: str, timeout_s: float = 60.0) -> str:
    """Repeat a command until its output matches."""
    end = time.monotonic() + timeout_s
    while True:
        ended = venus(*arguments)
        if re.search(pattern, ended.stdout):
            return ended.stdout
        assert time.monotonic() < end, f'{arguments}: {ended.stdout}{ended.stderr}'


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A robot that is up, in a namespace-free graph of this run's domain."""
    command = ['up', '--frontend', 'scripted', '--microphone', 'none', '--speaker', 'none']
    process = subprocess.Popen(
        [sys.executable, '-m', 'venus_ros.bringup.cli', *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, 'XDG_STATE_HOME': str(tmp_path), 'HOME': str(tmp_path)},
        start_new_session=True,
    )
    yield process
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def children(pid: int) -> list[int]:
    """Process ids whose parent is `pid`."""
    listing = Path(f'/proc/{pid}/task/{pid}/children')
    return [int(child) for child in listing.read_text().split()] if listing.exists() else []


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_up_serves_the_command_line_and_ends_in_order(
    robot: subprocess.Popen[str], number: signal.Signals
) -> None:
    until('no works', 'works')
    family = children(robot.pid)
    assert len(family) >= 6, family
    if number is signal.SIGINT:
        assert venus('stop', '--scope', 'motion').returncode == 0
        assert 'Good morning' in venus('speak', 'Good', 'morning.').stdout
        assert venus('tell', 'hello').returncode == 0
    robot.send_signal(number)
    begin = time.monotonic()
    output, _ = robot.communicate(timeout=15)
    assert robot.returncode == 0, output
    assert time.monotonic() - begin < 10, 'the supervisor kills what is left after 5 s'
    assert 'Traceback' not in output, output
    assert [pid for pid in family if Path(f'/proc/{pid}').exists()] == []


def test_without_a_robot_commands_say_what_to_do() -> None:
    ended = venus('tell', 'hello')
    assert ended.returncode == 1 and 'venus up' in ended.stderr, ended.stderr
