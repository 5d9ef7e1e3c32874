# SPDX-License-Identifier: Apache-2.0
"""The judge says what was expected and what was seen instead, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from venus_ros.core.messages import Event, Kind, State, Work
from venus_ros.scenes.format import (
    Expectation,
    ExpectEvent,
    ExpectNoWork,
    ExpectSilence,
    ExpectWords,
    ExpectWork,
    Scene,
    Span,
)
from venus_ros.scenes.judge import Failure, judge, judge_invariants
from venus_ros.scenes.story import Piece, Story, Turn, Words, WorkStory

S = State
WALK = (S.QUEUED, S.RUNNING, S.COMPLETED, S.DELIVERING, S.DELIVERED)


def a_work(place: str, *walk: State, begin_s: float = 2.0, **fields: object) -> WorkStory:
    """A work that reaches a state each second."""
    states = tuple((state, begin_s + i) for i, state in enumerate(walk))
    record = Work(place, 'navigation', walk[-1], arguments_json=json.dumps({'place': place}))
    return WorkStory(replace(record, **fields), states, {'place': place})


def a_turn(begin_s: float, *words: str, tells: str = '', long_s: float = 2.0) -> Turn:
    """A turn whose pieces begin a second apart."""
    pieces = tuple(Piece(begin_s + i, text) for i, text in enumerate(words))
    ids = frozenset([tells] if tells else [])
    return Turn('s', 1, begin_s, begin_s + long_s, long_s, long_s, True, pieces, ids)


STORY = Story(
    turns=(
        a_turn(3.0, 'I will go', 'to the kitchen.'),
        a_turn(8.0, 'I am in the kitchen.', tells='kitchen'),
    ),
    heard=(Words(1.0, 'Go to the kitchen.'),),
    works=(
        a_work('kitchen', *WALK),
        a_work('hall', S.QUEUED, S.WAITING, S.QUEUED, S.RUNNING, S.CANCELLING, S.CANCELLED),
    ),
    events=((2.5, Event(Kind.USER_ENDED, source='frontend#1', reason='silence')),),
)


def failures(expectation: Expectation, story: Story = STORY) -> list[Failure]:
    return judge(Scene('test', Path('test.yaml'), expect=(expectation,)), story)


HELD: list[Expectation] = [
    ExpectWork('navigation', {'place': 'kitchen'}, walk=WALK, within_s=4.0, times=1),
    ExpectWork('navigation', {'place': 'Kitchen'}, ends=S.DELIVERED),
    ExpectWork('navigation', times=2),
    ExpectWork(
        'navigation',
        {'place': 'hall'},
        walk=(S.QUEUED, S.RUNNING, S.CANCELLING, S.CANCELLED),
    ),
    ExpectWork(
        'navigation',
        {'place': 'hall'},
        walk=(S.QUEUED, S.WAITING, S.RUNNING, S.CANCELLING, S.CANCELLED),
    ),
    ExpectWork(
        'navigation', {'place': 'kitchen'}, within_s=5.0, span=Span(1.0), anchored=True
    ),
    ExpectNoWork('manipulation'),
    ExpectNoWork('navigation', {'place': 'bedroom'}),
    ExpectNoWork('navigation', span=Span(3.0)),
    ExpectWords('said', 'KITCHEN'),
    ExpectWords('said', 'kitchen', times=2),
    ExpectWords('said', 'kitchen', times=1),  # told once, besides the acknowledgement
    ExpectWords('said', 'go to the', span=Span(2.0, 3.5)),
    ExpectWords('said', 'the kitchen', span=Span(3.5, 5.0)),
    ExpectWords('said', 'bedroom', wanted=False),
    ExpectWords('said', 'kitchen', wanted=False, span=Span(9.0)),
    ExpectWords('heard', 'kitchen', times=1),
    ExpectSilence(4.0, 1200),
    ExpectSilence(6.0, 10),
    ExpectEvent(Kind.USER_ENDED, Span(2.0), within_s=1.0, reason='sil', source='frontend'),
    ExpectEvent(Kind.FLUSHED, times=0),
]  # fmt: skip

BROKEN: list[tuple[Expectation, str, str]] = [
    (ExpectWork('navigation', {'place': 'bedroom'}), 'place: bedroom', 'navigation {place: kitc'),
    (ExpectWork('search'), 'a work search', 'navigation {place: kitchen}: QUEUED@2.0'),
    (ExpectWork('navigation', {'place': 'kitchen'}, walk=WALK[:3]), 'walking', 'DELIVERED@6.0'),
    (ExpectWork('navigation', {'place': 'hall'}, ends=S.DELIVERED), 'ending', 'CANCELLED@7.0'),
    (ExpectWork('navigation', {'place': 'kitchen'}, within_s=3.9), 'within 3.9', 'took 4.0 s'),
    (
        ExpectWork('navigation', {'place': 'kitchen'}, walk=(S.QUEUED, S.WAITING, *WALK[1:])),
        'QUEUED WAITING RUNNING',
        'QUEUED@2.0 RUNNING@3.0',
    ),
    (ExpectWork('navigation', times=1), '1 of a work', 'hall'),
    (ExpectWork('navigation', {'place': 'kitchen'}, summary='done'), 'like "done"', 'summary ""'),
    (ExpectNoWork('navigation', {'place': 'hall'}), 'no work navigation', 'CANCELLED@7.0'),
    (ExpectNoWork(), 'no work at all', 'kitchen'),
    (
        ExpectWords('said', 'bedroom'),
        'the robot says "bedroom"',
        '3.0 "I will go to the kitchen."',
    ),
    (ExpectWords('said', 'kitchen', times=3), '3 times', '2 times in'),
    (ExpectWords('said', 'the kitchen', span=Span(2.0, 3.5)), 'before 3.5', 'kitchen'),
    (ExpectWords('said', 'kitchen', wanted=False), 'not that the robot says', '2 times in'),
    (ExpectWords('heard', 'hall'), 'the user is heard', 'Go to the kitchen.'),
    (ExpectSilence(3.5, 1000), 'silence within 1000 ms', 'spoke from 3.00 to 5.00 s'),
    (ExpectEvent(Kind.FLUSHED), 'an event FLUSHED', 'only USER_ENDED'),
    (ExpectEvent(Kind.USER_ENDED, Span(3.0)), 'after 3 s', 'USER_ENDED at 2.50 s'),
    (ExpectEvent(Kind.USER_ENDED, Span(2.0), within_s=0.4), 'within 0.4 s', '2.50 s'),
    (ExpectEvent(Kind.USER_ENDED, source='reflex'), 'from reflex', 'frontend#1'),
    (ExpectEvent(Kind.USER_ENDED, times=0), '0 events', '2.50 s'),
]


@pytest.mark.parametrize('expectation', HELD, ids=str)
def test_holds(expectation: Expectation) -> None:
    assert [str(f) for f in failures(expectation)] == []


@pytest.mark.parametrize(('expectation', 'expected', 'seen'), BROKEN, ids=str)
def test_says_what_was_seen_instead(expectation: Expectation, expected: str, seen: str) -> None:
    found = failures(expectation)
    assert len(found) == 1, found
    assert expected in found[0].expected and seen in found[0].seen, str(found[0])


def test_a_silent_robot_holds_no_words() -> None:
    assert 'no words at all' in str(failures(ExpectWords('said', '.'), Story())[0])


def test_turns_that_touch_are_one_stretch_of_speech() -> None:
    story = Story(turns=(a_turn(1.0, 'a'), a_turn(3.02, 'b')))
    assert '1.00 to 5.02' in str(failures(ExpectSilence(2.0, 1500), story)[0])


def test_broken_invariants_are_failures() -> None:
    found = judge_invariants({'I1': [], 'I5': ['told twice']})
    assert [str(f) for f in found] == ['expected invariant I5; seen: told twice']
