# SPDX-License-Identifier: Apache-2.0
"""Cuts what comes from microphone, camera and keyboard into units of equal length.

Unit k holds the microphone's samples [k*N, (k+1)*N), the newest picture and the typed words
stamped before its end, and nothing later. Counting is by `first_sample`: whatever the chunking,
the order within a unit, or doubled chunks, the same samples give the same units.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import InputError
from venus_ros.core.messages import AudioChunk, Frame, Pcm, TypedText, Unit

RATE_HZ = 16000
LONGEST_GAP_S = 5.0
"""A longer gap is not filled: counting starts anew at the chunk behind it."""
REWIND_S = 0.1
"""A source that goes back by more than this with a later stamp was restarted."""
TYPED_WAIT_S = 1.0
"""Typed words stamped in the future wait at most so long."""
FRAMES = 8


class UnitClock:
    """Takes chunks (16 kHz, mono), pictures and words; gives units.

    Args:
        unit_s: length of a unit, s.

    Attributes:
        unit_samples: N.
        lost_samples: samples filled with silence so far.
        doubled_samples: samples that came twice and were dropped.
        anchors: times at which counting started at a source.
    """

    def __init__(self, unit_s: float) -> None:
        self.unit_samples = round(unit_s * RATE_HZ)
        self.lost_samples = 0
        self.doubled_samples = 0
        self.anchors = 0
        self._source_id = ''
        self._origin = 0  # the source's sample index at the start of the buffer
        self._pcm: Pcm = np.zeros(0, np.int16)
        self._filled: NDArray[np.bool_] = np.zeros(
            0, np.bool_
        )  # false where the buffer holds a gap
        self._k = 0
        self._end_ns = 0
        self._reference: tuple[int, int] | None = None  # (source's sample index, its stamp)
        self._silence: tuple[int, int] | None = None  # the same, of passed silence
        self._frames: deque[Frame] = deque(maxlen=FRAMES)
        self._typed: deque[TypedText] = deque()

    @property
    def waiting_samples(self) -> int:
        """Samples received that are not yet part of a unit."""
        return len(self._pcm)

    def begin(self, stamp_ns: int) -> None:
        """Let unit 0 start at `stamp_ns` if no sound tells otherwise."""
        self._end_ns = stamp_ns

    def push(self, chunk: AudioChunk) -> None:
        """Take sound; samples that are known already are dropped.

        Raises:
            InputError: not 16 kHz, not mono, or not int16.
        """
        pcm = chunk.pcm
        if pcm.ndim == 2 and pcm.shape[1] == 1:
            pcm = pcm.reshape(-1)
        if chunk.sample_rate != RATE_HZ or pcm.ndim != 1 or pcm.dtype != np.int16:
            raise InputError(
                f'sound is {pcm.dtype} {list(pcm.shape)} at {chunk.sample_rate} Hz, '
                f'int16 [samples] at {RATE_HZ} Hz is needed: convert it at the intake',
                f'audio of {chunk.source_id or "unnamed source"}',
            )
        if not len(pcm):
            return
        if self._restarted(chunk):
            self._anchor(chunk)
        self._silence = None
        start = chunk.first_sample - self._origin
        self._write(start, pcm)
        if self._reference is None or chunk.first_sample >= self._reference[0]:
            self._reference = (chunk.first_sample, chunk.stamp_ns)

    def show(self, frame: Frame) -> None:
        """Take a picture; of those for the coming unit the newest is kept."""
        soon_ns = self._end_ns + self._samples_ns(self.unit_samples)
        if self._frames and frame.stamp_ns < self._frames[-1].stamp_ns:
            return
        if frame.stamp_ns <= soon_ns:
            self._frames.clear()
        self._frames.append(frame)

    def type(self, text: TypedText) -> None:
        """Take words that the user typed."""
        self._typed.append(text)

    def pass_silence(self, samples: int, stamp_ns: int | None = None) -> None:
        """Let time pass without a microphone: the next `samples` are a gap.

        Before the first source there is nothing to lose, so that no gap is counted.

        Args:
            stamp_ns: ROS time at their end; none = it went on as the samples did.
        """
        length = len(self._pcm)
        self._extend(length + samples)
        if stamp_ns is not None:
            self._silence = self._origin + len(self._pcm), stamp_ns
        self._filled[length:] = not self.anchors

    def pop(self) -> Unit | None:
        """Return the next unit if all of its samples are there (or passed as a gap)."""
        n = self.unit_samples
        if len(self._pcm) < n:
            return None
        pcm, filled = self._pcm[:n].copy(), self._filled[:n]
        gap = int(n - np.count_nonzero(filled))
        self._pcm, self._filled = self._pcm[n:], self._filled[n:]
        self._origin += n
        self._end_ns = max(self._end_ns + 1, self._stamp_of(self._origin))
        unit = Unit(self._k, pcm, self._end_ns, self._newest_frame(), self._words(), gap)
        self._k += 1
        self.lost_samples += gap
        return unit

    # -- counting -------------------------------------------------------------------------

    def _restarted(self, chunk: AudioChunk) -> bool:
        """Whether counting must start anew at `chunk`."""
        if self._reference is None or chunk.source_id != self._source_id:
            return True
        ahead_s = (chunk.first_sample - self._origin - len(self._pcm)) / RATE_HZ
        later = chunk.stamp_ns > self._reference[1]
        return abs(ahead_s) > LONGEST_GAP_S or (ahead_s < -REWIND_S and later)

    def _anchor(self, chunk: AudioChunk) -> None:
        """Count from `chunk` on; at the first source, so that units end where chunks do."""
        if not self.anchors:
            spare = len(self._pcm) % len(chunk.pcm)
            self._pcm, self._filled = self._pcm[spare:], self._filled[spare:]
        self._source_id = chunk.source_id
        self._origin = chunk.first_sample - len(self._pcm)
        self._reference = None
        self.anchors += 1

    def _write(self, start: int, pcm: Pcm) -> None:
        """Put samples at `start` of the buffer where nothing is known yet."""
        late = min(len(pcm), max(0, -start))
        self.doubled_samples += late
        pcm, start = pcm[late:], start + late
        end = start + len(pcm)
        self._extend(end)
        new = ~self._filled[start:end]
        self.doubled_samples += int(len(pcm) - np.count_nonzero(new))
        self._pcm[start:end][new] = pcm[new]
        self._filled[start:end] = True

    def _extend(self, length: int) -> None:
        more = length - len(self._pcm)
        if more > 0:
            self._pcm = np.concatenate([self._pcm, np.zeros(more, np.int16)])
            self._filled = np.concatenate([self._filled, np.zeros(more, bool)])

    def _stamp_of(self, sample: int) -> int:
        reference = self._silence or self._reference
        if reference is None:
            return self._end_ns + self._samples_ns(self.unit_samples)
        known, stamp_ns = reference
        return stamp_ns + self._samples_ns(sample - known)

    @staticmethod
    def _samples_ns(samples: int) -> int:
        return samples * 1_000_000_000 // RATE_HZ

    # -- causality ------------------------------------------------------------------------

    def _newest_frame(self) -> Frame | None:
        frame = None
        while self._frames and self._frames[0].stamp_ns <= self._end_ns:
            frame = self._frames.popleft()
        return frame

    def _words(self) -> tuple[str, ...]:
        limit_ns = self._end_ns + int(TYPED_WAIT_S * 1e9)
        waiting: deque[TypedText] = deque()
        ready: list[TypedText] = []
        for text in self._typed:
            early = text.stamp_ns <= self._end_ns or text.stamp_ns > limit_ns
            (ready if early else waiting).append(text)
        self._typed = waiting
        return tuple(text.text for text in ready)
