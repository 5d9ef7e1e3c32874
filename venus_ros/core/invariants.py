# SPDX-License-Identifier: Apache-2.0
"""What must hold in every run, whatever was said: eight invariants over a log of messages.

I1  turn ids of speech never go back
I2  after a flush no sample of an earlier turn is played
I3  each turn has one start and one end, with a reason
I4  no more is played of a turn than was made
I5  a span asks once, a goal is sent once and ends once, a result is told once
I6  nothing private is spoken or shown
I7  the robot never overlaps itself
I8  event stamps are monotonic, sequence numbers have no gap

Messages of one sender stand in the order in which they were sent; those of different senders may
be interleaved in any way, as a recorder on a network sees them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from venus_ros.core.messages import (
    DelegateGoal,
    DelegateResult,
    DelegateSpan,
    Event,
    GoalStatus,
    Kind,
    Playout,
    RobotGoal,
    RobotResult,
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
from venus_ros.core.split import has_token
from venus_ros.core.work import legal

FLUSH_S = 0.3
"""So long after the decision a flush may take to reach the last sample played."""

_JSON = re.compile(r'[{\[]\s*["\']\w+["\']\s*[:,]')
_UUID = re.compile(r'\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-', re.IGNORECASE)
_OWN_WORDS = 4
"""A task of fewer words may well be what anybody would say."""

_CUT = (SpanPhase.OPENED, SpanPhase.VOID)
_SPANS = (
    (SpanPhase.OPENED,),
    (SpanPhase.OPENED, SpanPhase.CLOSED),
    (SpanPhase.OPENED, SpanPhase.CLOSED, SpanPhase.VOID),
    _CUT,
    (SpanPhase.VOID,),
)
"""What a span may go through; VOID alone withdraws what an earlier session asked for."""

T = TypeVar('T')
Key = tuple[str, int]
"""Session and turn."""


def check(log: Sequence[Any]) -> dict[str, list[str]]:
    """Return what violates each invariant: a sentence for each violation, none if it holds."""
    checks = {
        'I1': _turns_go_on(log),
        'I2': _flushed_is_silent(log),
        'I3': _turns_start_and_end(log),
        'I4': _played_was_made(log),
        'I5': _asked_and_told_once(log),
        'I6': _private_stays_private(log),
        'I7': _one_voice(log),
        'I8': _events_are_in_order(log),
    }
    return {name: list(dict.fromkeys(violations)) for name, violations in checks.items()}


def _of(log: Sequence[Any], kind: type[T]) -> Iterator[T]:
    return (message for message in log if isinstance(message, kind))


def _audio(log: Sequence[Any]) -> Iterator[SpeechChunk]:
    return (chunk for chunk in _of(log, SpeechChunk) if chunk.kind is SpeechKind.AUDIO)


def _reports(log: Sequence[Any]) -> Iterator[tuple[int, TurnPlayed]]:
    """Yield (stamp, turn) of everything that speakers reported."""
    for playout in _of(log, Playout):
        for turn in playout.recent:
            yield playout.stamp_ns, turn


def _turns_go_on(log: Sequence[Any]) -> Iterator[str]:
    newest: dict[str, int] = {}
    for chunk in _audio(log):
        before = newest.get(chunk.session_id, 0)
        if chunk.turn_id < before:
            yield f'{chunk.session_id}: sound of turn {chunk.turn_id} after that of turn {before}'
        newest[chunk.session_id] = max(before, chunk.turn_id)


def _flushed_is_silent(log: Sequence[Any]) -> Iterator[str]:
    for flush in _of(log, Event):
        if flush.kind is not Kind.FLUSHED:
            continue
        deadline_ns = flush.stamp_ns + int(FLUSH_S * 1e9)
        known: dict[int, int] = {}
        for stamp_ns, turn in _reports(log):
            if turn.session_id != flush.session_id or turn.turn_id >= flush.turn_id:
                continue
            before = known.get(turn.turn_id, turn.played)
            known[turn.turn_id] = max(before, turn.played)
            if stamp_ns > deadline_ns and turn.played > before:
                yield (
                    f'{flush.session_id}: {turn.played - before} samples of turn {turn.turn_id} '
                    f'were played more than {FLUSH_S} s after its flush'
                )


def _turns_start_and_end(log: Sequence[Any]) -> Iterator[str]:
    starts: Counter[Key] = Counter()
    ends: Counter[Key] = Counter()
    for event in _of(log, Event):
        key = (event.session_id, event.turn_id)
        if event.kind is Kind.TURN_STARTED:
            starts[key] += 1
        elif event.kind is Kind.TURN_ENDED:
            ends[key] += 1
            if not event.reason:
                yield f'{_name(key)} ended without a reason'
    for key in sorted(starts | ends):
        if starts[key] != 1:
            yield f'{_name(key)} started {starts[key]} times'
        if ends[key] > 1 or (not ends[key] and _should_have_ended(log, key)):
            yield f'{_name(key)} ended {ends[key]} times'


def _should_have_ended(log: Sequence[Any], key: Key) -> bool:
    """Whether an open turn is wrong: its session is over, or a later turn of it has ended.

    A session that died can have left no more behind than what the speaker still held.
    """
    session_id, turn_id = key
    opened, over, left = False, False, False
    for message in log:
        if isinstance(message, Event):
            ours = message.session_id == session_id
            opened = opened or (ours and message.kind is Kind.TURN_STARTED)
            if ours and message.kind is Kind.SESSION_CLOSED:
                return True
            if ours and message.kind is Kind.TURN_ENDED and message.turn_id > turn_id:
                return True
            over = over or (opened and not ours and message.kind is Kind.SESSION_OPENED)
        elif isinstance(message, SpeechChunk) and (message.session_id, message.turn_id) == key:
            left = message.kind is SpeechKind.AUDIO
    return over and left


def _played_was_made(log: Sequence[Any]) -> Iterator[str]:
    made: Counter[Key] = Counter()
    for chunk in _audio(log):
        made[chunk.session_id, chunk.turn_id] += len(chunk.pcm)
    recorded = {session_id for session_id, _ in made}
    for _, turn in _reports(log):
        key = (turn.session_id, turn.turn_id)
        if turn.session_id in recorded and turn.played > made[key]:
            yield f'{_name(key)}: {turn.played} samples played, {made[key]} made'


def _asked_and_told_once(log: Sequence[Any]) -> Iterator[str]:
    yield from _spans_ask_once(log)
    yield from _twice(DelegateGoal, 'sent', (m.goal_id for m in _of(log, DelegateGoal)))
    yield from _twice(RobotGoal, 'sent', (m.goal_id for m in _of(log, RobotGoal)))
    yield from _twice(DelegateResult, 'ended', (m.goal_id for m in _of(log, DelegateResult)))
    known = (m for m in _of(log, RobotResult) if m.status is not GoalStatus.UNKNOWN)
    yield from _twice(RobotResult, 'ended', (m.goal_id for m in known))
    heard = [e for e in _of(log, Event) if e.kind is Kind.NOTE_HEARD]
    told = Counter(work_id for event in heard for work_id in event.work_ids)
    yield from (f'work {work_id} was told {n} times' for work_id, n in told.items() if n > 1)
    yield from _works_walk(log, told)


def _twice(kind: type, verb: str, goal_ids: Iterable[str]) -> Iterator[str]:
    for goal_id, n in Counter(goal_ids).items():
        if n > 1:
            yield f'{kind.__name__} {goal_id} was {verb} {n} times'


def _spans_ask_once(log: Sequence[Any]) -> Iterator[str]:
    phases: dict[str, list[SpanPhase]] = defaultdict(list)
    for span in _of(log, DelegateSpan):
        phases[span.span_id].append(span.phase)
    for span_id, seen in phases.items():
        if tuple(seen) not in _SPANS:
            yield f'span {span_id} went {" ".join(phase.name for phase in seen)}'
    void = {span_id for span_id, seen in phases.items() if tuple(seen) == _CUT}
    for work in _last_works(log).values():
        if work.request_id in void:
            yield f'work {work.work_id} came from the void span {work.request_id}'


def _last_works(log: Sequence[Any]) -> dict[str, Work]:
    """Return the newest record of each work in the harness' table."""
    tables = (works for works in _of(log, Works) if works.source == 'harness')
    return {work.work_id: work for works in tables for work in works.works}


