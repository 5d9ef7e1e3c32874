# SPDX-License-Identifier: Apache-2.0
"""Any cut of a stream gives the same; nothing private gets out over any cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from venus_ros.core.split import (
    LONGEST_TASK,
    Closed,
    Opened,
    Public,
    Splitter,
    Voided,
    has_token,
)

SECRET = 'zq'
LONG = 'x' * LONGEST_TASK
TAGS = [
    '<delegate>',
    '</delegate>',
    '<backend>',
    '</backend>',
    '<unit>',
    '<|speak|>',
    '<|listen|>',
]
SCRAPS = ['<', '</', '<|', '|>', '<del', 'egate>', 'hello ', 'a < b', ' ', '<Delegate>']
pieces = st.sampled_from([*TAGS, *SCRAPS, '<|turn_eos|>'])
streams = st.lists(pieces, max_size=14).map(''.join)


def run(parts_of: list[str], splitter=None) -> tuple[str, list[object]]:
    """Return (public text, everything else) of a stream given in pieces."""
    splitter = splitter or Splitter()
    parts = [part for piece in parts_of for part in splitter.feed(piece)]
    parts += splitter.end_turn()
    public = ''.join(part.text for part in parts if isinstance(part, Public))
    return public, [part for part in parts if not isinstance(part, Public)]


def cut(text: str, places: list[int]) -> list[str]:
    borders = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[a:b] for a, b in zip(borders, borders[1:], strict=False)]


@settings(max_examples=200, deadline=None)
@given(streams, st.lists(st.integers(0, 300), max_size=12))
def test_any_cut_gives_the_same(text, places):
    assert run(cut(text, places)) == run([text]) == run(list(text))


hidden = st.sampled_from([SECRET, ' ', '<', '<unit>', '<|listen|>', '</'])


@st.composite
def private_streams(draw):
    """A stream that holds the secret inside private tags only, and what must stay public."""
    text, public = '', ''
    for _ in range(draw(st.integers(0, 5))):
        said = draw(st.sampled_from(['yes ', 'one < two ', '<b>', 'x>', '<|', '']))
        text, public = text + said, public + said
        tag = draw(st.sampled_from(['delegate', 'backend']))
        inside = draw(st.lists(hidden, max_size=5))
        text += f'<{tag}>{"".join(inside)}</{tag}>'
    return text, public


@settings(max_examples=200, deadline=None)
@given(private_streams(), st.lists(st.integers(0, 400), max_size=15))
def test_nothing_private_is_public_over_any_cut(stream, places):
    text, expected = stream
    public, _ = run(cut(text, places))
    assert SECRET not in public
    assert public == expected
    assert not has_token(public)


class PieceByPiece(Splitter):
    """A wrong twin: it holds nothing back."""

    def feed(self, piece):
        parts = super().feed(piece)
        held, self._held = self._held, ''
        self._say(held, parts)
        return parts


def test_the_property_finds_a_splitter_that_holds_nothing_back():
    text = f'on my way <delegate>{SECRET}</delegate>'
    public, _ = run(cut(text, [14]), PieceByPiece())
    assert SECRET in public


@pytest.mark.parametrize(
    ('text', 'others'),
    [
        ('<delegate> go  to\nit </delegate>', [Opened(), Closed('go to it')]),
        ('<delegate>go', [Opened(), Closed('go')]),
        ('<delegate>go<|turn_eos|>there', [Opened(), Closed('go')]),
        ('<delegate>go <unit>on</unit><|speak|></delegate>', [Opened(), Closed('go on')]),
        ('<delegate></delegate>', [Opened(), Voided('empty')]),
        ('<delegate>', [Opened(), Voided('empty')]),
        ('<delegate>a<|listen|>b</delegate>', [Opened(), Voided('protocol token listen inside')]),
        (
            '<delegate>a<delegate>b</delegate>c</delegate>',
            [Opened(), Voided('delegate opened inside')],
        ),
        ('<backend>a<delegate>b</delegate>c</backend>', []),
        ('</delegate>', []),
        ('<delegate>a</backend>b</delegate>', [Opened(), Closed('ab')]),
        ('<DELEGATE>a</Delegate>', [Opened(), Closed('a')]),
        ('<delegate>' + LONG + '</delegate>', [Opened(), Closed(LONG)]),
        ('<delegate>x' + LONG, [Opened(), Voided('longer than 4000 characters')]),
        (
            '<delegate>a</delegate><delegate>b</delegate>',
            [Opened(), Closed('a'), Opened(), Closed('b')],
        ),
    ],
)
def test_what_becomes_of_a_request(text, others):
    public, found = run([text])
    assert found == others
    assert public == ''.join('there' for _ in [0] if 'there' in text)


def test_a_turn_that_is_cut_voids_its_request_and_the_next_one_is_clean():
    splitter = Splitter()
    splitter.feed('<delegate>go to')
    assert splitter.cut('stopped') == [Voided('stopped')]
    assert splitter.feed(' the kitchen') == [Public(' the kitchen')]
    assert not splitter.private
