# SPDX-License-Identifier: Apache-2.0
"""A sound server of our own with a microphone that we feed and a loudspeaker that we record."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from venus_ros.bringup.domain import free_domain

TOOLS = ('pulseaudio', 'pactl', 'pacat', 'parec')


class Pulse:
    """A PulseAudio server on its own socket: null sinks `mouth` (to the mic) and `ear`."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / 'native'
        self.environment = {
            **os.environ,
            'HOME': str(folder),
            'XDG_RUNTIME_DIR': str(folder),
            'PULSE_SERVER': f'unix:{self.socket}',
            'PULSE_SOURCE': 'mouth.monitor',
            'PULSE_SINK': 'ear',
        }
        self._server: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self.socket.unlink(missing_ok=True)
        modules = (
            f'module-native-protocol-unix socket={self.socket} auth-anonymous=1',
            'module-null-sink sink_name=mouth rate=48000',
            'module-null-sink sink_name=ear rate=48000',
        )
        command = [
            'pulseaudio',
            '-n',
            '--daemonize=no',
            '--exit-idle-time=-1',
            '--use-pid-file=no',
        ]
        for module in modules:
            command += ['-L', module]
        self._server = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + 10
        while self._ask('info').returncode:
            assert time.monotonic() < until, 'pulseaudio does not answer'
            time.sleep(0.05)

    def _ask(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ['pactl', *words], env=self.environment, capture_output=True, timeout=5, check=False
        )

    def stop(self) -> None:
        """End the server, as if the device was unplugged."""
        if self._server is not None:
            self._server.terminate()
            self._server.wait()
            self._server = None

    def feed_back(self, delay_ms: int) -> None:
        """Let the microphone hear what the loudspeaker plays, so much later or more."""
        modules = ('module-loopback', 'source=ear.monitor', 'sink=mouth')
        done = self._ask('load-module', *modules, f'latency_msec={delay_ms}')
        assert done.returncode == 0, done.stderr

    def say(self, pcm: Any, rate_hz: int = 16000) -> subprocess.Popen[bytes]:
        """Play int16 samples to the microphone."""
        process = subprocess.Popen(
            [
                'pacat', '--playback', '--device=mouth', '--format=s16le', '--channels=1',
                f'--rate={rate_hz}', '--latency-msec=20',
            ],
            env=self.environment,
            stdin=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(pcm.astype(np.int16).tobytes())
        process.stdin.close()
        return process

    def listen(self) -> subprocess.Popen[bytes]:
        """Record the loudspeaker, 16 kHz mono, to the process' stdout."""
        return subprocess.Popen(
            [
                'parec', '--device=ear.monitor', '--format=s16le', '--channels=1',
                '--rate=16000', '--latency-msec=20',
            ],
            env=self.environment,
            stdout=subprocess.PIPE,
        )  # fmt: skip

    @staticmethod
    def recorded(process: subprocess.Popen[bytes]) -> Any:
        """End the recording; int16 [samples]."""
        process.terminate()
        raw = process.communicate()[0]
        return np.frombuffer(raw[: len(raw) // 2 * 2], np.int16)


@pytest.fixture
def pulse(tmp_path: Path) -> Iterator[Pulse]:
    """The sound server."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f'needs {", ".join(missing)}: sudo apt install pulseaudio libasound2-plugins')
    made = Pulse(tmp_path)
    yield made
    made.stop()


@pytest.fixture(scope='session', autouse=True)
def domain() -> str:
    """The domain id of this run."""
    os.environ['ROS_DOMAIN_ID'] = str(free_domain())
    return os.environ['ROS_DOMAIN_ID']
