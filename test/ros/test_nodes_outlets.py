# SPDX-License-Identifier: Apache-2.0
"""Outlets that keep the pace of a loudspeaker by the steady clock."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from venus_ros.core.messages import SpeechChunk, SpeechKind
from venus_ros.core.speaker import Speaker
from venus_ros.nodes import outlets
from venus_ros.nodes.playback import Playback
from venus_ros.scenes.sound import read_wav

RATE = 24000


class Rig:
    """A file outlet on a clock of its own, in front of four seconds of speech."""

    def __init__(self, folder, monkeypatch):
        self.now_s = 100.0
        monkeypatch.setattr(outlets, 'now_s', lambda: self.now_s)
        speaker = Speaker(RATE, source='speaker#1', stamp=lambda: int(self.now_s * 1e9))
        self.playback = Playback(speaker, RATE)
        self.path = folder / 'robot.wav'
        self.outlet = outlets.WavFile(self.path, RATE)
        self.outlet.open(self.playback, 77)
        pcm = np.full(4 * RATE, 9000, np.int16)
        self.playback.receive(SpeechChunk('s', 1, 0, SpeechKind.AUDIO, 0, RATE, pcm), self.now_s)

    def pass_time(self, *steps_s):
        for step_s in steps_s:
            self.now_s += step_s
            self.outlet.poll()

    def played(self):
        return self.playback.tick(self.now_s + 1.0)[-1].played

    def wav(self):
        self.outlet.close()
        pcm, rate_hz = read_wav(self.path, zero_ns=77)
        assert rate_hz == RATE
        return pcm


@pytest.fixture
def rig(tmp_path, monkeypatch):
    return Rig(tmp_path, monkeypatch)


def test_late_polls_lose_nothing(rig):
    rig.pass_time(0.02, 0.3, 0.02, 0.16)
    assert rig.played() == pytest.approx(0.5 * RATE, abs=2)


def test_a_process_that_stood_still_was_silent_and_makes_nothing_up(rig):
    rig.pass_time(*[0.02] * 10, 5.0, *[0.02] * 10)
    assert rig.played() == pytest.approx(0.4 * RATE, abs=4)
    pcm = rig.wav()
    assert len(pcm) == pytest.approx(5.4 * RATE, abs=4)
    assert not pcm[round(0.3 * RATE) : round(5.1 * RATE)].any()
    assert pcm[-1]


def test_the_file_tells_when_it_began(rig):
    rig.pass_time(0.02)
    rig.outlet.close()
    beside = json.loads(rig.path.with_name('robot.wav.json').read_text())
    assert beside == {'stamp_ns': 77, 'rate_hz': RATE}
