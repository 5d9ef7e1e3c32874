# SPDX-License-Identifier: Apache-2.0
"""`venus doctor`: what is here, what is missing, what follows from it, and what to do."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from venus_ros.core.errors import VenusError

if TYPE_CHECKING:
    from venus_ros.nodes.devices import Device, PortAudio

LISTEN_S = 0.5
GRAPH_S = 2.0


class Verdict(Enum):
    """How bad a finding is."""

    GOOD = 'ok'
    LESS = 'less'
    """Something works less well, or not at all, without it."""
    BAD = 'bad'
    """Nothing works without it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's: what was looked at, what was found, what to do ('' = nothing)."""

    what: str
    verdict: Verdict
    found: str
    advice: str = ''


def examine(write: Callable[[str], None], namespace: str = '') -> int:
    """Look at everything and write a line about each. Returns 1 if something is bad, else 0.

    Args:
        write: takes a line.
        namespace: of the robot to look for.
    """
    worst = 0
    parts = (_python, _ros, _interfaces, _hearing, _voice, _language, _sim, _sound)
    for look in (*parts, partial(_graph, namespace)):
        for finding in _survive(look):
            advice = f' → {finding.advice}' if finding.advice else ''
            write(f'{finding.verdict.value:>4}  {finding.what:<14} {finding.found}{advice}')
            worst = max(worst, int(finding.verdict is Verdict.BAD))
    return worst


def _survive(look: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Findings of one look; an error in it is a finding too."""
    name = getattr(look, '__name__', 'graph').strip('_')
    try:
        yield from look()
    except VenusError as error:
        yield Finding(name, Verdict.LESS, str(error))
    except (ImportError, OSError) as error:
        yield Finding(name, Verdict.LESS, f'{type(error).__name__}: {error}')


def _python() -> Iterator[Finding]:
    version = platform.python_version()
    tried = (3, 10) <= sys.version_info[:2] <= (3, 12)
    advice = '' if tried else 'use Python 3.10, 3.11 or 3.12'
    yield Finding(
        'python', Verdict.GOOD if tried else Verdict.LESS, f'{version} in {sys.prefix}', advice
    )


def _ros() -> Iterator[Finding]:
    if find_spec('rclpy') is None:
        yield Finding('ros', Verdict.BAD, 'no rclpy', 'make demo, or source a ROS 2 environment')
        return
    distro = os.environ.get('ROS_DISTRO', '')
    wheels = 'from wheels in this environment' if not distro else f'ROS 2 {distro}'
    domain = os.environ.get('ROS_DOMAIN_ID', '0')
    yield Finding('ros', Verdict.GOOD, f'{wheels}, domain {domain}')
    launch = find_spec('launch_ros') is not None
    yield Finding(
        'launch',
        Verdict.GOOD,
        'ros2 launch venus_ros venus.launch.py' if launch else 'no launch_ros: use venus up',
    )


def _interfaces() -> Iterator[Finding]:
    from venus_ros.nodes.interfaces import find_interface

    find_interface('venus_msgs/msg/AudioChunk')
    yield Finding('venus_msgs', Verdict.GOOD, 'built and found')
    try:
        find_interface('nav2_msgs/action/NavigateToPose')
        yield Finding('nav2_msgs', Verdict.GOOD, 'found')
    except VenusError as error:
        yield Finding('nav2_msgs', Verdict.LESS, error.message)


def _hearing() -> Iterator[Finding]:
    packages = {'onnxruntime': 'voice activity', 'faster_whisper': 'words'}
    for package, use in packages.items():
        if find_spec(package) is None:
            yield Finding('hearing', Verdict.BAD, f'no {package} ({use})', 'make demo')
            return
    yield Finding('hearing', Verdict.GOOD, 'Silero and Whisper tiny.en')
    if sys.version_info < (3, 11) or find_spec('pipecat') is None:
        yield Finding(
            'end of turn',
            Verdict.LESS,
            'no end-of-turn hint: answers wait for a longer silence',
            'Python 3.11 and pipecat-ai',
        )


def _voice() -> Iterator[Finding]:
    from venus_ros.frontends.embedded.voice import best_engine

    engine = best_engine()
    if engine == 'piper':
        yield Finding('voice', Verdict.GOOD, 'piper')
    else:
        yield Finding('voice', Verdict.LESS, f'{engine}: a plain voice', 'pip install piper-tts')


def _language() -> Iterator[Finding]:
    from venus_ros.language import embed

    missing = embed.missing()
    verdict = Verdict.LESS if missing else Verdict.GOOD
    yield Finding('language', verdict, missing or 'sentence embeddings')


def _sim() -> Iterator[Finding]:
    if find_spec('mujoco') is None:
        yield Finding('simulation', Verdict.LESS, 'no mujoco', 'pip install mujoco')
        return
    try:
        ctypes.CDLL('libEGL.so.1')
        yield Finding('simulation', Verdict.GOOD, 'mujoco, with pictures by EGL')
    except OSError:
        yield Finding(
            'simulation',
            Verdict.LESS,
            'mujoco without pictures: no EGL',
            'sudo apt install libegl1 libegl-mesa0',
        )


def _sound() -> Iterator[Finding]:
    from venus_ros.nodes.devices import PortAudio

    audio = PortAudio()
    try:
        for direction, name in (('output', 'loudspeaker'), ('input', 'microphone')):
            device = audio.find('', direction)
            found = f'{device.name}, {device.rate_hz} Hz'
            if direction == 'input':
                found += f', level {_level_db(audio, device):.0f} dB'
            yield Finding(name, Verdict.GOOD, found)
    finally:
        audio.close()


def _level_db(audio: PortAudio, device: Device) -> float:
    """Level of the microphone over `LISTEN_S`, dB of full scale."""
    heard: list[bytes] = []
    stream = audio.listen(device, device.channels, heard.append)
    time.sleep(LISTEN_S)
    stream.close()
    pcm = np.frombuffer(b''.join(heard), np.int16).astype(np.float64) / 32768
    power = float(np.mean(pcm**2)) if pcm.size else 0.0
    return 10 * float(np.log10(power + 1e-12))


def _graph(namespace: str) -> Iterator[Finding]:
    """What of a running robot can be seen now."""
    from venus_ros.core.messages import Capabilities
    from venus_ros.nodes.recorder import Recorder

    known: list[Capabilities] = []

    def see(source: str, message: object, now_ns: int) -> None:
        if isinstance(message, Capabilities):
            known.append(message)

    recorder = Recorder(see, namespace=namespace)
    try:
        recorder.spin(GRAPH_S)
    finally:
        recorder.close()
    if not known:
        yield Finding(
            'robot', Verdict.LESS, 'none is up on this domain', 'venus up, or venus talk'
        )
        return
    for capability in known[-1].capabilities:
        verdict = Verdict.GOOD if capability.available else Verdict.LESS
        found = 'available' if capability.available else capability.reason
        yield Finding(capability.capability, verdict, found)
