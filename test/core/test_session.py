# SPDX-License-Identifier: Apache-2.0
"""The way of the data, from the microphone to what was heard."""

from __future__ import annotations

import gc
import math
import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from venus_ros.core.errors import BackendError
from venus_ros.core.messages import (
    AdmitNote,
    AudioChunk,
    ConversationState,
    DelegateSpan,
    Floor,
    Frame,
    Kind,
    NoteAnswer,
    Role,
    Said,
    Say,
    Scope,
    SpanPhase,
    SpeechChunk,
    SpeechKind,
    State,
    Stopped,
    Transcript,
    TypedText,
    UnitReport,
    Work,
    Works,
)
from venus_ros.core.step import Control, Decision, Directive, StepOutput

END = Control.END_TURN


def robot_words(talk):
    return [t.text for t in talk.of(Transcript) if t.role is Role.ROBOT]


def test_a_turn_is_played_to_its_end_and_remembered_as_heard(new_talk, speech):
    talk = new_talk({3: StepOutput(END, speech=[speech('hello there my friend', 1.0)])}).run(2.5)
    assert robot_words(talk) == ['hello there my friend']
    assert [(e.kind, e.reason) for e in talk.events(Kind.TURN_STARTED, Kind.TURN_ENDED)] == [
        (Kind.TURN_STARTED, ''),
        (Kind.TURN_ENDED, 'done'),
    ]
    assert np.count_nonzero(talk.heard) >= 24000
    assert len(talk.of(UnitReport)) == 25
    assert not talk.events(Kind.UNDERRUN, Kind.FAULT, Kind.GAP, Kind.LATE)


def test_an_interruption_keeps_only_the_words_that_sounded(new_talk, speech):
    script = {
        2: StepOutput(END, speech=[speech('one two three four five six seven eight', 4.0)]),
        20: StepOutput(flush=True, decisions=[Decision(Kind.INTERRUPTION, 'speech', 0.9)]),
    }
    talk = new_talk(script).run(4.0)
    assert robot_words(talk) == ['one two three'], robot_words(talk)
    kinds = [e.kind for e in talk.events() if e.kind is not Kind.SESSION_OPENED]
    assert kinds == [Kind.TURN_STARTED, Kind.INTERRUPTION, Kind.FLUSHED, Kind.TURN_ENDED]
    assert talk.events(Kind.TURN_ENDED)[0].reason == 'interrupted'
    flushed_at = round(2.1 * 24000)
    assert not talk.heard[flushed_at + 480 :].any(), 'sound went on after the flush'


def test_speech_leaves_at_the_pace_at_which_it_is_heard(new_talk, speech):
    talk = new_talk({2: StepOutput(END, speech=[speech('a long story', 10.0)])}).run(3.0)
    sent = sum(len(c.pcm) for c in talk.of(SpeechChunk))
    heard = np.count_nonzero(talk.heard)
    assert 0 < sent - heard <= 1.3 * 24000, (sent, heard)
    assert all(len(c.pcm) <= 480 for c in talk.of(SpeechChunk))


def test_speech_chunks_are_numbered_without_gaps_over_all_kinds(new_talk, speech):
    script = {
        2: StepOutput(END, speech=[speech('one', 0.5)]),
        12: StepOutput(speech=[speech('two', 3.0)]),
        20: StepOutput(END, flush=True, speech=[speech('three', 0.3)]),
    }
    talk = new_talk(script).run(4.0)
    chunks = talk.of(SpeechChunk)
    assert [c.chunk_seq for c in chunks] == list(range(len(chunks)))
    assert robot_words(talk)[0] == 'one' and robot_words(talk)[-1] == 'three'
    turns = [c.turn_id for c in chunks if c.kind is SpeechKind.AUDIO]
    assert turns == sorted(turns)


def two_hundred_answers(new_talk, speech, cut=None):
    """A talk of 200 answers of any length; number `cut` is flushed as it begins."""
    lengths_s = np.random.default_rng(50).uniform(0.1, 0.6, 200)
    script = {
        2 + 8 * i: StepOutput(END, speech=[speech(f'answer {i}', round(s, 3))])
        for i, s in enumerate(lengths_s)
    }
    if cut is not None:
        script[3 + 8 * cut] = StepOutput(flush=True)
    return new_talk(script).run(161.0)


