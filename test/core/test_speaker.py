# SPDX-License-Identifier: Apache-2.0
"""What the speaker plays, drops and reports, to the sample."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from venus_ros.core import invariants
from venus_ros.core.messages import (
    ConversationState,
    Event,
    Floor,
    Kind,
    Playout,
    PlayoutState,
    Scope,
    SpeechChunk,
    SpeechKind,
    Stopped,
)
from venus_ros.core.mixer import DUCKED_GAIN
from venus_ros.core.speaker import Speaker

RATE = 24000
LOUD = 10000


class Rig:
    """A speaker on a counted clock; every message and sample is kept."""

    def __init__(self) -> None:
        self.now_ns = 1_000_000_000
        self.speaker = Speaker(RATE, source='speaker#1', stamp=lambda: self.now_ns)
        self.seq = 0
        self.made: Counter[int] = Counter()
        self.log = []
        self.heard = np.zeros(0, np.int16)

    def chunk(self, turn_id, kind=SpeechKind.AUDIO, samples=480, session_id='s', rate=RATE):
        first = self.made[turn_id]
        pcm = np.full(samples if kind is SpeechKind.AUDIO else 0, LOUD, np.int16)
        self.made[turn_id] += len(pcm)
        message = SpeechChunk(session_id, turn_id, self.seq, kind, first, rate, pcm)
        self.seq += 1
        return message

    def give(self, message):
        self.log.append(message)
        self.log += self.speaker.receive(message, self.now_ns / 1e9)

    def say(self, turn_id, chunks=1, end=False, **fields):
        for _ in range(chunks):
            self.give(self.chunk(turn_id, **fields))
        if end:
            self.give(self.chunk(turn_id, SpeechKind.END))

    def flush(self, turn_id):
        self.log.append(Event(Kind.FLUSHED, 's', 'f', self.seq, self.now_ns, turn_id=turn_id))
        self.give(self.chunk(turn_id, SpeechKind.FLUSH))

    def pull(self, samples=480, times=1):
        for _ in range(times):
            pcm = self.speaker.pull(samples)
            assert pcm.dtype == np.int16 and len(pcm) == samples
            self.heard = np.concatenate([self.heard, pcm])
            self.now_ns += samples * 1_000_000_000 // RATE
            self.log += self.speaker.tick(self.now_ns / 1e9)
        return pcm

    @property
    def playout(self) -> Playout:
        return [m for m in self.log if isinstance(m, Playout)][-1]

    def events(self, kind):
        return [m for m in self.log if isinstance(m, Event) and m.kind is kind]


@pytest.fixture
def rig():
    return Rig()


def test_it_speaks_up_before_anything_is_played(rig):
    rig.pull()
    assert rig.playout.state is PlayoutState.IDLE and rig.playout.session_id == ''


@pytest.mark.parametrize('block', [1, 160, 480, 1023, 4800])
def test_a_turn_is_played_whole_whatever_the_block(rig, block):
    rig.say(1, 25, end=True)
    rig.pull(block, 13000 // block + 2)
    (turn,) = rig.playout.recent
    assert (turn.played, turn.discarded, turn.finished) == (12000, 0, True)
    assert np.count_nonzero(rig.heard) == pytest.approx(12000, abs=0.006 * RATE)
    assert not rig.events(Kind.UNDERRUN)


def test_a_turn_waits_for_enough_sound_or_its_end(rig):
    rig.say(1, 1)
    assert not rig.pull().any()
    rig.give(rig.chunk(1, SpeechKind.END))
    assert rig.pull().any()
    rig.say(2, 3)
    assert rig.pull().any()


def test_a_turn_that_comes_in_drops_begins_after_a_little_patience(rig):
    rig.say(1, 1)
    rig.pull(times=10)
    assert rig.heard.any()


def test_a_flush_ends_the_sound_within_five_milliseconds_without_a_click(rig):
    rig.say(1, 50)
    rig.pull(times=5)
    rig.flush(2)
    after = rig.pull().astype(int)
    assert not after[round(0.006 * RATE) :].any()
    jumps = np.abs(np.diff(np.concatenate([[LOUD], after])))
    assert jumps.max() < LOUD / 20, f'a jump of {jumps.max()}'
    (turn,) = rig.playout.recent
    assert (turn.played, turn.discarded, turn.finished) == (2400, 21600, True)


def test_a_flush_leaves_later_turns_alone(rig):
    rig.say(1, 10)
    rig.say(2, 10, end=True)
    rig.flush(2)
    rig.pull(times=15)
    assert [(t.turn_id, t.played) for t in rig.playout.recent] == [(1, 0), (2, 4800)]


def test_chunks_that_come_after_their_flush_are_dropped(rig):
    late = rig.chunk(1)
    late_end = rig.chunk(1, SpeechKind.END)
    rig.seq = 0
    rig.flush(2)
    rig.seq = 2
    rig.give(SpeechChunk('s', 1, 1, SpeechKind.AUDIO, 0, RATE, late.pcm))
    rig.give(SpeechChunk('s', 1, 2, SpeechKind.END, 480, RATE, late_end.pcm))
    assert not rig.pull(times=3).any()
    assert rig.speaker.dropped_chunks == 2 and len(rig.events(Kind.DROPPED)) == 1


def test_missing_chunks_are_counted_and_said(rig):
    rig.say(1, 5)
    rig.chunk(1), rig.chunk(1)
    rig.say(1, 5, end=True)
    rig.pull(times=15)
    assert rig.speaker.missing_chunks == 2
    assert 'never came' in rig.events(Kind.DROPPED)[0].reason
    (turn,) = rig.playout.recent
    assert (turn.played, turn.discarded) == (4800, 960)


def test_a_doubled_chunk_is_played_once(rig):
    chunk = rig.chunk(1)
    rig.give(chunk)
    rig.give(chunk)
    rig.give(rig.chunk(1, SpeechKind.END))
    rig.pull(times=4)
    assert rig.playout.recent[0].played == 480


def test_a_new_session_takes_over_and_the_old_one_is_ignored(rig):
    rig.say(1, 50)
    rig.pull(times=3)
    rig.give(SpeechChunk('t', 1, 0, SpeechKind.FLUSH, 0, RATE))
    rig.pull()
    rig.say(1, 5)
    assert rig.speaker.dropped_chunks == 5
    assert not rig.pull(times=5).any()
    old = rig.playout.recent[0]
    assert (old.session_id, old.finished, old.played) == ('s', True, 1440)


def test_a_stranger_cannot_take_the_voice_from_the_session_that_is_named(rig):
    rig.give(ConversationState('s', Floor.FREE))
    rig.say(1, 5)
    rig.give(SpeechChunk('x', 7, 0, SpeechKind.FLUSH, 0, 16000))
    rig.give(SpeechChunk('x', 7, 1, SpeechKind.AUDIO, 0, 16000, np.full(480, LOUD, np.int16)))
    rig.say(1, 5, end=True)
    rig.pull(times=12)
    (turn,) = rig.playout.recent
    assert (turn.session_id, turn.played, turn.discarded) == ('s', 4800, 0)
    assert rig.speaker.dropped_chunks == 2
    assert 'another session, x' in rig.events(Kind.DROPPED)[0].reason


def test_the_session_named_next_takes_over(rig):
    rig.give(ConversationState('s', Floor.FREE))
    rig.say(1, 50)
    rig.pull(times=3)
    rig.give(ConversationState('t', Floor.FREE))
    rig.say(1, 5)
    rig.give(SpeechChunk('t', 1, 0, SpeechKind.AUDIO, 0, RATE, np.full(480, LOUD, np.int16)))
    rig.give(SpeechChunk('t', 1, 1, SpeechKind.END, 480, RATE))
    rig.pull(times=5)
    old, new = rig.playout.recent
    assert (old.session_id, old.finished, old.played) == ('s', True, 1440)
    assert (new.session_id, new.finished, new.played) == ('t', True, 480)
    assert rig.speaker.dropped_chunks == 5


def test_a_new_session_brings_its_own_rate(rig):
    rig.say(1, 5, end=True)
    rig.pull(times=8)
    pcm = np.full(441, LOUD, np.int16)
    rig.give(SpeechChunk('t', 1, 0, SpeechKind.AUDIO, 0, 22050, pcm))
    rig.give(SpeechChunk('t', 1, 1, SpeechKind.END, 441, 22050))
    assert rig.speaker.rate == 22050
    rig.pull(441, 3)
    assert rig.playout.recent[-1].played == 441


def test_another_rate_within_a_session_is_refused(rig):
    rig.say(1, 5)
    rig.give(rig.chunk(1, rate=16000))
    assert '16000 Hz' in rig.events(Kind.DROPPED)[0].reason


def test_a_gap_within_a_turn_is_an_underrun_and_a_pause_between_turns_is_not(rig):
    rig.say(1, 10, end=True)
    rig.pull(times=20)
    rig.say(2, 10)
    rig.pull(times=20)
    assert not rig.events(Kind.UNDERRUN)
    rig.say(2, 10, end=True)
    rig.pull(times=20)
    (underrun,) = rig.events(Kind.UNDERRUN)
    assert (underrun.turn_id, underrun.reason) == (2, 'dry for 200 ms')
    assert rig.playout.underruns == 1
    assert rig.playout.recent[-1].played == 9600


def test_a_late_end_is_no_underrun(rig):
    rig.say(1, 10)
    rig.pull(times=30)
    rig.give(rig.chunk(1, SpeechKind.END))
    assert not rig.events(Kind.UNDERRUN) and rig.playout.recent[0].finished


def test_ducking_lowers_the_level_in_a_ramp_and_restores_it(rig):
    rig.say(1, 50)
    rig.pull(times=3)
    rig.give(Event(Kind.DUCKED))
    assert rig.playout.state is PlayoutState.DUCKED
    low = rig.pull(times=2).astype(int)
    assert low[-1] == pytest.approx(LOUD * DUCKED_GAIN, abs=2)
    assert np.abs(np.diff(rig.heard[240:].astype(int))).max() < LOUD / 100
    rig.give(Event(Kind.RESTORED))
    assert rig.pull(times=2)[-1] == LOUD and rig.playout.state is PlayoutState.PLAYING


def test_a_later_turn_does_not_begin_ducked(rig):
    rig.say(1, 5, end=True)
    rig.pull(times=2)
    rig.give(Event(Kind.DUCKED))
    rig.pull(times=10)
    rig.say(2, 5, end=True)
    assert rig.pull(times=3)[-1] == LOUD


def test_muted_everything_that_comes_is_discarded(rig):
    rig.say(1, 10)
    rig.pull(times=3)
    rig.log += rig.speaker.mute(True, 5.0)
    rig.say(1, 5)
    rig.pull(times=2)
    assert rig.playout.state is PlayoutState.MUTED
    assert not rig.pull(times=2).any()
    rig.log += rig.speaker.mute(False, 6.0)
    rig.say(1, 5)
    assert not rig.pull(times=5).any(), 'the rest of a turn that was muted is not played'
    rig.say(2, 5, end=True)
    assert rig.pull(times=2).any()


def test_a_stop_flushes_once_and_an_old_stop_not_at_all(rig):
    rig.say(1, 50)
    rig.pull(times=3)
    rig.give(Stopped('old', 5, Scope.ALL))
    rig.give(Stopped('legs', rig.now_ns, Scope.MOTION))
    assert rig.pull().any()
    rig.give(Stopped('r1', rig.now_ns, Scope.SPEECH))
    rig.say(1, 5)
    rig.pull()
    rig.say(2, 10, end=True)
    rig.give(Stopped('r1', rig.now_ns, Scope.SPEECH))
    assert rig.pull(times=3).any(), 'the same stop again concerned the next turn'
    assert rig.playout.recent[0].played == 1920


def test_turns_of_the_last_minute_are_told_again(rig):
    for turn_id in (1, 2):
        rig.say(turn_id, 3, end=True)
        rig.pull(times=5)
    rig.now_ns += 50_000_000_000
    rig.say(3, 3, end=True)
    rig.pull(times=5)
    assert [t.turn_id for t in rig.playout.recent] == [1, 2, 3]
    rig.now_ns += 20_000_000_000
    rig.say(4, 3, end=True)
    rig.pull(times=5)
    assert [t.turn_id for t in rig.playout.recent] == [3, 4]


steps = st.one_of(
    st.tuples(st.just('say'), st.integers(1, 8), st.booleans()),
    st.tuples(st.just('pull'), st.integers(1, 2000), st.integers(1, 8)),
    st.tuples(st.just('flush'), st.just(0), st.just(0)),
    st.tuples(st.just('stop'), st.just(0), st.just(0)),
    st.tuples(st.just('duck'), st.booleans(), st.just(0)),
    st.tuples(st.just('mute'), st.booleans(), st.just(0)),
    st.tuples(st.just('lose'), st.integers(1, 3), st.just(0)),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(steps, max_size=40))
def test_any_interleaving_keeps_the_invariants_and_every_sample_has_one_fate(orders):
    rig, turn, stops = Rig(), 1, 0
    for order, a, b in orders:
        if order == 'say':
            rig.say(turn, a, end=b)
            turn += b
        elif order == 'pull':
            rig.pull(a, b)
        elif order == 'flush':
            turn += 1
            rig.flush(turn)
        elif order == 'stop':
            stops += 1
            rig.give(Stopped(f'r{stops}', rig.now_ns, Scope.ALL))
        elif order == 'duck':
            rig.give(Event(Kind.DUCKED if a else Kind.RESTORED))
        elif order == 'mute':
            rig.log += rig.speaker.mute(a, rig.now_ns / 1e9)
        else:
            rig.chunk(turn, samples=480 * a)
    rig.say(turn, 0, end=True)
    rig.pull(480, 400)
    lost = any(order == 'lose' for order, _, _ in orders)
    broken = invariants.check(rig.log)
    assert not any(broken[name] for name in ('I1', 'I2', 'I4', 'I7')), broken
    for told in rig.playout.recent:
        assert told.finished, f'turn {told.turn_id} never finished'
        known = told.played + told.discarded
        assert known == rig.made[told.turn_id] or (lost and known < rig.made[told.turn_id]), told
    assert not rig.pull().any()
