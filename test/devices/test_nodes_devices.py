# SPDX-License-Identifier: Apache-2.0
"""Microphone and speaker nodes on real sound devices, fed and recorded."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('pyaudio', reason='needs PyAudio')

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor

from venus_ros.core import messages as m
from venus_ros.nodes import qos
from venus_ros.nodes.convert import from_ros, to_ros
from venus_ros.nodes.farewell import let_others_leave
from venus_ros.nodes.interfaces import msg
from venus_ros.scenes.voices import user_audio

ROOT = Path(__file__).parents[2]
TONE_HZ = 700.0
SENTENCES = (
    'go to the kitchen and tell me what is on the table',
    'look for the remote in the bedroom',
    'take the ball to the living room',
)


def tone(rate_hz: int, seconds: float) -> Any:
    t = np.arange(round(rate_hz * seconds)) / rate_hz
    return np.round(9000 * np.sin(2 * np.pi * TONE_HZ * t)).astype(np.int16)


def pitch_hz(pcm: Any, rate_hz: int) -> float:
    return float(np.argmax(np.abs(np.fft.rfft(pcm.astype(float)))) * rate_hz / len(pcm))


class Probe:
    """A node of the test, and what the nodes under test say."""

    def __init__(self) -> None:
        rclpy.init()
        self.node = rclpy.create_node('probe')
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.chunks: list[m.AudioChunk] = []
        self.playouts: list[m.Playout] = []
        self.faults: list[str] = []
        self.told: list[tuple[str, str]] = []
        self._hear(m.AudioChunk, msg.AudioChunk, 'audio', qos.AUDIO, self.chunks)
        self._hear(m.Playout, msg.Playout, 'playout', qos.LATCHED_READER, self.playouts)
        self.node.create_subscription(
            DiagnosticArray,
            '/diagnostics',
            self._diagnosed,
            10,
        )
        self.speech = self.node.create_publisher(msg.SpeechChunk, 'speech', qos.SPEECH)

    def _diagnosed(self, array: Any) -> None:
        for status in array.status:
            self.told += [(value.key, value.value) for value in status.values]
            if status.level == b'\x02':
                self.faults.append(status.message)

    def _hear(self, cls: type, ros: Any, topic: str, profile: Any, kept: list[Any]) -> None:
        self.node.create_subscription(
            ros, topic, lambda message: kept.append(from_ros(message, cls)), profile
        )

    def until(self, condition: Callable[[], Any], what: str, timeout_s: float = 25.0) -> None:
        end = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > end:
                pytest.fail(f'in {timeout_s:.0f} s not seen: {what}; faults: {self.faults[-3:]}')
            self.executor.spin_once(timeout_sec=0.02)

    def spin(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)

    def speak(self, turn_id: int, pcm: Any, first_seq: int, rate_hz: int = 22050) -> int:
        """Send a whole turn; returns the next chunk_seq."""
        size, seq = rate_hz // 50, first_seq
        for first in range(0, len(pcm), size):
            piece = pcm[first : first + size]
            kind = m.SpeechKind.AUDIO
            chunk = m.SpeechChunk('s', turn_id, seq, kind, first, rate_hz, piece)
            self.speech.publish(to_ros(chunk))
            seq += 1
        end = m.SpeechChunk('s', turn_id, seq, m.SpeechKind.END, len(pcm), rate_hz)
        self.speech.publish(to_ros(end))
        return seq + 1

    def close(self) -> None:
        let_others_leave([self.node], self.spin)
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown()


@pytest.fixture
def probe(domain: str) -> Iterator[Probe]:
    made = Probe()
    yield made
    made.close()


@pytest.fixture
def launch(pulse: Any) -> Iterator[Callable[..., None]]:
    """Starts a node that uses the sound server."""
    started: list[subprocess.Popen[bytes]] = []

    def start(node: str, *parameters: str) -> None:
        command = [sys.executable, '-m', f'venus_ros.nodes.{node}', '--ros-args']
        for parameter in parameters:
            command += ['-p', parameter]
        started.append(subprocess.Popen(command, env=pulse.environment, cwd=ROOT))

    yield start
    for process in started:
        process.terminate()
    for process in started:
        assert process.wait(5) == 0, f'{process.args} ended with {process.returncode}'


def test_the_microphone_hears_what_is_played_to_it(pulse: Any, probe: Any, launch: Any) -> None:
    launch('microphone', 'device_name:=pulse')
    probe.until(lambda: len(probe.chunks) > 20, 'sound of the microphone')
    pulse.say(tone(16000, 2.0))
    probe.until(lambda: any(np.abs(c.pcm).max() > 4000 for c in probe.chunks), 'the tone')
    probe.spin(1.5)
    first = next(i for i, c in enumerate(probe.chunks) if np.abs(c.pcm).max() > 4000)
    heard = probe.chunks[first + 5 : first + 65]
    assert abs(pitch_hz(np.concatenate([c.pcm for c in heard]), 16000) - TONE_HZ) < 3
    for one, two in zip(heard, heard[1:], strict=False):
        assert two.first_sample == one.first_sample + len(one.pcm), 'a chunk is missing'
        assert 0 < two.stamp_ns - one.stamp_ns < 25_000_000, 'stamps jitter'
    assert {len(c.pcm) for c in heard} == {320} and heard[0].sample_rate == 16000


def test_the_speaker_plays_ducks_and_flushes(pulse: Any, probe: Any, launch: Any) -> None:
    launch('speaker', 'device_name:=pulse')
    probe.until(lambda: probe.speech.get_subscription_count() and probe.playouts, 'the speaker')
    recording = pulse.listen()
    probe.spin(0.3)
    seq = probe.speak(1, tone(22050, 1.0), 0)
    probe.until(lambda: probe.playouts[-1].played == 22050, 'the whole turn heard')
    assert probe.playouts[-1].latency_s > 0, 'the device states no latency'
    probe.speak(2, tone(22050, 3.0), seq)
    probe.until(lambda: probe.playouts[-1].turn_id == 2 and probe.playouts[-1].played, 'turn 2')
    probe.spin(0.5)
    flush = m.SpeechChunk('s', 3, seq + 151, m.SpeechKind.FLUSH, 0, 22050)
    probe.speech.publish(to_ros(flush))
    probe.until(lambda: probe.playouts[-1].recent[-1].finished, 'the end of turn 2')
    probe.spin(0.7)
    cut = probe.playouts[-1].recent[-1]
    assert 0 < cut.played < 3 * 22050 and cut.played + cut.discarded == 3 * 22050
    pcm = pulse.recorded(recording)
    loud = np.flatnonzero(np.abs(pcm) > 2000)
    assert len(loud), 'nothing was recorded'
    turn = pcm[loud[0] + 1600 : loud[0] + 14400]
    assert abs(pitch_hz(turn, 16000) - TONE_HZ) < 3
    heard_s = (22050 + cut.played) / 22050
    envelope = np.abs(pcm[: len(pcm) // 160 * 160].reshape(-1, 160)).max(1)
    sounding_s = np.count_nonzero(envelope > 2000) * 0.01
    # a busy machine may lose blocks of the recording, but nothing sounds that was not told
    told = f'{sounding_s:.2f} s sounded, {heard_s:.2f} s told'
    assert heard_s / 2 < sounding_s < heard_s + 0.15, told


@pytest.mark.parametrize('node', ['microphone', 'speaker'])
def test_an_absent_device_is_named_with_those_that_are_there(
    probe: Any, launch: Any, node: str
) -> None:
    launch(node, 'device_name:=theremin')
    probe.until(
        lambda: any("'theremin'; there are: " in f and 'pulse' in f for f in probe.faults),
        'a diagnosis that lists the devices',
    )


def test_a_lost_microphone_comes_back(pulse: Any, probe: Any, launch: Any) -> None:
    launch('microphone', 'device_name:=pulse')
    probe.until(lambda: len(probe.chunks) > 20, 'sound of the microphone')
    source = probe.chunks[-1].source_id
    pulse.stop()
    probe.until(lambda: any('no sound' in f or 'no input' in f for f in probe.faults), 'the loss')
    pulse.start()
    probe.until(lambda: probe.chunks[-1].source_id != source, 'a new run of the microphone')


def played_of(probe: Any, turn_id: int) -> int:
    """Samples of a turn that were heard."""
    last = probe.playouts[-1]
    return int(last.played) if last.turn_id == turn_id else 0


def test_the_robot_does_not_hear_itself(pulse: Any, probe: Any, launch: Any) -> None:
    pulse.feed_back(delay_ms=80)
    launch(
        'audio',
        *('microphone:device_name:=pulse', 'speaker:device_name:=pulse'),
        *('microphone:echo:=reference', 'reflex:ducking:=false'),
    )
    probe.until(lambda: len(probe.chunks) > 20, 'sound of the microphone')
    probe.until(lambda: probe.speech.get_subscription_count() and probe.playouts, 'the speaker')
    seq = 0
    for turn_id, text in enumerate(SENTENCES, 1):
        said = user_audio(text, 'bob')
        seq = probe.speak(turn_id, said, seq, 16_000)
        whole = (turn_id, len(said))
        probe.until(lambda w=whole: played_of(probe, w[0]) == w[1], f'turn {turn_id} heard')
    probe.spin(0.7)
    loss_db = [float(text) for key, text in probe.told if key == 'echo_return_loss_db']
    assert loss_db and max(loss_db) > 15, f'return loss {loss_db} dB'
    loud = [int(np.abs(chunk.pcm).max()) for chunk in probe.chunks[20:]]
    late = loud[len(loud) // 2 :]
    left = np.mean(np.array(late) >= 300)
    assert left < 0.2, f'{left:.0%} of the chunks hold echo: {np.percentile(late, [50, 95, 100])}'