def assert_all_heard_whole(talk):
    assert robot_words(talk) == [f'answer {i}' for i in range(200)]
    assert {e.reason for e in talk.events(Kind.TURN_ENDED)} == {'done'}
    made = sum(len(c.pcm) for c in talk.of(SpeechChunk))
    faded = 200 * 120  # each end is faded out over 5 ms
    assert made <= np.count_nonzero(talk.heard) <= made + faded, (made, talk.heard)


def test_two_hundred_answers_of_any_length_are_all_heard_whole(new_talk, speech):
    assert_all_heard_whole(two_hundred_answers(new_talk, speech))


def test_the_check_finds_one_answer_of_two_hundred_that_is_cut(new_talk, speech):
    with pytest.raises(AssertionError):
        assert_all_heard_whole(two_hundred_answers(new_talk, speech, cut=117))


def test_an_answer_that_comes_in_parts_is_played_with_their_pauses(new_talk, speech):
    parts = ('first part', 'second part', 'third part')
    script = {
        2 + 25 * i: StepOutput(END if i == 2 else Control.SPEAK, speech=[speech(text, 0.5)])
        for i, text in enumerate(parts)
    }
    talk = new_talk(script).run(7.0)
    loud = np.flatnonzero(talk.heard)
    pauses_s = np.diff(loud)[np.diff(loud) > 2400] / 24000
    assert pauses_s == pytest.approx([2.0, 2.0], abs=0.15), pauses_s
    assert ' '.join(robot_words(talk)) == ' '.join(parts)


def test_a_request_goes_to_the_harness_and_to_nobody_else(new_talk, speech):
    script = {
        2: StepOutput(text='On my <dele'),
        3: StepOutput(text='gate>go to the'),
        5: StepOutput(END, text=' kitchen</delegate>way', speech=[speech('on my way', 0.4)]),
    }
    talk = new_talk(script).run(2.0)
    spans = talk.of(DelegateSpan)
    assert [(s.phase, s.unit, s.task) for s in spans] == [
        (SpanPhase.OPENED, 3, ''),
        (SpanPhase.CLOSED, 5, 'go to the kitchen'),
    ]
    assert spans[0].span_id == spans[1].span_id == 's/1'
    assert spans[0].opened_ns == spans[1].opened_ns == 1_400_000_000
    assert robot_words(talk) == ['on my way']


def test_a_correction_raises_the_intent_and_names_what_it_replaces(new_talk):
    script = {
        2: StepOutput(text='<delegate>go to the kitchen</delegate>'),
        9: StepOutput(text='<delegate>go to the hall</delegate>', corrects=1),
    }
    talk = new_talk(script).run(1.5)
    closed = [s for s in talk.of(DelegateSpan) if s.phase is SpanPhase.CLOSED]
    assert [(s.intent_epoch, s.corrects) for s in closed] == [(0, ''), (1, 's/1')]
    (correction,) = talk.events(Kind.CORRECTION)
    assert correction.intent_epoch == 1
    assert talk.of(ConversationState)[-1].intent_epoch == 1


def test_a_correction_of_a_span_that_never_was_is_a_fault(new_talk):
    talk = new_talk({2: StepOutput(text='<delegate>x</delegate>', corrects=7)}).run(0.5)
    assert 'span 7' in talk.events(Kind.FAULT)[0].reason
    assert talk.of(DelegateSpan)[-1].corrects == ''


def test_sound_that_came_too_early_is_told(new_talk):
    talk = new_talk({}).run(0.2)
    talk.route(talk.session.miss(2.5))
    (dropped,) = talk.events(Kind.DROPPED)
    assert dropped.reason == '2.5 s of sound before it could be heard'


ASK = StepOutput(text='<delegate>x</delegate>')


def withdrawn(talk):
    return [s.span_id for s in talk.of(DelegateSpan) if s.phase is SpanPhase.VOID]


def test_a_request_is_withdrawn_once_though_its_works_are_unknown(new_talk):
    talk = new_talk({2: ASK, 4: StepOutput(cancel=(1,)), 6: StepOutput(cancel=(1,))}).run(1.0)
    phases = [s.phase for s in talk.of(DelegateSpan)]
    assert phases == [SpanPhase.OPENED, SpanPhase.CLOSED, SpanPhase.VOID]
    assert withdrawn(talk) == ['s/1'] and not talk.events(Kind.CANCEL_ASKED)


