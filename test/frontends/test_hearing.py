# SPDX-License-Identifier: Apache-2.0
"""Voice detection, recognition, and the end of a turn, on the users' clips."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from venus_ros.frontends.embedded.asr import Recogniser, fold_repeats
from venus_ros.frontends.embedded.ears import Began, Ears, Partial, Utterance
from venus_ros.frontends.embedded.end_of_turn import (
    COMPLETE_S,
    DOUBTFUL_S,
    OPEN_S,
    sounds_open,
    wait_s,
)
from venus_ros.frontends.embedded.vocabulary import expected_words
from venus_ros.harness.skills import load
from venus_ros.language.acts import ActKind
from venus_ros.scenes.voices import user_audio
from venus_ros.silero import RATE_HZ, open_voice

UNIT = RATE_HZ // 10


def quiet(seconds: float) -> np.ndarray:
    return np.zeros(int(seconds * RATE_HZ), np.int16)


def noise(seconds: float, kind: str, level: float = 3000) -> np.ndarray:
    rng = np.random.default_rng(7)
    n = int(seconds * RATE_HZ)
    sound = rng.standard_normal(n)
    if kind == 'fan':
        spectrum = np.fft.rfft(sound) / np.sqrt(np.arange(n // 2 + 1) + 1)
        sound = np.fft.irfft(spectrum, n)
    elif kind == 'keys':
        sound *= (np.arange(n) % 3000) < 150
    elif kind == 'chord':
        t = np.arange(n) / RATE_HZ
        sound = sum(np.sin(2 * np.pi * f * t) for f in (262, 330, 392))
    return (level * sound / np.abs(sound).max()).astype(np.int16)


@pytest.fixture(scope='module')
def recogniser():
    made = Recogniser()
    made.expect(expected_words('Venus', load().offer()))
    return made


@pytest.fixture(scope='module')
def talk():
    return np.concatenate(
        [quiet(1), user_audio('go to the kitchen'), quiet(1), user_audio('stop', 'bob'), quiet(1)]
    )


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 5000), min_size=1, max_size=40))
def test_edges_do_not_depend_on_the_cutting(talk, sizes):
    whole = open_voice().push(talk)
    cut, at, edges = open_voice(), 0, []
    for size in [*sizes, len(talk)]:
        edges += cut.push(talk[at : at + size])
        at += size
    assert edges == whole
    assert [e.speech for e in whole] == [True, False, True, False]


def test_edges_lie_at_the_speech(talk):
    first = open_voice().push(talk)[0]
    assert abs(first.sample - RATE_HZ) < 0.25 * RATE_HZ, first


@pytest.mark.parametrize('kind', ['white', 'fan', 'keys', 'chord'])
def test_noise_has_no_words(recogniser, kind):
    for seconds in (0.7, 2.0, 6.0):
        words = recogniser.recognise(noise(seconds, kind))
        assert words.text == '' and words.reason, f'{kind} {seconds} s: {words}'


@pytest.mark.parametrize('voice', ['alice', 'bob'])
@pytest.mark.parametrize('quick', [False, True])
def test_words_are_read(recogniser, voice, quick):
    words = recogniser.recognise(user_audio('go to the kitchen', voice), quick)
    assert words.text.lower().strip('.') == 'go to the kitchen', words
    assert words.confidence > 0.5


@pytest.mark.parametrize('sound', [quiet(0), quiet(0.05), quiet(2)])
def test_no_sound_no_words(recogniser, sound):
    assert recogniser.recognise(sound).text == ''


def test_a_sentence_said_once_is_told_once():
    assert fold_repeats('Go there. Go there. Go') == 'Go there.'
    assert fold_repeats('No no no') == 'No no no'
    assert fold_repeats('Bring me the cup. Bring me the ball.').count('Bring') == 2
    assert fold_repeats('') == ''


def hear(recogniser, sound, judge=lambda text, hint: 0.45, sense=None, unanswered=False):
    ears = Ears(recogniser, None, counted=True)
    ears.reset(judge, sense)
    signs = []
    for at in range(0, len(sound), UNIT):
        for sign in ears.step(sound[at : at + UNIT], partials=False):
            signs.append((at / RATE_HZ, sign))
            if unanswered and isinstance(sign, Utterance):
                ears.expect_rest(sign)
    ears.close()
    return signs


def utterances(signs):
    return [(t, s) for t, s in signs if isinstance(s, Utterance)]


def test_an_utterance_is_dated_and_told_soon(recogniser):
    clip = user_audio('go to the kitchen')
    signs = hear(recogniser, np.concatenate([quiet(1), clip, quiet(2)]))
    ((at, said),) = utterances(signs)
    end_s = 1 + len(clip) / RATE_HZ
    assert abs(said.end / RATE_HZ - end_s) < 0.2, (said.end / RATE_HZ, end_s)
    assert at - end_s < 0.75, f'told {at - end_s:.2f} s after the end'
    assert [type(s) for _, s in signs] == [Began, Partial, Utterance]


def test_a_pause_within_a_request_does_not_end_it(recogniser):
    first, rest = user_audio('go to the'), user_audio('kitchen')
    sound = np.concatenate([quiet(1), first, quiet(0.9), rest, quiet(3)])

    def judge(text, hint):
        return wait_s(text, ActKind.UNKNOWN, hint)

    said = utterances(hear(recogniser, sound, judge))
    assert len(said) == 1, [s.words.text for _, s in said]
    assert 'kitchen' in said[0][1].words.text.lower()


def test_endless_voice_is_cut(recogniser):
    clip = user_audio('what is on the table in the kitchen')
    sound = np.concatenate([quiet(0.5), *[clip] * 18, quiet(1)])
    assert len(sound) > 26 * RATE_HZ
    assert utterances(hear(recogniser, sound)), 'nothing was told of a voice without a pause'


@pytest.mark.parametrize(
    'text', ['go to the', 'bring me the red cup and', 'well,', 'I want', 'put it…', 'go to...']
)
def test_half_sentences_sound_open(text):
    assert sounds_open(text)
    assert wait_s(text, ActKind.DELEGATE) == OPEN_S


@pytest.mark.parametrize('text', ['Cancel that.', 'Go to the kitchen.', 'What is it?', 'Yes.'])
def test_whole_sentences_do_not(text):
    assert not sounds_open(text)
    assert wait_s(text, ActKind.DELEGATE) == COMPLETE_S


def test_melody_only_shifts_the_wait():
    waits = [wait_s('the cup', ActKind.UNKNOWN, hint) for hint in (0.01, 0.5, None, 0.99)]
    assert waits == [OPEN_S, DOUBTFUL_S, DOUBTFUL_S, COMPLETE_S]


@pytest.mark.parametrize('voice', ['alice', 'bob'])
def test_stop_is_read_in_noise(recogniser, voice):
    clip = user_audio('stop', voice)
    fan = noise(len(clip) / RATE_HZ, 'fan', 1.0 * np.abs(clip).max()).astype(float)
    fan *= np.sqrt(np.mean(clip.astype(float) ** 2) / np.mean(fan**2)) / 10
    words = recogniser.recognise((clip + fan).astype(np.int16))
    assert words.text.lower().strip('.!') == 'stop', words


def hear_rest(recogniser, gap_s, sense):
    """What becomes of a request whose first words got no answer, and of its rest."""
    whole = user_audio('go to the kitchen')
    cut = int(0.45 * len(whole))
    sound = np.concatenate([whole[:cut], quiet(gap_s), whole[cut:], quiet(2)])
    signs = hear(recogniser, sound, sense=sense, unanswered=True)
    (_, first), (_, second) = utterances(signs)
    return first, second


def test_the_rest_is_read_together_with_what_got_no_answer(recogniser):
    first, second = hear_rest(recogniser, 1.0, lambda text: float(text.startswith('Go to')))
    assert second.joined and second.words.text == 'Go to the kitchen.', (first, second)
    assert second.start == first.start


def test_what_makes_more_sense_alone_is_read_alone(recogniser):
    _, second = hear_rest(recogniser, 1.0, lambda text: -float(len(text.split())))
    assert not second.joined and len(second.words.text.split()) < 4, second


def test_late_words_are_no_rest(recogniser):
    _, second = hear_rest(recogniser, 3.0, lambda text: float(text.startswith('Go to')))
    assert not second.joined, second


def test_what_never_gets_an_answer_is_not_kept_for_ever(recogniser):
    ears = Ears(recogniser, None, counted=True)
    ears.reset(lambda text, hint: 0.45, lambda text: float(len(text)))
    clip = np.concatenate([user_audio('go to the kitchen'), quiet(1)])
    longest = 0
    for _ in range(20):
        for at in range(0, len(clip), UNIT):
            for sign in ears.step(clip[at : at + UNIT], partials=False):
                if isinstance(sign, Utterance):
                    longest = max(longest, sign.end - sign.start)
                    ears.expect_rest(sign)
    ears.close()
    assert 20 * RATE_HZ < longest < 30 * RATE_HZ, longest / RATE_HZ
