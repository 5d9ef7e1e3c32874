# SPDX-License-Identifier: Apache-2.0
"""A sound log keeps all eight invariants; a log that violates one is found out, and only there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from venus_ros.core.invariants import check
from venus_ros.core.messages import (
    DelegateGoal,
    DelegateResult,
    DelegateSpan,
    Event,
    GoalStatus,
    Kind,
    Playout,
    PlayoutState,
    RobotGoal,
    Role,
    SpanPhase,
    SpeechChunk,
    SpeechKind,
    State,
    Transcript,
    TurnPlayed,
    Work,
    Works,
)

S = State
DELIVERED = (S.QUEUED, S.RUNNING, S.COMPLETED, S.DELIVERING, S.DELIVERED)


def event(kind, seq, ms, **fields):
    fields = {'session_id': 's', 'source': 'frontend#1', **fields}
    return Event(kind, seq=seq, stamp_ns=ms * 1_000_000, **fields)


def audio(turn_id, seq, first, samples=480, text='', session_id='s'):
    pcm = np.ones(samples, np.int16)
    return SpeechChunk(session_id, turn_id, seq, SpeechKind.AUDIO, first, 24000, pcm, text)


def end(turn_id, seq, first):
    return SpeechChunk('s', turn_id, seq, SpeechKind.END, first, 24000)


def played(ms, *turns):
    """`turns` are (turn_id, played, finished)."""
    recent = tuple(TurnPlayed('s', t, (), n, 0, done, 1) for t, n, done in turns)
    turn_id, samples, _ = turns[-1]
    state = PlayoutState.PLAYING
    return Playout(ms * 1_000_000, 's', turn_id, (), samples, 0, 0, state, recent=recent)


def works(*walk, work_id='w', **fields):
    states = tuple((state, n) for n, state in enumerate(walk))
    return Works('harness', (Work(work_id, 'navigation', walk[-1], states, **fields),))


def span(phase, task='', span_id='s/1'):
    return DelegateSpan('s', span_id, phase, 3, 0, 100, task)


TASK = 'go to the kitchen please'


def sound_log():
    return [
        event(Kind.SESSION_OPENED, 0, 0),
        event(Kind.TURN_STARTED, 1, 100, turn_id=1),
        span(SpanPhase.OPENED),
        span(SpanPhase.CLOSED, TASK),
        audio(1, 0, 0, text='On my'),
        audio(1, 1, 480, text='way.'),
        end(1, 2, 960),
        DelegateGoal('w', 'navigation', TASK),
        RobotGoal('g1', 'navigate_to_pose', 'x', {}),
        works(S.QUEUED, S.RUNNING, request_id='s/1'),
        played(200, (1, 960, True)),
        event(Kind.TURN_ENDED, 2, 210, turn_id=1, reason='done'),
        Transcript('s', Role.ROBOT, 1, 'On my way.'),
        event(Kind.TURN_STARTED, 3, 300, turn_id=2),
        audio(2, 3, 0, text='Nice'),
        played(320, (1, 960, True), (2, 240, False)),
        event(Kind.FLUSHED, 4, 330, turn_id=3, reason='interrupted'),
        event(Kind.TURN_ENDED, 5, 330, turn_id=2, reason='interrupted'),
        SpeechChunk('s', 3, 4, SpeechKind.FLUSH, 0, 24000),
        played(350, (1, 960, True), (2, 300, True)),
        event(Kind.NOTE_HEARD, 6, 400, work_ids=('w',), reason='a1'),
        works(*DELIVERED, request_id='s/1'),
        DelegateResult('w', GoalStatus.SUCCEEDED, Work('w', 'navigation', S.DELIVERED)),
    ]


def index(log, kind, turn_id):
    found = (i for i, m in enumerate(log) if isinstance(m, Event) and m.kind is kind)
    return next(i for i in found if log[i].turn_id == turn_id)


def add(*messages):
    return lambda log: log + list(messages)


def without(kind, turn_id):
    def remove(log):
        gone = log.pop(index(log, kind, turn_id))
        return [
            replace(m, seq=m.seq - 1) if isinstance(m, Event) and m.seq > gone.seq else m
            for m in log
        ]

    return remove


def close(log):
    return log + [event(Kind.SESSION_CLOSED, 8, 500, reason='closed')]


def no_reason(log):
    at = index(log, Kind.TURN_ENDED, 1)
    log[at] = replace(log[at], reason='')
    return log


CASES = [
    ('I1', add(audio(1, 5, 960)), 'turn 1 after that of turn 2'),
    ('I2', add(played(900, (1, 960, True), (2, 400, True))), 'after its flush'),
    ('I3', no_reason, 'without a reason'),
    ('I3', without(Kind.TURN_STARTED, 1), 'started 0 times'),
    ('I3', add(event(Kind.TURN_ENDED, 7, 500, turn_id=1, reason='x')), 'ended 2 times'),
    ('I3', add(event(Kind.TURN_STARTED, 7, 500, turn_id=2)), 'started 2 times'),
    (
        'I3',
        lambda log: close(log + [event(Kind.TURN_STARTED, 7, 450, turn_id=3)]),
        'ended 0 times',
    ),
    ('I3', without(Kind.TURN_ENDED, 1), 'turn 1 ended 0 times'),
    ('I4', add(played(210, (1, 961, True), (2, 300, True))), '961 samples played, 960 made'),
    ('I5', add(span(SpanPhase.CLOSED, 'again')), 'span s/1 went'),
    ('I5', add(span(SpanPhase.CLOSED, 'x', 's/2')), 'span s/2 went CLOSED'),
    (
        'I5',
        add(span(SpanPhase.VOID), span(SpanPhase.VOID)),
        'span s/1 went OPENED CLOSED VOID VOID',
    ),
    ('I5', add(DelegateGoal('w', 'navigation')), 'was sent 2 times'),
    ('I5', add(RobotGoal('g1', 'navigate_to_pose', 'x', {})), 'RobotGoal g1 was sent 2 times'),
    ('I5', lambda log: log + log[-1:], 'ended 2 times'),
    ('I5', add(event(Kind.NOTE_HEARD, 7, 500, work_ids=('w',))), 'told 2 times'),
    ('I5', add(works(S.QUEUED, S.COMPLETED, work_id='v')), 'went QUEUED → COMPLETED'),
    ('I5', add(works(*DELIVERED, work_id='v')), 'nobody heard it'),
    ('I5', add(works(S.QUEUED, S.CANCELLED)), 'then had gone'),
    (
        'I5',
        add(
            span(SpanPhase.OPENED, span_id='s/2'),
            span(SpanPhase.VOID, 'cut', 's/2'),
            works(S.QUEUED, work_id='v', request_id='s/2'),
        ),
        'void span',
    ),
    ('I6', add(audio(2, 5, 480, text='<delegate>go')), 'protocol token'),
    ('I6', add(Transcript('s', Role.ROBOT, 2, '{"place": "kitchen"}')), 'speaks data'),
    ('I6', add(Transcript('s', Role.ROBOT, 2, 'Yes. Go to the kitchen, please!')), 'of a request'),
    ('I7', add(audio(2, 5, 240)), 'was sent twice'),
    ('I7', add(played(340, (1, 960, False), (2, 240, False))), 'sounds together with turn 2'),
    ('I8', add(event(Kind.GAP, 8, 500)), 'event 6 is followed by 8'),
    ('I8', add(event(Kind.GAP, 7, 100)), 'is stamped before'),
]


def test_a_sound_log_keeps_them_all():
    assert check(sound_log()) == {f'I{n}': [] for n in range(1, 9)}
    assert check([]) == {f'I{n}': [] for n in range(1, 9)}


def test_a_request_may_be_withdrawn_after_its_works_were_made():
    assert (
        check(add(span(SpanPhase.VOID), span(SpanPhase.VOID, span_id='old/1'))(sound_log()))['I5']
        == []
    )


@pytest.mark.parametrize(('name', 'spoil', 'said'), CASES)
def test_a_violation_is_found(name, spoil, said):
    broken = {key: found for key, found in check(spoil(sound_log())).items() if found}
    assert list(broken) == [name], broken
    assert said in ' '.join(broken[name]), broken


def test_what_is_not_a_violation():
    user_asks = Transcript('s', Role.USER, 0, TASK)
    acknowledges = Transcript('s', Role.ROBOT, 1, 'I will go to the kitchen please wait.')
    other_source = Event(Kind.STOPPED, source='reflex#1', seq=40, stamp_ns=1)
    still_open = event(Kind.TURN_STARTED, 7, 500, turn_id=3)
    log = [*sound_log(), user_asks, acknowledges, other_source, still_open]
    assert not any(check(log).values()), check(log)


def test_a_dead_session_leaves_nothing_open_that_the_speaker_held():
    dead = [m for m in sound_log() if not (isinstance(m, Event) and m.kind is Kind.NOTE_HEARD)]
    dead = [*dead[: index(dead, Kind.FLUSHED, 3)]]
    successor = Event(Kind.SESSION_OPENED, 't', 'frontend#2', 0, 900_000_000)
    assert check([*dead, successor])['I3'] == ['s: turn 2 ended 0 times']
    lost = Event(Kind.TURN_ENDED, 's', 'frontend#2', 0, 950_000_000, turn_id=2, reason='lost')
    assert check([*dead, successor, lost])['I3'] == []
