# SPDX-License-Identifier: Apache-2.0
"""Results on their way into the private context: asked for, answered once, given at a unit."""

from __future__ import annotations

from collections import OrderedDict

from venus_ros.core.messages import AdmitNote, Floor, NoteAnswer
from venus_ros.core.step import Note

REMEMBERED = 256


class Inbox:
    """Answers `AdmitNote` idempotently and keeps what was accepted until the next unit."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._answers: OrderedDict[str, NoteAnswer] = OrderedDict()
        self._waiting: list[Note] = []

    @property
    def waiting(self) -> int:
        """Notes that the next unit takes."""
        return len(self._waiting)

    def ask(self, note: AdmitNote, floor: Floor, muted: bool) -> NoteAnswer:
        """Return whether the note goes in at the next unit; a refusal keeps nothing."""
        known = self._answers.get(note.attempt_id)
        if known is not None:
            return known
        reason = self._refusal(note, floor, muted)
        answer = NoteAnswer(note.attempt_id, not reason, reason)
        if answer.accepted:
            self._waiting.append(Note(note.attempt_id, note.work_ids, note.text))
            self._answers[note.attempt_id] = answer
            if len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)
        return answer

    def take(self) -> tuple[Note, ...]:
        """Return the notes of this unit, in the order in which they were accepted."""
        notes, self._waiting = tuple(self._waiting), []
        return notes

    def _refusal(self, note: AdmitNote, floor: Floor, muted: bool) -> str:
        if note.session_id not in ('', self._session_id):
            return 'other_session'
        if not note.text.strip():
            return 'empty'
        if muted:
            return 'muted'
        if floor is Floor.UNKNOWN:
            return 'loading'
        return '' if floor is Floor.FREE else 'floor_taken'
