# SPDX-License-Identifier: Apache-2.0
"""First floor decisions: from words and durations alone, and from the users' short words."""

from __future__ import annotations

import numpy as np
import pytest

from venus_ros.core.messages import Kind
from venus_ros.frontends.embedded.asr import Recogniser, Words
from venus_ros.frontends.embedded.floor import (
    Overlap,
    is_backchannel,
    is_echo,
    nothing_said,
    while_speaking,
)
from venus_ros.frontends.embedded.vocabulary import expected_words
from venus_ros.harness.skills import load
from venus_ros.scenes.voices import user_audio

ROBOT = 'I am in the kitchen now. I see a red cup on the table.'


@pytest.mark.parametrize(
    'text',
    [
        'Uh-huh.',
        'Mm-hmm',
        'Okay.',
        'yeah, okay',
        'I see.',
        'Right, right.',
        'M-H-M-M',
        'Oh, nice.',
        '嗯',
        '好的，好的。',
        '对对对',
    ],
)
def test_listening_is_known(text):
    assert is_backchannel(text)


@pytest.mark.parametrize(
    'text',
    [
        '',
        '...',
        'no',
        'stop',
        'okay, stop',
        'wait',
        'yeah but go to the hall',
        'the blue one',
        'him',
        '停下！',
        '等一下',
        '好的，去厨房',
    ],
)
def test_what_takes_the_floor_is_no_listening(text):
    assert not is_backchannel(text)


def test_own_words_are_an_echo_and_questions_about_them_are_not():
    assert is_echo('I see a red cup on the', ROBOT)
    assert is_echo('in the kitchen now', ROBOT)
    assert not is_echo('what is on the table in the kitchen', ROBOT)
    assert not is_echo('a red cup', 'hello')
    assert not is_echo('', ROBOT)


def decide(*readings, spoken_s=1.0, robot_s=5.0, answering=False, odds=2.0):
    partials = [Words(text, confidence) for text, confidence in readings]
    return while_speaking(Overlap(robot_s, ROBOT, partials, odds, spoken_s), answering)


@pytest.mark.parametrize(
    'readings',
    [
        [('', 0.2)],
        [('Okay.', 0.9)],
        [('and then', 0.33)],
        [('and then', 0.40), ('M-H-M-M', 0.5)],
        [('I see a red cup', 0.9)],
    ],
)
def test_the_robot_goes_on(readings):
    assert decide(*readings) is None


@pytest.mark.parametrize(
    'readings', [[('No, wait.', 0.5)], [('what is', 0.35), ('What is on the', 0.38)]]
)
def test_the_robot_falls_silent(readings):
    decision = decide(*readings)
    assert decision is not None and decision.kind is Kind.INTERRUPTION
    assert 0 < decision.confidence <= 1 and decision.reason


def test_words_for_somebody_else_do_not_silence_the_robot():
    assert decide(('What is on the', 0.8), odds=-0.5) is None


def test_words_for_anybody_need_longer_and_a_call_hardly_any_time():
    assert decide(('What is on the', 0.8), odds=1.0, spoken_s=0.7) is None
    assert decide(('What is on the', 0.8), odds=1.0, spoken_s=1.1) is not None
    assert decide(('Wait.', 0.8), odds=1.5, spoken_s=0.3) is not None
    assert decide(('No', 0.8), odds=1.5, spoken_s=0.5) is None, 'more may follow'


def test_a_slow_recogniser_does_not_keep_the_floor_from_the_user():
    assert decide(spoken_s=1.0) is None
    assert decide(spoken_s=2.0) is not None


def test_words_that_are_still_being_read_are_waited_for():
    over = Overlap(5.0, ROBOT, spoken_s=2.0, awaited=True)
    assert while_speaking(over, answering=False) is None
    over.spoken_s = 3.5
    assert while_speaking(over, answering=False) is not None


def test_a_hasty_answer_gives_way_at_once():
    assert decide(spoken_s=0.3, robot_s=0.2, answering=True) is not None
    assert decide(spoken_s=0.3, robot_s=5.0, answering=True) is None
    assert decide(spoken_s=0.3, robot_s=0.2, answering=False) is None


@pytest.mark.parametrize(
    ('words', 'robot_text', 'kind'),
    [
        (Words('', 0.1, 'no words'), None, Kind.BACKGROUND),
        (Words('', 0.4, 'unsure'), ROBOT, Kind.BACKCHANNEL),
        (Words('Okay.', 0.9), ROBOT, Kind.BACKCHANNEL),
        (Words('I see a red cup', 0.9), ROBOT, Kind.BACKGROUND),
        (Words('Mm-hmm.', 0.8), None, Kind.BACKCHANNEL),
        (Words('Okay.', 0.9), None, None),
        (Words('Stop.', 0.9), ROBOT, None),
        (Words('Go to the kitchen.', 0.6), ROBOT, None),
    ],
)
def test_what_a_complete_utterance_was(words, robot_text, kind):
    decision = nothing_said(words, 0.5, robot_text)
    assert (decision.kind if decision else None) == kind


@pytest.fixture(scope='module')
def recogniser():
    made = Recogniser()
    made.expect(expected_words('Venus', load().offer()))
    return made


def heard(recogniser, text: str, voice: str, rng) -> list[Words]:
    """`text` as it comes from the microphone: at any moment of a frame, louder or softer."""
    found = []
    for level, noise in ((0.5, 3e-5), (1.0, 5e-4), (1.5, 2e-3)):
        sound = user_audio(text, voice) / 32768 * level
        lead = np.zeros(4000 + int(rng.integers(0, 1600)))
        sound = np.concatenate([lead, sound, np.zeros(2600)])
        sound += rng.normal(0, noise, len(sound))
        found.append(recogniser.recognise((np.clip(sound, -1, 1) * 32767).astype(np.int16)))
    return found


def over_the_robot(recogniser, text: str) -> list[str]:
    """What becomes of `text` from three voices at three levels of sound and noise."""
    rng = np.random.default_rng(1)
    made = []
    for voice in ('alice', 'bob', 'dan'):
        for words in heard(recogniser, text, voice, rng):
            decision = nothing_said(words, 0.5, ROBOT)
            made.append(decision.kind.name if decision else f'answered: {words.text}')
    return made


@pytest.mark.parametrize('text', ['uh huh', 'mm-hmm', 'okay', 'right'])
def test_a_murmur_does_not_take_the_floor(recogniser, text):
    made = over_the_robot(recogniser, text)
    assert sum(m.startswith('answered') for m in made) <= 1, f'{text}: {made}'


@pytest.mark.parametrize('text', ['stop', 'no', 'wait', 'be quiet', 'cancel that', 'goodbye'])
def test_short_words_take_the_floor(recogniser, text):
    made = over_the_robot(recogniser, text)
    assert sum(m.startswith('answered') for m in made) >= 7, f'{text}: {made}'
