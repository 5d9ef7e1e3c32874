# SPDX-License-Identifier: Apache-2.0
"""The answer to 'the red cup or the blue cup?': which of the choices is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from venus_ros.language.lexicon import DETERMINERS, PREPOSITIONS, Lexicon

_ORDINALS = (
    ('first', 'former', 'earlier'),
    ('second', 'latter'),
    ('third',),
    ('fourth',),
)
_LAST = frozenset(('last', 'latter'))
_ANY = re.compile(
    r'\b(?:either|any|whichever|whatever|no matter|(?:you|your) (?:choose|choice|decide|pick)|'
    r'(?:does not|do not) (?:really )?(?:matter|care|mind)|up to you|surprise me|one of them)\b'
)
_ALL = re.compile(r'^(?:both|all|each)\b|\b(?:both|all) of (?:them|those)\b')
_MOST_WORDS = 10


def chosen(answer: Sequence[str], choices: Sequence[str], lexicon: Lexicon) -> str:
    """The task that was chosen, or several joined by 'and then'; empty if none was.

    Args:
        answer: plain words.
        choices: tasks in plain words that differ in what is asked about.
    """
    text = ' '.join(answer)
    if not choices or not 0 < len(answer) <= _MOST_WORDS:
        return ''
    named = _named(answer, choices, lexicon)
    if len(named) == 1:
        return choices[named[0]]
    if named:
        return ''
    if _ALL.search(text):
        return ' and then '.join(choices)
    if _ANY.search(text):
        return choices[0]
    for place, words in enumerate(_ORDINALS[: len(choices)]):
        if set(words) & set(answer):
            return choices[place]
    return choices[-1] if _LAST & set(answer) else ''


def _named(answer: Sequence[str], choices: Sequence[str], lexicon: Lexicon) -> list[int]:
    """Indexes of the choices that share most words with the answer that others do not have."""
    tasks = [set(choice.split()) - DETERMINERS - PREPOSITIONS for choice in choices]
    common = set.intersection(*tasks)
    right, wrong = _split(answer)
    if wrong and not right:
        left = [i for i, task in enumerate(tasks) if not (task - common) & _words(wrong, lexicon)]
        return left if len(left) < len(tasks) else []
    shared = [len((task - common) & _words(right, lexicon)) for task in tasks]
    most = max(shared)
    return [i for i, count in enumerate(shared) if count == most] if most else []


def _split(answer: Sequence[str]) -> tuple[list[str], list[str]]:
    """What is wanted and what is not: 'the blue one not the red one'."""
    if 'not' not in answer or 'do' in answer or 'does' in answer:
        return list(answer), []
    at = list(answer).index('not')
    return list(answer[:at]), list(answer[at + 1 :])


def _words(said: Sequence[str], lexicon: Lexicon) -> set[str]:
    """Words of `said` and those by which the things it names are called otherwise."""
    names = (lexicon.say(spot.value).split() for spot in lexicon.spots(said) if spot.value)
    return set(said).union(*names)
