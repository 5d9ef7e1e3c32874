# SPDX-License-Identifier: Apache-2.0
"""Words for what the robot saw: the answer to the question that was asked, and no more.

The robot reports two lists, `objects` and the `surfaces` they lie on (same order, empty = floor).
A question is answered from these lists only; what it asks beyond them is said to be unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from venus_ros.language.template import listed, with_article

_YES_NO = re.compile(r'^(?:is|are|was|were|do|does|can|could|have|has|will)\b')
_HOW_MANY = re.compile(r'\bhow many\b|\bnumber of\b|\bcount\b')
_ON = re.compile(r'\b(?:on|onto|upon|in|inside|under|at|near|by) (?:the|a|my|your|this|that|our) ')
_INSIDE = re.compile(r'\b(?:in|inside|under|behind) (?:the|a|my|your)\b')
_COLOURS = {
    'red', 'blue', 'green', 'yellow', 'orange', 'black', 'white', 'brown', 'pink', 'purple',
    'grey', 'silver', 'golden',
}  # fmt: skip
_ANYTHING = {'anything', 'something', 'things', 'thing', 'objects', 'object', 'items', 'stuff'}
_GENERAL = {
    'there', 'the', 'a', 'an', 'any', 'some', 'see', 'you', 'i', 'what', 'is', 'are', 'do',
    'can', 'of', 'on', 'in', 'at', 'here', 'left', 'still', 'have', 'how', 'many', 'lying',
    'laying', 'standing', 'sitting', 'my', 'your', 'and', 'or', 'which', 'that', 'has', 'does',
    'could', 'be', 'right', 'now', 'currently', 'it', 'to', 'else', 'not', 'one', 'ones', 'no',
    'was', 'were', 'me', 'if', 'whether', 'tell', 'look', 'count', 'number', 'kind', 'please',
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sighting:
    """One object and what it lies on (empty = the floor)."""

    name: str
    on: str


def sightings(
    arguments: Mapping[str, Any], result: Mapping[str, Any], known: Iterable[str] = ()
) -> tuple[str, dict[str, Any]]:
    """Spoken answer (at most two sentences) and data.

    Args:
        arguments: `question` or `object`, and `place`, as executed.
        result: the robot's `objects`, `surfaces`, `place`.
        known: names of all objects that the robot can tell apart.
    """
    names = [str(name) for name in result.get('objects', ())]
    surfaces = [str(name) for name in result.get('surfaces', ())]
    seen = [Sighting(n, s) for n, s in zip_longest(names, surfaces[: len(names)], fillvalue='')]
    place = str(arguments.get('place') or result.get('place') or '')
    data = {'place': place, 'objects': [{'object': s.name, 'on': s.on} for s in seen]}
    wanted = str(arguments.get('object') or '')
    if wanted:
        return _found(seen, wanted, place), data
    question = str(arguments.get('question') or '').lower()
    return _answer(question, seen, place, {*known, *names}), data


def _found(seen: list[Sighting], wanted: str, place: str) -> str:
    matches = [s for s in seen if s.name == wanted or _fits(s.name, {wanted.replace('_', ' ')})]
    if matches:
        return f'I see {_described(matches, place, definite=True)}.'
    return f"I don't see the {wanted.replace('_', ' ')} {_at(place)}."


def _answer(question: str, seen: list[Sighting], place: str, known: set[str]) -> str:
    words = set(re.findall(r"[a-z']+", question))
    surface = _surface(question, place)
    here = [s for s in seen if _on_surface(s.on, surface)] if surface else seen
    where = f'on the {surface}' if surface else _at(place)
    if surface and not here and _INSIDE.search(question):
        return f"I can't see that.{_rest(seen, place)}"
    wanted, label = _wanted(words - set(surface.split()), known)
    matches = [s for s in here if s.name in wanted] if label else here
    if _HOW_MANY.search(question):
        return _counted(matches, label or 'thing', where, place)
    if _YES_NO.match(question):
        unknown = words - _GENERAL - _ANYTHING - set(surface.split()) - set(place.split('_'))
        if not label and unknown:
            return f"I can't tell.{_rest(here, place)}"
        if not matches:
            return f"No, I don't see {_indefinite(label)} {where}."
        return f'Yes, I see {_described(matches, place)}.'
    if not matches:
        return f"I don't see {_indefinite(label)} {where}."
    return f'I see {_described(matches, place)}.'


def _rest(seen: list[Sighting], place: str) -> str:
    return f' I see {_described(seen, place)}.' if seen else ''


def _surface(question: str, place: str) -> str:
    """Noun after 'on the', unless it is the place itself; empty if there is none."""
    for match in _ON.finditer(question):
        noun = re.match(r"[a-z' ]+", question[match.end() :])
        words = re.split(
            r' (?:in|at|of|right|now|and|please|that|there)\b', noun[0] if noun else ''
        )
        found = words[0].strip()
        if found and found.replace(' ', '_') != place and len(found.split()) <= 3:
            return found
    return ''


def _on_surface(name: str, asked: str) -> bool:
    plain = name.replace('_', ' ') or 'floor'
    return asked in plain or plain in asked or asked.split()[-1] == plain.split()[-1]


def _wanted(words: set[str], known: set[str]) -> tuple[set[str], str]:
    """Names that the question is about, and what to call them; nothing = everything."""
    exact = {n for n in known if set(n.split('_')) <= words}
    if exact:
        return exact, listed(sorted(n.replace('_', ' ') for n in exact))
    kind = next((n.split('_')[-1] for n in sorted(known) if _fits(n, words)), '')
    if kind:
        return {n for n in known if n.split('_')[-1] == kind}, kind
    colour = next(iter(sorted(words & _COLOURS)), '')
    if colour:
        return {n for n in known if colour in n.split('_')}, f'anything {colour}'
    return set(), ''


def _fits(name: str, words: set[str]) -> bool:
    head = name.split('_')[-1]
    return any(word in (head, head + 's', head + 'es') for word in words)


def _counted(matches: list[Sighting], label: str, where: str, place: str) -> str:
    noun = label.removeprefix('anything ')
    if not matches:
        return f"I don't see any {noun} {where}."
    plural = noun if len(matches) == 1 or noun.endswith('s') else f'{noun}s'
    return f'I see {len(matches)} {plural}: {_described(matches, place)}.'


def _described(seen: list[Sighting], place: str, definite: bool = False) -> str:
    """'a red cup and a banana on the kitchen table, and a ball on the floor'."""
    groups: dict[str, list[str]] = {}
    for sighting in seen:
        groups.setdefault(sighting.on, []).append(sighting.name)
    parts = []
    for surface, names in groups.items():
        nouns = [
            f'the {name.replace("_", " ")}' if definite else with_article(name) for name in names
        ]
        parts.append(f'{listed(nouns)} on the {surface.replace("_", " ") or "floor"}')
    told = ', and '.join(parts) if len(parts) < 3 else ', '.join(parts[:-1]) + f', and {parts[-1]}'
    said = any(place and place in surface for surface in groups)
    return told if said or not place else f'{told} in the {place.replace("_", " ")}'


def _indefinite(label: str) -> str:
    if not label:
        return 'anything that I know'
    return label if label.startswith('anything') else with_article(label)


def _at(place: str) -> str:
    return f'in the {place.replace("_", " ")}' if place else 'from here'
