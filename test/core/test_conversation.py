# SPDX-License-Identifier: Apache-2.0
"""Any frontend, any user, any speaker: the invariants hold, and the account of speech is true."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from venus_ros.core import invariants
from venus_ros.core.messages import (
    AdmitNote,
    ConversationState,
    DelegateSpan,
    Floor,
    Kind,
    NoteAnswer,
    Playout,
    Role,
    Scope,
    SpanPhase,
    SpeechChunk,
    SpeechKind,
    Stopped,
    Transcript,
)
from venus_ros.core.step import Control, Decision, StepOutput

WORDS = ('one two three', 'a', 'it is on the table', 'well')
TEXTS = (
    '',
    '',
    'yes <dele',
    'gate>bring',
    ' the cup</delegate> ok',
    '<backend>',
    '</backend>',
    '<|x|>',
)

decisions = st.sampled_from(
    [Kind.USER_STARTED, Kind.USER_ENDED, Kind.BACKCHANNEL, Kind.INTERRUPTION, Kind.PAUSE]
)
seconds = st.sampled_from([0, 0.013, 0.3, 1.5])
step = st.fixed_dictionaries(
    {
        'speech': st.lists(st.tuples(st.sampled_from(WORDS), seconds), max_size=2),
        'control': st.sampled_from(list(Control)),
        'text': st.sampled_from(TEXTS),
        'flush': st.booleans(),
        'decisions': st.lists(decisions, max_size=2),
        'raises': st.integers(0, 9).map(lambda n: n == 0),
    }
)
happenings = st.sampled_from(
    ['nothing', 'nothing', 'note', 'stop', 'mute', 'unmute', 'reset', 'new speaker', 'no speaker']
)


class Frontend:
    """Plays the drawn steps, one every three units; restates each note that it is given."""

    def __init__(self, steps, speech):
        self.steps, self.speech = list(steps), speech

    def __call__(self, unit, notes, heard, directive, context):
        if notes:
            told = [self.speech('it is done', 0.4, n.attempt_id, n.work_ids) for n in notes]
            return StepOutput(Control.END_TURN, speech=told)
        if unit.k % 3 or not self.steps:
            return StepOutput()
        drawn = self.steps.pop(0)
        if drawn['raises']:
            raise RuntimeError('broken')
        return StepOutput(
            drawn['control'],
            drawn['text'],
            [self.speech(text, seconds) for text, seconds in drawn['speech']],
            flush=drawn['flush'],
            decisions=[Decision(kind) for kind in drawn['decisions']],
        )


@settings(max_examples=20, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.lists(st.tuples(step, happenings), min_size=1, max_size=14))
def test_whatever_happens_the_invariants_hold(new_talk, speech, drawn):
    talk = new_talk(Frontend([s for s, _ in drawn], speech))
    for n, (_, happening) in enumerate(drawn):
        talk.run(0.3)
        if happening == 'note':
            talk.give(AdmitNote('s', f'a{n}', (f'w{n}',), 'it is done'))
        elif happening == 'stop':
            stopped = Stopped(f'r{n}', talk.now_ns, Scope.ALL)
            if talk.speaker:
                talk.route(talk.speaker.receive(stopped, talk.now_s))
            talk.give(stopped)
        elif happening in ('mute', 'unmute'):
            talk.route(talk.session.mute(happening == 'mute'))
        elif happening == 'reset':
            talk.route(talk.session.reset())
        elif happening == 'new speaker':
            talk.speaker = talk.new_speaker()
        elif happening == 'no speaker':
            talk.speaker = None
    talk.speaker = talk.speaker or talk.new_speaker()
    talk.route(talk.session.mute(False))
    talk.run(40.0)
    broken = {name: found for name, found in invariants.check(talk.log).items() if found}
    assert not broken, broken
    assert_notes_have_one_fate(talk)
    assert_heard_words_are_made_words(talk)
    state = talk.of(ConversationState)[-1]
    assert state.floor in (Floor.USER, Floor.FREE), state
    spans = Counter(span.phase for span in talk.of(DelegateSpan))
    still_open = spans[SpanPhase.OPENED] - spans[SpanPhase.CLOSED] - spans[SpanPhase.VOID]
    assert still_open in (0, 1), spans


def assert_notes_have_one_fate(talk):
    admitted = {e.reason for e in talk.events(Kind.NOTE_ADMITTED)}
    fates = Counter(e.reason for e in talk.events(Kind.NOTE_HEARD, Kind.NOTE_CUT))
    taken = {a.attempt_id for a in talk.of(NoteAnswer) if a.accepted}
    assert admitted <= taken
    assert fates == Counter(admitted), 'each note is heard or cut, once'


def assert_heard_words_are_made_words(talk):
    made: dict[int, list[str]] = {}
    for chunk in talk.of(SpeechChunk):
        if chunk.text:
            made.setdefault(chunk.turn_id, []).append(chunk.text)
    for told in talk.of(Transcript):
        if told.role is Role.ROBOT:
            sent = ' '.join(made.get(told.turn_id, []))
            assert sent.startswith(told.text), (sent, told.text)


def test_the_same_conversation_again_is_the_same(new_talk, speech):
    def play():
        steps = [
            {'speech': [('it is on the table', 0.9)], 'control': Control.END_TURN, 'text': t,
             'flush': f, 'decisions': [], 'raises': False}
            for t, f in (('<delegate>a', False), ('b</delegate>', True), ('', False))
        ]  # fmt: skip
        talk = new_talk(Frontend(steps, speech)).run(4.0)
        return [repr(m) for m in talk.log], talk.heard

    (first, first_sound), (again, again_sound) = play(), play()
    assert first == again
    assert np.array_equal(first_sound, again_sound)


def test_what_is_told_as_heard_is_what_sounded(new_talk, speech):
    """The speaker's report, the transcript and the sound itself agree at every place of a cut."""
    for unit in range(3, 24, 3):
        text = 'one two three four five six seven eight nine ten'
        script = {
            1: StepOutput(Control.END_TURN, speech=[speech(text, 2.0)]),
            unit: StepOutput(flush=True),
        }
        talk = new_talk(script).run(4.0)
        (told,) = [t for t in talk.of(Transcript) if t.role is Role.ROBOT]
        played = [p for p in talk.of(Playout) if p.turn_id][-1].recent[0].played
        sounded = np.count_nonzero(talk.heard)
        assert abs(sounded - played) <= 0.012 * 24000, (sounded, played)
        share = len(told.text) / len(text)
        assert share - 0.12 <= played / 48000 + 1e-9 and share <= played / 48000 + 0.02
        flushes = [c for c in talk.of(SpeechChunk) if c.kind is SpeechKind.FLUSH]
        assert len(flushes) == (played < 48000)
