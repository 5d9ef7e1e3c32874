# SPDX-License-Identifier: Apache-2.0
"""A frontend that is loaded once and serves many conversations, and a voice that remembers."""

from __future__ import annotations

from typing import cast

from venus_ros.core.messages import Pcm, Unit
from venus_ros.core.step import (
    Context,
    Directive,
    DuplexFrontend,
    Heard,
    Note,
    Prompt,
    StepOutput,
)
from venus_ros.frontends.embedded.frontend import EmbeddedFrontend
from venus_ros.frontends.embedded.voice import Piece, Voice


class Remembered:
    """A voice that makes each sentence once: in counted time the same words sound the same."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._asked: list[Piece] = []
        self._made: dict[str, Pcm | None] = {}
        self.rate_hz, self.engine = voice.rate_hz, voice.engine

    def say(self, piece: Piece) -> None:
        """As `Voice`."""
        self._asked.append(piece)

    def wait(self) -> list[Piece]:
        """As `Voice`."""
        asked, self._asked = self._asked, []
        for piece in asked:
            if piece.text not in self._made:
                self._voice.say(piece)
        for piece in self._voice.wait():
            self._made[piece.text] = piece.pcm
        for piece in asked:
            piece.pcm = self._made.get(piece.text)
        return asked

    def drop(self) -> None:
        """As `Voice`."""
        self._asked.clear()

    def close(self) -> None:
        """As `Voice`."""
        self._voice.close()


class Frontend(EmbeddedFrontend):
    """The embedded frontend in counted time, with a voice that remembers."""

    def __init__(self) -> None:
        super().__init__(counted=True)

    def _load(self) -> None:
        super()._load()
        assert self._voice is not None
        self._voice = cast('Voice', Remembered(self._voice))


class Kept:
    """A frontend that outlives sessions: closing it does nothing, opening it again resets it."""

    def __init__(self, frontend: DuplexFrontend) -> None:
        self._frontend = frontend
        self._opened = self._stale = False
        self.spec = frontend.spec

    def open(self, prompt: Prompt) -> None:
        """Load at the first time; later let the conversation begin anew with the next unit."""
        self._stale = self._opened
        if not self._opened:
            self._frontend.open(prompt)
            self._opened = True

    def step(
        self,
        unit: Unit,
        notes: tuple[Note, ...],
        heard: Heard,
        directive: Directive,
        context: Context,
    ) -> StepOutput:
        """As `DuplexFrontend`."""
        given = Directive.RESET if self._stale else directive
        self._stale = False
        return self._frontend.step(unit, notes, heard, given, context)

    def say(self, text: str) -> None:
        """As `DuplexFrontend`."""
        self._frontend.say(text)

    def close(self) -> None:
        """Nothing: see `end`."""

    def end(self) -> None:
        """Close the frontend itself."""
        self._frontend.close()
