# SPDX-License-Identifier: Apache-2.0
"""The set-up does what is needed once, goes on where it stopped, and says what is missing."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.environment import ros_source, system_parts
from tools.environment.environment_file import environment_text
from tools.environment.interfaces import mend_wheel_paths
from tools.environment.ros_source import NoUsablePython, RosSource, find_ros
from tools.environment.steps import CommandLog, Step, StepFailed, run_steps
from tools.environment.system_parts import Part, apt_line, missing_parts


@pytest.fixture
def log(tmp_path: Path) -> CommandLog:
    return CommandLog(tmp_path / 'log', {'PATH': '/usr/bin:/bin'})


def counted(calls: list[str], name: str, *inputs: Path | str) -> Step:
    return Step(name, name, inputs, lambda _: calls.append(name))


def test_steps_are_done_again_only_when_inputs_change(tmp_path: Path, log: CommandLog) -> None:
    calls: list[str] = []
    watched = tmp_path / 'watched'
    (watched / 'below').mkdir(parents=True)
    (watched / 'below' / 'file').write_text('one')
    steps = [counted(calls, 'first', 'word'), counted(calls, 'second', watched)]
    run_steps(steps, tmp_path / 'stamps', log)
    run_steps(steps, tmp_path / 'stamps', log)
    assert calls == ['first', 'second'], 'a second run must do nothing'
    (watched / 'below' / 'file').write_text('two')
    run_steps(steps, tmp_path / 'stamps', log)
    assert calls == ['first', 'second', 'second'], 'a changed file must be seen'
    (watched / 'below' / 'file').rename(watched / 'below' / 'other')
    run_steps(steps, tmp_path / 'stamps', log)
    assert calls[-1] == 'second' and len(calls) == 4, 'a renamed file must be seen'


def test_a_broken_run_goes_on_at_the_step_that_failed(tmp_path: Path, log: CommandLog) -> None:
    calls: list[str] = []
    fails = [True]

    def fragile(_: CommandLog) -> None:
        calls.append('fragile')
        if fails.pop():
            raise StepFailed('the network is gone')

    steps = [counted(calls, 'first'), Step('fragile', 'fragile', (), fragile)]
    with pytest.raises(StepFailed):
        run_steps(steps, tmp_path / 'stamps', log)
    fails.append(False)
    run_steps(steps, tmp_path / 'stamps', log)
    assert calls == ['first', 'fragile', 'fragile']


def test_a_failing_command_shows_its_last_words(log: CommandLog) -> None:
    with pytest.raises(StepFailed, match='no space left'):
        log.run(['sh', '-c', 'echo no space left; exit 3'])


def test_missing_parts_are_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = (
        Part('there', 'everything', lambda: True),
        Part('gone', 'everything', lambda: False),
        Part('gone-too', 'tests', lambda: False, ('test',)),
    )
    monkeypatch.setattr(system_parts, 'PARTS', parts)
    assert [part.package for part in missing_parts('demo')] == ['gone']
    assert apt_line(missing_parts('test')).endswith('apt-get install -y gone gone-too')


def test_unfit_interpreter_is_refused_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / 'python3.13'
    old.write_text('#!/bin/sh\necho 3 13\n')
    old.chmod(0o755)
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    monkeypatch.delenv('ROS_DISTRO', raising=False)
    with pytest.raises(NoUsablePython, match=r'is 3\.13.*make PYTHON='):
        find_ros(tmp_path / '.venv', str(old))


def test_sourced_ros_is_taken_and_its_own_prefix_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'{tmp_path / ".venv"}:/opt/ros/jazzy')
    probe = "import json; print(json.dumps([[3, 12], '1.26.4', 'rclpy']))"
    monkeypatch.setattr(ros_source, '_PROBE', probe)
    found = find_ros(tmp_path / '.venv', sys.executable)
    assert (found.is_sourced, found.numpy, found.prefixes) == (True, '1.26.4', ('/opt/ros/jazzy',))
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / '.venv'))
    monkeypatch.setenv('VENUS_PREFIX', str(tmp_path / '.venv'))
    monkeypatch.setattr(ros_source, 'WHEEL_PYTHONS', (sys.version_info[:2],))
    assert not find_ros(tmp_path / '.venv', sys.executable).is_sourced


def test_environment_file_keeps_what_was_sourced(tmp_path: Path) -> None:
    wheels = environment_text(tmp_path, RosSource('python3', (3, 11), is_sourced=False))
    sourced = environment_text(tmp_path, RosSource('python3', (3, 12), is_sourced=True))
    assert 'FASTDDS_BUILTIN_TRANSPORTS' in wheels and 'unset PYTHONPATH' in wheels
    assert 'unset PYTHONPATH' not in sourced and 'LARGE_DATA' not in sourced
    assert f"VENUS_PREFIX='{tmp_path}'" in sourced


INTERRUPTED = """
import signal, sys
from pathlib import Path
from tools.environment.steps import CommandLog
signal.signal(signal.SIGTERM, signal.default_int_handler)
try:
    CommandLog(Path(sys.argv[1])).run(['sh', '-c', 'sleep 60 & echo $! $$; sleep 60'])
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize('how', [signal.SIGINT, signal.SIGTERM], ids=['SIGINT', 'SIGTERM'])
def test_an_interrupted_command_ends_with_all_that_it_started(tmp_path: Path, how: int) -> None:
    log = tmp_path / 'log'
    command = [sys.executable, '-c', INTERRUPTED, str(log)]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[2])
    until = time.monotonic() + 10
    while not (log.exists() and re.search(r'^\d+ \d+$', log.read_text(), re.MULTILINE)):
        assert time.monotonic() < until and process.poll() is None, 'the command did not start'
        time.sleep(0.02)
    started = [int(pid) for pid in log.read_text().split()[-2:]]
    process.send_signal(how)
    assert process.wait(5) == 130
    left = [pid for pid in started if Path(f'/proc/{pid}/fd').exists() and _runs(pid)]
    assert not left, f'{left} outlived the set-up'


def _runs(pid: int) -> bool:
    return Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[0] != 'Z'


def test_wheel_paths_are_mended_once(tmp_path: Path, log: CommandLog) -> None:
    (tmp_path / 'bin').mkdir()
    python = tmp_path / 'bin' / 'python'
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    file = tmp_path / 'share' / 'some_msgs' / 'cmake' / 'export.cmake'
    file.parent.mkdir(parents=True)
    file.write_text(
        'set(A "/opt/python/cp311-cp311/include/python3.11;'
        '/opt/python/cp311-cp311/lib/python3.11/site-packages/numpy/_core/include;/usr/include")'
    )
    mend_wheel_paths(tmp_path, log)
    mended = file.read_text()
    assert '/opt/python' not in mended and mended.endswith(';/usr/include")'), mended
    mend_wheel_paths(tmp_path, log)
    assert file.read_text() == mended
