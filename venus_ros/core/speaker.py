# SPDX-License-Identifier: Apache-2.0
"""The speaker: takes chunks in order, flushes and ducks at once, and tells what was heard.

The device's clock calls `pull`; everything else comes through `receive` and `tick`. All calls
come from one thread at a time. A sample counts as played when it was given to the device.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from venus_ros.core.log import EventLog
from venus_ros.core.messages import (
    ConversationState,
    Event,
    Kind,
    Pcm,
    Playout,
    PlayoutState,
    SpeechChunk,
    SpeechKind,
    Stopped,
)
from venus_ros.core.mixer import Mixer, Track

REPORT_S = 0.1
MEMORY_S = 60.0


class Speaker:
    """Engine of the speaker.

    Takes SpeechChunk, ConversationState, Stopped, Event. Gives Playout, Event. Only the session
    that the state names is heard; chunks of any other are dropped and counted. Before any is
    named, a session that was never heard of takes over from the current one.

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
        self._mixer = Mixer(rate, stamp)
        self._session_id = ''
        self._named = ''
        self._replaced: deque[str] = deque(maxlen=64)
        self._stops: deque[str] = deque(maxlen=64)
        self._next_seq = 0
        self._fence = 0
        self._muted = False
        self._underruns = 0
        self._dropping = ''
        self._told: object = None
        self._told_s = float('-inf')

    def pull(self, samples: int) -> Pcm:
        """Return exactly `samples` int16 samples to be heard next; silence where none wait."""
        return self._mixer.pull(samples)

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Take one message; of events only DUCKED and RESTORED matter, others are ignored."""
        events: list[Event] = []
        if isinstance(message, SpeechChunk):
            events = self._take(message)
        elif isinstance(message, ConversationState):
            self._named = message.session_id or self._named
        elif isinstance(message, Stopped):
            self._stop(message)
        elif isinstance(message, Event) and message.kind in (Kind.DUCKED, Kind.RESTORED):
            self._mixer.duck(message.kind is Kind.DUCKED)
        return events + self.tick(now_s)

    def tick(self, now_s: float) -> list[Any]:
        """Report what changed since the last report, and while playing every 0.1 s."""
        self._forget()
        news = (self._state(), *(self._fate(track) for track in self._mixer.tracks))
        due = self._mixer.sounding and now_s - self._told_s >= REPORT_S - 1e-6
        if news == self._told and not due:
            return []
        self._told, self._told_s = news, now_s
        return [self._report()]

    def mute(self, muted: bool, now_s: float) -> list[Any]:
        """Discard what waits and what comes from now on, or listen to chunks again."""
        if muted and not self._muted:
            self._flush(None)
        self._muted = muted
        return self.tick(now_s)

    # -- chunks ---------------------------------------------------------------------------

    def _take(self, chunk: SpeechChunk) -> list[Event]:
        if self._is_foreign(chunk.session_id):
            return self._drop(f'chunk of another session, {chunk.session_id}')
        if chunk.session_id != self._session_id:
            self._take_over(chunk)
        if chunk.chunk_seq < self._next_seq:
            return self._drop('chunk came twice or too late')
        missing, self._next_seq = chunk.chunk_seq - self._next_seq, chunk.chunk_seq + 1
        events = self._miss(missing) if missing else []
        if chunk.kind is SpeechKind.FLUSH:
            self._fence = max(self._fence, chunk.turn_id)
            self._flush(chunk.turn_id)
        elif chunk.kind in (SpeechKind.AUDIO, SpeechKind.END):
            events += self._append(chunk)
        else:
            events += self._drop('chunk of an unknown kind')
        return events

    def _is_foreign(self, session_id: str) -> bool:
        if self._named:
            return session_id != self._named
        return session_id in self._replaced

    def _append(self, chunk: SpeechChunk) -> list[Event]:
        if chunk.turn_id < max(self._fence, self._newest_turn()):
            for track in self._mixer.tracks:
                if (track.session_id, track.turn_id) == (chunk.session_id, chunk.turn_id):
                    track.discarded += len(chunk.pcm)
            return self._drop(f'chunk of the past turn {chunk.turn_id}')
        if len(chunk.pcm) and chunk.sample_rate != self.rate:
            return self._drop(f'chunk at {chunk.sample_rate} Hz in a session at {self.rate} Hz')
        self._dropping = ''
        track = self._open(chunk)
        if chunk.first_sample > track.made:
            track.discarded += chunk.first_sample - track.made
            track.made = chunk.first_sample
        track.work_ids = tuple(dict.fromkeys((*track.work_ids, *chunk.work_ids)))
        events = self._underrun(track) if len(chunk.pcm) else []
        track.made += len(chunk.pcm)
        if self._muted or track.finished:
            track.discarded += len(chunk.pcm)
        elif len(chunk.pcm):
            track.chunks.append(chunk.pcm)
        track.complete = track.complete or chunk.kind is SpeechKind.END
        track.settle(self._stamp())
        return events

    def _open(self, chunk: SpeechChunk) -> Track:
        tracks = self._mixer.tracks
        last = tracks[-1] if tracks else None
        if last and (last.session_id, last.turn_id) == (chunk.session_id, chunk.turn_id):
            return last
        if last:  # a new turn tells that the one before is complete, if its END was lost
            last.complete = True
            last.settle(self._stamp())
        track = Track(chunk.session_id, chunk.turn_id, self._stamp())
        tracks.append(track)
        self._mixer.await_track()
        return track

    def _take_over(self, chunk: SpeechChunk) -> None:
        self._flush(None)
        if self._session_id:
            self._replaced.append(self._session_id)
        self._session_id = chunk.session_id
        self._next_seq, self._fence = chunk.chunk_seq, 0
        if chunk.sample_rate and chunk.sample_rate != self.rate:
            self.rate = chunk.sample_rate
            self._mixer.set_rate(self.rate)

    def _flush(self, before_turn: int | None) -> None:
        """Drop what waits of the session's turns < `before_turn` (None: of all turns)."""
        for track in self._mixer.tracks:
            ours = track.session_id == self._session_id
            later = before_turn is not None and ours and track.turn_id >= before_turn
            if not (track.finished or later):
                if track.played:
                    self._mixer.sever()
                track.drop(self._stamp())

    def _stop(self, stopped: Stopped) -> None:
        new = stopped.request_id not in self._stops and stopped.stamp_ns >= self._created_ns
        if not (new and stopped.scope.speech and stopped.request_id):
            return
        self._stops.append(stopped.request_id)
        self._fence = max(self._fence, self._newest_turn() + 1)
        self._flush(None)

    def _newest_turn(self) -> int:
        last = self._mixer.tracks[-1] if self._mixer.tracks else None
        return last.turn_id if last and last.session_id == self._session_id else 0

    # -- telling --------------------------------------------------------------------------

    def _underrun(self, track: Track) -> list[Event]:
        """Sound goes on after the turn had run dry: the gap was audible."""
        dry_ms, self._mixer.dry_samples = 1000 * self._mixer.dry_samples / self.rate, 0
        if not track.played or track.chunks or not dry_ms:
            return []
        self._underruns += 1
        return [self._event(Kind.UNDERRUN, f'dry for {dry_ms:.0f} ms', track.turn_id)]

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

    @staticmethod
    def _fate(track: Track) -> object:
        """Return what is reported at once if it changes; how much was played can wait."""
        return track.session_id, track.turn_id, track.played > 0, track.finished, track.discarded

    def _report(self) -> Playout:
        now_ns, tracks = self._stamp(), self._mixer.tracks
        track = self._mixer.current() or (tracks[-1] if tracks else None)
        track = track or Track(self._session_id, 0, now_ns)
        return Playout(
            stamp_ns=now_ns,
            session_id=track.session_id,
            turn_id=track.turn_id,
            work_ids=track.work_ids,
            played=track.played,
            queued=track.queued,
            discarded=track.discarded,
            state=self._state(),
            latency_s=self.latency_s,
            underruns=self._underruns,
            recent=tuple(each.as_played() for each in tracks),
        )

    def _forget(self) -> None:
        """Leave out turns that were over a minute ago, but for the last one."""
        tracks, old_ns = self._mixer.tracks, self._stamp() - int(MEMORY_S * 1e9)
        while len(tracks) > 1 and tracks[0].finished and tracks[0].touched_ns < old_ns:
            tracks.popleft()

    def _state(self) -> PlayoutState:
        if self._muted:
            return PlayoutState.MUTED
        if not self._mixer.sounding:
            return PlayoutState.IDLE
        return PlayoutState.DUCKED if self._mixer.ducked else PlayoutState.PLAYING
