# SPDX-License-Identifier: Apache-2.0
"""Arguments of a skill, filled from the words of one clause."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from venus_ros.language.lexicon import DETERMINERS, PREPOSITIONS, Lexicon, Spot
from venus_ros.language.questions import fill_question, searches
from venus_ros.language.text import FILLERS, number_at
from venus_ros.language.unknown import DESTINATION, destination

_BETWEEN = DETERMINERS | PREPOSITIONS | FILLERS | {'or', 'maybe', 'perhaps', 'either', 'else'}


@dataclass(slots=True)
class Filled:
    """What the words gave.

    Attributes:
        arguments: name -> value.
        used: the spots that gave values.
        missing: required arguments that were not said.
        unclear: argument -> values that could be meant.
        spans: argument that is unclear -> range of the words that leave it open.
        several: argument -> values that are all meant ('both cups').
        unknown: argument -> words that stand where its value should, but are none.
    """

    arguments: dict[str, Any] = field(default_factory=dict)
    used: list[Spot] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unclear: dict[str, tuple[str, ...]] = field(default_factory=dict)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    several: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether the arguments can be used as they are."""
        return not (self.missing or self.unclear or self.unknown)


def fill(
    schema: Mapping[str, Any],
    said: Sequence[str],
    lexicon: Lexicon,
    *,
    mentioned: Mapping[str, str] | None = None,
    placing: bool = False,
) -> Filled:
    """Fill the arguments of `schema` from the words `said`.

    Args:
        mentioned: role -> value that was named before: 'the cup' means that one.
        placing: the verb puts something down, so that 'on', 'in' and 'at' name a destination.
    """
    filled = Filled()
    properties: Mapping[str, Any] = schema.get('properties', {})
    spots = lexicon.spots(said)
    taken: set[int] = set()
    for name, prop in properties.items():
        if 'enum' in prop and not is_verbal(prop):
            _fill_listed(name, prop, said, spots, taken, filled, placing)
        elif 'enum' in prop:
            _fill_verb(name, prop, said, filled)
        elif prop.get('type') in ('number', 'integer'):
            _fill_number(name, prop, said, filled)
    _fill_within(properties, spots, lexicon, filled)
    _settle(properties, said, lexicon, filled)
    required = _required(schema, filled)
    for name in [*required, *(n for n in properties if n not in required)]:
        _fill_absent(name, properties[name], said, lexicon, mentioned or {}, filled, required)
    open_choices = _fill_alternatives(properties, said, spots, filled)
    if 'to' in properties and _lacks('to', filled):
        _note_unknown(destination(said, filled.used, placing), filled)
    fill_question(schema, said, spots, filled)
    needed = {*_required(schema, filled), *PREPOSITIONS, *open_choices}
    for name in set(filled.unclear) - needed:
        del filled.unclear[name]
    filled.missing = [name for name in _required(schema, filled) if _lacks(name, filled)]
    return filled


def is_verbal(prop: Mapping[str, Any]) -> bool:
    """Whether an argument's values are named by verbs ('pick * up'), not by nouns."""
    return any('*' in phrase for phrases in prop.get('x-words', {}).values() for phrase in phrases)


def _note_unknown(phrase: str, filled: Filled) -> None:
    if phrase:
        filled.unknown['to'] = phrase


def _lacks(name: str, filled: Filled) -> bool:
    return not (name in filled.arguments or name in filled.unclear or name in filled.unknown)


def wanted(schema: Mapping[str, Any], said: Sequence[str]) -> list[str]:
    """Arguments that these words ought to give: the required ones, or what is looked for."""
    names = list(schema.get('required', ()))
    choices = [n for one in schema.get('anyOf', ()) for n in one.get('required', ())]
    if choices and searches(' '.join(said)):
        names.append(choices[-1])
    return names


def _required(schema: Mapping[str, Any], filled: Filled) -> list[str]:
    names = [n for n in schema.get('required', ()) if 'default' not in schema['properties'][n]]
    choices = [n for one in schema.get('anyOf', ()) for n in one.get('required', ())]
    if choices and all(_lacks(name, filled) for name in choices):
        names.append(choices[-1])
    return names


