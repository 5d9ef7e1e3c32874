# SPDX-License-Identifier: Apache-2.0
"""One stream, 16 kHz mono, out of what arrives on the audio topic, and what is wrong with it.

Pure: sounds and steady time in, chunks out. Loss shows as a jump of `first_sample`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from venus_ros.core.messages import AudioChunk
from venus_ros.nodes.decode_audio import Sound
from venus_ros.nodes.diagnostics import Health, Level
from venus_ros.nodes.resample import Resampler, to_mono

RATE_HZ = 16_000
SOURCE_GONE_S = 1.0
"""Another source takes over when the present one was silent for so long."""
WINDOW_S = 3.0
"""The rate is judged over such windows."""
RATE_TOLERANCE = 0.05
STAMP_GAP_NS = 100_000_000
"""Types without a sample index: a stamp later than this shows a loss."""
STRANGE_CHUNKS = 3
"""After so many new chunks with an index of the past the index is not believed any more."""
SILENT_S = 5.0
RECENT_S = 5.0
CLIPPED_SHARE = 0.01


@dataclass(slots=True)
class _Source:
    """Where we are in one source. Positions are samples since its first one."""

    source_id: str
    rate_hz: int
    resampler: Resampler
    position: int
    given: int = 0
    expected_ns: int = 0
    heard_s: float = 0.0
    counts: bool = True
    newest_ns: int = 0
    strange: int = 0


@dataclass(slots=True)
class _Window:
    """Samples against steady time, to find a lying rate."""

    began_s: float
    samples: int = 0
    peaks: int = 0
    loudest: int = 0


class SoundStream:
    """Turns sounds of one source into chunks at 16 kHz; counts everything that is odd."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.second_source = ''
        self.measured_hz = 0.0
        self._source: _Source | None = None
        self._window: _Window | None = None
        self._loud_s = 0.0
        self._second_s = self._bad_s = float('-inf')
        self._clipped = 0.0

    @property
    def source_id(self) -> str:
        """The source that is listened to; empty before the first."""
        return self._source.source_id if self._source else ''

    def push(self, sound: Sound, now_s: float) -> list[AudioChunk]:
        """Chunks at 16 kHz, mono, that are ready after `sound`."""
        source = self._choose(sound, now_s)
        if source is None or not len(sound.pcm):
            self.counts['empty'] += not len(sound.pcm)
            return []
        if sound.bad_samples:
            self.counts['not finite'] += sound.bad_samples
            self._bad_s = now_s
        sound = self._place(source, sound)
        if not len(sound.pcm):
            return []
        source.heard_s = now_s
        self._measure(sound, now_s)
        return self._give(source, sound)

    def _choose(self, sound: Sound, now_s: float) -> _Source | None:
        """The source of `sound`, or none if another one has the floor."""
        source = self._source
        if source is not None and sound.source_id != source.source_id:
            if now_s - source.heard_s < SOURCE_GONE_S:
                self.counts['second source'] += 1
                self.second_source, self._second_s = sound.source_id, now_s
                return None
            source = None
        if source is None or source.rate_hz != sound.rate_hz:
            resampler = Resampler(sound.rate_hz, RATE_HZ)
            start = max(sound.first_sample, 0)
            source = _Source(sound.source_id, sound.rate_hz, resampler, start, heard_s=now_s)
            source.given = self._first_out(source)
            self._source, self._window = source, None
            self._loud_s = now_s
        return source

    def _first_out(self, source: _Source) -> int:
        return round(source.position * RATE_HZ / source.rate_hz)

    def _place(self, source: _Source, sound: Sound) -> Sound:
        """Cut what came already; after a loss go on where the sound belongs."""
        first = sound.first_sample if self._counts(source, sound) else -1
        if first < 0:
            late_ns = sound.stamp_ns - source.expected_ns
            lost = source.expected_ns and sound.stamp_ns and late_ns > STAMP_GAP_NS
            first = source.position + (round(late_ns * source.rate_hz / 1e9) if lost else 0)
            source.expected_ns = sound.stamp_ns + round(len(sound.pcm) / source.rate_hz * 1e9)
        if first < source.position:
            known = min(source.position - first, len(sound.pcm))
            self.counts['doubled samples'] += known
            later_ns = sound.stamp_ns + round(known / source.rate_hz * 1e9)
            return replace(sound, pcm=sound.pcm[known:], stamp_ns=later_ns)
        if first > source.position:
            self.counts['gaps'] += 1
            self.counts['lost samples'] += first - source.position
            if self._window:
                self._window.samples += first - source.position
            source.position = first
            source.resampler = Resampler(source.rate_hz, RATE_HZ)
            source.given = self._first_out(source)
        return sound

    def _counts(self, source: _Source, sound: Sound) -> bool:
        """Whether the source's index can be believed: new sound must not be of the past."""
        newer = sound.stamp_ns > source.newest_ns
        past = sound.first_sample + len(sound.pcm) <= source.position
        source.strange = source.strange + 1 if newer and past else 0
        source.newest_ns = max(source.newest_ns, sound.stamp_ns)
        if source.strange >= STRANGE_CHUNKS:
            source.counts = False
        return source.counts

    def _give(self, source: _Source, sound: Sound) -> list[AudioChunk]:
        out = source.resampler.push(to_mono(sound.pcm))
        ahead_s = source.given / RATE_HZ - source.position / source.rate_hz
        stamp_ns = sound.stamp_ns + round(ahead_s * 1e9) if sound.stamp_ns else 0
        first = source.given
        source.position += len(sound.pcm)
        source.given += len(out)
        if not len(out):
            return []
        return [AudioChunk(stamp_ns, source.source_id or 'audio', first, RATE_HZ, out)]

    def _measure(self, sound: Sound, now_s: float) -> None:
        if self._window is None:
            self._window = _Window(now_s)
            return
        window = self._window
        level = np.abs(sound.pcm.astype(np.int32))
        window.samples += len(sound.pcm)
        window.loudest = max(window.loudest, int(level.max()))
        window.peaks += int(np.count_nonzero(level >= 32_700))
        if window.loudest > 8:
            self._loud_s = now_s
        elapsed_s = now_s - window.began_s
        if elapsed_s >= WINDOW_S:
            self.measured_hz = window.samples / elapsed_s
            self._clipped = window.peaks / max(1, window.samples * sound.pcm.shape[1])
            self._window = _Window(now_s)

    @property
    def rate_lies(self) -> bool:
        """The samples of the last window do not come at the rate that is stated."""
        if not (self._source and self.measured_hz):
            return False
        return abs(self.measured_hz / self._source.rate_hz - 1) > RATE_TOLERANCE

    def health(self, now_s: float) -> Iterator[Health]:
        """Why the robot may not hear: one status, the worst first."""
        values: dict[str, Any] = dict(self.counts)
        source = self._source
        if source is None:
            yield Health('audio', Level.ERROR, 'no sound has arrived', values)
            return
        values |= {'source': source.source_id, 'rate_hz': source.rate_hz}
        values |= {'measured_hz': round(self.measured_hz)}
        yield Health('audio', *self._verdict(source, now_s), values)

    def _verdict(self, source: _Source, now_s: float) -> tuple[Level, str]:
        silence_s = now_s - source.heard_s
        stated, ignored = source.rate_hz, self.second_source
        if silence_s > 2 * SOURCE_GONE_S:
            return Level.ERROR, f'no sound for {silence_s:.0f} s'
        if now_s - self._second_s < RECENT_S:
            return Level.ERROR, f'two sources: {source.source_id} is heard, {ignored} is ignored'
        if self.rate_lies:
            return (
                Level.ERROR,
                f'{stated} Hz are stated, {self.measured_hz:.0f} arrive a second',
            )
        if not source.counts:
            return Level.WARN, 'first_sample does not count on; losses are guessed by stamps'
        if now_s - self._bad_s < RECENT_S:
            return Level.WARN, 'some samples are no numbers; they are heard as silence'
        if now_s - self._loud_s > SILENT_S:
            return Level.WARN, 'the microphone gives silence only; is it muted?'
        if self._clipped > CLIPPED_SHARE:
            return Level.WARN, f'{self._clipped:.0%} of the samples are clipped'
        return Level.OK, 'hearing'
