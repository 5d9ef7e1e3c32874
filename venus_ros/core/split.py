# SPDX-License-Identifier: Apache-2.0
"""Tells the private from the public in a stream of text that may be cut anywhere.

Private is what stands in `<delegate>…</delegate>` (a request to the harness) or in
`<backend>…</backend>` (a note from it). A tail that could become a tag is held back until it is
known what it is, so that the same stream gives the same result over any cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_TASK = 4000
"""Characters of a request; a longer one is void."""

_TAGS = ('delegate', 'backend', 'unit', 'image', 'think')
_TOKEN = re.compile(rf'<(/?)({"|".join(_TAGS)})>|<\|(\w{{1,32}})\|>', re.IGNORECASE)
_SKIPPED_INSIDE = frozenset({'unit', '/unit', 'speak', 'chunk_eos'})
_TURN_END = 'turn_eos'


@dataclass(frozen=True, slots=True)
class Public:
    """Text for the user."""

    text: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A request began."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A request is complete."""

    task: str


@dataclass(frozen=True, slots=True)
class Voided:
    """A request that had begun is malformed or was cut; nothing is to be done."""

    reason: str


Part = Public | Opened | Closed | Voided


def has_token(text: str) -> bool:
    """Whether `text` holds a protocol token, which no user may see or hear."""
    return _TOKEN.search(text) is not None


def _may_become_token(tail: str) -> bool:
    """Whether more text could turn `tail`, which starts with `<`, into a protocol token."""
    if tail.startswith('<|'):
        return re.fullmatch(r'<\|\w{0,32}\|?', tail) is not None
    name = tail[1:].removeprefix('/').lower()
    return any(tag.startswith(name) for tag in _TAGS)


class Splitter:
    """Splits one session's text. Nothing private comes out as `Public`."""

    def __init__(self) -> None:
        self._held = ''
        self._inside: list[str] = []  # open private tags, outermost first
        self._body: list[str] | None = None  # of the open request; None if void or none

    @property
    def private(self) -> bool:
        """Whether the stream is inside something private."""
        return bool(self._inside)

    def feed(self, piece: str) -> list[Part]:
        """Take the next piece of the stream."""
        text, self._held = self._held + piece, ''
        parts: list[Part] = []
        position = 0
        for token in _TOKEN.finditer(text):
            self._say(text[position : token.start()], parts)
            self._obey(token, parts)
            position = token.end()
        rest = text[position:]
        tail = rest.rfind('<')
        if tail >= 0 and _may_become_token(rest[tail:]):
            rest, self._held = rest[:tail], rest[tail:]
        self._say(rest, parts)
        return parts

    def end_turn(self) -> list[Part]:
        """The turn is over: what was held back is text, an open request is complete."""
        parts: list[Part] = []
        held, self._held = self._held, ''
        self._say(held, parts)
        self._close(parts)
        self._inside.clear()
        return parts

    def cut(self, reason: str) -> list[Part]:
        """The turn was broken off: an open request is void."""
        parts: list[Part] = []
        self._void(reason, parts)
        self._held = ''
        self._inside.clear()
        return parts

    def _say(self, text: str, parts: list[Part]) -> None:
        if not text:
            return
        if not self._inside:
            parts.append(Public(text))
        elif self._body is not None:
            self._body.append(text)
            if sum(map(len, self._body)) > LONGEST_TASK:
                self._void(f'longer than {LONGEST_TASK} characters', parts)

    def _obey(self, token: re.Match[str], parts: list[Part]) -> None:
        closing, tag, special = token.groups()
        name = (special or closing + tag).lower()
        if name in ('delegate', 'backend'):
            self._open(name, parts)
        elif name in ('/delegate', '/backend'):
            self._leave(name[1:], parts)
        elif not self._inside or name in _SKIPPED_INSIDE:
            return
        elif name == _TURN_END:
            self._close(parts)
            self._inside.clear()
        else:
            self._void(f'protocol token {name} inside', parts)

    def _open(self, name: str, parts: list[Part]) -> None:
        if self._inside:
            self._void(f'{name} opened inside', parts)
        elif name == 'delegate':
            self._body = []
            parts.append(Opened())
        self._inside.append(name)

    def _leave(self, name: str, parts: list[Part]) -> None:
        """Close the innermost `name`; a closing tag without its opening one is dropped."""
        if name not in self._inside:
            return
        if self._inside[-1] != name:
            self._void(f'{name} closed across another tag', parts)
        while self._inside.pop() != name:
            pass
        if not self._inside:
            self._close(parts)

    def _close(self, parts: list[Part]) -> None:
        if self._body is None:
            return
        task, self._body = ' '.join(''.join(self._body).split()), None
        parts.append(Closed(task) if task else Voided('empty'))

    def _void(self, reason: str, parts: list[Part]) -> None:
        if self._body is not None:
            self._body = None
            parts.append(Voided(reason))