def _works_walk(log: Sequence[Any], told: Counter[str]) -> Iterator[str]:
    walks: dict[str, tuple[State, ...]] = {}
    for works in _of(log, Works):
        if works.source != 'harness':
            continue
        for work in works.works:
            walk, before = tuple(state for state, _ in work.states), walks.get(work.work_id, ())
            walks[work.work_id] = walk
            if walk[: len(before)] != before:
                yield f'work {work.work_id} went {_steps(before)}, then had gone {_steps(walk)}'
    for work_id, walk in walks.items():
        if not legal(walk):
            yield f'work {work_id} went {_steps(walk)}'
        if walk[-1:] == (State.DELIVERED,) and not told[work_id]:
            yield f'work {work_id} is DELIVERED, but nobody heard it'


def _private_stays_private(log: Sequence[Any]) -> Iterator[str]:
    tasks = {
        words
        for span in _of(log, DelegateSpan)
        if span.phase is SpanPhase.CLOSED and len(words := _words(span.task)) >= _OWN_WORDS
    }
    spoken: dict[Key, list[str]] = defaultdict(list)
    for chunk in _of(log, SpeechChunk):
        if chunk.text:
            spoken[chunk.session_id, chunk.turn_id].append(chunk.text)
    shown = [(_name(key), ' '.join(texts)) for key, texts in spoken.items()]
    for heard in _of(log, Transcript):
        if heard.role is Role.ROBOT:
            shown.append((_name((heard.session_id, heard.turn_id)), heard.text))
    for name, text in shown:
        if has_token(text):
            yield f'{name} speaks a protocol token'
        if _JSON.search(text) or _UUID.search(text):
            yield f'{name} speaks data'
        if any(_words(sentence) in tasks for sentence in re.split(r'[.!?]+', text)):
            yield f'{name} speaks the text of a request'