def _fill_listed(
    name: str,
    prop: Mapping[str, Any],
    said: Sequence[str],
    spots: Sequence[Spot],
    taken: set[int],
    filled: Filled,
    placing: bool,
) -> None:
    for spot in spots:
        mine = [value for value in spot.values if value in prop['enum']]
        of_role = spot.role == (prop.get('x-role') or name) or spot.role in set(
            prop.get('x-roles', {}).values()
        )
        if spot.start in taken or not of_role or (spot.values and not mine):
            continue
        if name in PREPOSITIONS and not _destined(name, said, spot, placing):
            continue
        if name in filled.arguments or name in filled.unclear:
            return
        taken.add(spot.start)
        filled.used.append(spot)
        if len(mine) == 1:
            filled.arguments[name] = mine[0]
        elif mine and _all_meant(said, spot):
            filled.arguments[name], filled.several[name] = mine[0], tuple(mine)
        elif mine:
            filled.unclear[name], filled.spans[name] = tuple(mine), (spot.start, spot.end)
        else:
            filled.unknown[name] = ' '.join(said[spot.start : spot.end])
        return


def _all_meant(said: Sequence[str], spot: Spot) -> bool:
    """'both cups', 'all the cups', 'the two cups': every value that fits."""
    before = set(said[max(0, spot.start - 2) : spot.start])
    return bool(before & {'both', 'all'}) or ('two' in before and len(spot.values) == 2)


def _fill_alternatives(
    properties: Mapping[str, Any], said: Sequence[str], spots: Sequence[Spot], filled: Filled
) -> set[str]:
    """Arguments for which the words leave a choice: 'the kitchen or the hall'."""
    found = set()
    for name, prop in properties.items():
        if 'enum' not in prop or is_verbal(prop) or _lacks(name, filled):
            continue
        roles = {prop.get('x-role') or name, *prop.get('x-roles', {}).values()}
        known = filled.unclear.get(name, (filled.arguments.get(name),))
        for chain in _chains([spot for spot in spots if spot.role in roles], said):
            values = tuple(dict.fromkeys(v for spot in chain for v in spot.values))
            if set(known) & set(values) and set(values) <= set(prop['enum']):
                filled.arguments.pop(name, None)
                filled.several.pop(name, None)
                filled.unclear[name] = values
                filled.spans[name] = chain[0].start, chain[-1].end
                found.add(name)
    return found


def _chains(spots: Sequence[Spot], said: Sequence[str]) -> list[list[Spot]]:
    """Neighbours that an 'or' joins."""
    chains: list[list[Spot]] = []
    for before, spot in pairwise(spots):
        gap = said[before.end : spot.start]
        if 'or' not in gap or not set(gap) <= _BETWEEN:
            continue
        if chains and chains[-1][-1] is before:
            chains[-1].append(spot)
        else:
            chains.append([before, spot])
    return chains


def _fill_within(
    properties: Mapping[str, Any], spots: Sequence[Spot], lexicon: Lexicon, filled: Filled
) -> None:
    """Where other things that are named stand: the kitchen table stands in the kitchen.

    A thing that the skill itself has an argument for stands where it is put, so it tells nothing.
    """
    listed = {name: prop for name, prop in properties.items() if 'enum' in prop}
    own = {prop.get('x-role') or name for name, prop in listed.items()}
    own |= {role for prop in listed.values() for role in prop.get('x-roles', {}).values()}
    others = [spot.value for spot in spots if spot.value and spot.role not in own]
    for name, prop in listed.items():
        if is_verbal(prop) or name in PREPOSITIONS or not _lacks(name, filled):
            continue
        inside = {lexicon.within(other, prop['enum']) for other in others} - {''}
        if len(inside) == 1:
            filled.arguments[name] = inside.pop()


def preposition(said: Sequence[str], start: int) -> str:
    """The preposition that governs the phrase beginning at `start`; empty if none."""
    i = start - 1
    while i >= 0 and said[i] in DETERMINERS | FILLERS:
        i -= 1
    return said[i] if i >= 0 and said[i] in PREPOSITIONS else ''


