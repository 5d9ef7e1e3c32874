# SPDX-License-Identifier: Apache-2.0
"""How alike words sound: recognisers write 'the whole' for 'the hall'."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

_RULES = tuple(
    (re.compile(pattern), to)
    for pattern, to in (
        (r'^wh(?=o)', 'h'), (r'^kn|^gn|^pn', 'n'), (r'^wr', 'r'), (r'm[bp]$', 'm'), (r'wh', 'w'),
        (r'tch', 'C'), (r'ch', 'C'), (r'sh|ti(?=on)|ci(?=an)', 'S'), (r'ph', 'f'), (r'th', 'T'),
        (r'gh(?=t)', ''), (r'gh', 'g'), (r'ck', 'k'), (r'c(?=[eiy])', 's'), (r'c', 'k'),
        (r'q', 'k'), (r'x', 'ks'), (r'z', 's'), (r'dg(?=[eiy])|j', 'J'), (r'(?<=[aeou])y', ''),
        (r'w(?![aeiouy])', ''), (r'(?<=[aeiouy])h(?![aeiouy])', ''), (r'(.)\1+', r'\1'),
    )
)  # fmt: skip


@lru_cache(maxsize=4096)
def consonants(word: str) -> str:
    """The consonants that are heard, in order; a vowel at the start is written A."""
    heard = re.sub(r'[^a-z]', '', word.lower())
    for pattern, to in _RULES:
        heard = pattern.sub(to, heard)
    first = 'A' if heard[:1] in 'aeiouy' and heard else ''
    return re.sub(r'(.)\1+', r'\1', first + re.sub(r'[aeiouy]', '', heard))


@lru_cache(maxsize=16384)
def likeness(heard: str, wanted: str) -> float:
    """0 to 1: how easily `wanted` is written as `heard`. Phrases are compared without blanks.

    1 is the same spelling, 0.9 the same consonants; below 0.8 it is not safe to take one for
    the other.
    """
    if heard == wanted or heard.replace(' ', '') == wanted.replace(' ', ''):
        return 1.0
    letters = SequenceMatcher(None, heard, wanted, autojunk=False).ratio()
    mine, theirs = consonants(heard), consonants(wanted)
    if not mine or not theirs or mine[0] != theirs[0]:
        return min(letters, 0.7)
    if mine == theirs:
        return 0.9 if letters >= 0.5 else 0.8
    sounds = SequenceMatcher(None, mine, theirs, autojunk=False).ratio()
    mine, theirs = mine.replace('C', 't'), theirs.replace('C', 't')
    sounds = max(sounds, SequenceMatcher(None, mine, theirs, autojunk=False).ratio() - 0.1)
    long_enough = min(len(mine), len(theirs)) >= 3 and len(wanted) >= 6
    return 0.5 * letters + 0.5 * sounds if long_enough else min(letters, 0.7)
