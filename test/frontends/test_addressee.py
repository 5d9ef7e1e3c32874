# SPDX-License-Identifier: Apache-2.0
"""Whether words are meant for the robot: by their sense and by how they sound."""

from __future__ import annotations

import math

import pytest

from venus_ros.core.messages import Capability
from venus_ros.frontends.embedded.addressee import by_voice, by_words
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


def test_a_strange_or_distant_voice_counts_against_it() -> None:
    same = by_voice(Unlikeness(0.0, 0.5, 3.0))
    assert same > 0 == by_voice(None)
    assert by_voice(Unlikeness(-15.0, 0.5, 3.0)) < -2.0
    guest, stranger = Unlikeness(0.0, 9.0, 11.0), Unlikeness(-9.0, 9.0, 11.0)
    assert by_voice(stranger) < by_voice(Unlikeness(-9.0, 0.5, 3.0)) < by_voice(guest) < 0
    assert by_voice(Unlikeness(6.0, math.nan, 3.0)) == same
