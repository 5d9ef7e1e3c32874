# SPDX-License-Identifier: Apache-2.0
"""The speaker's queue: plays chunks in order, ducks, flushes, and counts what was heard.

The device's clock calls `pull`; everything else comes through `receive` and `tick`. All calls
come from one thread at a time. A sample counts as played when it was given to the device.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from venus_ros.core.gain import Ramp, tail
from venus_ros.core.log import EventLog
from venus_ros.core.messages import (
    Event,
    Kind,
    Pcm,
    Playout,
    PlayoutState,
    SpeechChunk,
    SpeechKind,
    Stopped,
    TurnPlayed,
)

DUCKED_GAIN = 10 ** (-15 / 20)
START_S = 0.06
"""Sound that must wait before a turn begins (or goes on after running dry) …"""
PATIENCE_S = 0.12
"""… unless it has waited so long already."""
TAIL_S = 0.005
REPORT_S = 0.1
MEMORY_S = 60.0


@dataclass(slots=True)
class _Turn:
    """A turn as the speaker knows it. Counts are samples; the next chunk starts at `made`."""

    session_id: str
    turn_id: int
    touched_ns: int
    work_ids: tuple[str, ...] = ()
    made: int = 0
    played: int = 0
    discarded: int = 0
    complete: bool = False
    finished: bool = False
    began_ns: int = 0
    chunks: deque[Pcm] = field(default_factory=deque)

    @property
    def queued(self) -> int:
        return sum(len(chunk) for chunk in self.chunks)

    def as_played(self) -> TurnPlayed:
        return TurnPlayed(
            self.session_id,
            self.turn_id,
            self.work_ids,
            self.played,
            self.discarded,
            self.finished,
            self.began_ns,
        )


class Speaker:
    """Engine of the speaker: SpeechChunk, Stopped, Event in; Playout, Event out.

    A session that was never heard of takes over from the current one; chunks of one that was
    replaced are dropped and counted.

    Args:
        rate: rate of the samples before the first session tells its own, Hz.
        source: node and its run, for events.
        stamp: gives ROS (or counted) time, ns.

    Attributes:
        rate: rate of the samples that `pull` gives, Hz: the session's.
        latency_s: what the device states as its latency; told in reports.
        dropped_chunks: chunks that were foreign, late, doubled or of a wrong rate.
        missing_chunks: chunks that never came.
    """

    def __init__(self, rate: int, *, source: str, stamp: Callable[[], int]) -> None:
        self.rate = rate
        self.latency_s = 0.0
        self.dropped_chunks = 0
        self.missing_chunks = 0
        self._stamp = stamp
        self._log = EventLog(source)
        self._created_ns = stamp()
        self._session_id = ''
        self._replaced: deque[str] = deque(maxlen=64)
        self._stops: deque[str] = deque(maxlen=64)
        self._next_seq = 0
        self._fence = 0
        self._turns: deque[_Turn] = deque()
        self._ramp = Ramp(rate)
        self._ducked = False
        self._muted = False
        self._sounding = False
        self._severed = False
        self._last_sample = 0.0
        self._fading: Pcm = np.zeros(0, np.int16)
        self._waited = 0
        self._dry_samples = 0
        self._underruns = 0
        self._dropping = ''
        self._changed = True
        self._reported_s = float('-inf')

    # -- the device's side ----------------------------------------------------------------

    def pull(self, samples: int) -> Pcm:
        """Return exactly `samples` int16 samples to be heard next; silence where none wait."""
        out = np.zeros(samples, np.int16)
        position = self._cut(out, 0) if self._severed else self._fade(out, 0)
        while position < samples:
            turn = self._current()
            if self._sounding and not (turn and self._goes_on(turn)):
                position = self._cut(out, position)
            elif turn and (self._sounding or self._begins(turn, samples - position)):
                position = self._play(turn, out, position)
            else:
                break
        return out

    def _play(self, turn: _Turn, out: Pcm, position: int) -> int:
        chunk = turn.chunks.popleft()
        piece = chunk[: len(out) - position]
        if len(piece) < len(chunk):
            turn.chunks.appendleft(chunk[len(piece) :])
        if not self._sounding:
            self._sounding, self._ramp.gain, self._changed = True, 0.0, True
        if not turn.played:
            turn.began_ns, self._changed = self._stamp(), True
        out[position : position + len(piece)] = self._ramp.apply(piece)
        turn.played += len(piece)
        position += len(piece)
        self._last_sample = float(out[position - 1])
        self._waited = 0
        self._settle(turn)
        return position

    def _goes_on(self, turn: _Turn) -> bool:
        return bool(turn.chunks) and (turn.played > 0 or self._enough(turn))

    def _begins(self, turn: _Turn, samples: int) -> bool:
        """Whether a silent `turn` sounds now; if not, `samples` of waiting or dryness pass."""
        if turn.chunks and (self._enough(turn) or self._waited >= PATIENCE_S * self.rate):
            return True
        self._waited += samples if turn.chunks else 0
        self._dry_samples += samples if turn.played else 0
        return False

    def _enough(self, turn: _Turn) -> bool:
        return turn.complete or turn.queued >= START_S * self.rate

    def _cut(self, out: Pcm, position: int) -> int:
        """Let a sound that has no continuation die away; what comes later is not ducked."""
        self._duck(False)
        self._sounding, self._severed, self._changed = False, False, True
        self._fading = tail(self._last_sample, max(1, int(TAIL_S * self.rate)))
        self._dry_samples = len(self._fading)
        return self._fade(out, position)

    def _fade(self, out: Pcm, position: int) -> int:
        length = min(len(self._fading), len(out) - position)
        out[position : position + length] = self._fading[:length]
        self._fading = self._fading[length:]
        return position + length

    def _current(self) -> _Turn | None:
        return next((turn for turn in self._turns if not turn.finished), None)

    # -- the graph's side -----------------------------------------------------------------

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Take a SpeechChunk, Stopped or Event (DUCKED, RESTORED); others are ignored."""
        events: list[Event] = []
        if isinstance(message, SpeechChunk):
            events = self._take(message)
        elif isinstance(message, Stopped):
            self._stop(message)
        elif isinstance(message, Event) and message.kind in (Kind.DUCKED, Kind.RESTORED):
            self._duck(message.kind is Kind.DUCKED)
        return events + self.tick(now_s)

    def tick(self, now_s: float) -> list[Any]:
        """Report what changed since the last report, and while playing every 0.1 s."""
        due = self._sounding and now_s - self._reported_s >= REPORT_S - 1e-6
        if not (self._changed or due):
            return []
        self._changed, self._reported_s = False, now_s
        return [self._report()]

    def mute(self, muted: bool, now_s: float) -> list[Any]:
        """Discard what waits and what comes from now on, or listen to chunks again."""
        if muted != self._muted:
            self._muted, self._changed = muted, True
            if muted:
                self._flush(None)
        return self.tick(now_s)

    def _take(self, chunk: SpeechChunk) -> list[Event]:
        if chunk.session_id != self._session_id:
            if chunk.session_id in self._replaced:
                return self._drop(f'chunk of the replaced session {chunk.session_id}')
            self._take_over(chunk)
        if chunk.chunk_seq < self._next_seq:
            return self._drop('chunk came twice or too late')
        missing, self._next_seq = chunk.chunk_seq - self._next_seq, chunk.chunk_seq + 1
        events = self._miss(missing) if missing else []
        if chunk.kind is SpeechKind.FLUSH:
            self._fence = max(self._fence, chunk.turn_id)
            self._flush(chunk.turn_id)
            return events
        if chunk.kind not in (SpeechKind.AUDIO, SpeechKind.END):
            return events + self._drop('chunk of an unknown kind')
        return events + self._append(chunk)

    def _append(self, chunk: SpeechChunk) -> list[Event]:
        if chunk.turn_id < max(self._fence, self._newest_turn()):
            self._discard_late(chunk)
            return self._drop(f'chunk of the past turn {chunk.turn_id}')
        if len(chunk.pcm) and chunk.sample_rate != self.rate:
            return self._drop(f'chunk at {chunk.sample_rate} Hz in a session at {self.rate} Hz')
        self._dropping = ''
        turn = self._open(chunk)
        if chunk.first_sample > turn.made:
            turn.discarded += chunk.first_sample - turn.made
            turn.made = chunk.first_sample
        turn.work_ids = tuple(dict.fromkeys((*turn.work_ids, *chunk.work_ids)))
        events = self._underrun(turn) if len(chunk.pcm) else []
        turn.made += len(chunk.pcm)
        if self._muted or turn.finished:
            turn.discarded += len(chunk.pcm)
            self._changed = True
        elif len(chunk.pcm):
            turn.chunks.append(chunk.pcm)
        turn.complete = turn.complete or chunk.kind is SpeechKind.END
        self._settle(turn)
        return events

    def _open(self, chunk: SpeechChunk) -> _Turn:
        last = self._turns[-1] if self._turns else None
        if last and (last.session_id, last.turn_id) == (chunk.session_id, chunk.turn_id):
            return last
        if last and not last.complete:
            last.complete = True
            self._settle(last)
        turn = _Turn(chunk.session_id, chunk.turn_id, self._stamp())
        self._turns.append(turn)
        self._waited = self._dry_samples = 0
        self._changed = True
        return turn

    def _take_over(self, chunk: SpeechChunk) -> None:
        self._flush(None)
        if self._session_id:
            self._replaced.append(self._session_id)
        self._session_id = chunk.session_id
        self._next_seq, self._fence = chunk.chunk_seq, 0
        if chunk.sample_rate and chunk.sample_rate != self.rate:
            self.rate, self._ramp = chunk.sample_rate, Ramp(chunk.sample_rate)
            self._duck(self._ducked)

    def _flush(self, before_turn: int | None) -> None:
        """Drop what waits of the session's turns < `before_turn` (None: of all turns)."""
        for turn in self._turns:
            ours = turn.session_id == self._session_id
            if turn.finished or (before_turn is not None and ours and turn.turn_id >= before_turn):
                continue
            turn.discarded += turn.queued
            turn.chunks.clear()
            self._severed = self._severed or (self._sounding and turn.played > 0)
            self._finish(turn)

    def _discard_late(self, chunk: SpeechChunk) -> None:
        for turn in self._turns:
            if (turn.session_id, turn.turn_id) == (chunk.session_id, chunk.turn_id):
                turn.discarded += len(chunk.pcm)
                self._changed = True

    def _stop(self, stopped: Stopped) -> None:
        new = stopped.request_id not in self._stops and stopped.stamp_ns >= self._created_ns
        if not (new and stopped.scope.speech and stopped.request_id):
            return
        self._stops.append(stopped.request_id)
        self._fence = max(self._fence, self._newest_turn() + 1)
        self._flush(None)

    def _duck(self, ducked: bool) -> None:
        self._changed = self._changed or ducked != self._ducked
        self._ducked = ducked
        self._ramp.target = DUCKED_GAIN if ducked else 1.0

    def _settle(self, turn: _Turn) -> None:
        """Finish a complete turn of which nothing waits."""
        if turn.complete and not turn.chunks and not turn.finished:
            self._finish(turn)

    def _finish(self, turn: _Turn) -> None:
        turn.finished = self._changed = True
        turn.touched_ns = self._stamp()

    def _newest_turn(self) -> int:
        last = self._turns[-1] if self._turns else None
        return last.turn_id if last and last.session_id == self._session_id else 0

    # -- telling --------------------------------------------------------------------------

    def _underrun(self, turn: _Turn) -> list[Event]:
        """Sound goes on after the turn had run dry: the gap was audible."""
        dry_ms, self._dry_samples = 1000 * self._dry_samples / self.rate, 0
        if not turn.played or turn.chunks or not dry_ms:
            return []
        self._underruns += 1
        return [self._event(Kind.UNDERRUN, f'dry for {dry_ms:.0f} ms', turn.turn_id)]

    def _miss(self, chunks: int) -> list[Event]:
        self.missing_chunks += chunks
        return [self._event(Kind.DROPPED, f'{chunks} chunks never came')]

    def _drop(self, reason: str) -> list[Event]:
        self.dropped_chunks += 1
        if reason == self._dropping:
            return []
        self._dropping = reason
        return [self._event(Kind.DROPPED, reason)]

    def _event(self, kind: Kind, reason: str, turn_id: int = 0) -> Event:
        stamp_ns, session_id = self._stamp(), self._session_id
        return self._log.add(kind, stamp_ns, session_id, turn_id=turn_id, reason=reason)

    def _report(self) -> Playout:
        now_ns = self._stamp()
        while (
            len(self._turns) > 1
            and self._turns[0].finished
            and now_ns - self._turns[0].touched_ns > MEMORY_S * 1e9
        ):
            self._turns.popleft()
        turn = self._current() or (self._turns[-1] if self._turns else None)
        turn = turn or _Turn(self._session_id, 0, now_ns)
        return Playout(
            stamp_ns=now_ns,
            session_id=turn.session_id,
            turn_id=turn.turn_id,
            work_ids=turn.work_ids,
            played=turn.played,
            queued=turn.queued,
            discarded=turn.discarded,
            state=self._state(),
            latency_s=self.latency_s,
            underruns=self._underruns,
            recent=tuple(t.as_played() for t in self._turns),
        )

    def _state(self) -> PlayoutState:
        if self._muted:
            return PlayoutState.MUTED
        if not self._sounding:
            return PlayoutState.IDLE
        return PlayoutState.DUCKED if self._ducked else PlayoutState.PLAYING
