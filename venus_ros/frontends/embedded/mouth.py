# SPDX-License-Identifier: Apache-2.0
"""What the robot is saying: lines on their way to sound, and what is left of a turn cut short."""

from __future__ import annotations

from dataclasses import dataclass

from venus_ros.core.split import Public, Splitter
from venus_ros.frontends.embedded.floor import words_of
from venus_ros.frontends.embedded.phrasing import pieces
from venus_ros.frontends.embedded.voice import Piece, Voice
from venus_ros.frontends.protocol import Control, Note, Speech


@dataclass(frozen=True, slots=True)
class Line:
    """Words to be said, and the note that they restate (or none)."""

    text: str
    note: Note | None = None


class Mouth:
    """Speaks lines as one turn after the other through a `Voice`.

    Args:
        voice: makes the sound.
        counted: wait for it inside `speak`.
    """

    def __init__(self, voice: Voice, counted: bool) -> None:
        self._voice, self._counted = voice, counted
        self._turn: list[Line] = []
        self._asked = 0
        self._open = False
        self._faults: list[str] = []

    @property
    def pending(self) -> bool:
        """Whether lines wait for their sound."""
        return self._asked > 0

    @property
    def begun(self) -> bool:
        """Whether a turn has begun and is not complete."""
        return self._open

    @property
    def turn_text(self) -> str:
        """Everything that was given of the current or last turn."""
        return ' '.join(line.text for line in self._turn)

    def say(self, line: Line) -> None:
        """Add `line` to the current turn, or begin the next one with it."""
        for text in pieces(public(line.text)):
            self._voice.say(Piece(text, Line(text, line.note)))
            self._asked += 1

    def speak(self) -> tuple[Control, list[Speech]]:
        """Sound that is ready, and whether the turn is complete with it."""
        if not self._asked:
            return Control.LISTEN, []
        made = self._voice.wait() if self._counted else self._voice.ready()
        self._asked -= len(made)
        speech = [self._give(p) for p in made if p.pcm is not None and len(p.pcm)]
        self._faults += [f'the voice failed on a sentence: {p.failed}' for p in made if p.failed]
        if not self._asked and (speech or self._open):
            self._open = False
            return Control.END_TURN, speech
        return (Control.SPEAK if speech or self._open else Control.LISTEN), speech

    def take_faults(self) -> list[str]:
        """What failed since the last call, a sentence each."""
        faults, self._faults = self._faults, []
        return faults

    def stop(self) -> None:
        """Say nothing more of what was asked for."""
        self._voice.drop()
        self._asked = 0
        self._open = False

    def unheard(self, heard: str) -> list[Line]:
        """Lines of the last turn that were not heard to their end, without those from notes.

        Args:
            heard: the words of the turn that were played.
        """
        count = len(words_of(heard))
        left = []
        for line in self._turn:
            count -= len(words_of(line.text))
            if count < 0 and line.note is None:
                left.append(line)
        return left

    def _give(self, piece: Piece) -> Speech:
        line: Line = piece.tag
        if not self._open:
            self._open = True
            self._turn = []
        self._turn.append(line)
        note = line.note
        assert piece.pcm is not None
        return Speech(
            piece.pcm, line.text, note.work_ids if note else (), note.attempt_id if note else ''
        )


def public(text: str) -> str:
    """`text` without protocol tokens and what stands inside private ones."""
    splitter = Splitter()
    parts = splitter.feed(text) + splitter.end_turn()
    return ' '.join(part.text for part in parts if isinstance(part, Public))