def test_a_withdrawal_names_the_works_that_are_known(new_talk):
    talk = new_talk({2: ASK, 4: StepOutput(cancel=(1,))}).run(0.35)
    work = Work('w1', 'navigation', State.RUNNING, request_id='s/1')
    talk.give(Works('harness', (work, Work('w2', 'search', State.RUNNING, request_id='other'))))
    talk.run(0.5)
    assert [(e.work_ids, e.reason) for e in talk.events(Kind.CANCEL_ASKED)] == [(('w1',), 's/1')]
    assert withdrawn(talk) == ['s/1']


def test_withdrawing_everything_names_each_request_that_is_open(new_talk):
    talk = new_talk({1: ASK, 2: ASK, 3: ASK, 5: StepOutput(cancel=(0,))}).run(0.45)
    states = {
        's/1': State.DELIVERED,
        's/2': State.RUNNING,
        'old/7': State.WAITING,
        '': State.QUEUED,
    }
    works = [
        Work(f'w{i}', 'a', state, request_id=r) for i, (r, state) in enumerate(states.items())
    ]
    talk.give(Works('harness', tuple(works)))
    talk.run(0.5)
    assert [e.work_ids for e in talk.events(Kind.CANCEL_ASKED)] == [()]
    assert withdrawn(talk) == ['s/2', 's/3', 'old/7']


def note(attempt_id='a1', text='The kitchen is clean.'):
    return AdmitNote('s', attempt_id, ('w1',), text)


def test_a_note_is_admitted_once_and_heard(new_talk, speech):
    def script(unit, notes, heard, directive, context):
        if not notes:
            return StepOutput()
        said = [
            speech('The kitchen is clean.', 1.0, notes[0].attempt_id, notes[0].work_ids),
            speech('Anything else?', 0.5),
        ]
        return StepOutput(END, speech=said)

    talk = new_talk(script).run(0.5)
    talk.give(note())
    talk.give(note())
    talk.run(2.5)
    assert [a.accepted for a in talk.of(NoteAnswer)] == [True, True]
    told = talk.events(Kind.NOTE_ADMITTED, Kind.NOTE_HEARD, Kind.NOTE_CUT)
    assert [(e.kind, e.work_ids, e.reason) for e in told] == [
        (Kind.NOTE_ADMITTED, ('w1',), 'a1'),
        (Kind.NOTE_HEARD, ('w1',), 'a1'),
    ]
    naming = [c for c in talk.of(SpeechChunk) if c.work_ids]
    assert sum(len(c.pcm) for c in naming) == 24000
    heard, ended = told[1], talk.events(Kind.TURN_ENDED)[0]
    assert heard.stamp_ns < ended.stamp_ns, 'heard when its own sound was over'


def test_a_note_that_became_stale_before_its_unit_is_not_given(new_talk):
    talk = new_talk({}).run(0.3)
    talk.give(note())
    talk.give(Works('harness', (Work('w1', 'navigation', State.STALE),)))
    talk.run(0.5)
    assert not any(step[1] for step in talk.frontend.steps)
    assert not talk.events(Kind.NOTE_ADMITTED)
    assert [e.reason for e in talk.events(Kind.DROPPED, Kind.NOTE_CUT)] == [
        'a note became stale',
        'a1',
    ]


def test_a_note_that_is_cut_says_how_much_was_heard(new_talk, speech):
    script = {
        6: StepOutput(END, speech=[speech('The kitchen is very clean.', 2.0, 'a1', ('w1',))]),
        16: StepOutput(flush=True),
    }
    talk = new_talk(script).run(0.5)
    talk.give(note())
    talk.run(2.0)
    (cut,) = talk.events(Kind.NOTE_CUT)
    assert cut.confidence == pytest.approx(0.5, abs=0.06), cut
    assert not talk.events(Kind.NOTE_HEARD)


