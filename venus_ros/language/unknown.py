# SPDX-License-Identifier: Apache-2.0
"""Words that stand where a value should, but name nothing that is known."""

from __future__ import annotations

from collections.abc import Sequence

from venus_ros.language.lexicon import DETERMINERS, PREPOSITIONS, Spot

DESTINATION = frozenset(('to', 'into', 'onto', 'towards', 'toward'))
_NO_DESTINATION = frozenset(('from', 'of', 'with', 'for', 'off', 'over', 'by', 'through'))
_DOWN = frozenset(('floor', 'ground', 'carpet'))
_USER = frozenset(('me', 'us', 'mi'))
ANYTHING = frozenset(('something', 'anything', 'one'))
_OTHERS = frozenset(('him', 'her', 'them'))


def phrase_after(said: Sequence[str], leads: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Range of the words that stand where a value should; (0, 0) if there are none.

    They follow one of `leads` and end before the next small word.
    """
    for lead in sorted(leads, key=len, reverse=True):
        for begin in range(len(said) - len(lead), -1, -1):
            start = begin + len(lead)
            if tuple(said[begin:start]) != tuple(lead):
                continue
            start, end = _name_at(said, start)
            if start < end:
                return start, end
    return 0, 0


def _name_at(said: Sequence[str], start: int) -> tuple[int, int]:
    """Range of what may be a name from `start` on, after its article; empty if it is none."""
    while start < len(said) and said[start] in DETERMINERS:
        start += 1
    end = start
    while end < len(said) and said[end] not in PREPOSITIONS | _ENDS:
        end += 1
    named = 0 < end - start <= 3 and not _vague(said, start, end)
    return (start, end) if named else (start, start)


def _vague(said: Sequence[str], start: int, end: int) -> bool:
    """Whether words name nothing: 'that', 'the red one', 'something to drink'."""
    lead = start - 1
    while lead >= 0 and said[lead] in DETERMINERS:
        lead -= 1
    purpose = lead > 0 and said[lead] == 'to' and said[lead - 1] in ANYTHING
    return purpose or set(said[start:end]) <= _VAGUE or said[end - 1] in ('one', 'ones')


def destination(said: Sequence[str], named: Sequence[Spot], placing: bool) -> str:
    """The words for where, or to whom, a thing is to go; empty if nothing is said.

    Args:
        said: the words of a clause whose destination is none that is known.
        named: what is known of the clause: the thing itself.
        placing: the verb puts something down, so that 'on' and 'in' lead to a destination.
    """
    things = [spot for spot in named if spot.role not in ('colour', 'place')]
    if not things:
        return ''
    return _recipient(said, things[0]) or _goal(said, things[0], placing)


def _recipient(said: Sequence[str], thing: Spot) -> str:
    """'anna' in 'bring anna the book', 'my mother' in 'give my mother the keys'."""
    if said[1:2] and said[1] in _OTHERS and said[2:3] and said[2] in DETERMINERS:
        return said[1]
    article = thing.start - 1
    while article > 0 and said[article] not in DETERMINERS:
        article -= 1
    who = [word for word in said[1 : max(1, article)] if word not in _ASIDE]
    plain = set(who) - DETERMINERS
    if not plain or plain & (PREPOSITIONS | _ENDS | _VAGUE | _USER) or len(who) > 2:
        return ''
    return ' '.join(who)


def _goal(said: Sequence[str], thing: Spot, placing: bool) -> str:
    """'my wife' in 'take the book to my wife', 'lamp' in 'put the ball next to the lamp'."""
    for i in range(thing.end, len(said)):
        leads = said[i] in DESTINATION or (placing and said[i] in PREPOSITIONS - _NO_DESTINATION)
        if not leads:
            continue
        start, end = _name_at(said, i + 1)
        if start < end and not set(said[start:end]) & _DOWN:
            return ' '.join(said[start:end])
    return ''


_ASIDE = frozenset(('please', 'just', 'quickly', 'now', 'also', 'then', 'again', 'back'))
_ENDS = frozenset(
    ('and', 'please', 'then', 'now', 'that', 'which', 'is', 'are', 'so', 'because', 'did', 'do',
     'does', 'have', 'has', 'can', 'could', 'will', 'would', 'should', 'was', 'were', 'you', 'i',
     'we', 'he', 'she', 'they', 'what', 'where')
)  # fmt: skip
_VAGUE = frozenset(
    ('it', 'that', 'this', 'them', 'those', 'these', 'me', 'myself', 'yourself', 'going', 'moving',
     'away', 'out', 'off', 'lost', 'ready', 'us', 'here', 'there', 'something', 'anything',
     'thing', 'things', 'one', 'you', 'up', 'down', 'over', 'back', 'somewhere', 'along',
     'forward', 'ahead', 'right', 'straight', 'directly', 'quickly', 'slowly', 'again', 'now',
     'first', 'next')
)  # fmt: skip
