# SPDX-License-Identifier: Apache-2.0
"""What the loudspeaker is given comes to the microphone at the moment at which it was given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.parameter import Parameter

from venus_ros.core.messages import SpeechChunk, SpeechKind
from venus_ros.core.speaker import Speaker
from venus_ros.nodes import loopback
from venus_ros.nodes.loopback import MARGIN_S, Loopback
from venus_ros.nodes.microphone import Microphone
from venus_ros.nodes.playback import Playback

RATE = 48_000


class Rig:
    """A device at 48 kHz on a clock of its own, in front of the speaker engine."""

    def __init__(self, monkeypatch: Any) -> None:
        self.now_s = 100.0
        monkeypatch.setattr(loopback, 'now_s', lambda: self.now_s)
        speaker = Speaker(16_000, source='speaker#1', stamp=lambda: int(self.now_s * 1e9))
        self.loopback = Loopback()
        self.playback = Playback(speaker, RATE, self.loopback)
        self.playback.use_device(RATE, 0.06)

    def play(self, seconds: float) -> Any:
        """What the device takes meanwhile, int16."""
        taken = []
        for _ in range(round(seconds / 0.02)):
            taken.append(self.playback.pull(RATE // 50))
            self.now_s += 0.02
        return np.concatenate(taken)

    def say(self, pcm: Any) -> None:
        chunk = SpeechChunk('s', 1, 0, SpeechKind.AUDIO, 0, 16_000, pcm)
        self.playback.receive(chunk, self.now_s)


@pytest.fixture
def rig(monkeypatch: Any) -> Rig:
    return Rig(monkeypatch)


def test_what_is_handed_over_is_read_at_its_time(rig: Rig) -> None:
    rig.playback.loop_back()
    rig.play(0.2)
    began_s = rig.now_s
    rig.say(np.round(8000 * np.sin(np.arange(16_000) * 0.3)).astype(np.int16))
    taken = rig.play(0.4)
    read = rig.loopback.read(began_s + MARGIN_S, 4800)
    assert np.abs(taken[::3][:4800].astype(int) - read).max() < 400


@pytest.mark.parametrize('opened', [False, True])
def test_without_a_loudspeaker_there_is_silence(rig: Rig, opened: bool) -> None:
    if opened:
        rig.playback.loop_back()
    rig.say(np.full(16_000, 8000, np.int16))
    rig.play(0.2)
    assert rig.loopback.is_open is opened
    assert rig.loopback.read(rig.now_s - 0.08, 320).any() == opened
    rig.playback.end_loop()
    assert not rig.loopback.read(rig.now_s - 0.08, 320).any()


def test_a_microphone_alone_says_that_it_cannot_cancel(world: Any) -> None:
    node = world.add(Microphone(parameter_overrides=[Parameter('echo', value='reference')]))
    world.until(lambda: 'needs the speaker in the same process' in node.fault, 'the fault')