@pytest.mark.parametrize('held', ['robot', 'user', 'thinking', 'muted', 'other', 'empty', 'early'])
def test_a_note_is_refused_with_the_reason(new_talk, speech, held):
    started = Decision(Kind.USER_STARTED)
    outputs = {
        'robot': StepOutput(speech=[speech('blah', 3.0)]),
        'user': StepOutput(decisions=[started]),
        'thinking': StepOutput(thinking=True),
    }
    script = {k: outputs[held] for k in range(2, 8) if held in outputs}
    talk = new_talk(script)
    if held != 'early':
        talk.run(0.6)
    if held == 'muted':
        talk.route(talk.session.mute(True))
    asked = note(text=' ' if held == 'empty' else 'x')
    if held == 'other':
        asked = AdmitNote('t', 'a1', ('w1',), 'x')
    talk.give(asked)
    reasons = {'muted': 'muted', 'other': 'other_session', 'empty': 'empty', 'early': 'loading'}
    (answer,) = talk.of(NoteAnswer)
    assert (answer.accepted, answer.reason) == (False, reasons.get(held, 'floor_taken'))


def test_stop_silences_within_a_block_and_the_frontend_is_told(new_talk, speech):
    talk = new_talk({2: StepOutput(speech=[speech('a b c d e f', 5.0)])}).run(1.5)
    stopped = Stopped('r1', talk.now_ns, Scope.ALL)
    talk.give(stopped)
    talk.give(stopped)
    at = len(talk.heard)
    talk.run(1.0)
    assert not talk.heard[at + 480 :].any()
    assert [e.reason for e in talk.events(Kind.TURN_ENDED)] == ['stopped']
    assert len(talk.events(Kind.FLUSHED)) == 1
    assert [s[3] for s in talk.frontend.steps if s[3] is not Directive.NONE] == [
        Directive.FORCE_LISTEN
    ]


def test_a_stop_of_motion_or_from_before_the_session_does_not_silence(new_talk, speech):
    talk = new_talk({2: StepOutput(END, speech=[speech('a b c d e f', 1.0)])}).run(0.5)
    talk.give(Stopped('r1', talk.now_ns, Scope.MOTION))
    talk.give(Stopped('r0', 5, Scope.ALL))
    talk.run(1.5)
    assert [e.reason for e in talk.events(Kind.TURN_ENDED)] == ['done']


def test_a_frontend_that_raises_is_survived_and_reset_after_three_times(new_talk, speech):
    script = {k: ValueError('x') for k in (2, 3, 4)}
    script[5] = BackendError('the model is gone')
    script[8] = StepOutput(END, speech=[speech('hello again', 0.5)])
    talk = new_talk(script).run(2.0)
    faults = [e.reason for e in talk.events(Kind.FAULT)]
    assert len(faults) == 4 and 'ValueError' in faults[0] and 'the model is gone' in faults[3]
    assert [s[0].k for s in talk.frontend.steps if s[3] is Directive.RESET] == [5]
    assert len(talk.of(UnitReport)) == 20
    assert robot_words(talk) == ['hello again']


def test_an_absent_speaker_holds_nothing_up(new_talk, speech):
    script = {
        2: StepOutput(END, speech=[speech('lost words', 8.0, 'a1', ('w1',))]),
        60: StepOutput(END, speech=[speech('more words', 1.0)]),
    }
    talk = new_talk(script, speaker=False).run(12.0)
    assert [e.reason for e in talk.events(Kind.TURN_ENDED)] == ['lost', 'lost']
    assert 'speaker' in talk.events(Kind.FAULT)[0].reason
    (cut,) = talk.events(Kind.NOTE_CUT)
    assert cut.confidence == 0.0
    assert talk.of(ConversationState)[-1].floor is Floor.FREE
    sent = sum(len(c.pcm) for c in talk.of(SpeechChunk)) / 24000
    assert sent <= 2.3, f'{sent} s piled up'


def test_a_session_that_stood_still_does_not_blame_the_speaker(new_talk, speech):
    talk = new_talk({2: StepOutput(END, speech=[speech('a b c d', 2.0)])}).run(0.6)
    reports = []
    for _ in range(300):
        talk.now_ns += 20_000_000
        talk.speaker.pull(480)
        reports += talk.speaker.tick(talk.now_s)
    talk.route(talk.session.tick(talk.now_s))
    for report in reports:
        talk.give(report)
    talk.samples += 300 * 320
    talk.run(2.0)
    assert not talk.events(Kind.FAULT)
    assert [e.reason for e in talk.events(Kind.TURN_ENDED)] == ['done']


def test_a_note_without_sound_was_not_heard(new_talk, speech):
    silent = StepOutput(END, speech=[speech('The kitchen is clean.', 0.0, 'a1', ('w1',))])
    talk = new_talk({6: silent}).run(0.4)
    talk.give(note())
    talk.run(2.0)
    assert [e.kind for e in talk.events(Kind.NOTE_HEARD, Kind.NOTE_CUT)] == [Kind.NOTE_CUT]


