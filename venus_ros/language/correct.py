# SPDX-License-Identifier: Apache-2.0
"""'No, wait, the blue one': a request changed by the words that correct or complete it."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence

from venus_ros.language.acts import Step
from venus_ros.language.lexicon import DETERMINERS, PREPOSITIONS, Lexicon, Spot
from venus_ros.language.requests import Reader
from venus_ros.language.slots import preposition
from venus_ros.language.text import MARKS

_REJECTED = re.compile(r'^not (?P<wrong>.+?)(?: ,|,| but| rather)+ (?P<right>.+)$')
_REJECTED_LAST = re.compile(r'^(?P<right>.+?)(?: ,|,)? (?:and )?not (?P<wrong>.+)$')
_SAID = re.compile(
    r'^(?:no|wait|,| |i (?:said|meant|mean|want|wanted|would like|need|prefer|think)|make it|'
    r'it is|it should be|rather|actually|sorry|change (?:it|that) to|take|use|please|and|also|'
    r'maybe|but|let us say|i am talking about|with|instead|just|bring me|get me|'
    r'what about|how about)(?= |$)'
)
_SMALL = DETERMINERS | PREPOSITIONS | {
    'one', 'ones', 'please', 'instead', 'rather', 'and', 'me', 'not', 'other', 'too', 'also', 'it',
    'is', 'i', 'mean', 'want', 'there', 'as', 'well', 'now', 'actually', 'then', 'over', 'back',
}  # fmt: skip


def merge(task: str, change: str, reader: Reader, mentioned: Mapping[str, str]) -> str:
    """The task as it is after the change; empty if the change does not concern it.

    Args:
        task: a request in plain words.
        change: tokens of what was said about it: 'the blue one', 'to the bedroom', 'not that'.
    """
    right, wrong = _split(change)
    said = [word for word in right.split() if word not in MARKS]
    words = task.split()
    named = any(spot.value for spot in reader.lexicon.spots(said))
    bare = bool(said) and said[0] in DETERMINERS and not named
    if bare and _put_alike(words, said, reader.lexicon):
        return ' '.join(words)
    whole = _replaced_clause(task, right, reader, mentioned)
    if whole:
        return whole
    rejected = {spot.value for spot in reader.lexicon.spots(wrong.split())}
    changed = False
    for spot in reader.lexicon.spots(said):
        if spot.role == 'colour':
            continue
        changed = _put(words, spot, said, rejected, reader.lexicon) or changed
    if not changed:
        changed = _modify(words, said, wrong, reader.lexicon)
    if not changed:
        changed = _put_alike(words, said, reader.lexicon)
    return ' '.join(words) if changed else ''


def elliptic(change: str, reader: Reader) -> bool:
    """Whether the words only name something ('the blue one please'): no sentence of their own."""
    right, _ = _split(change)
    said = [word for word in right.split() if word not in MARKS]
    covered = {i for spot in reader.lexicon.spots(said) for i in range(spot.start, spot.end)}
    rest = [word for i, word in enumerate(said) if i not in covered]
    return bool(said) and all(word in _SMALL for word in rest) and bool(covered or 'other' in said)


def _split(change: str) -> tuple[str, str]:
    """What is right and what was wrong: 'not the red one but the blue one'."""
    text = change.strip(' ,.?')
    for pattern in (_REJECTED, _REJECTED_LAST):
        if match := pattern.match(text):
            return _bare(match['right']), match['wrong']
    if text.startswith('not '):
        return '', text[4:]
    return _bare(text), ''


def _bare(text: str) -> str:
    while True:
        shorter = _SAID.sub('', text).strip(' ,')
        if shorter == text or not shorter:
            return text
        text = shorter


def _replaced_clause(task: str, right: str, reader: Reader, mentioned: Mapping[str, str]) -> str:
    """The task with the step of the same skill replaced by a whole new sentence."""
    if not right or elliptic(right, reader):
        return ''
    new = [c for c in reader.clauses(right, mentioned) if c.skill]
    if not new:
        return ''
    old = [c for c in reader.clauses(task, mentioned) if c.skill]
    new_text = reader.request(new).task
    same = [i for i, clause in enumerate(old) if clause.skill is new[0].skill]
    if len(old) < 2 or not same:
        return new_text
    texts = [clause.text for clause in old]
    texts[same[-1]] = new_text
    return ' and then '.join(texts)


def _put(
    words: list[str], spot: Spot, said: Sequence[str], wrong: Container[str], lexicon: Lexicon
) -> bool:
    """Put what `spot` names in its place.

    That is where something `wrong` stands, or the last thing of its role, or the end.
    """
    phrase = list(said[spot.start : spot.end])
    spots = lexicon.spots(words)
    same = [old for old in spots if old.role == spot.role]
    same = [old for old in same if old.value in wrong] or same
    if not same and spot.role in ('place', 'surface'):
        same = [old for old in spots if old.role in ('place', 'surface')]
    if not same and spots and spots[-1].role == 'colour':
        same = spots[-1:]
    word = preposition(said, spot.start)
    if word:
        same = [old for old in same if preposition(words, old.start) in (word, '')] or same
    if same:
        words[same[-1].start : same[-1].end] = phrase
        return True
    if word and spot.role in ('place', 'surface'):
        words += [word, 'the', *phrase]
        return True
    return False


def _modify(words: list[str], said: Sequence[str], wrong: str, lexicon: Lexicon) -> bool:
    """'the blue one', 'the other one', 'not the red one': another thing of the same noun."""
    for old in reversed(lexicon.spots(words)):
        known = old.value or (old.values[0] if old.values else '')
        if not known or old.role in ('colour', 'place'):
            continue
        noun = lexicon.noun(known)
        fitting = lexicon.modified(said, old.role, noun) if said else ()
        if not fitting and ('other' in said or (wrong and not said)):
            fitting = lexicon.siblings(known, old.role)
        if len(fitting) == 1:
            words[old.start : old.end] = lexicon.say(fitting[0]).split()
            return True
        colours = [s.value for s in lexicon.spots(said) if s.role == 'colour' and s.value]
        if colours and not fitting:
            words[old.start : old.end] = [colours[0], noun]
            return True
    return False


def _put_alike(words: list[str], said: Sequence[str], lexicon: Lexicon) -> bool:
    if len([word for word in said if word not in _SMALL]) > 3:
        return False
    for old in reversed(lexicon.spots(words)):
        spot = lexicon.alike(said, old.role)
        if spot and spot.value and spot.value != old.value:
            words[old.start : old.end] = lexicon.say(spot.value).split()
            return True
    return False


def same_steps(one: Sequence[Step], other: Sequence[Step]) -> bool:
    """Whether two requests ask for the same works."""
    return [(s.capability, s.skill, dict(s.arguments)) for s in one] == [
        (s.capability, s.skill, dict(s.arguments)) for s in other
    ]
