# SPDX-License-Identifier: Apache-2.0
"""Tags, timing and panel of the evaluation, on synthetic logs: each case that a rule names."""

from __future__ import annotations

import pytest

from venus_ros.evaluation.outcome import (
    Overlap,
    Paused,
    RobotTurn,
    Tag,
    Verdict,
    is_rest,
    judge,
    judge_pause,
)
from venus_ros.evaluation.sentences import Sentence
from venus_ros.evaluation.timing import latencies, merged

SCRIPT = 'The crow sat on a branch with a piece of cheese, and the fox was hungry.'
OVER = Overlap(7.0, 8.0, 3)
ASKS = Sentence('go to the kitchen', answer='kitchen')
STOPS = Sentence('stop talking', wants_silence=True)
MURMURS = Sentence('uh huh')
WHOLE = RobotTurn(3, SCRIPT, 4.0, 16.0)
CUT = RobotTurn(3, 'The crow sat on a', 4.0, 7.6, 'interrupted')
ANSWER = RobotTurn(4, "Okay, I'll go to the kitchen.", 9.0, 10.5)
REST = RobotTurn(4, 'with a piece of cheese, and', 9.0, 10.5)


def tag(sentence: Sentence, *turns: RobotTurn) -> Verdict:
    return judge(sentence, OVER, SCRIPT, turns)


@pytest.mark.parametrize(
    ('sentence', 'turns', 'wanted'),
    [
        (ASKS, (CUT, ANSWER), Tag.RESPOND),
        (ASKS, (RobotTurn(3, SCRIPT, 4.0, 8.5), ANSWER), Tag.RESPOND),
        (ASKS, (CUT, RobotTurn(4, ANSWER.text, 11.1, 13.0)), Tag.UNKNOWN),
        (ASKS, (CUT, RobotTurn(4, 'Nice to meet you.', 9.0, 10.0)), Tag.UNKNOWN),
        (ASKS, (CUT, RobotTurn(4, "Sorry, I didn't understand that.", 9.0, 10.0)), Tag.UNCERTAIN),
        (ASKS, (CUT,), Tag.UNKNOWN),
        (ASKS, (CUT, REST), Tag.UNKNOWN),
        (ASKS, (WHOLE,), Tag.RESUME),
        (ASKS, (WHOLE, RobotTurn(4, ANSWER.text, 16.5, 18.0)), Tag.RESUME),
        (MURMURS, (WHOLE,), Tag.RESUME),
        (MURMURS, (RobotTurn(3, SCRIPT, 4.0, 8.9),), Tag.UNKNOWN),
        (MURMURS, (RobotTurn(3, SCRIPT, 4.0, 6.9),), Tag.UNKNOWN),
        (MURMURS, (CUT, RobotTurn(4, 'Yes?', 9.0, 9.5)), Tag.RESPOND),
        (MURMURS, (CUT, REST), Tag.UNKNOWN),
        (MURMURS, (), Tag.UNKNOWN),
        (STOPS, (CUT,), Tag.RESPOND),
        (STOPS, (CUT, RobotTurn(4, 'Okay.', 8.5, 9.0)), Tag.RESPOND),
        (STOPS, (CUT, REST), Tag.UNKNOWN),
        (STOPS, (RobotTurn(3, SCRIPT, 4.0, 11.5, 'interrupted'),), Tag.UNKNOWN),
        (STOPS, (WHOLE,), Tag.RESUME),
    ],
)
def test_tags(sentence: Sentence, turns: tuple[RobotTurn, ...], wanted: Tag) -> None:
    seen = judge(sentence, OVER, SCRIPT, turns)
    assert seen.tag is wanted, seen


def test_true_stop_counts_from_the_voice_and_only_if_cut() -> None:
    assert tag(ASKS, CUT, ANSWER).stop_s == pytest.approx(0.6)
    assert tag(ASKS, CUT, ANSWER).response_s == pytest.approx(1.0)
    assert tag(MURMURS, WHOLE).stop_s is None


def test_a_rest_is_no_answer() -> None:
    seen = tag(MURMURS, CUT, REST)
    assert seen.taken_up and not seen.yielded and seen.response_s is None
    assert is_rest('Piece of cheese, and the fox!', SCRIPT)
    assert not is_rest('the fox was angry', SCRIPT) and not is_rest('', SCRIPT)


KITCHEN = Sentence('go to the | kitchen', answer='kitchen')


@pytest.mark.parametrize(
    ('turns', 'requests', 'note'),
    [
        ((RobotTurn(1, ANSWER.text, 6.0, 7.5),), 1, ''),
        ((RobotTurn(1, 'Where shall I go?', 3.5, 4.2), RobotTurn(2, ANSWER.text, 6, 7)), 1, ''),
        (
            (RobotTurn(1, 'Where shall I go?', 3.5, 4.9), RobotTurn(2, ANSWER.text, 6, 7)),
            1,
            'into',
        ),
        ((RobotTurn(1, 'Where shall I go?', 3.5, 4.0),), 0, 'no answer'),
        ((RobotTurn(1, ANSWER.text, 8.5, 9.5),), 1, 'no answer'),
        ((RobotTurn(1, ANSWER.text, 6.0, 7.5),), 2, '2 requests'),
    ],
)
def test_a_pause_makes_no_two_requests(
    turns: tuple[RobotTurn, ...], requests: int, note: str
) -> None:
    held, notes = judge_pause(KITCHEN, Paused(4.0, 5.0, requests), turns)
    assert held == (not note), notes
    assert note in ' '.join(notes)


@pytest.mark.parametrize(
    ('user', 'model', 'stops', 'responses'),
    [
        ([(7, 10)], [(2, 7.4), (10.6, 12)], [0.4], [0.6]),
        ([(7, 10)], [(2, 15)], [3.0], []),
        ([(7, 7.4)], [(2, 15)], [0.4], []),
        ([(7, 8)], [(2, 9), (9.8, 12)], [1.0], [1.8]),
        ([(7, 10)], [(2, 6), (10.7, 12)], [], [0.7]),
        ([(7, 7.4)], [(2, 9), (9.6, 12)], [0.4], [2.2]),
    ],
    ids=['stops', 'never stops', 'backchannel', 'stops late', 'silent', 'underrun'],
)  # fmt: skip
def test_timing_by_the_rule_of_the_benchmark(
    user: list[tuple[float, float]],
    model: list[tuple[float, float]],
    stops: list[float],
    responses: list[float],
) -> None:
    seen = latencies(user, model)
    assert seen[0] == pytest.approx(stops), seen
    assert seen[1] == pytest.approx(responses), seen


def test_small_gaps_are_bridged() -> None:
    assert merged([(0, 1), (1.5, 2), (2.6, 3)], 0.5) == [(0, 2), (2.6, 3)]
    assert latencies([(0, 1), (1.6, 2)], [(2.5, 3)])[1] == pytest.approx([0.5])