def test_a_speaker_that_starts_anew_in_mid_turn_closes_the_turn(new_talk, speech):
    talk = new_talk({2: StepOutput(speech=[speech('a b c d e f', 5.0, 'a1', ('w1',))])}).run(1.5)
    talk.speaker = talk.new_speaker()
    talk.run(1.0)
    assert [e.reason for e in talk.events(Kind.TURN_ENDED)] == ['lost']
    assert math.isnan(talk.events(Kind.NOTE_CUT)[0].confidence), 'nobody knows what was heard'
    talk.frontend.script[40] = StepOutput(END, speech=[speech('back again', 0.5)])
    talk.run(3.0)
    assert robot_words(talk)[-1] == 'back again'


def test_a_successor_takes_the_speaker_over_and_closes_what_was_left(new_talk, speech):
    talk = new_talk({2: StepOutput(speech=[speech('a b c d e f', 5.0)])}).run(1.0)
    talk.begin({30: StepOutput(END, speech=[speech('here I am', 0.4)])}, 't')
    talk.run(0.2)
    at = len(talk.heard)
    talk.run(4.0)
    assert not talk.heard[at : at + 24000].any(), 'the dead session goes on speaking'
    ended = [(e.session_id, e.turn_id, e.reason) for e in talk.events(Kind.TURN_ENDED)]
    assert ended == [('s', 1, 'lost'), ('t', 1, 'done')]
    assert robot_words(talk) == ['here I am']


def test_words_typed_and_pictures_arrive_in_the_unit_that_ends_after_them(new_talk):
    talk = new_talk({}).run(0.1)
    pixels = np.zeros((2, 2, 3), np.uint8)
    for ms in (110, 130, 250):
        talk.give(Frame(1_000_000_000 + ms * 1_000_000, pixels))
    talk.give(TypedText(1_210_000_000, 'hello'))
    talk.run(0.4)
    units = [s[0] for s in talk.frontend.steps]
    assert [(u.k, u.frame.stamp_ns) for u in units if u.frame] == [
        (1, 1_130_000_000),
        (2, 1_250_000_000),
    ]
    assert [(u.k, u.typed) for u in units if u.typed] == [(2, ('hello',))]


def test_without_a_microphone_units_go_on_in_silence(new_talk):
    talk = new_talk({}).run(0.5)
    talk.give(TypedText(talk.now_ns, 'hello'))
    for _ in range(200):
        talk.now_ns += 20_000_000
        talk.route(talk.session.tick(talk.now_s))
    assert [s[0].typed for s in talk.frontend.steps if s[0].typed] == [('hello',)]
    assert 25 <= len(talk.of(UnitReport)) <= 45
    assert len(talk.events(Kind.GAP)) == 1
    assert not talk.events(Kind.LATE)
    talk.run(1.0)
    assert not talk.events(Kind.LATE), talk.events(Kind.LATE)


def test_units_without_a_microphone_keep_to_a_clock_that_jumps(new_talk):
    """As under a simulation whose `/clock` comes late, or runs at another speed."""
    talk = new_talk({})
    talk.now_ns, steady_s = 0, 0.0
    talk.route(talk.session.open(lambda: talk.now_ns))
    ends: list[int] = []
    for speed, jump_ns in ((0, 0), (1, 1_000_000_000_000), (3, 0)):
        talk.now_ns += jump_ns
        for _ in range(150):
            talk.now_ns += 20_000_000 * speed
            steady_s += 0.02
            talk.route(talk.session.tick(steady_s))
        ends = [step[0].end_ns for step in talk.frontend.steps]
        assert abs(talk.now_ns - ends[-1]) < 500_000_000, f'{ends[-1]} at {talk.now_ns}'
    assert ends == sorted(set(ends))
    talk.give(TypedText(talk.now_ns, 'hello'))
    for _ in range(15):
        talk.now_ns += 60_000_000
        steady_s += 0.02
        talk.route(talk.session.tick(steady_s))
    (said,) = [step[0] for step in talk.frontend.steps if step[0].typed]
    assert abs(talk.now_ns - said.end_ns) < 1_500_000_000


