# SPDX-License-Identifier: Apache-2.0
"""Results on their way into the private context: asked for, answered once, given, then spoken."""

from __future__ import annotations

from collections import OrderedDict

from venus_ros.core.messages import AdmitNote, Floor, NoteAnswer, State, Work
from venus_ros.core.step import Note

REMEMBERED = 256
FRESH_S = 3.0
"""So long after its admission an unspoken note keeps the floor from others."""
PATIENCE_S = 30.0
"""A note of which nothing is said for so long is given back."""


class Inbox:
    """Answers `AdmitNote` idempotently, and follows a note until it is spoken of."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._answers: OrderedDict[str, NoteAnswer] = OrderedDict()
        self._waiting: list[Note] = []
        self._unspoken: dict[str, tuple[Note, int]] = {}

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

    def drop_stale(self, works: tuple[Work, ...]) -> list[Note]:
        """Return waiting notes of which every work has become stale; they are not given."""
        stale = {work.work_id for work in works if work.state is State.STALE}
        dropped = [note for note in self._waiting if note.work_ids and stale >= set(note.work_ids)]
        self._waiting = [note for note in self._waiting if note not in dropped]
        return dropped

    def take(self, now_ns: int) -> tuple[Note, ...]:
        """Return the notes of the unit that ends at `now_ns`, in the order of acceptance."""
        notes, self._waiting = tuple(self._waiting), []
        self._unspoken.update((note.attempt_id, (note, now_ns)) for note in notes)
        return notes

    def spoken(self, attempt_id: str) -> None:
        """Speech about the note has begun."""
        self._unspoken.pop(attempt_id, None)

    def fresh(self, now_ns: int) -> bool:
        """Whether a note waits, or was given so lately that its speech is still to come."""
        since_ns = now_ns - int(FRESH_S * 1e9)
        return bool(self._waiting) or any(ns > since_ns for _, ns in self._unspoken.values())

    def give_back(self, now_ns: int | None = None) -> list[Note]:
        """Return notes of which nothing is said: those that waited too long, or all (None)."""
        back = [
            note
            for note, ns in self._unspoken.values()
            if now_ns is None or now_ns - ns > PATIENCE_S * 1e9
        ]
        for note in back:
            del self._unspoken[note.attempt_id]
        return back

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
