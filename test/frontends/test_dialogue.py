# SPDX-License-Identifier: Apache-2.0
"""What the embedded frontend answers, from words alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from venus_ros.core.messages import Kind, State, Work
from venus_ros.frontends.embedded.dialogue import Dialogue, Reply
from venus_ros.frontends.embedded.vocabulary import expected_words
from venus_ros.frontends.embedded.works_talk import answer, gerund
from venus_ros.frontends.protocol import Context, Note
from venus_ros.harness.skills import load

SKILLS = load().offer()
CONTEXT = Context(capabilities=SKILLS)
DRIVE = Work(
    'w1', 'navigation', State.RUNNING, skill='go_to', arguments_json='{"place": "kitchen"}'
)
FETCH = Work(
    'w2',
    'manipulation',
    State.WAITING,
    skill='pick_place',
    arguments_json='{"action": "bring", "object": "red_cup"}',
)


class Talking:
    """A dialogue in which every reply is spoken at once; each utterance takes 6 s."""

    def __init__(self) -> None:
        self.dialogue = Dialogue('Venus')
        self.now_s = 0.0

    def __call__(self, text: str, *works: Work, after_s: float = 6.0) -> Reply:
        self.now_s += after_s
        context = replace(CONTEXT, works=works)
        reply = self.dialogue.answer(text, context, self.now_s)
        self.dialogue.commit(reply, text, self.now_s)
        self.dialogue.played(int(self.now_s * 10), reply.text)
        return reply


@pytest.fixture
def say():
    return Talking()


def test_it_says_its_name_and_what_it_can_do(say):
    assert 'Venus' in say('what is your name').text
    text = say('what can you do').text
    assert 'kitchen' in text and 'bring you' in text, text


def test_without_skills_it_promises_nothing():
    dialogue = Dialogue('Venus')
    assert 'only talk' in dialogue.answer('what can you do', Context(), 1.0).text
    assert dialogue.answer('go to the kitchen', Context(), 1.0).task == ''


@pytest.mark.parametrize('text', ['what time is it', 'why is the grass green', 'who is the king'])
def test_it_answers_nothing_that_it_does_not_know(say, text):
    say('hello')
    reply = say(text)
    assert "don't know" in reply.text or "didn't understand" in reply.text, reply
    assert not reply.task


@pytest.mark.parametrize('text', ['make me a coffee', 'go to the garage', 'bring me the sofa'])
def test_what_cannot_be_done_is_said_and_not_tried(say, text):
    reply = say(text)
    assert reply.text and not reply.task, reply


def test_a_correction_names_the_request_that_it_replaces(say):
    say('go to the hall')
    say('bring me the red cup')
    reply = say('no, wait, the blue one')
    assert (reply.task, reply.corrects) == ('bring me the blue cup', 2)
    assert reply.decision and reply.decision.kind is Kind.CORRECTION


def test_without_a_request_a_correction_is_one(say):
    reply = say('no, wait, go to the hall')
    assert reply.corrects == 0
    assert 'hall' in reply.task


def test_nothing_is_cancelled_when_nothing_is_done(say):
    reply = say('cancel that')
    assert reply.cancel == () and 'not doing anything' in reply.text


@pytest.mark.parametrize('text', ['cancel the banana', "don't go to the hall"])
def test_what_nobody_asked_for_is_not_cancelled(say, text):
    say('go to the kitchen and bring me the ball')
    reply = say(text, after_s=2.0)
    assert reply.cancel == ()
    assert reply.text.startswith("That isn't something you have asked for.")
    assert say('no, wait, the blue cup', after_s=2.0).corrects == 1


def test_a_request_just_made_can_be_cancelled_before_it_shows(say):
    say('go to the kitchen')
    assert say('cancel that', after_s=2.0).cancel == (0,)


def test_half_a_sentence_waits_for_its_rest(say):
    assert say('go to the').text == ''
    assert say('kitchen', after_s=2.0).task == 'go to the kitchen'


def test_half_a_sentence_is_forgotten(say):
    say('go to the')
    assert say('what is your name', after_s=60.0).text == 'My name is Venus.'


def test_silence_is_kept_on_request(say):
    reply = say('be quiet', DRIVE)
    assert reply.silent and reply.text == '' and reply.cancel == ()


def test_it_repeats_what_was_heard(say):
    assert "haven't said" in say('what did you say').text
    first = say('what is your name').text
    assert first in say('what did you say').text
    assert say('what did you say').text.count('I said') == 1


def test_talk_among_people_is_left_alone(say):
    reply = say('I think dinner is nearly ready')
    assert reply.text == '' and reply.decision.kind is Kind.OTHER_DIRECTED


def test_unclear_words_from_nowhere_are_left_alone(say):
    assert say('the quarterly figures were mixed').text == ''


@pytest.mark.parametrize(
    ('state', 'words'),
    [
        (State.RUNNING, "I'm going to the kitchen."),
        (State.QUEUED, 'about to start going to the kitchen'),
        (State.CANCELLING, 'giving up going to the kitchen'),
    ],
)
def test_open_works_are_told_as_they_are(state, words):
    assert words in answer('doing', [replace(DRIVE, state=state)], SKILLS)


def test_what_comes_next_is_told():
    assert 'bring you the red cup' in answer('next', [DRIVE, FETCH], SKILLS)
    assert 'nothing else' in answer('next', [DRIVE], SKILLS)
    assert 'After that' in answer('doing', [DRIVE, FETCH], SKILLS)


def test_progress_is_told_in_the_works_own_words():
    assert '2 metres' in answer('progress', [replace(DRIVE, text='2 metres to go.')], SKILLS)
    assert '40 percent' in answer('progress', [replace(DRIVE, progress=0.41)], SKILLS)


def test_a_result_that_waits_to_be_told_is_not_told_twice():
    done = replace(DRIVE, state=State.DELIVERING, summary='I am in the kitchen now.')
    assert 'kitchen now' not in answer('done', [done], SKILLS)
    assert 'kitchen now' in answer('done', [replace(done, state=State.DELIVERED)], SKILLS)


def test_a_failure_is_no_success():
    failed = replace(DRIVE, state=State.FAILED, error_msg='the door is closed', delivered=True)
    text = answer('done', [failed], SKILLS)
    assert text.startswith('No') and 'door' in text
    assert answer('done', [replace(DRIVE, state=State.CANCELLED)], SKILLS).startswith('No')


def test_without_works_there_is_nothing_to_tell():
    for topic in ('doing', 'where', 'progress', 'done', 'result', 'next'):
        assert answer(topic, [], SKILLS)


def test_a_work_of_an_unknown_skill_is_told_plainly():
    assert 'busy with laundry' in answer('doing', [Work('x', 'laundry', State.RUNNING)], SKILLS)


def test_results_are_restated_and_failures_regretted():
    dialogue = Dialogue('Venus')
    assert 'I am in the kitchen' in dialogue.restate(
        Note('a', ('w1',), 'I am in the kitchen.'), CONTEXT, 1.0
    )
    failed = replace(CONTEXT, works=(replace(DRIVE, state=State.FAILED),))
    told = dialogue.restate(Note('b', ('w1',), 'I could not get to the kitchen.'), failed, 9.0)
    assert told == "I'm sorry, I could not get to the kitchen."


def test_a_question_after_a_telling_is_answered_however_long_the_work_took():
    dialogue = Dialogue('Venus')
    question = 'Sorry, what time is it?'
    assert not dialogue.answer(question, CONTEXT, 60.0).text, 'nobody had spoken to the robot'
    dialogue.restate(Note('a', ('w1',), 'I am in the kitchen.'), CONTEXT, 60.0)
    assert dialogue.answer(question, CONTEXT, 64.0).text


@pytest.mark.parametrize(
    ('phrase', 'ing'),
    [
        ('go to the hall', 'going to the hall'),
        ('put the cup down', 'putting the cup down'),
        ('bring you the cup', 'bringing you the cup'),
        ('drive there', 'driving there'),
        ('look around', 'looking around'),
        ('open the door and close it', 'opening the door and closing it'),
    ],
)
def test_gerunds(phrase, ing):
    assert gerund(phrase) == ing


def test_recognition_expects_the_names_of_this_robot():
    words = expected_words('Robbie', SKILLS)
    assert 'Robbie' in words and 'green bottle' in words and 'living room' in words
    assert '_' not in words
