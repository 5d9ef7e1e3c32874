# SPDX-License-Identifier: Apache-2.0
"""Whether words are meant for the robot: by their sense and by how they sound."""

from __future__ import annotations

import math

import pytest

from venus_ros.core.messages import Capability
from venus_ros.frontends.embedded.addressee import FAMILIAR, by_voice, by_words, so_far
from venus_ros.frontends.embedded.floor import MEANT
from venus_ros.frontends.embedded.voiceprint import Unlikeness
from venus_ros.harness.skills import load
from venus_ros.language.understand import understand


@pytest.fixture(scope='module')
def offer() -> tuple[Capability, ...]:
    return load().offer()


def odds(text: str, offer: tuple[Capability, ...]) -> float:
    return by_words(text, understand(text, capabilities=offer), 'Venus')


@pytest.mark.parametrize(
    'text',
    [
        'Stop.',
        'Wait, wait.',
        'No, the blue one.',
        'Go to the bedroom instead.',
        'Venus, what time is it?',
        'Excuse me.',
        'Can you tell me the weather?',
        'What are you doing?',
    ],
)
def test_these_are_for_the_robot(text: str, offer: tuple[Capability, ...]) -> None:
    assert odds(text, offer) >= 1.0


@pytest.mark.parametrize(
    'text',
    [
        'Anna, did you feed the cat?',
        'Hey Tom, could you go to the kitchen?',
        'He said that they would come later.',
        'Mum, she is not at home.',
    ],
)
def test_these_are_for_somebody_else(text: str, offer: tuple[Capability, ...]) -> None:
    assert odds(text, offer) < 0.0


@pytest.mark.parametrize(
    'text',
    [
        'Michael please take the dog out',
        'we should leave in about ten minutes',
        'what did the doctor say about your knee',
        'do you want milk in your coffee',
        'when does your flight land',
        'my train leaves at half past six',
        'I will pick you up at seven',
        'did you remember to call the plumber',
        'what do you want for your birthday',
        'shall I make some tea',
        'the washing machine is making a strange noise',
        'I wonder what happened to the neighbours',
        'would you like another slice of cake, Helen',
        'could you turn the music down a little, Steve',
        'thank you, that is very kind of you',
        'how do you spell your surname',
        'what a beautiful baby',
    ],
)
def test_no_beginning_of_it_takes_the_floor_for(text: str, offer: tuple[Capability, ...]) -> None:
    words = text.split()
    for count in range(1, len(words) + 1):
        begun = ' '.join(words[:count])
        act = understand(begun, capabilities=offer)
        odds = so_far(begun, act, 'Venus') + FAMILIAR
        assert odds < MEANT or count == 1, (begun, act.kind, act.topic, odds)


@pytest.mark.parametrize(
    ('text', 'latest'),
    [
        ('go to the kitchen please', 2),
        ('could you bring me the red cup', 3),
        ('no, the other cup', 2),
        ('stop talking', 1),
        ('take this to the hall', 3),
        ('I need the remote', 3),
        ('who are you', 3),
        ('what can you do', 4),
        ('have you found the keys', 5),
        ('Venus, are you listening', 2),
    ],
)
def test_a_request_takes_the_floor_by_its_first_words(
    text: str, latest: int, offer: tuple[Capability, ...]
) -> None:
    begun = ' '.join(text.split()[:latest])
    act = understand(begun, capabilities=offer)
    odds = so_far(begun, act, 'Venus') + FAMILIAR
    assert odds >= MEANT, (begun, act.kind, act.topic, odds)


def test_a_strange_or_distant_voice_counts_against_it() -> None:
    same = by_voice(Unlikeness(0.0, 0.5, 3.0))
    assert same > 0 == by_voice(None)
    assert by_voice(Unlikeness(-15.0, 0.5, 3.0)) < -2.0
    guest, stranger = Unlikeness(0.0, 9.0, 11.0), Unlikeness(-9.0, 9.0, 11.0)
    assert by_voice(stranger) < by_voice(Unlikeness(-9.0, 0.5, 3.0)) < by_voice(guest) < 0
    assert by_voice(Unlikeness(6.0, math.nan, 3.0)) == same
