# SPDX-License-Identifier: Apache-2.0
"""Every state against every event."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from venus_ros.core.messages import State, Work
from venus_ros.core.work import (
    ENDED,
    OWNER,
    RELEASED,
    TABLE,
    TransitionError,
    WorkEvent,
    advance,
    as_markdown,
    ended,
    legal,
    revise,
)

S, E = State, WorkEvent
BEFORE_THE_END = (S.QUEUED, S.WAITING, S.RUNNING, S.CANCELLING)
ALLOWED = {
    (S.UNKNOWN, E.ACCEPT): S.QUEUED,
    (S.QUEUED, E.WAIT): S.WAITING,
    (S.QUEUED, E.START): S.RUNNING,
    (S.QUEUED, E.OUTDATE): S.STALE,
    (S.WAITING, E.RESUME): S.QUEUED,
    (S.WAITING, E.START): S.RUNNING,
    (S.WAITING, E.OUTDATE): S.STALE,
    (S.RUNNING, E.COMPLETE): S.COMPLETED,
    (S.CANCELLING, E.COMPLETE): S.COMPLETED,
    **{(state, E.FAIL): S.FAILED for state in BEFORE_THE_END},
    **{(state, E.ASK_CANCEL): S.CANCELLING for state in BEFORE_THE_END},
    **{(state, E.CONFIRM_CANCEL): S.CANCELLED for state in BEFORE_THE_END},
    (S.COMPLETED, E.ADMIT): S.DELIVERING,
    (S.COMPLETED, E.GIVE_UP): S.UNSPOKEN,
    (S.COMPLETED, E.OUTDATE): S.STALE,
    (S.DELIVERING, E.ADMIT): S.DELIVERING,
    (S.DELIVERING, E.HEAR): S.DELIVERED,
    (S.DELIVERING, E.GIVE_UP): S.UNSPOKEN,
    (S.DELIVERING, E.OUTDATE): S.STALE,
}


@pytest.mark.parametrize(('state', 'event'), list(itertools.product(State, WorkEvent)))
def test_every_state_against_every_event(state, event):
    work = Work('w', 'navigation', state, ((state, 5),), revision=3)
    expected = ALLOWED.get((state, event))
    if expected is None:
        with pytest.raises(TransitionError, match=f'{event.name} cannot happen in {state.name}'):
            advance(work, event, 7)
        return
    after = advance(work, event, 7, text='x')
    assert (after.state, after.text, after.revision) == (expected, 'x', 4)
    grown = () if expected is state else ((expected, 7),)
    assert after.states == ((state, 5), *grown)


def test_only_what_was_heard_is_delivered():
    assert advance(Work('w', 'search', S.DELIVERING), E.HEAR, 0).delivered
    for event in (E.GIVE_UP, E.OUTDATE, E.ADMIT):
        assert not advance(Work('w', 'search', S.DELIVERING), event, 0).delivered


def test_stamps_never_go_back():
    work = advance(Work('w', 'search', S.QUEUED, ((S.QUEUED, 100),)), E.START, 40)
    assert work.states[-1] == (S.RUNNING, 100)


def test_ends_and_owners():
    assert {S.DELIVERED, S.CANCELLED, S.FAILED, S.STALE, S.UNSPOKEN} == ENDED
    assert ENDED | {S.COMPLETED, S.DELIVERING} == RELEASED
    assert {OWNER[e] for e in (E.ADMIT, E.HEAR, E.GIVE_UP, E.OUTDATE)} == {'harness'}
    assert {OWNER[e] for e in (E.START, E.COMPLETE, E.FAIL, E.CONFIRM_CANCEL)} == {'server'}
    assert ended(Work('w', 'search', S.COMPLETED, deliver=False))
    assert not ended(Work('w', 'search', S.COMPLETED))


def test_every_state_can_be_reached_and_left_for_an_end():
    reached = {S.UNKNOWN} | {after for row in TABLE.values() for after in row.values()}
    assert reached == set(State)
    for state in set(State) - ENDED:
        seen, todo = set(), [state]
        while todo:
            seen.add(now := todo.pop())
            todo += [after for after in TABLE[now].values() if after not in seen]
        assert seen & ENDED, f'{state.name} never ends'


def test_walks():
    assert legal((S.QUEUED, S.RUNNING, S.COMPLETED, S.DELIVERING, S.DELIVERED))
    assert not legal((S.QUEUED, S.COMPLETED))
    assert not legal((S.CANCELLED, S.RUNNING))


def test_a_revision_cannot_smuggle_a_state():
    work = revise(Work('w', 'search', S.RUNNING), progress=0.5)
    assert (work.progress, work.revision, work.state) == (0.5, 1, S.RUNNING)
    with pytest.raises(AssertionError):
        revise(work, state=S.DELIVERED)


def test_the_published_table_has_every_state():
    rows = as_markdown().splitlines()
    assert len(rows) == 2 + len(State) - 1
    page = Path(__file__).parents[2] / 'docs' / 'design.md'
    assert as_markdown() in page.read_text(), 'print it anew: python -m venus_ros.core.work'
