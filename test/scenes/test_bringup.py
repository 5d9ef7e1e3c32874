# SPDX-License-Identifier: Apache-2.0
"""The plan, and the supervisor over harmless processes."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from venus_ros.bringup import supervisor as supervision
from venus_ros.bringup.cli import main
from venus_ros.bringup.plan import EXECUTABLES, Options, Plan, ProcessPlan, make_plan
from venus_ros.bringup.supervisor import Supervisor
from venus_ros.bringup.wire import PROFILES, wire
from venus_ros.core.errors import ConfigError

PATIENCE_S = 20.0


def test_every_executable_has_a_module() -> None:
    assert [m for m in EXECUTABLES.values() if find_spec(m) is None] == []


def test_the_default_plan_is_one_of_the_design() -> None:
    plan = make_plan(Options())
    assert [process.name for process in plan.processes] == [
        'audio', 'frontend', 'harness', 'navigation', 'manipulation', 'search', 'sim'
    ]  # fmt: skip
    assert plan.process_of('reflex').name == 'audio'
    assert plan.process_of('navigation').rename == 'navigation'


def test_parameters_make_one_file_for_all_namespaces() -> None:
    plan = make_plan(
        Options(
            microphone='file',
            user_wav='u.wav',
            doubles={'navigate_to_pose': {'result': 'ok'}},
            parameters={'harness': {'journal': 'mine'}},
        )
    )
    parameters = yaml.safe_load(yaml.safe_dump(plan.parameters()))
    assert parameters['/**/audio_file']['ros__parameters']['file'] == 'u.wav'
    assert parameters['/**/harness']['ros__parameters']['journal'] == 'mine'
    assert parameters['/**/sim']['ros__parameters']['without'] == ['navigate_to_pose']
    assert parameters['/**/double_navigate_to_pose']['ros__parameters']['result'] == 'ok'


@pytest.mark.parametrize(
    'options', [Options(microphone='ear'), Options(parameters={'ghost': {'a': 1}})]
)
def test_wrong_choices_are_refused(options: Options) -> None:
    with pytest.raises(ConfigError):
        make_plan(options)


@pytest.mark.parametrize('command', ['tell', 'speak'])
@pytest.mark.parametrize(
    ('words', 'complaint'), [('', 'no words'), (' ', 'no words'), ('\udcff\udcfe', 'not UTF-8')]
)
def test_no_words_and_no_text_are_refused_before_anything_starts(
    command: str, words: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, words]) == 2
    assert complaint in capsys.readouterr().err


def test_a_user_who_chose_the_transports_is_left_alone() -> None:
    ours = wire({})
    assert set(ours) == set(PROFILES) and all(Path(file).is_file() for file in ours.values())
    assert wire({PROFILES[1]: 'mine.xml'}) == {}
    assert wire({'FASTDDS_BUILTIN_TRANSPORTS': 'UDPv4'}) == {}


# ---- supervisor -------------------------------------------------------------------------------

BEHAVIOURS = {
    'sleeper': 'import time; print("up", flush=True); time.sleep(600)',
    'stubborn': 'import signal, time\nsignal.signal(15, signal.SIG_IGN)\n'
    'print("up", flush=True)\ntime.sleep(600)',
    'crasher': 'raise SystemExit(7)',
    'misconfigured': 'raise SystemExit(2)',
    'parent': 'import os, subprocess, sys, time\n'
    'child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])\n'
    'print("child", child.pid, flush=True)\ntime.sleep(600)',
}


class Watched:
    """A supervisor over processes with the behaviours named, and what they say."""

    def __init__(self, *names: str) -> None:
        plan = Plan(tuple(ProcessPlan(name, 'sim', ()) for name in names))
        self.lines: list[tuple[str, str]] = []
        self.supervisor = Supervisor(plan, lambda name, line: self.lines.append((name, line)))
        self.supervisor.command = lambda p: [sys.executable, '-c', BEHAVIOURS[p.name]]  # type: ignore[method-assign]
        self.supervisor.start()

    def pid(self, name: str) -> int | None:
        return self.supervisor.children[name].pid

    def until(self, condition: Callable[[], object], what: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end, f'not seen: {what}; lines: {self.lines}'
            self.supervisor.poll()
            time.sleep(0.02)

    def said(self, name: str, words: str) -> bool:
        return any(who == name and words in line for who, line in list(self.lines))


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Watched]]:
    monkeypatch.setattr(supervision, 'BACKOFF_S', (0.05, 0.1))
    monkeypatch.setattr(supervision, 'END_S', 1.0)
    made: list[Watched] = []

    def make(*names: str) -> Watched:
        made.append(Watched(*names))
        return made[-1]

    yield make
    for each in made:
        each.supervisor.end()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[0] != 'Z'


def test_crashes_are_told_and_started_again(watched: Callable[..., Watched]) -> None:
    it = watched('crasher')
    it.until(lambda: it.supervisor.children['crasher'].crashes >= 3, 'three crashes')
    assert it.said('crasher', 'status 7') and it.said('crasher', 'starts again in 0.1 s')


def test_wrong_configuration_is_not_tried_again(watched: Callable[..., Watched]) -> None:
    it = watched('misconfigured', 'sleeper')
    it.until(lambda: it.supervisor.children['misconfigured'].given_up, 'giving up')
    it.until(lambda: it.pid('sleeper'), 'the others go on')


def test_a_kill_takes_the_whole_family_and_the_child_comes_back(
    watched: Callable[..., Watched],
) -> None:
    it = watched('parent')
    it.until(lambda: it.said('parent', 'child'), 'the grandchild')
    first, grandchild = it.pid('parent'), int(it.lines[0][1].split()[1])
    it.supervisor.kill('parent')
    it.until(lambda: not alive(grandchild), 'end of the grandchild')
    it.until(lambda: it.pid('parent') not in (None, first), 'the next child')


def test_without_respawn_a_killed_child_stays_dead_until_restarted(
    watched: Callable[..., Watched],
) -> None:
    it = watched('sleeper')
    it.supervisor.kill('sleeper', respawn=False)
    for _ in range(10):
        it.supervisor.poll()
        time.sleep(0.02)
    assert it.pid('sleeper') is None
    it.supervisor.restart('sleeper')
    assert it.pid('sleeper') is not None


def test_the_end_reaches_the_stubborn_and_the_frozen(watched: Callable[..., Watched]) -> None:
    it = watched('stubborn', 'sleeper')
    it.until(lambda: it.said('stubborn', 'up') and it.said('sleeper', 'up'), 'both up')
    pids = [it.pid('stubborn'), it.pid('sleeper')]
    it.supervisor.send('sleeper', signal.SIGSTOP)
    it.supervisor.end()
    assert not any(alive(pid) for pid in pids if pid)


# ---- command line -----------------------------------------------------------------------------


def test_unknown_scenes_are_answered_with_the_shipped_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(['play', 'no_such_scene']) == 2
    assert 'greeting' in capsys.readouterr().err


def test_a_broken_scene_is_refused_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / 'broken.yaml'
    file.write_text('name: x\nusr: []\n')
    assert main(['play', 'greeting', str(file)]) == 2
    said = capsys.readouterr()
    assert f'{file}:2: usr: unknown key' in said.err and 'greeting' not in said.out


def test_an_echo_is_refused_where_it_could_not_be_heard(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(['play', '--live', 'echo']) != 0
    said = capsys.readouterr()
    assert 'room: is to be had in counted time alone' in said.err + said.out
