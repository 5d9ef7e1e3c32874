# SPDX-License-Identifier: Apache-2.0
"""Cutting what the robot wants to say into pieces that are made and heard one by one."""

from __future__ import annotations

import re

MIN_FIRST_WORDS = 2
MAX_FIRST_WORDS = 9
MAX_WORDS = 22

_SENTENCE = re.compile(r'(?<=[.!?…。！？])["\')\]]*\s+|(?<=[。！？])')
_OPENING = re.compile(r'((?:\S+ ){0,2}\S+,) (.+)')
"""'Okay, …': made in a moment, and spoken while the rest is made."""
_CLAUSE = re.compile(r'(?<=[,;:])\s+|\s+(?=(?:and|but|because|while|then)\s)')


def pieces(text: str) -> list[str]:
    """Cut `text` at sentences, and its first one further, so that sound comes early.

    The pieces joined by single spaces give the words of `text` again, in order.
    """
    found: list[str] = []
    for sentence in _SENTENCE.split(' '.join(text.split())):
        words = sentence.split()
        if not words:
            continue
        most = MAX_WORDS if found else MAX_FIRST_WORDS
        if not found and (opening := _OPENING.match(sentence)):
            found.append(opening[1])
            sentence, words = opening[2], opening[2].split()
        if len(words) > most:
            found += _clauses(sentence, most)
        else:
            found.append(sentence)
    return found


def _clauses(sentence: str, most: int) -> list[str]:
    """The longest beginning of whole clauses within `most` words, then the rest likewise."""
    head: list[str] = []
    rest = _CLAUSE.split(sentence)
    while rest and (not head or _words([*head, rest[0]]) <= most):
        head.append(rest.pop(0))
    while rest and _words(head) < MIN_FIRST_WORDS:
        head.append(rest.pop(0))
    tail = ' '.join(rest)
    if not tail:
        return [' '.join(head)]
    return [' '.join(head), *(_clauses(tail, MAX_WORDS) if _words([tail]) > MAX_WORDS else [tail])]


def _words(parts: list[str]) -> int:
    return sum(len(p.split()) for p in parts)
