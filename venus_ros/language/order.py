# SPDX-License-Identifier: Apache-2.0
"""The order of doing, where it is not the order of saying: 'before you go there, bring it'."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from venus_ros.language.lexicon import DETERMINERS, PREPOSITIONS

_OPENED = re.compile(
    r'^(?:but |and )?(?P<word>before|once|after|when|as soon as) '
    r'(?:you (?:have |are |had )?|(?=\w+ing\b))(?P<rest>\w+ .+)$'
)
_AFTER = re.compile(
    r'^(?P<second>.+?)(?: ,)? (?:after|once) (?:you (?:have )?|(?=\w+ing\b))'
    r'(?P<been>been (?:to|in) )?(?P<first>\w+.*)$'
)


def in_order(text: str, begins: Callable[[str], bool]) -> str:
    """Requests in the order of doing; unchanged if something else is meant.

    Args:
        text: tokens joined by blanks.
        begins: whether something that can be asked for begins with a text.
    """
    opened = _OPENED.match(text)
    if opened is not None:
        for left, right in _cuts(opened['rest']):
            if begins(left) and begins(right):
                first, second = (right, left) if opened['word'] == 'before' else (left, right)
                return f'{first} and then {second}'
    match = _AFTER.match(text)
    if match is not None:
        first = f'go to {match["first"]}' if match['been'] else match['first']
        if begins(first) and begins(match['second']):
            return f'{first} and then {match["second"]}'
    return text


def _cuts(text: str) -> Iterator[tuple[str, str]]:
    """Where the second of two clauses may begin: at commas, else at a word that can be a verb."""
    for match in re.finditer(r' ,(?: then)? | then ', text):
        yield text[: match.start()], text[match.end() :]
    for match in re.finditer(r' (?=(\w+))', text):
        if match[1] not in DETERMINERS | PREPOSITIONS:
            yield text[: match.start()], text[match.end() :]
