# SPDX-License-Identifier: Apache-2.0
"""The telling: results go into the conversation when the floor is free, each of them once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from venus_ros.core.errors import Code
from venus_ros.core.messages import (
    AdmitNote,
    ConversationState,
    Event,
    Floor,
    Kind,
    NoteAnswer,
    Playout,
    State,
    Stopped,
    TurnPlayed,
    Work,
)
from venus_ros.core.work import RELEASED, WorkEvent
from venus_ros.harness.journal import Entry
from venus_ros.harness.table import WorkTable, untold
from venus_ros.harness.watch import Watch

DELIVERY_LIMIT_S = 120.0
MOST_ATTEMPTS = 3
"""Once, and again at most twice."""
MOST_TOGETHER = 3
HOLD_S = 6.0
"""A first step's result waits so long for the second's, so that both are told in one go."""
ASK_AGAIN_S = 2.0
REFUSED_WAIT_S = 0.3
LONGEST_TELLING_S = 60.0
"""A note that is neither heard nor cut after so long has lost its frontend."""
SILENCE_S = 10.0
"""A frontend that keeps silent for so long on a free floor has chosen not to tell."""
FATE_S = 3.0
"""After a restart the speaker gets so long to say what it still played."""
_REST = 'So I have left out the rest.'


class _Stage(Enum):
    ASKED = 'asked'
    ACCEPTED = 'accepted'
    ADMITTED = 'admitted'


@dataclass(slots=True)
class _Attempt:
    """One note on its way. Times are watch times."""

    note: AdmitNote
    began_s: float
    asked_s: float
    stage: _Stage = _Stage.ASKED
    silent_s: float = 0.0
    hushed: bool = False


class Delivery:
    """From COMPLETED to DELIVERED, or to UNSPOKEN; failures are told the same way.

    Args:
        table: all works.
        watch: time for deadlines.
        new_id: draws the ids of attempts.
    """

    def __init__(self, table: WorkTable, watch: Watch, new_id: Callable[[], str]) -> None:
        self._table = table
        self._watch = watch
        self._new_id = new_id
        self._state = ConversationState('', Floor.UNKNOWN)
        self._attempt: _Attempt | None = None
        self._pending_since: dict[str, float] = {}
        self._fate_at: dict[str, float] = {}
        self._turns: dict[tuple[str, int], TurnPlayed] = {}
        self._wait_until_s = -math.inf
        self._looked_s = 0.0
        self._out: list[Any] = []
        for entry in table:
            if untold(entry) and entry.attempts:
                self._fate_at[entry.work.work_id] = math.inf

    def take(self) -> list[Any]:
        """What is to be sent."""
        out, self._out = self._out, []
        return out

    # ---- hearing -----------------------------------------------------------------------------

    def on_state(self, state: ConversationState) -> None:
        """Follow the floor; another session means that the frontend was restarted."""
        if state.session_id != self._state.session_id:
            self._on_new_session()
        self._state = state

    def on_answer(self, answer: NoteAnswer) -> None:
        """The frontend took the note, or cannot now."""
        attempt = self._attempt
        if attempt is None or answer.attempt_id != attempt.note.attempt_id:
            return
        if answer.accepted:
            if attempt.stage is _Stage.ASKED:
                attempt.stage = _Stage.ACCEPTED
        elif attempt.stage is _Stage.ASKED:
            self._attempt = None
            self._wait_until_s = self._watch.now_s + REFUSED_WAIT_S

    def on_event(self, event: Event) -> None:
        """A note was admitted, heard or cut."""
        if event.kind is Kind.NOTE_ADMITTED:
            self._on_admitted(event)
        elif event.kind is Kind.NOTE_HEARD:
            for entry in self._named(event):
                self._heard(entry)
            self._finish(event)
        elif event.kind is Kind.NOTE_CUT:
            self._on_cut(event)

    def on_playout(self, playout: Playout) -> None:
        """Remember which turns told something, and how much of them was played."""
        for turn in playout.recent:
            if turn.work_ids:
                self._turns[turn.session_id, turn.turn_id] = turn
        while len(self._turns) > 64:
            del self._turns[next(iter(self._turns))]

    def on_stopped(self, stopped: Stopped) -> None:
        """What is being told when the user says stop is not told again."""
        if stopped.scope.speech and self._attempt and self._attempt.stage is not _Stage.ASKED:
            self._attempt.hushed = True

    # ---- time --------------------------------------------------------------------------------

    def check(self) -> None:
        """Offer what is pending on a free floor; give up what took too long."""
        passed_s = self._watch.now_s - self._looked_s
        self._looked_s = self._watch.now_s
        self._note_pending()
        self._decide_fates()
        self._check_attempt(passed_s)
        self._expire()
        free = self._state.floor is Floor.FREE and not self._state.muted
        if free and self._attempt is None and self._watch.now_s >= self._wait_until_s:
            self._offer()

    def _note_pending(self) -> None:
        pending = {e.work.work_id for e in self._table if untold(e)}
        for work_id in pending - self._pending_since.keys():
            self._pending_since[work_id] = self._watch.now_s
        for work_id in self._pending_since.keys() - pending:
            del self._pending_since[work_id]
        for work_id in self._fate_at.keys() - pending:
            del self._fate_at[work_id]

    def _check_attempt(self, passed_s: float) -> None:
        attempt = self._attempt
        if attempt is None:
            return
        if not any(untold(entry) for entry in self._entries(attempt.note.work_ids)):
            self._attempt = None
        elif attempt.stage is _Stage.ASKED:
            if self._watch.now_s - attempt.asked_s >= ASK_AGAIN_S:
                attempt.asked_s = self._watch.now_s
                self._out.append(attempt.note)
        elif self._watch.now_s - attempt.began_s >= LONGEST_TELLING_S:
            self._abandon(attempt)
        elif self._state.floor is Floor.FREE:
            attempt.silent_s += passed_s
            if attempt.silent_s >= SILENCE_S:
                self._abandon(attempt)

    def _abandon(self, attempt: _Attempt) -> None:
        """Nothing came of a note; whether it is offered again is for the rules of a cut one."""
        self._attempt = None
        for entry in self._entries(attempt.note.work_ids):
            self._again_or_never(entry, attempt.hushed)

    def _expire(self) -> None:
        taken = self._attempt is not None and self._attempt.stage is not _Stage.ASKED
        telling = self._attempt.note.work_ids if self._attempt and taken else ()
        for work_id, since_s in list(self._pending_since.items()):
            if self._watch.now_s - since_s >= DELIVERY_LIMIT_S and work_id not in telling:
                for entry in self._entries((work_id,)):
                    self._never(entry, Code.NOT_TOLD)

    # ---- offering ----------------------------------------------------------------------------

    def _offer(self) -> None:
        """Offer what is pending, oldest first, as one note."""
        due = [e for e in self._table if untold(e) and self._is_due(e)][:MOST_TOGETHER]
        if not due:
            return
        note = AdmitNote(
            session_id=self._state.session_id,
            attempt_id=self._new_id(),
            work_ids=tuple(entry.work.work_id for entry in due),
            text=_text(due),
        )
        self._attempt = _Attempt(note, self._watch.now_s, self._watch.now_s)
        self._out.append(note)

    def _is_due(self, entry: Entry) -> bool:
        """Not while its earlier telling is unclear, nor while a second step is about to end.

        A step of the same skill is not waited for: it makes the first untrue ('I am in …').
        """
        work_id = entry.work.work_id
        if work_id in self._fate_at:
            return False
        since_s = self._pending_since.get(work_id, self._watch.now_s)
        running = any(
            follower.work.state not in RELEASED and _kind(follower.work) != _kind(entry.work)
            for follower in self._table.followers(entry)
        )
        return not running or self._watch.now_s - since_s >= HOLD_S

    # ---- what became of it -------------------------------------------------------------------

    def _on_admitted(self, event: Event) -> None:
        attempt = self._attempt
        if attempt is not None and event.reason == attempt.note.attempt_id:
            attempt.stage = _Stage.ADMITTED
        for entry in self._named(event):
            if untold(entry):
                entry.attempts += 1
                if entry.work.state is State.FAILED:
                    self._table.touch(entry)
                else:
                    self._table.change(entry, WorkEvent.ADMIT)

    def _on_cut(self, event: Event) -> None:
        attempt = self._finish(event)
        for entry in self._named(event):
            if math.isnan(event.confidence):  # the speaker died: nobody knows what was heard
                self._never(entry, Code.HEARD_UNKNOWN)
            else:
                self._again_or_never(entry, attempt is not None and attempt.hushed)

    def _finish(self, event: Event) -> _Attempt | None:
        """The attempt that this event ends, if it is the current one."""
        attempt = self._attempt
        if attempt is None:
            return None
        same = event.reason == attempt.note.attempt_id
        if not same and not set(event.work_ids) >= set(attempt.note.work_ids):
            return None
        self._attempt = None
        return attempt

    def _heard(self, entry: Entry) -> None:
        """The user knows it now."""
        if not untold(entry):
            return
        if entry.work.state is State.FAILED:
            self._table.revise(entry, delivered=True)
            return
        if entry.work.state is State.COMPLETED:
            self._table.change(entry, WorkEvent.ADMIT)
        self._table.change(entry, WorkEvent.HEAR)

    def _again_or_never(self, entry: Entry, hushed: bool) -> None:
        if hushed or entry.attempts >= MOST_ATTEMPTS:
            self._never(entry, Code.NOT_TOLD)

    def _never(self, entry: Entry, code: Code) -> None:
        """It is not told any more; whoever asks still finds it."""
        if entry.work.state is State.FAILED:
            self._table.silence(entry, f'{code.name.lower()}: a failure')
        elif untold(entry):
            entry.silent = True
            self._table.change(entry, WorkEvent.GIVE_UP, error_code=code)

    # ---- after a restart -----------------------------------------------------------------------

    def _on_new_session(self) -> None:
        """What the old session was telling is decided by what the speaker played of it."""
        at_s = self._watch.now_s + FATE_S
        attempt, self._attempt = self._attempt, None
        if attempt is not None and attempt.stage is not _Stage.ASKED:
            for work_id in attempt.note.work_ids:
                self._fate_at[work_id] = at_s
        for work_id, old_s in self._fate_at.items():
            self._fate_at[work_id] = min(old_s, at_s)

    def _decide_fates(self) -> None:
        """Told if this very session played it to its end; unclear if another one began it."""
        for work_id, at_s in list(self._fate_at.items()):
            if self._watch.now_s < at_s:
                continue
            told = [t for t in self._turns.values() if work_id in t.work_ids and t.played > 0]
            ours = [t for t in told if t.session_id == self._state.session_id]
            if any(not turn.finished for turn in ours):
                self._fate_at[work_id] = self._watch.now_s + 1.0
                continue
            del self._fate_at[work_id]
            for entry in self._entries((work_id,)):
                if any(not turn.discarded for turn in ours):
                    self._heard(entry)
                elif told:
                    self._never(entry, Code.HEARD_UNKNOWN)

    # ---- small -------------------------------------------------------------------------------

    def _named(self, event: Event) -> list[Entry]:
        for work_id in event.work_ids:
            self._fate_at.pop(work_id, None)
        return self._entries(event.work_ids)

    def _entries(self, work_ids: tuple[str, ...]) -> list[Entry]:
        return [e for e in map(self._table.get, work_ids) if e is not None]


def _kind(work: Work) -> tuple[str, str]:
    return work.capability, work.skill


def _text(due: list[Entry]) -> str:
    """The results in one go. What could only fail after another is not complained of twice."""
    together = {entry.work.work_id for entry in due}
    sentences: list[str] = []
    for entry in due:
        work = entry.work
        words = work.summary
        if work.error_code == Code.STEP_FAILED and work.after_work_id in together:
            words = _REST
        elif entry.restored and work.error_code != Code.RESTARTED:
            words = f'Before I was restarted: {words}'
        if words and words not in sentences:
            sentences.append(words)
    return ' '.join(sentences)
