# SPDX-License-Identifier: Apache-2.0
"""Questions about what is somewhere: the words that are asked, without the place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from venus_ros.language.lexicon import DETERMINERS, PREPOSITIONS, Spot

if TYPE_CHECKING:
    from venus_ros.language.slots import Filled

_INTERROGATIVE = re.compile(
    r'\b(what|which|who|whether|if|how many|how much|is|are|was|were|does|do|did)\b'
)
_INDIRECT = re.compile(
    r'^(?:whether|if) '
    r'((?:there|the \w+(?: \w+)??|my \w+|your \w+|any\w*|some\w*|a \w+(?: \w+)??)) '
    r'(is|are|was|were)\b'
)
_ABOUT_ONE = re.compile(
    r'^(?:(?:whether|if) )?(?:is |are |was |were )?(?:the|my|your|his|her|our|it|that|this)\b'
)
_SEARCHED = re.compile(
    r'^(?:look|check|search|scan|hunt|inspect|explore|examine|go through)\b.*\bfor\b|'
    r'^(?:(?:try|manage) (?:to|and) )?(?:find (?!out)|search|locate|seek|hunt|spot|discover|i )|'
    r'\b(?:if|whether) (?:you|we|i) (?:can |could )?(?:find|spot|locate)\b|'
    r'^(?!what|which).*\b(?:seen|spotted)\b|\bwhere\b|\b(?:which|what) (?:room|place) is\b'
)


def searches(text: str) -> bool:
    """Whether a thing is looked for by its name: 'find my keys', 'have you seen the ball'."""
    return bool(_SEARCHED.search(text))


def fill_question(
    schema: Mapping[str, Any], said: Sequence[str], spots: Sequence[Spot], filled: Filled
) -> None:
    """The question as it was asked, without the place; not if a thing is looked for by name."""
    properties = schema.get('properties', {})
    name = next((n for n, prop in properties.items() if prop.get('x-free') == 'question'), '')
    if not name:
        return
    text = ' '.join(said)
    others = {n for one in schema.get('anyOf', ()) for n in one.get('required', ())} - {name}
    named = [other for other in others if other in filled.arguments]
    asks = _INTERROGATIVE.search(text)
    if searches(text) if others else named and not asks:
        return
    for other in others:
        filled.arguments.pop(other, None)
        filled.several.pop(other, None)
        filled.unclear.pop(other, None)
        filled.unknown.pop(other, None)
    filled.arguments[name] = _question(said, spots, filled) if asks else 'what is there'


def _question(said: Sequence[str], spots: Sequence[Spot], filled: Filled) -> str:
    kept = list(said)
    asked = _INTERROGATIVE.search(' '.join(said))
    whole = asked and _ABOUT_ONE.match(' '.join(said)[asked.start() :])
    for spot in () if whole else sorted(spots, key=lambda s: -s.start):
        if spot.value and spot.value == filled.arguments.get('place'):
            start = spot.start
            while start and kept[start - 1] in DETERMINERS:
                start -= 1
            if start and kept[start - 1] in PREPOSITIONS:
                del kept[start - 1 : spot.end]
    text = ' '.join(kept)
    match = _INTERROGATIVE.search(text)
    text = text[match.start() :] if match else text
    if text.endswith((' is', ' are')):
        text += ' there'
    return _INDIRECT.sub(r'\2 \1', text)