def test_a_late_session_leaves_pictures_out_then_falls_silent_then_recovers(new_talk, speech):
    talk = new_talk({8: StepOutput(speech=[speech('a b c d', 6.0)])}).run(1.0)
    behind_s = 4.0
    for _ in range(10):
        chunk = AudioChunk(talk.now_ns, 'mic', talk.samples, 16000, np.zeros(320, np.int16))
        talk.samples += 320
        talk.now_ns += 20_000_000
        talk.route(talk.session.receive(chunk, talk.now_s + behind_s))
    reasons = [e.reason for e in talk.events(Kind.LATE)]
    assert len(reasons) == 1 and 'stops speaking' in reasons[0]
    assert [e.reason for e in talk.events(Kind.TURN_ENDED)] == ['late']
    talk.run(1.0)
    assert 'caught up' in talk.events(Kind.LATE)[-1].reason


def test_say_is_followed_from_the_asking_to_the_last_sample(new_talk, speech):
    talk = new_talk({8: StepOutput(END, speech=[speech('Good morning to you', 0.8)])}).run(0.3)
    talk.give(Say('q1', 'Good morning to you!'))
    talk.run(2.5)
    assert talk.frontend.said == ['Good morning to you!']
    said = talk.of(Said)
    assert said[-1].done and said[-1].completed and said[-1].heard == 'Good morning to you'
    assert sum(s.done for s in said) == 1
    assert said[-1].played == round(0.8 * 24000)


def test_a_turn_that_may_not_be_interrupted_is_not(new_talk, speech):
    script = {
        8: StepOutput(END, speech=[speech('Please leave the building', 2.0)]),
        15: StepOutput(flush=True),
    }
    talk = new_talk(script).run(0.3)
    talk.give(Say('q1', 'Please leave the building', allow_barge_in=False))
    talk.run(3.5)
    assert talk.of(Said)[-1].completed
    assert not talk.events(Kind.FLUSHED)


def test_a_turn_that_runs_dry_ends(new_talk, speech):
    talk = new_talk({2: StepOutput(speech=[speech('and then', 0.5)])}).run(6.0)
    assert [e.reason for e in talk.events(Kind.TURN_ENDED)] == ['done']
    assert talk.of(ConversationState)[-1].floor is Floor.FREE


def test_speech_with_a_protocol_token_is_not_spoken(new_talk, speech):
    talk = new_talk({2: StepOutput(END, speech=[speech('go <delegate>x', 0.5)])}).run(1.0)
    assert not [c for c in talk.of(SpeechChunk) if c.kind is SpeechKind.AUDIO]
    assert 'token' in talk.events(Kind.FAULT)[0].reason


def test_closing_voids_spans_and_ends_turns_once(new_talk, speech):
    talk = new_talk({2: StepOutput(text='<delegate>go', speech=[speech('one two', 3.0)])}).run(1.0)
    talk.route(talk.session.close('done with it'))
    talk.route(talk.session.close())
    assert [s.phase for s in talk.of(DelegateSpan)] == [SpanPhase.OPENED, SpanPhase.VOID]
    assert len(talk.events(Kind.TURN_ENDED)) == len(talk.events(Kind.SESSION_CLOSED)) == 1
    assert talk.frontend.closed == 1


def test_muted_it_is_silent_until_unmuted(new_talk, speech):
    script = {k: StepOutput(END, speech=[speech('one two', 0.5)]) for k in (2, 12, 30)}
    talk = new_talk(script).run(0.5)
    talk.route(talk.session.mute(True))
    talk.run(1.5)
    assert [e.reason for e in talk.events(Kind.TURN_ENDED)] == ['muted']
    assert talk.of(ConversationState)[-1].muted
    talk.route(talk.session.mute(False))
    talk.run(2.5)
    assert [e.reason for e in talk.events(Kind.MUTED)] == ['on', 'off']
    assert robot_words(talk)[-1] == 'one two' and len(talk.events(Kind.TURN_STARTED)) == 2


def test_a_reset_reaches_the_frontend_once_and_gives_unspoken_notes_back(new_talk):
    talk = new_talk({3: StepOutput(decisions=[Decision(Kind.USER_STARTED)])}).run(0.2)
    talk.give(note())
    talk.run(0.2)
    talk.route(talk.session.reset())
    talk.run(0.5)
    assert [s[3] for s in talk.frontend.steps if s[3] is not Directive.NONE] == [Directive.RESET]
    (cut,) = talk.events(Kind.NOTE_CUT)
    assert (cut.reason, cut.confidence) == ('a1', 0.0)
    assert talk.of(ConversationState)[-1].floor is Floor.FREE


