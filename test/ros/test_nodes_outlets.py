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


class FixedSteps(outlets.Paced):
    """A pacer that is wrong: it pulls 20 ms at each poll, however late that is."""

    def poll(self):
        self._pulled += RATE // 50
        self.write(self._playback.pull(RATE // 50))


def clock_error_s(kind, monkeypatch):
    """Largest distance of the samples pulled from the clock, over ten minutes of late polls."""
    now_s = 100.0
    monkeypatch.setattr(outlets, 'now_s', lambda: now_s)
    speaker = Speaker(RATE, source='speaker#1', stamp=lambda: int(now_s * 1e9))
    outlet = kind(RATE)
    outlet.open(Playback(speaker, RATE), 0)
    lateness_s = np.random.default_rng(41).uniform(0.001, 0.005, 30_000)
    worst_s = 0.0
    for late_s in lateness_s:
        now_s += 0.02 + late_s
        outlet.poll()
        worst_s = max(worst_s, abs(outlet._pulled / RATE - (now_s - 100.0)))
    return worst_s


def test_ten_minutes_of_late_polls_do_not_shift_the_clock(monkeypatch):
    assert clock_error_s(outlets.Paced, monkeypatch) < 0.02


def test_the_check_finds_a_pacer_that_falls_behind(monkeypatch):
    assert clock_error_s(FixedSteps, monkeypatch) > 60