def _destined(name: str, said: Sequence[str], spot: Spot, placing: bool) -> bool:
    """Whether an argument that is called like a preposition is what `spot` fills."""
    word = preposition(said, spot.start)
    if name != 'to':
        return word == name
    return word in DESTINATION or (placing and word not in ('', 'from', 'of', 'with', 'for'))


def _fill_verb(name: str, prop: Mapping[str, Any], said: Sequence[str], filled: Filled) -> None:
    """The value whose pattern covers most words; of equals the one that comes first."""
    best: tuple[int, int] = (0, 0)
    text = ' '.join(said)
    for value, phrases in prop['x-words'].items():
        for phrase in phrases:
            parts = [re.escape(part.strip()) for part in phrase.split('*')]
            match = re.search(r'\b' + r'\b(?: \S+){1,7}? '.join(parts) + r'\b', text)
            if match is None:
                continue
            score = (len(phrase.replace('*', ' ').split()), -match.start())
            if score > best:
                best, filled.arguments[name] = score, value
    if name not in filled.arguments and 'default' in prop:
        filled.arguments[name] = prop['default']


def _fill_number(name: str, prop: Mapping[str, Any], said: Sequence[str], filled: Filled) -> None:
    """The number that is followed by the argument's unit or follows its name, else the first."""
    plain = list(said)
    unit = prop.get('x-unit', '').rstrip('s')
    found: list[tuple[int, float]] = []
    i = 0
    while i < len(plain):
        number = number_at(plain, i)
        if number is None:
            i += 1
            continue
        value, end = number
        after = ' '.join(plain[end : end + 2]).rstrip('s')
        fits = 2 if unit and after.startswith(unit) else 0
        fits += 1 if name.split('_')[0] in plain[max(0, i - 3) : i] else 0
        lone_one = plain[i:end] == ['one'] and not fits
        if not lone_one:
            found.append((fits, value))
        i = max(end, i + 1)
    if found:
        value = max(found, key=lambda item: item[0])[1]
        filled.arguments[name] = int(value) if prop['type'] == 'integer' else value


def _settle(
    properties: Mapping[str, Any], said: Sequence[str], lexicon: Lexicon, filled: Filled
) -> None:
    """Decide what is unclear by what else was said: 'on the table in the kitchen', 'read cup'."""
    named = {spot.value for spot in lexicon.spots(said) if spot.value}
    for name, values in list(filled.unclear.items()):
        fitting = [v for v in values if any(word in v and word != v for word in named)]
        spot = next(spot for spot in filled.used if set(values) <= set(spot.values))
        heard = said[max(0, spot.start - 1) : spot.end]
        alike = lexicon.alike(heard, spot.role) if heard[0] not in DETERMINERS else None
        if alike and alike.value in values:
            fitting = [alike.value]
        colour = filled.arguments.get('colour')
        if colour and len(fitting) != 1:
            fitting = [v for v in values if colour in v.split('_')]
        if len(fitting) == 1:
            filled.arguments[name] = fitting[0]
            del filled.unclear[name]
    colour = filled.arguments.get('colour')
    others = [str(value) for name, value in filled.arguments.items() if name != 'colour']
    if colour and any(colour in value.split('_') for value in others):
        del filled.arguments['colour']


def _fill_absent(
    name: str,
    prop: Mapping[str, Any],
    said: Sequence[str],
    lexicon: Lexicon,
    mentioned: Mapping[str, str],
    filled: Filled,
    required: Sequence[str],
) -> None:
    """A value that was named before, or by its sound if the sentence needs one."""
    if 'enum' not in prop or is_verbal(prop):
        return
    roles = [prop.get('x-role') or name, *prop.get('x-roles', {}).values()]
    if name in filled.unclear:
        values = filled.unclear[name]
        earlier = next((mentioned[r] for r in roles if mentioned.get(r) in values), '')
        here = mentioned.get('place', '')
        there = [v for v in values if lexicon.within(v, (here,))] if here else []
        if earlier or len(there) == 1:
            filled.arguments[name] = earlier or there[0]
            del filled.unclear[name]
        return
    if not _lacks(name, filled):
        return
    if name not in required:
        return
    for role in dict.fromkeys(roles):
        spot = lexicon.alike(said, role)
        if spot and spot.value in prop['enum']:
            filled.arguments[name] = spot.value
            filled.used.append(spot)
            return
