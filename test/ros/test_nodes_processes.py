# SPDX-License-Identifier: Apache-2.0
"""Nodes as real processes: signals, parents, wrong parameters, life cycles."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from lifecycle_msgs.srv import GetState

from venus_ros.nodes import qos
from venus_ros.nodes.interfaces import msg

END_S = 5.0
NODES: dict[str, list[str]] = {
    'audio': [],
    'audio_file': [],
    'microphone': [],
    'speaker': ['device:=none'],
    'reflex': ['ducking:=false'],
    'frontend': ['frontend:=scripted'],
    'harness': ['journal:=":memory:"'],
    'capability_server': ['capability:=search'],
}
NAMES = {'audio': 'reflex'}


@pytest.fixture
def launch(domain: str) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a node's process; what is left of it ends with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(node: str, *parameters: str, **environment: str) -> subprocess.Popen[str]:
        command = [sys.executable, '-m', f'venus_ros.nodes.{node}', '--ros-args']
        for parameter in (*NODES.get(node, []), *parameters):
            command += ['-p', parameter]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **environment},
            cwd=Path(__file__).parents[2],
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def ends(process: subprocess.Popen[str], how: int) -> tuple[int, str, float]:
    """Send a signal; exit status, output, and seconds until the end."""
    began = time.monotonic()
    process.send_signal(how)
    try:
        output, _ = process.communicate(timeout=END_S)
    except subprocess.TimeoutExpired:
        pytest.fail(f'{process.args} was still there {END_S} s after signal {how}')
    return process.returncode, output, time.monotonic() - began


def seen(world: Any, name: str) -> None:
    names = world.peer.get_node_names
    world.until(lambda: name in names(), f'node {name} on the graph', 30.0)


@pytest.mark.parametrize('how', [signal.SIGINT, signal.SIGTERM], ids=['SIGINT', 'SIGTERM'])
def test_a_signal_ends_every_node_in_order(world: Any, launch: Any, how: int) -> None:
    """All at once, since each waits mostly for others."""
    processes = {node: launch(node) for node in NODES}
    for node in NODES:
        seen(world, NAMES.get(node, node))
    world.spin(0.5)
    for process in processes.values():
        process.send_signal(how)
    for node, process in processes.items():
        status, output, _ = ends(process, 0)
        assert status == 0, f'{node} ended with {status}: {output}'
        assert 'Traceback' not in output, output


def test_a_second_signal_ends_at_once(world: Any, launch: Any) -> None:
    process = launch('speaker')
    seen(world, 'speaker')
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=END_S)


def test_a_node_ends_with_its_parent(domain: str, tmp_path: Path) -> None:
    note = tmp_path / 'pid'
    program = (
        'import os, subprocess, sys, time\n'
        'os.environ["VENUS_PARENT_PID"] = str(os.getpid())\n'
        'p = subprocess.Popen([sys.executable, "-m", "venus_ros.nodes.speaker",'
        ' "--ros-args", "-p", "device:=none"])\n'
        'open(sys.argv[1], "w").write(str(p.pid))\n'
        'time.sleep(60)\n'
    )
    root = Path(__file__).parents[2]
    parent = subprocess.Popen([sys.executable, '-c', program, str(note)], cwd=root)
    until = time.monotonic() + 20
    while not (note.exists() and note.read_text()):
        assert time.monotonic() < until, 'the parent did not start its child'
        time.sleep(0.05)
    time.sleep(2.0)
    parent.kill()
    parent.wait()
    child = int(note.read_text())
    until = time.monotonic() + END_S
    while Path(f'/proc/{child}/cmdline').exists() and _alive(child):
        assert time.monotonic() < until, f'{child} outlived its parent'
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    state = Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[0]
    return state != 'Z'


@pytest.mark.parametrize(
    ('node', 'parameter', 'says'),
    [
        ('speaker', 'device:=gramophone', 'pyaudio, file, none'),
        ('speaker', 'rate_hz:=fast', 'rate_hz'),
        ('speaker', 'rate_hz:=1', 'Min: 8000'),
        ('frontend', 'max_lag_s:=0.0', 'max_lag_s'),
        ('speaker', 'rate_hz', 'parameter override'),
    ],
)
def test_a_wrong_parameter_is_told_in_a_line(
    launch: Any, node: str, parameter: str, says: str
) -> None:
    process = launch(node, parameter)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 2
    assert says in output and 'Traceback' not in output, output


@pytest.mark.parametrize(
    ('node', 'parameter', 'says'),
    [
        ('capability_server', 'capability:=juggling', 'navigation, manipulation, search'),
        ('capability_server', 'capabilities_file:=/nowhere.yaml', '/nowhere.yaml'),
        ('frontend', 'frontend:=parrot', 'embedded'),
        ('frontend', 'script:=/nowhere.yaml', '/nowhere.yaml'),
        ('audio_file', 'file:=/nowhere.wav', '/nowhere.wav'),
        ('speaker', 'device:=file', 'needs the parameter file'),
        ('microphone', 'device_name:=theremin', "no input device 'theremin'; there are"),
    ],
)
def test_what_cannot_work_is_told_and_the_node_stays(
    world: Any, launch: Any, node: str, parameter: str, says: str
) -> None:
    from diagnostic_msgs.msg import DiagnosticArray

    told: list[str] = []
    world.peer.create_subscription(
        DiagnosticArray,
        '/diagnostics',
        lambda array: told.extend(s.message for s in array.status if s.level == b'\x02'),
        10,
    )
    process = launch(node, parameter)
    world.until(lambda: any(says in text for text in told), f'{says!r} in {told}', 30.0)
    assert process.poll() is None, 'the node died'
    ask = world.peer.create_client(GetState, f'{node}/get_state')
    world.until(ask.service_is_ready, 'get_state')
    answer = ask.call_async(GetState.Request())
    world.until(answer.done, 'an answer of get_state')
    assert answer.result().current_state.label in ('unconfigured', 'inactive')


def ask(world: Any, client: Any, arm: Any) -> tuple[Any, str]:
    """Send a goal and wait until the robot is at it."""
    _, result, work_id = client.ask(deliver=True, action='pick', object='red_cup')
    world.until(lambda: arm.goals, 'goal at the robot')
    return result, work_id


def test_a_server_that_ends_stops_the_robot(
    world: Any, launch: Any, make_arm: Any, make_client: Any
) -> None:
    arm = make_arm()
    process = launch('capability_server', 'capability:=manipulation')
    ask(world, make_client(), arm)
    process.send_signal(signal.SIGTERM)
    world.until(lambda: arm.cancelled, 'a cancel at the robot', END_S)
    world.until(lambda: process.poll() is not None, 'the end of the server', END_S)
    assert process.returncode == 0


def test_a_server_that_was_killed_closes_what_it_left(
    world: Any, launch: Any, make_arm: Any, make_client: Any
) -> None:
    """The next run learns the work from the harness, stops the robot, and runs nothing twice."""
    arm = make_arm()
    works: list[Any] = []
    world.peer.create_subscription(msg.WorkArray, 'manipulation/works', works.append, qos.LATCHED)
    harness = world.peer.create_publisher(msg.WorkArray, 'works', qos.LATCHED)
    process = launch('capability_server', 'capability:=manipulation')
    _, work_id = ask(world, make_client(), arm)
    running = msg.Work.RUNNING
    world.until(lambda: works and [w.state for w in works[-1].works] == [running], 'RUNNING')
    process.kill()
    harness.publish(msg.WorkArray(source='harness', works=works[-1].works))
    launch('capability_server', 'capability:=manipulation')
    world.until(lambda: arm.cancelled, 'a cancel at the robot', 30.0)
    failed = msg.Work.FAILED

    def closed() -> bool:
        return any(w.work_id == work_id and w.state == failed for w in works[-1].works)

    world.until(closed, 'FAILED in the works of the second run', 30.0)
    assert works[-1].works[-1].error_code == 20023
    assert len(arm.goals) == 1, 'the robot was asked twice'