def _one_voice(log: Sequence[Any]) -> Iterator[str]:
    ends: dict[Key, int] = {}
    for chunk in _audio(log):
        key = (chunk.session_id, chunk.turn_id)
        if chunk.first_sample < ends.get(key, 0):
            yield f'{_name(key)}: sound from sample {chunk.first_sample} was sent twice'
        ends[key] = chunk.first_sample + len(chunk.pcm)
    for playout in _of(log, Playout):
        sounding = [turn for turn in playout.recent if turn.played and not turn.finished]
        for turn in sounding[:-1]:
            key = (turn.session_id, turn.turn_id)
            yield f'{_name(key)} sounds together with turn {sounding[-1].turn_id}'


def _events_are_in_order(log: Sequence[Any]) -> Iterator[str]:
    last: dict[tuple[str, str], Event] = {}
    for event in _of(log, Event):
        key = (event.session_id, event.source)
        before = last.get(key)
        last[key] = event
        if before is None:
            continue
        name = f'{event.source or "nobody"} in session {event.session_id or "none"}'
        if event.seq != before.seq + 1:
            yield f'{name}: event {before.seq} is followed by {event.seq}'
        if event.stamp_ns < before.stamp_ns:
            yield f'{name}: event {event.seq} is stamped before event {before.seq}'


def _name(key: Key) -> str:
    return f'{key[0]}: turn {key[1]}'


def _steps(walk: tuple[State, ...]) -> str:
    return ' → '.join(state.name for state in walk) or 'nothing'


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r'\w+', text.lower()))
