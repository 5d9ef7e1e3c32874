# SPDX-License-Identifier: Apache-2.0
"""To whom something was said: the robot by its name, or somebody else by theirs."""

from __future__ import annotations

import re

from venus_ros.language.given_names import GIVEN_NAMES
from venus_ros.language.requests import Reader
from venus_ros.language.sound import likeness

_OWN, _PERHAPS_OWN = 0.85, 0.75
_FIRST = re.compile(
    r'^\s*(?:(?i:hey|hi|hello|oh|okay|well|so|and|but|look|listen|come on|yes|yeah|no|sorry|'
    r'thanks|thank you|please|good morning|good night),? )*([A-Z][a-z]+), (?=\w)'
)
_CALLED = re.compile(
    r'^\s*(?:(?:hey|hi|hello|oh|okay|well|so|and|but|look|listen|come on|yes|no|sorry),? )*'
    r'([A-Z][a-z]+),? (?=(?:you|your|please|what|where|when|why|who|how|it|there|come|get|give|'
    r'(?:are|were|do|did|have|had|can|could|will|would|shall|should) (?:you|we|i))\b)',
    re.IGNORECASE,
)
_LAST = re.compile(r'[,?] ([A-Z][a-z]+)[.!?]*\s*$')
_MACHINES = re.compile(r'^(?:hey |okay |hi )?(?:siri|alexa|google|cortana)\b')
_NO_NAMES = frozenset(
    ('please', 'well', 'okay', 'ok', 'no', 'yes', 'now', 'then', 'so', 'actually', 'wait', 'sorry',
     'hey', 'hi', 'hello', 'thanks', 'robot', 'um', 'uh', 'right', 'alright', 'great', 'first',
     'next', 'also', 'oh', 'ah', 'good', 'fine', 'sure', 'stop', 'look', 'listen', 'quick',
     'quickly', 'yeah', 'nope', 'hmm', 'instead', 'rather', 'correction', 'oops', 'anyway',
     'today', 'cheers', 'hurry', 'come', 'go', 'what', 'maybe', 'perhaps', 'finally', 'buddy',
     'friend', 'dear', 'and', 'but', 'or')
)  # fmt: skip


def with_own_name(text: str, name: str) -> str:
    """Tokens with a misheard name of the robot at the start or the end spelt right."""
    words = text.split()
    if not words or ' ' in name:
        return text
    for i in {*range(min(3, len(words))), len(words) - 1}:
        if len(words[i]) > 3 and likeness(words[i], name) >= _OWN:
            words[i] = name
    return ' '.join(words)


def for_another(text: str, name: str, reader: Reader) -> bool:
    """Whether somebody else is addressed by name: 'Tom, could you go to the kitchen?'.

    A recogniser often leaves the comma out; then only a usual name counts.

    Args:
        text: as it was recognised or typed, with capitals and commas.
        name: the robot's, in plain words.
    """
    for pattern in (_FIRST, _LAST):
        match = pattern.search(text)
        if match is None:
            continue
        word = match[1].lower()
        known = reader.lexicon.spots([word]) or reader.frames.verb(word)
        own = likeness(word, name) >= _PERHAPS_OWN
        if not known and not own and word not in _NO_NAMES:
            return True
    if called := _CALLED.search(text):
        word = called[1].lower()
        if word in GIVEN_NAMES and likeness(word, name) < _OWN:
            return True
    return bool(_MACHINES.match(text.lower()))
