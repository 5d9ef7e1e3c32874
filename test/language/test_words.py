# SPDX-License-Identifier: Apache-2.0
"""Spelling, numbers, sounds, things by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_ros.language.grammar import clauses, core, repair, unfinished
from venus_ros.language.lexicon import Lexicon
from venus_ros.language.mood import Mood, mood_of
from venus_ros.language.sound import likeness
from venus_ros.language.text import normalise, number_at, tokens, words

SCHEMA = {
    'properties': {
        'place': {'enum': ['kitchen', 'living_room', 'hall'], 'x-words': {'hall': ['hallway']}},
        'object': {'enum': ['red_cup', 'blue_cup', 'book']},
    }
}


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ("What's up?", 'what is up'),
        ('GIMME the gray cup!', 'give me the grey cup'),
        ("I can't — won't; don't.", 'i can not will not do not'),
        ('Uh-huh, mm-hmm', 'uh huh mm hmm'),
        ('2,000 metres at 2.5%', '2000 metres at 2.5 percent'),
        ('\u2018Hi\u2019 \u2026 there', 'hi there'),
    ],
)
def test_one_spelling(text: str, wanted: str) -> None:
    assert normalise(text) == wanted


@given(st.text(max_size=80))
def test_normal_words_stay_as_they_are(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(st.text(max_size=60))
def test_core_never_grows_and_ends(text: str) -> None:
    said = ' '.join(tokens(text))
    assert len(core(said, 'venus')) <= len(said)


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ('twelve', 12.0),
        ('minus two point five', -2.5),
        ('one hundred and twenty', 120.0),
        ('half a', 0.5),
        ('two and a half', 2.5),
        ('3.25', 3.25),
    ],
)
def test_numbers(text: str, value: float) -> None:
    spoken = text.split()
    assert number_at(spoken, 0) == (value, len(spoken))


@pytest.mark.parametrize('text', ['a', 'cup', 'and', 'point'])
def test_no_numbers(text: str) -> None:
    assert number_at([text], 0) is None


@pytest.mark.parametrize(
    ('heard', 'wanted', 'safe'),
    [
        ('whole', 'hall', True),
        ('read cup', 'red cup', True),
        ('leaving room', 'living room', True),
        ('kitten', 'kitchen', True),
        ('bathroom', 'bedroom', False),
        ('dining room', 'living room', False),
        ('mall', 'hall', False),
        ('garden', 'kitchen', False),
    ],
)
def test_words_that_sound_alike(heard: str, wanted: str, safe: bool) -> None:
    assert (likeness(heard, wanted) >= 0.8) is safe, likeness(heard, wanted)


@pytest.mark.parametrize(
    ('text', 'found'),
    [
        ('the red cup', [('object', ('red_cup',))]),
        ('two cups', [('object', ('red_cup', 'blue_cup'))]),
        ('my hallway', [('place', ('hall',))]),
        ('the books in the living room', [('object', ('book',)), ('place', ('living_room',))]),
        ('a garage', []),
    ],
)
def test_things_by_name(text: str, found: list[tuple[str, tuple[str, ...]]]) -> None:
    spots = Lexicon([SCHEMA]).spots(words(text))
    assert [(spot.role, spot.values) for spot in spots] == found


@pytest.mark.parametrize(
    ('text', 'mood'),
    [
        ('go to the kitchen', Mood.ORDER),
        ('where is the book', Mood.ASK),
        ('the kitchen is nice', Mood.STATE),
        ('i told him to go', Mood.STATE),
        ('tell anna to go to the hall', Mood.STATE),
        ('tell me what you see', Mood.ORDER),
        ('do not go', Mood.FORBID),
        ('stop by the kitchen', Mood.ORDER),
        ('if you went to the kitchen you would see it', Mood.SUPPOSE),
    ],
)
def test_moods(text: str, mood: Mood) -> None:
    assert mood_of(text) is mood


def test_clauses_are_cut_only_where_something_begins() -> None:
    def begins(rest: str) -> bool:
        return rest.startswith(('go', 'tell'))

    assert clauses('go to the hall and tell me what is there', begins) == [
        'go to the hall',
        'tell me what is there',
    ]
    assert clauses('bring the cup and the book', begins) == ['bring the cup and the book']


def test_repairs() -> None:
    assert repair('go to the hall , no , the kitchen') == ('go to the hall', 'the kitchen', True)
    assert repair('go to the hall') is None


@pytest.mark.parametrize('text', ['go to the', 'could you', 'bring me the red', 'wait', 'and um'])
def test_half_sentences(text: str) -> None:
    assert unfinished(text)


@pytest.mark.parametrize('text', ['go', 'where is it', 'tell me where it is', 'stop', 'red'])
def test_whole_sentences(text: str) -> None:
    assert not unfinished(text)


@pytest.mark.parametrize(
    ('chinese', 'english'),
    [('嗯', 'mm hmm'), ('停停停', 'stop stop stop'), ('不是', 'no'), ('去厨房', '去厨房')],
)
def test_chinese_floor_words_mean_what_the_english_ones_do(chinese, english):
    assert normalise(chinese) == english
