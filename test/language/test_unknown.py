# SPDX-License-Identifier: Apache-2.0
"""People and places that nobody told the robot of are not passed over in silence."""

from __future__ import annotations

import pytest

from venus_ros.core.messages import Capability
from venus_ros.harness.skills import load
from venus_ros.language.acts import ActKind
from venus_ros.language.understand import understand


@pytest.fixture(scope='module')
def offer() -> tuple[Capability, ...]:
    return load().offer()


@pytest.mark.parametrize(
    ('text', 'unknown'),
    [
        ('bring Anna the book', 'anna'),
        ('give my mother the keys', 'my mother'),
        ('pass her the book', 'her'),
        ('bring everyone a banana', 'everyone'),
        ('take the book over to my wife', 'wife'),
        ('bring the ball to the bathroom', 'bathroom'),
        ('put the remote in the garage', 'garage'),
        ('put the remote next to the lamp', 'lamp'),
    ],
)
def test_a_destination_that_is_not_known_is_said(
    text: str, unknown: str, offer: tuple[Capability, ...]
) -> None:
    act = understand(text, capabilities=offer)
    assert act.kind is ActKind.CANNOT, act
    assert act.question == f"I don't know a place called {unknown}."


@pytest.mark.parametrize(
    ('text', 'arguments'),
    [
        ('hand me the keys', {'action': 'bring', 'object': 'keys'}),
        ('bring me the old red cup', {'action': 'bring', 'object': 'red_cup'}),
        ('bring her keys to me', {'action': 'bring', 'object': 'keys'}),
        ('bring the ball back over to us', {'action': 'bring', 'object': 'ball'}),
        ('go and get the ball', {'action': 'bring', 'object': 'ball'}),
        ('I think I need the lamp', {'action': 'bring', 'object': 'lamp'}),
        ('drop the ball on the floor', {'action': 'place', 'object': 'ball'}),
        (
            'take the keys from the hall to the bedroom',
            {'action': 'bring', 'object': 'keys', 'to': 'bedroom'},
        ),
        ('go find the ball', {'object': 'ball'}),
        ('which room is the ball in', {'object': 'ball'}),
        (
            'are there two cups on the kitchen table',
            {'question': 'are there two cups on the kitchen table', 'place': 'kitchen'},
        ),
    ],
)
def test_what_names_no_destination_is_done(
    text: str, arguments: dict[str, str], offer: tuple[Capability, ...]
) -> None:
    act = understand(text, capabilities=offer)
    assert [dict(step.arguments) for step in act.steps] == [arguments], act


@pytest.mark.parametrize('text', ['bring me the red one', 'bring me something to drink'])
def test_what_names_nothing_is_asked_back(text: str, offer: tuple[Capability, ...]) -> None:
    act = understand(text, capabilities=offer)
    assert (act.kind, act.question) == (ActKind.CLARIFY, 'Which object do you mean?')


@pytest.mark.parametrize('text', ['let us talk about the kitchen', 'have you read the book'])
def test_talk_about_things_starts_nothing(text: str, offer: tuple[Capability, ...]) -> None:
    assert not understand(text, capabilities=offer).steps
