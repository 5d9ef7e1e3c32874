# SPDX-License-Identifier: Apache-2.0
"""Stop asks nobody; a voice makes the robot quieter."""

from __future__ import annotations

import numpy as np
import pytest

from venus_ros.core.messages import (
    AudioChunk,
    Event,
    Kind,
    Playout,
    PlayoutState,
    RobotCancel,
    Scope,
    Stopped,
    StopRequest,
)
from venus_ros.core.voice import FRAME_SAMPLES, Edge, VoiceActivity
from venus_ros.reflex.reflex import Reflex

MOVES = ('navigate_to_pose', 'pick_place')
STEP_S = 0.02


class Loudness:
    """A detector that takes any loud frame for voice, and remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, frame):
        self.asked.append(bool(frame.max() > 100))
        return float(self.asked[-1])

    def reset(self):
        self.asked.clear()


class Rig:
    """A reflex whose detector takes any loud frame for voice."""

    def __init__(self) -> None:
        self.now_s = 1.0
        self.first = 0
        voice = VoiceActivity(Loudness())
        self.reflex = Reflex(MOVES, voice, source='reflex#1', stamp=lambda: int(self.now_s * 1e9))
        self.log: list[tuple[float, object]] = []

    def give(self, message):
        out = self.reflex.receive(message, self.now_s)
        self.log += [(self.now_s, m) for m in out]
        return out

    def playing(self, state=PlayoutState.PLAYING):
        self.give(Playout(0, 's', 3, (), 0, 0, 0, state))

    def hear(self, seconds, loud):
        for _ in range(round(seconds / STEP_S)):
            pcm = np.full(320, 5000 if loud else 0, np.int16)
            self.now_s += STEP_S
            self.give(AudioChunk(0, 'mic', self.first, 16000, pcm))
            self.first += 320
            self.log += [(self.now_s, m) for m in self.reflex.tick(self.now_s)]

    def levels(self):
        kinds = (Kind.DUCKED, Kind.RESTORED)
        return [(t, m.kind) for t, m in self.log if isinstance(m, Event) and m.kind in kinds]


@pytest.fixture
def rig():
    return Rig()


@pytest.mark.parametrize('scope', list(Scope))
def test_a_stop_cancels_every_move_first_and_says_so(rig, scope):
    out = rig.give(StopRequest('r1', scope))
    cancels = [m for m in out if isinstance(m, RobotCancel)]
    moves = [] if scope is Scope.SPEECH else [RobotCancel(server) for server in MOVES]
    assert cancels == moves and out[: len(moves)] == moves
    (stopped,) = [m for m in out if isinstance(m, Stopped)]
    expected = Scope.ALL if scope is Scope.UNKNOWN else scope
    assert (stopped.request_id, stopped.scope, stopped.stamp_ns) == ('r1', expected, 1_000_000_000)
    assert out[-1].kind is Kind.STOPPED and out[-1].reason == expected.name.lower()


def test_the_same_stop_again_cancels_nothing_new(rig):
    first = rig.give(StopRequest('r1'))
    rig.now_s += 5
    assert rig.give(StopRequest('r1')) == [m for m in first if isinstance(m, Stopped)]
    assert len(rig.give(StopRequest('r2'))) == len(MOVES) + 2


def test_stops_without_an_id_are_told_apart(rig):
    given = [m for _ in range(3) for m in rig.give(StopRequest(''))]
    ids = {m.request_id for m in given if isinstance(m, Stopped)}
    assert len(ids) == 3 and '' not in ids


def test_a_voice_ducks_within_budget_and_its_end_restores(rig):
    rig.playing()
    rig.hear(0.5, loud=False)
    began_s = rig.now_s
    rig.hear(1.0, loud=True)
    ended_s = rig.now_s
    rig.hear(1.5, loud=False)
    (ducked_s, first), (restored_s, second) = rig.levels()
    assert (first, second) == (Kind.DUCKED, Kind.RESTORED)
    assert 0.05 <= ducked_s - began_s <= 0.12, ducked_s - began_s
    assert 0.5 <= restored_s - ended_s <= 0.65, restored_s - ended_s


def test_a_click_or_a_silent_robot_changes_nothing(rig):
    rig.playing()
    rig.hear(0.02, loud=True)
    rig.hear(1.0, loud=False)
    rig.playing(PlayoutState.IDLE)
    rig.hear(1.0, loud=True)
    assert rig.levels() == []


@pytest.mark.parametrize('kind', [Kind.BACKCHANNEL, Kind.BACKGROUND, Kind.OTHER_DIRECTED])
def test_a_voice_of_no_concern_restores_at_once_and_ducks_no_more(rig, kind):
    rig.playing()
    rig.hear(0.5, loud=True)
    rig.give(Event(kind))
    rig.hear(1.0, loud=True)
    assert [k for _, k in rig.levels()] == [Kind.DUCKED, Kind.RESTORED]
    rig.hear(0.3, loud=False)
    rig.hear(0.3, loud=True)
    assert rig.levels()[-1][1] is Kind.DUCKED, 'the next voice is another one'


def test_the_level_is_back_when_nothing_is_played(rig):
    rig.playing()
    rig.hear(0.3, loud=True)
    rig.playing(PlayoutState.DUCKED)
    rig.playing(PlayoutState.IDLE)
    assert [k for _, k in rig.levels()] == [Kind.DUCKED, Kind.RESTORED]


def test_without_a_detector_it_still_stops():
    reflex = Reflex(MOVES, None, source='reflex#1', stamp=lambda: 5)
    reflex.receive(Playout(0, 's', 1, (), 0, 0, 0, PlayoutState.PLAYING), 0.0)
    assert reflex.receive(AudioChunk(0, 'mic', 0, 16000, np.ones(320, np.int16)), 0.0) == []
    assert len(reflex.receive(StopRequest('r'), 0.0)) == 4


class Given:
    """A detector that gives drawn probabilities."""

    def __init__(self, probabilities):
        self.left = list(probabilities)

    def __call__(self, frame):
        return self.left.pop(0)

    def reset(self):
        pass


def test_hysteresis_dates_edges_back_and_ignores_flicker():
    given = [0.1, 0.6, 0.2, 0.6, 0.7, 0.4, 0.1, 0.4, 0.1, 0.2, 0.1, 0.0]
    voice = VoiceActivity(Given(given))
    found = voice.push(np.zeros(len(given) * FRAME_SAMPLES, np.int16))
    assert found == [Edge(True, 3 * FRAME_SAMPLES), Edge(False, 8 * FRAME_SAMPLES)]


def test_the_detector_does_not_mind_the_chunking():
    sound = np.concatenate([np.zeros(4000), np.full(6000, 900), np.zeros(6000)]).astype(np.int16)
    heard = []
    for size in (1, 320, 511, 513, 16000):
        detector = Loudness()
        voice = VoiceActivity(detector)
        edges = [e for at in range(0, len(sound), size) for e in voice.push(sound[at : at + size])]
        heard.append((detector.asked, edges))
    assert all(one == heard[0] for one in heard), heard
    assert [edge.speech for edge in heard[0][1]] == [True, False]