def test_speech_of_a_note_that_was_given_back_is_not_played(new_talk, speech):
    late = StepOutput(END, speech=[speech('The kitchen is clean.', 1.0, 'a1', ('w1',))])
    talk = new_talk({10: late}).run(0.3)
    talk.give(note())
    talk.run(0.3)
    talk.give(Stopped('r1', talk.now_ns, Scope.ALL))
    talk.run(1.5)
    assert [e.kind for e in talk.events(Kind.NOTE_HEARD, Kind.NOTE_CUT)] == [Kind.NOTE_CUT]
    assert not talk.heard.any()


def test_a_note_of_which_nothing_is_said_is_given_back(new_talk):
    talk = new_talk({}).run(0.3)
    talk.give(note())
    talk.run(1.0)
    assert talk.of(ConversationState)[-1].floor is Floor.THINKING, 'it keeps the floor at first'
    talk.run(32.0)
    assert [e.reason for e in talk.events(Kind.NOTE_CUT)] == ['a1']
    assert talk.of(ConversationState)[-1].floor is Floor.FREE


@pytest.mark.parametrize('pcm', [np.zeros(100), np.zeros((100, 2), np.int16)])
def test_speech_of_the_wrong_shape_is_a_fault(new_talk, speech, pcm):
    wrong = StepOutput(END, speech=[replace(speech('x', 0.1), pcm=pcm)])
    talk = new_talk({2: wrong, 6: StepOutput(END, speech=[speech('right', 0.3)])}).run(1.5)
    assert 'not int16' in talk.events(Kind.FAULT)[0].reason
    assert robot_words(talk) == ['right']


def test_sound_of_the_wrong_kind_is_a_fault_and_the_next_chunk_is_heard(new_talk):
    talk = new_talk({}).run(0.2)
    talk.give(AudioChunk(talk.now_ns, 'mic', talk.samples, 44100, np.zeros(882, np.int16)))
    talk.run(0.2)
    assert '44100 Hz' in talk.events(Kind.FAULT)[0].reason
    assert len(talk.of(UnitReport)) == 4


def test_lost_sound_is_said_once_and_counted(new_talk):
    talk = new_talk({}).run(0.2)
    talk.samples += 320 * 20
    talk.now_ns += 400_000_000
    talk.run(0.4)
    assert [e.reason for e in talk.events(Kind.GAP)] == [
        '1600 samples are missing',
        'over: 6400 samples in all',
    ]
    assert sum(r.gap_samples for r in talk.of(UnitReport)) == 6400


def test_a_say_that_nobody_speaks_ends_with_the_reason(new_talk):
    talk = new_talk({}).run(0.2)
    talk.give(Say('q1', 'hello'))
    talk.give(Say('q1', 'hello'))
    talk.give(Say('q2', ' ... '))
    talk.run(31.0)
    said = {s.request_id: s for s in talk.of(Said)}
    assert len(talk.of(Said)) == 2 and talk.frontend.said == ['hello']
    assert 'in time' in said['q1'].error and 'nothing to say' in said['q2'].error
    assert all(s.done and not s.completed for s in said.values())


def test_talk_leaves_nothing_behind(new_talk, speech, monkeypatch):
    """Memory is the same after each 40 s: nothing grows with time once its tables are full."""
    monkeypatch.setattr('venus_ros.core.spans.MOST_KEPT', 4)

    def script(unit, *_):
        if unit.k % 100 == 50:
            task = '<delegate>go to the hall</delegate>'
            return StepOutput(END, task, [speech('on my way to the hall', 2.0)])
        return StepOutput(flush=unit.k % 300 == 60)

    talk = new_talk(script)
    talk.log = talk.frontend.steps = Forgetful()
    sizes = []
    tracemalloc.start()
    try:
        for _ in range(6):
            for _ in range(4):
                talk.run(10.0)
                talk.blocks.clear()
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    # A leak grows in every round; a cache that fills, or a table that doubles, does not.
    assert min(after - before for before, after in pairwise(sizes)) < 2_500, sizes


class Forgetful(list):
    """Takes everything and keeps nothing."""

    def append(self, item):
        pass
