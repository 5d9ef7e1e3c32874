# SPDX-License-Identifier: Apache-2.0
"""Conversations with the embedded frontend, by the users' voices, in counted time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from venus_ros.core.messages import Kind, State, Work
from venus_ros.frontends.protocol import Context, Note
from venus_ros.harness.skills import load
from venus_ros.scenes.voices import user_audio

CONTEXT = Context(capabilities=load().offer())
DRIVING = Work(
    'work-1',
    'navigation',
    State.RUNNING,
    skill='go_to',
    arguments_json='{"place": "kitchen"}',
    text='I am on the way, 2 metres to go.',
)
LONG = Note(
    'attempt-1',
    ('work-1',),
    'I am in the kitchen now. On the table there are a red cup, a blue cup and a banana. '
    'On the counter there is a green bottle, and beside it there is a plate.',
)


@pytest.fixture
def kitchen(room):
    """A room whose robot knows the shipped skills."""
    room.context = CONTEXT
    return room


def ask(room, text, voice='alice', after_s=4.0):
    """Say `text` aloud; returns what the robot said from there on."""
    before = len(room.spoken)
    room.hear(user_audio(text, voice))
    room.wait(after_s)
    return ' '.join(s.text for s in room.spoken[before:])


def tell_long(room):
    """Let the robot begin a long result and talk for a second and a half."""
    room.step(notes=[LONG])
    room.wait(1.5)
    assert room.speaking


def flushed(room):
    return [k for k, out in room.log if out.flush]


def test_a_request_is_acknowledged_and_delegated(kitchen):
    answer = ask(kitchen, 'go to the kitchen')
    assert 'go to the kitchen' in answer
    assert kitchen.tasks == ['go to the kitchen']
    assert kitchen.heard_words == ['Go to the kitchen.']


def test_two_steps_are_one_request(kitchen):
    ask(kitchen, 'go to the kitchen and tell me what is on the table')
    (task,) = kitchen.tasks
    assert 'kitchen' in task and 'on the table' in task


def test_a_request_with_a_pause_in_it_is_one_request(kitchen):
    pause = np.zeros(int(0.9 * 16000), np.int16)
    kitchen.hear(np.concatenate([user_audio('go to the'), pause, user_audio('kitchen')]))
    kitchen.wait(4.0)
    assert kitchen.tasks == ['go to the kitchen'], (kitchen.tasks, kitchen.heard_words)
    assert Kind.PAUSE in kitchen.kinds


@pytest.mark.parametrize('voice', ['alice', 'bob'])
@pytest.mark.parametrize('text', ['uh huh', 'okay', 'mm-hmm', 'right', 'yeah', 'I see'])
def test_signs_of_listening_change_nothing(kitchen, text, voice):
    tell_long(kitchen)
    kitchen.hear(user_audio(text, voice))
    kitchen.wait(12.0)
    assert not flushed(kitchen), f'{text!r} stopped the robot'
    assert kitchen.said.count('banana') == 1
    assert {s.attempt_id for s in kitchen.spoken} == {'attempt-1'}, kitchen.said
    assert Kind.BACKCHANNEL in kitchen.kinds or Kind.BACKGROUND in kitchen.kinds
    assert not kitchen.tasks


@pytest.mark.parametrize('voice', ['alice', 'bob'])
def test_an_interruption_stops_the_speech_soon(kitchen, voice):
    tell_long(kitchen)
    start = kitchen.k
    kitchen.hear(user_audio('what is on the table in the kitchen', voice))
    kitchen.wait(2.0)
    assert flushed(kitchen), 'the robot talked on'
    assert (flushed(kitchen)[0] - start) * 0.1 <= 1.2
    assert Kind.INTERRUPTION in kitchen.kinds


def test_a_correction_replaces_the_request(kitchen):
    ask(kitchen, 'bring me the red cup')
    answer = ask(kitchen, 'no, wait, the blue one')
    assert kitchen.tasks == ['bring me the red cup', 'bring me the blue cup']
    assert [out.corrects for _, out in kitchen.log if out.corrects] == [1]
    assert 'blue cup' in answer
    assert Kind.CORRECTION in kitchen.kinds


def test_a_correction_over_the_acknowledgement_stops_it(kitchen):
    kitchen.hear(user_audio('bring me the red cup'))
    kitchen.wait(0.8)
    assert kitchen.speaking
    ask(kitchen, 'no, wait, the blue one')
    assert kitchen.tasks[-1] == 'bring me the blue cup'
    assert flushed(kitchen)


def test_cancelling_withdraws_everything(kitchen):
    ask(kitchen, 'go to the kitchen')
    kitchen.context = replace(CONTEXT, works=(DRIVING,))
    kitchen.step(typed=['cancel that'])
    kitchen.wait(2.0)
    assert [out.cancel for _, out in kitchen.log if out.cancel] == [(0,)]


def test_silence_is_not_cancelling(kitchen):
    kitchen.context = replace(CONTEXT, works=(DRIVING,))
    tell_long(kitchen)
    kitchen.step(typed=['be quiet'])
    kitchen.wait(2.0)
    assert flushed(kitchen)
    assert not [out.cancel for _, out in kitchen.log if out.cancel]
    assert not kitchen.speaking


def test_questions_about_works_are_answered_from_their_records(kitchen):
    kitchen.context = replace(CONTEXT, works=(DRIVING,))
    answer = ask(kitchen, 'are you there yet')
    assert 'kitchen' in answer and '2 metres' in answer, answer
    kitchen.context = CONTEXT
    assert '2 metres' not in ask(kitchen, 'are you there yet')


def test_what_was_said_is_repeated(kitchen):
    ask(kitchen, 'go to the kitchen')
    first = kitchen.said
    assert first in ask(kitchen, 'what did you say')


@pytest.mark.parametrize('kind', ['white', 'steps'])
def test_noise_starts_nothing(kitchen, kind):
    rng = np.random.default_rng(3)
    sound = rng.normal(0, 1500, 10 * 16000)
    if kind == 'steps':
        sound *= (np.arange(len(sound)) % 8000) < 900
    kitchen.hear(sound.astype(np.int16))
    kitchen.wait(2.0)
    assert not kitchen.said and not kitchen.tasks


def test_talk_between_people_starts_nothing(kitchen):
    assert ask(kitchen, 'I think dinner is nearly ready', 'bob') == ''
    assert not kitchen.tasks
    assert Kind.OTHER_DIRECTED in kitchen.kinds


def test_what_it_cannot_do_is_said(kitchen):
    answer = ask(kitchen, 'open the window')
    assert "can't" in answer, answer
    assert not kitchen.tasks


def test_more_words_before_the_answer_belong_to_the_request(kitchen):
    kitchen.step(typed=['go to the kitchen', 'and then to the bedroom'])
    kitchen.wait(3.0)
    assert len(kitchen.tasks) == 1, kitchen.tasks
    assert 'kitchen' in kitchen.tasks[0] and 'bedroom' in kitchen.tasks[0]


def test_own_voice_is_no_user(kitchen):
    tell_long(kitchen)
    own = np.concatenate([s.pcm for s in kitchen.spoken])[:: 22050 // 16000]
    import soxr

    own = soxr.resample(np.concatenate([s.pcm for s in kitchen.spoken]), 22050, 16000)
    kitchen.hear(own[: 4 * 16000])
    kitchen.wait(6.0)
    assert not kitchen.tasks
    assert kitchen.heard_words == [], 'the robot answered itself'


def test_steps_are_timed(kitchen):
    assert {'asr', 'step'} <= kitchen.step().timings_ms.keys()


def test_a_hasty_answer_gives_way_and_the_rest_is_heard(kitchen):
    pause = np.zeros(int(0.75 * 16000), np.int16)
    kitchen.hear(user_audio('go to the kitchen'))
    kitchen.hear(pause)
    assert kitchen.speaking, 'this trial needs a robot that has begun to answer'
    start = kitchen.k
    kitchen.hear(user_audio('and tell me what is on the table'))
    kitchen.wait(4.0)
    assert flushed(kitchen) and (flushed(kitchen)[0] - start) * 0.1 <= 0.7
    asked = ' '.join(kitchen.tasks)
    assert 'kitchen' in asked and 'on the table' in asked, kitchen.tasks


def test_talk_among_people_does_not_cost_the_rest_of_an_answer(kitchen):
    kitchen.hear(user_audio('what can you do'))
    kitchen.wait(2.5)
    assert kitchen.speaking
    kitchen.hear(user_audio('I think dinner is nearly ready', 'bob'))
    kitchen.wait(8.0)
    assert Kind.OTHER_DIRECTED in kitchen.kinds
    ending = kitchen.spoken[-1].text
    assert 'kitchen' in ending and not kitchen.tasks, kitchen.said


def test_speech_ordered_from_outside_waits_for_the_user(kitchen):
    clip = user_audio('what is your name')
    kitchen.hear(clip[: len(clip) // 2])
    kitchen.frontend.say('Please stand back.')
    kitchen.hear(clip[len(clip) // 2 :])
    kitchen.wait(6.0)
    said = kitchen.said
    assert said.index('My name is Venus') < said.index('Please stand back'), said
