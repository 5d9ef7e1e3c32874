# SPDX-License-Identifier: Apache-2.0
"""The words for the things that can be asked about.

They are found in the argument schemas, and spotted in what was said.

A *role* is a kind of thing (`place`, `object`, ...). Values are found by their phrases, by their
noun and its modifiers ('the blue one', 'the cup'), and, where the sentence leaves no other
choice, by their sound.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from venus_ros.language.sound import likeness
from venus_ros.language.text import words

DETERMINERS = frozenset(
    ('the', 'a', 'an', 'my', 'your', 'our', 'his', 'her', 'their', 'this', 'that', 'these',
     'those', 'some', 'any', 'another', 'other', 'one', 'each', 'every', 'both', 'all')
)  # fmt: skip
PREPOSITIONS = frozenset(
    ('to', 'into', 'in', 'inside', 'on', 'onto', 'at', 'from', 'under', 'near', 'by', 'beside',
     'behind', 'towards', 'toward', 'for', 'of', 'with', 'through', 'over', 'off', 'upon')
)  # fmt: skip
_SMALL = DETERMINERS | PREPOSITIONS
_ALIKE = 0.8
_ADJECTIVES = frozenset(
    ('nice', 'lovely', 'old', 'new', 'big', 'small', 'little', 'same', 'favourite', 'empty',
     'full', 'dirty', 'clean', 'good', 'other', 'first', 'last', 'next', 'whole', 'two', 'three')
)  # fmt: skip
_DISTINCT = frozenset(
    ('bathroom', 'garage', 'garden', 'office', 'mall', 'toilet', 'basement', 'attic', 'balcony',
     'dining', 'laundry', 'broom', 'bowl', 'box', 'glass', 'chicken', 'mat', 'cake', 'room',
     'house', 'home', 'wall', 'door', 'roof', 'floor', 'street', 'bath', 'ballroom', 'bell',
     'bill', 'hill', 'well', 'pillow', 'cap', 'kitty', 'cat', 'cop', 'board', 'bag', 'bike',
     'boat', 'bat', 'bit', 'bed', 'bad', 'read', 'look', 'cook', 'back', 'take', 'come', 'kiss')
)  # fmt: skip
"""Words that mean themselves: they are not taken for a value that only sounds like them."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Words [start, end) that mean one of `values` of `role`; several = it is not said which.

    Attributes:
        values: none = a noun that is known with a modifier that is not ('the green cup').
        sure: 1 for its own words, less if only the sound fits.
    """

    start: int
    end: int
    role: str
    values: tuple[str, ...]
    sure: float = 1.0

    @property
    def value(self) -> str:
        """The value, if it is said which; else empty."""
        return self.values[0] if len(self.values) == 1 else ''


class Lexicon:
    """Phrases of all values of all roles in a set of argument schemas."""

    def __init__(self, schemas: Sequence[Mapping[str, Any]], verbal: Container[str] = ()) -> None:
        """Learn from `schemas`; roles in `verbal` are named by verbs and are not spotted."""
        self._verbal = verbal
        self.spoken: dict[str, str] = {}
        self._phrases: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        self._nouns: dict[str, dict[str, list[tuple[str, ...]]]] = {}
        self._modifiers: dict[str, set[str]] = {}
        self._stands_in: dict[str, str] = {}
        for schema in schemas:
            for name, prop in schema.get('properties', {}).items():
                self._add(name, prop)
        self._longest = max(map(len, self._phrases), default=1)

    @property
    def roles(self) -> tuple[str, ...]:
        """All roles."""
        return tuple(self._nouns)

    def canonical(self, role: str) -> str:
        """A phrase that stands for any value of `role`."""
        value = next(iter(self._nouns[role]))
        return ' '.join(self._nouns[role][value][0])

    def say(self, value: str) -> str:
        """How the robot calls a value."""
        return self.spoken.get(value, value.replace('_', ' '))

    def noun(self, value: str) -> str:
        """Last word of a value's name: red_cup -> cup."""
        return value.split('_')[-1]

    def within(self, value: str, places: Container[str]) -> str:
        """Which of `places` a thing stands in by its description or by its name; empty = none.

        The kitchen table stands in the kitchen.
        """
        stands_in = self._stands_in.get(value, '')
        if stands_in in places:
            return stands_in
        parts = value.split('_')
        heads = ('_'.join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
        return next((head for head in heads if head in places), '')

    def spelt_out(self, said: Sequence[str]) -> list[str]:
        """Words in which every thing has its noun: 'red or blue cup' -> 'red cup or blue cup'."""
        result = list(said)
        for spot in reversed(self.spots(result)):
            i = spot.start
            while i and result[i - 1] in DETERMINERS:
                i -= 1
            joined = i > 1 and result[i - 1] in ('and', 'or') and spot.end - spot.start > 1
            if joined and self._modifies(result[i - 2], spot.role):
                result.insert(i - 1, result[spot.end - 1])
        return result

    def spots(self, said: Sequence[str]) -> list[Spot]:
        """All values that are named in the words `said`, without overlap, in order."""
        found: list[Spot] = []
        i = 0
        while i < len(said):
            named = (self._phrase_at(said, i), self._noun_at(said, i))
            spot = max((s for s in named if s), key=lambda s: s.end, default=None)
            if spot:
                found.append(spot)
            i = spot.end if spot else i + 1
        return found

    def alike(self, said: Sequence[str], role: str) -> Spot | None:
        """The one value of `role` that sounds like a part of `said`; none if it is not safe."""
        best: list[tuple[float, Spot]] = []
        for phrase, meanings in self._phrases.items():
            values = tuple(value for meant, value in meanings if meant == role)
            if not values:
                continue
            for start, end in _windows(said, len(phrase)):
                heard = said[start:end]
                if set(heard) & (DETERMINERS | PREPOSITIONS) - set(phrase):
                    continue
                if len(heard) == 1 and (heard[0] in _DISTINCT or self._known(heard[0])):
                    continue
                score = likeness(' '.join(heard), ' '.join(phrase))
                if score >= _ALIKE:
                    best.append((score, Spot(start, end, role, values, score)))
        best.sort(key=lambda item: (-item[0], item[1].start - item[1].end))
        rivals = {spot.value for score, spot in best if score > best[0][0] - 0.03}
        return best[0][1] if len(rivals) == 1 else None

    def modified(self, said: Sequence[str], role: str, noun: str = '') -> tuple[str, ...]:
        """Values of `role` that fit all modifiers in `said` ('the blue one'); none if no modifier.

        Args:
            noun: only values with this noun.
        """
        known = self._modifiers.get(role, set())
        wanted = {word for word in said if word in known}
        if not wanted:
            return ()
        return tuple(
            value
            for value, phrases in self._nouns[role].items()
            if (not noun or self.noun(value) == noun)
            and any(wanted <= set(phrase[:-1]) for phrase in phrases)
        )

    def siblings(self, value: str, role: str) -> tuple[str, ...]:
        """Other values of `role` with the same noun."""
        noun = self.noun(value)
        return tuple(v for v in self._nouns.get(role, ()) if self.noun(v) == noun and v != value)

    def _add(self, name: str, prop: Mapping[str, Any]) -> None:
        values = [value for value in prop.get('enum', ()) if isinstance(value, str)]
        self._stands_in |= prop.get('x-in', {})
        for value in values:
            role = prop.get('x-roles', {}).get(value) or prop.get('x-role') or name
            given = prop.get('x-words', {}).get(value, ())
            self.spoken.setdefault(value, prop.get('x-spoken', {}).get(value, _plain(value)))
            if role in self._verbal:
                continue
            phrases = self._nouns.setdefault(role, {}).setdefault(value, [])
            for text in dict.fromkeys((_plain(value), *given)):
                phrase = tuple(words(text)) if '*' not in text else ()
                if not phrase or phrase in phrases:
                    continue
                phrases.append(phrase)
                meanings = self._phrases.setdefault(phrase, [])
                if (role, value) not in meanings:
                    meanings.append((role, value))
                self._modifiers.setdefault(role, set()).update(phrase[:-1])

    def _phrase_at(self, said: Sequence[str], start: int) -> Spot | None:
        for length in range(min(self._longest, len(said) - start), 0, -1):
            heard = tuple(said[start : start + length])
            meanings = self._phrases.get(heard) or self._phrases.get(_singular(heard))
            if meanings and not self._contradicted(said, start, meanings[0]):
                role = meanings[0][0]
                values = tuple(value for meant, value in meanings if meant == role)
                return Spot(start, start + length, role, values)
        return None

    def _contradicted(self, said: Sequence[str], start: int, meaning: tuple[str, str]) -> bool:
        """Whether the word before says another kind of it: 'coffee table' is no 'table'."""
        role, value = meaning
        before = said[start - 1] if start else ''
        own = {word for phrase in self._nouns[role][value] for word in phrase}
        return before in self._modifiers.get(role, set()) and before not in own

    def _noun_at(self, said: Sequence[str], start: int) -> Spot | None:
        """A noun with its modifiers before it: 'blue cup', 'cup', 'tables', 'green cup'.

        Another word before it makes it something else: 'the dining room' is no 'room'.
        """
        if start > 1 and said[start - 2] in _SMALL and said[start - 1] not in _SMALL | _ADJECTIVES:
            return None
        for role, values in self._nouns.items():
            end = start
            while end < len(said) and self._modifies(said[end], role):
                end += 1
            if end >= len(said):
                continue
            nouns = {said[end], _singular((said[end],))[0]}
            modifiers = set(said[start:end])
            same = {
                value: [phrase for phrase in phrases if len(phrase) > 1 and phrase[-1] in nouns]
                for value, phrases in values.items()
            }
            fitting = tuple(
                value
                for value, phrases in same.items()
                if any(modifiers <= set(phrase[:-1]) for phrase in phrases)
            )
            if fitting or (modifiers and any(same.values())):
                proper = tuple(value for value in fitting if self.noun(value) in nouns)
                return Spot(start, end + 1, role, proper if len(proper) > 1 else fitting)
        return None

    def _known(self, word: str) -> bool:
        """Whether a word is a modifier of some role: it means itself."""
        return (word,) in self._phrases or any(word in some for some in self._modifiers.values())

    def _modifies(self, word: str, role: str) -> bool:
        if word in self._modifiers.get(role, ()):
            return True
        meanings = self._phrases.get((word,), ())
        return any(meant == 'colour' for meant, _ in meanings)


def _windows(said: Sequence[str], length: int) -> Iterator[tuple[int, int]]:
    """Parts of `said` that may be a phrase of `length` words, heard as one word more or less."""
    for size in (length, length + 1, length - 1):
        if size < 1:
            continue
        for start in range(len(said) - size + 1):
            yield start, start + size


def _singular(phrase: tuple[str, ...]) -> tuple[str, ...]:
    last = phrase[-1]
    if len(last) > 3 and last.endswith('s') and not last.endswith('ss'):
        return (*phrase[:-1], last[:-1])
    return phrase


def _plain(value: str) -> str:
    return value.replace('_', ' ')
