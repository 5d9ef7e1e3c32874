# SPDX-License-Identifier: Apache-2.0
"""The ledger of speech: made by the frontend, sent to the speaker, heard by the user.

Sound leaves in chunks of 20 ms, at most 1.2 s ahead of what the speaker reports as played. What
was heard, to the word, and whether a note was told, comes from these reports alone.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

import numpy as np

from venus_ros.core.floor import FloorKeeper, Tell
from venus_ros.core.messages import (
    Kind,
    Playout,
    PlayoutState,
    SpeechChunk,
    SpeechKind,
    TurnPlayed,
)
from venus_ros.core.split import has_token
from venus_ros.core.step import Heard, Note, Speech
from venus_ros.core.turn import Turn

CHUNK_S = 0.02
AHEAD_S = 1.2
SILENT_SPEAKER_S = 3.0
"""A speaker that owes a report for so long is taken for lost."""
SETTLE_S = 1.0
"""A flushed turn waits so long for the speaker's last word about it."""
HOLES = 0.05
"""A turn of which no more than this share was lost on the way counts as played."""


class Ledger:
    """Keeps the account of one session's speech.

    Attributes:
        settled: turns whose account is closed, for the session to take.
        broken: why the current turn ended on the speaker's side; empty if it did not.
    """

    def __init__(self, session_id: str, rate_hz: int, floor: FloorKeeper, tell: Tell) -> None:
        self._session_id = session_id
        self._rate_hz = rate_hz
        self._chunk_samples = round(CHUNK_S * rate_hz)
        self._floor = floor
        self._tell = tell
        self._turns: deque[Turn] = deque()  # not settled, oldest first
        self._last = Turn(0)
        self._finished = False
        self._succeeded = False
        self._seq = 0
        self._state = PlayoutState.UNKNOWN
        self._report_ns = -1
        self._dead: set[str] = set()
        self.settled: list[Turn] = []
        self.broken = ''

    # -- the frontend's side --------------------------------------------------------------

    def speak(self, speech: Speech) -> Turn | None:
        """Append a piece to the open turn, or begin one. None: it cannot be spoken, dropped."""
        fault = _fault_of(speech)
        if fault:
            self._tell(Kind.FAULT, reason=fault)
            return None
        if speech.attempt_id in self._dead:
            self._tell(Kind.DROPPED, reason='speech of a note that was withdrawn')
            return None
        turn = self.open_turn
        if turn is None:
            turn = Turn(self._floor.begin_turn(speech.work_ids))
            self._turns.append(turn)
            self._last = turn
        turn.add(speech)
        return turn

    def complete(self) -> None:
        """The open turn, if any, is made to its end."""
        turn = self.open_turn
        if turn is not None:
            turn.complete = True
            for telling in turn.tellings.values():
                telling.over = True

    @property
    def open_turn(self) -> Turn | None:
        """The turn that still grows."""
        turn = self._turns[-1] if self._turns else None
        return None if turn is None or turn.complete or turn.ended else turn

    @property
    def busy(self) -> bool:
        """Whether any turn has not ended."""
        return any(not turn.ended for turn in self._turns)

    @property
    def dry(self) -> bool:
        """Whether the open turn has no more sound that could leave, and none on its way."""
        turn = self.open_turn
        return turn is not None and not turn.ahead and len(turn.pcm) < self._chunk_samples

    @property
    def interruptible(self) -> bool:
        """Whether the user may cut what is being said."""
        return all(turn.interruptible or turn.ended for turn in self._turns)

    @property
    def unheard_s(self) -> float:
        """Sound that was made and not yet played, s."""
        return sum(t.made - t.played - t.gone for t in self._turns if not t.ended) / self._rate_hz

    def heard(self) -> Heard:
        """Return what was heard of the newest turn that has sounded, and forget `finished`."""
        begun = [turn for turn in self._turns if turn.played]
        turn = begun[-1] if begun else self._last
        finished, self._finished = self._finished, False
        ducked = self._state is PlayoutState.DUCKED
        return Heard(turn.turn_id, turn.heard(), self.busy, finished, ducked)

    # -- the speaker's side ---------------------------------------------------------------

    def send(self, now_s: float) -> list[SpeechChunk]:
        """Return the chunks that may leave now."""
        chunks: list[SpeechChunk] = []
        ahead = sum(turn.ahead for turn in self._turns if not turn.ended)
        size = self._chunk_samples
        for turn in self._turns:
            if turn.end_sent:
                continue
            while len(turn.pcm) >= size or (turn.complete and len(turn.pcm)):
                if ahead + size > AHEAD_S * self._rate_hz:
                    return chunks
                chunks.append(self._audio(turn, size, now_s))
                ahead += len(chunks[-1].pcm)
            if not turn.complete:
                break
            turn.end_sent, turn.sent_s = True, now_s
            chunks.append(self._chunk(turn.turn_id, SpeechKind.END, turn.made))
        return chunks

    def flush(self, reason: str, now_s: float) -> list[SpeechChunk]:
        """End every turn: drop what was not sent, and have the speaker drop the rest."""
        self._floor.flush(reason)
        for turn in self._turns:
            self._end(turn, reason, now_s)
        return [self._chunk(self._floor.turn_id + 1, SpeechKind.FLUSH, 0)]

    def succeed(self, playout: Playout) -> list[SpeechChunk]:
        """Close the turn that an earlier session left open, and silence what is left of it.

        Returns:
            What makes the speaker leave that session for this one, where nothing else did.
        """
        if self._succeeded or playout.session_id in ('', self._session_id):
            return []
        self._succeeded = True
        for turn in playout.recent:
            if not turn.finished and turn.session_id != self._session_id:
                left = {'turn_id': turn.turn_id, 'work_ids': turn.work_ids}
                self._tell(Kind.TURN_ENDED, session_id=turn.session_id, reason='lost', **left)
        return [] if self._seq else [self._chunk(1, SpeechKind.FLUSH, 0)]

    def report(self, playout: Playout, now_s: float) -> None:
        """Take the speaker's word about what was played."""
        if playout.stamp_ns < self._report_ns:
            return
        self._report_ns, self._state = playout.stamp_ns, playout.state
        told = {t.turn_id: t for t in playout.recent if t.session_id == self._session_id}
        for turn in tuple(self._turns):
            if turn.turn_id in told:
                self._account(turn, told[turn.turn_id], now_s)
            elif turn.reported:
                self._lose(turn, now_s)
        self.watch(now_s)

    def watch(self, now_s: float) -> None:
        """Give up on a speaker that owes its report; settle flushed turns that have waited."""
        for turn in tuple(self._turns):
            waited_s = now_s - turn.sent_s
            if turn.ended and waited_s > SETTLE_S:
                self._settle(turn)
            elif not turn.ended and turn.owed and waited_s > SILENT_SPEAKER_S:
                self._tell(Kind.FAULT, reason='the speaker does not report what it plays')
                self._lose(turn, now_s)

    def withdraw(self, note: Note) -> None:
        """A note was admitted and nothing of it was said: it will not be said any more."""
        self._dead.add(note.attempt_id)
        cut = {'work_ids': note.work_ids, 'reason': note.attempt_id, 'confidence': 0.0}
        self._tell(Kind.NOTE_CUT, **cut)

    # -- accounting -----------------------------------------------------------------------

    def _account(self, turn: Turn, told: TurnPlayed, now_s: float) -> None:
        if told.played < turn.played:
            self._lose(turn, now_s)
            return
        if (told.played, told.discarded) != (turn.played, turn.gone) or not turn.reported:
            turn.sent_s = turn.sent_s if turn.ended else now_s
        turn.reported = True
        turn.played, turn.gone = min(told.played, turn.sent), told.discarded
        turn.began_ns = turn.began_ns or told.began_ns
        self._tell_heard(turn)
        if not told.finished:
            return
        if not turn.ended:
            whole = turn.complete and turn.end_sent and turn.gone <= HOLES * turn.made
            muted = self._state is PlayoutState.MUTED
            reason = 'done' if whole else 'muted' if muted else 'stopped'
            self.broken = self.broken or ('' if whole else reason)
            self._floor.end_turn(turn.turn_id, reason)
            self._end(turn, reason, now_s)
            if whole:
                turn.played = turn.made
                self._tell_heard(turn)
        self._settle(turn)

    def _tell_heard(self, turn: Turn) -> None:
        for telling in turn.tellings.values():
            if telling.heard(turn.played) and not telling.told:
                telling.told = True
                self._tell(
                    Kind.NOTE_HEARD,
                    turn_id=turn.turn_id,
                    work_ids=telling.work_ids,
                    reason=telling.attempt_id,
                )

    def _lose(self, turn: Turn, now_s: float) -> None:
        """The speaker is gone, or was started anew, in the middle of the turn."""
        if not turn.ended:
            self.broken = 'lost'
            self._floor.end_turn(turn.turn_id, 'lost')
            self._end(turn, 'lost', now_s)
        self._settle(turn)

    def _end(self, turn: Turn, reason: str, now_s: float) -> None:
        if turn.ended:
            return
        turn.ended = turn.complete = turn.end_sent = True
        turn.outcome, turn.pcm = reason, turn.pcm[:0]
        turn.sent_s = now_s if turn.sent else -math.inf  # of what was not sent nothing is owed
        self._finished = True

    def _settle(self, turn: Turn) -> None:
        """Close the account: what was not heard by now is cut."""
        for telling in turn.tellings.values():
            if telling.told:
                continue
            telling.told = True
            self._dead.add(telling.attempt_id)
            unknown = turn.outcome == 'lost' and turn.played > 0
            share = math.nan if unknown else telling.share(turn.played)
            self._tell(
                Kind.NOTE_CUT,
                turn_id=turn.turn_id,
                work_ids=telling.work_ids,
                reason=telling.attempt_id,
                confidence=share,
            )
        self._turns.remove(turn)
        self.settled.append(turn)

    # -- chunks ---------------------------------------------------------------------------

    def _audio(self, turn: Turn, size: int, now_s: float) -> SpeechChunk:
        if not turn.ahead:
            turn.sent_s = now_s
        first, pcm, text, work_ids = turn.take(size)
        chunk = self._chunk(turn.turn_id, SpeechKind.AUDIO, first)
        return replace(chunk, pcm=pcm, text=text, work_ids=work_ids)

    def _chunk(self, turn_id: int, kind: SpeechKind, first_sample: int) -> SpeechChunk:
        seq, self._seq = self._seq, self._seq + 1
        return SpeechChunk(self._session_id, turn_id, seq, kind, first_sample, self._rate_hz)


def _fault_of(speech: Speech) -> str:
    """Return why a piece of speech cannot be spoken; empty if it can."""
    if speech.pcm.dtype != np.int16 or speech.pcm.ndim != 1:
        return f'speech is {speech.pcm.dtype} {list(speech.pcm.shape)}, not int16 [samples]'
    return 'speech with a protocol token was dropped' if has_token(speech.text) else ''
