# SPDX-License-Identifier: Apache-2.0
"""Makes sound of waiting turns, one after the other, without clicks: what a speaker hands over."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from venus_ros.core.gain import Ramp, tail
from venus_ros.core.messages import Pcm, TurnPlayed

DUCKED_GAIN = 10 ** (-15 / 20)
START_S = 0.06
"""Sound that must wait before a turn begins (or goes on after running dry) …"""
PATIENCE_S = 0.12
"""… unless it has waited so long already."""
TAIL_S = 0.005


@dataclass(slots=True)
class Track:
    """A turn as the speaker knows it. Counts are samples.

    Attributes:
        touched_ns: when it came or was finished, ROS time.
        made: where its next chunk starts.
        complete: nothing more will come.
        finished: nothing more will be played.
        began_ns: when its first sample was handed over.
    """

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
        """Samples that wait."""
        return sum(len(chunk) for chunk in self.chunks)

    def settle(self, now_ns: int) -> None:
        """Finish a complete turn of which nothing waits."""
        if self.complete and not self.chunks and not self.finished:
            self.finished, self.touched_ns = True, now_ns

    def drop(self, now_ns: int) -> None:
        """Discard what waits; nothing more is played."""
        self.discarded += self.queued
        self.chunks.clear()
        self.finished, self.touched_ns = True, now_ns

    def as_played(self) -> TurnPlayed:
        """Return what is told of it."""
        return TurnPlayed(
            self.session_id,
            self.turn_id,
            self.work_ids,
            self.played,
            self.discarded,
            self.finished,
            self.began_ns,
        )


class Mixer:
    """Takes the samples of the first unfinished track.

    A sound that has no continuation dies away in a tail that belongs to no turn, so that what
    counts as played is exact.

    Attributes:
        tracks: all tracks, oldest first; who feeds them appends here.
        sounding: whether a turn is heard.
        ducked: whether the level is low.
        dry_samples: samples for which a begun turn has had nothing to play.
    """

    def __init__(self, rate_hz: int, stamp: Callable[[], int]) -> None:
        self.tracks: deque[Track] = deque()
        self.sounding = False
        self.ducked = False
        self.dry_samples = 0
        self._stamp = stamp
        self._waited = 0
        self._severed = False
        self._last_sample = 0.0
        self._fading: Pcm = np.zeros(0, np.int16)
        self.set_rate(rate_hz)

    def set_rate(self, rate_hz: int) -> None:
        """Go on at another rate."""
        self._rate_hz = rate_hz
        self._ramp = Ramp(rate_hz)
        self.duck(self.ducked)

    def duck(self, ducked: bool) -> None:
        """Lower or restore the level, within some milliseconds."""
        self.ducked = ducked
        self._ramp.target = DUCKED_GAIN if ducked else 1.0

    def await_track(self) -> None:
        """A new track comes: neither waiting nor dryness of earlier ones counts for it."""
        self._waited = self.dry_samples = 0

    def sever(self) -> None:
        """The sounding turn was dropped: whatever comes next does not continue it."""
        self._severed = self.sounding

    def current(self) -> Track | None:
        """Return the track that is or will be played."""
        return next((track for track in self.tracks if not track.finished), None)

    def pull(self, samples: int) -> Pcm:
        """Return exactly `samples` int16 samples to be heard next; silence where none wait."""
        out = np.zeros(samples, np.int16)
        position = self._cut(out, 0) if self._severed else self._fade(out, 0)
        while position < samples:
            track = self.current()
            if self.sounding and not (track and self._goes_on(track)):
                position = self._cut(out, position)
            elif track and (self.sounding or self._begins(track, samples - position)):
                position = self._play(track, out, position)
            else:
                break
        return out

    def _play(self, track: Track, out: Pcm, position: int) -> int:
        chunk = track.chunks.popleft()
        piece = chunk[: len(out) - position]
        if len(piece) < len(chunk):
            track.chunks.appendleft(chunk[len(piece) :])
        if not self.sounding:
            self.sounding, self._ramp.gain = True, 0.0
        if not track.played:
            track.began_ns = self._stamp()
        out[position : position + len(piece)] = self._ramp.apply(piece)
        track.played += len(piece)
        position += len(piece)
        self._last_sample = float(out[position - 1])
        self._waited = 0
        track.settle(self._stamp())
        return position

    def _goes_on(self, track: Track) -> bool:
        return bool(track.chunks) and (track.played > 0 or self._enough(track))

    def _begins(self, track: Track, samples: int) -> bool:
        """Whether a silent track sounds now; if not, `samples` of waiting or dryness pass."""
        if track.chunks and (self._enough(track) or self._waited >= PATIENCE_S * self._rate_hz):
            return True
        self._waited += samples if track.chunks else 0
        self.dry_samples += samples if track.played else 0
        return False

    def _enough(self, track: Track) -> bool:
        return track.complete or track.queued >= START_S * self._rate_hz

    def _cut(self, out: Pcm, position: int) -> int:
        """Let a sound that has no continuation die away; what comes later is not ducked."""
        self.duck(False)
        self.sounding = self._severed = False
        self._fading = tail(self._last_sample, max(1, int(TAIL_S * self._rate_hz)))
        self.dry_samples = len(self._fading)
        return self._fade(out, position)

    def _fade(self, out: Pcm, position: int) -> int:
        length = min(len(self._fading), len(out) - position)
        out[position : position + length] = self._fading[:length]
        self._fading = self._fading[length:]
        return position + length
