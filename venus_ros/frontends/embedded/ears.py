# SPDX-License-Identifier: Apache-2.0
"""From the microphone's samples to what the user said, utterance by utterance."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from venus_ros.core.messages import Pcm
from venus_ros.frontends.embedded.asr import Recogniser, Sense, Words
from venus_ros.frontends.embedded.end_of_turn import DOUBTFUL_S, SPECULATE_S, Melody
from venus_ros.frontends.embedded.voiceprint import Voiceprint, voiceprint
from venus_ros.silero import RATE_HZ, open_voice

BEFORE = RATE_HZ // 4
AFTER = RATE_HZ // 6
LONGEST = 25 * RATE_HZ
PARTIAL_AFTER = int(0.4 * RATE_HZ)
PARTIAL_EVERY = int(0.3 * RATE_HZ)
GOES_ON = 2 * RATE_HZ
"""A voice that begins so soon after an utterance without an answer may be the rest of it."""
SENSIBLE = 1.0
"""Log odds of sense from which both parts read as one need not be compared with the second."""


@dataclass(frozen=True, slots=True)
class Began:
    """The user's voice began at `start` (samples since the ears were opened)."""

    start: int


@dataclass(frozen=True, slots=True)
class Partial:
    """Words so far of an utterance that goes on, and how it sounds."""

    words: Words
    start: int
    voice: Voiceprint | None = None


@dataclass(frozen=True, slots=True)
class Paused:
    """The voice fell silent, but the words ask for more."""

    words: Words


@dataclass(frozen=True, slots=True)
class Utterance:
    """The user's turn is over. `words.text` is empty if it was noise.

    `joined`: it was read together with the utterance before, which it goes on with.
    """

    words: Words
    start: int
    end: int
    voice: Voiceprint | None = None
    joined: bool = False


Sign = Began | Partial | Paused | Utterance
Judge = Callable[[str, float | None], float]
"""(words, melody) -> silence in seconds after which they are complete."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What was made of a stretch of sound."""

    words: Words
    voice: Voiceprint | None
    joined: bool = False


@dataclass(slots=True)
class _Job:
    """A recognition under way; void once `revision` is not the current one."""

    revision: int
    final: bool
    heard: Future[_Read]
    melody: Future[float] | None = None


class Ears:
    """Hears utterances in a stream of units.

    Recognition runs in one thread (CTranslate2 lets go of the interpreter while it computes). It
    starts while it is not yet sure that the user has finished, and is thrown away if not.

    Args:
        recogniser: makes words.
        melody: end-of-turn hint; none where it is not installed.
        counted: wait for the thread inside `step`, so that a run repeats exactly.
    """

    def __init__(self, recogniser: Recogniser, melody: Melody | None, counted: bool) -> None:
        self._recogniser, self._melody = recogniser, melody
        self._counted = counted
        self._voice = open_voice()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix='recognition')
        self.asr_ms = 0.0
        self._revision = 0
        self.reset(lambda text, melody: DOUBTFUL_S)

    def reset(self, judge: Judge, sense: Sense | None = None) -> None:
        """Forget all sound; samples are counted from 0 again.

        Args:
            judge: says how long to wait after which words.
            sense: says how much sense words make; called in the thread.
        """
        self._judge, self._sense = judge, sense
        self._voice.reset()
        self._sound: Pcm = np.zeros(0, np.int16)
        self._origin = 0
        self._now = 0
        self._left: int | None = None
        self._left_until = 0
        self._revision += 1
        self._clear()

    def close(self) -> None:
        """End the thread. Idempotent."""
        self._worker.shutdown(wait=True, cancel_futures=True)

    @property
    def now(self) -> int:
        """Samples heard so far."""
        return self._now

    @property
    def speaking(self) -> bool:
        """Whether the user's voice can be heard now."""
        return self._start is not None and self._end is None

    @property
    def busy(self) -> bool:
        """Whether an utterance is under way or being understood."""
        return self._start is not None

    @property
    def reading(self) -> bool:
        """Whether words of the current utterance are being recognised."""
        return self._job is not None

    def spoken_s(self) -> float:
        """How long the current utterance has lasted, s."""
        return 0.0 if self._start is None else ((self._end or self._now) - self._start) / RATE_HZ

    def expect_rest(self, begun: Utterance) -> None:
        """Read what is said next, if it comes soon, together with `begun`, which got no answer."""
        if begun.end - begun.start < LONGEST:
            self._left, self._left_until = begun.start, begun.end + GOES_ON

    def step(self, pcm: Pcm, partials: bool) -> list[Sign]:
        """Take the next sound, int16 [samples] at 16 kHz; returns what is known now.

        Args:
            partials: words are wanted while the user still speaks.
        """
        self._keep(pcm)
        signs: list[Sign] = []
        for edge in self._voice.push(pcm):
            if edge.speech:
                signs += self._begin(edge.sample)
            else:
                self._pause(edge.sample)
        if self._start is None:
            return signs
        if self._end is not None and self._final is None and self._silence_s() >= SPECULATE_S:
            self._submit(final=True)
        elif partials and self._end is None and self._due():
            self._submit(final=False)
        signs += self._collect()
        return signs + self._finish()

    def _keep(self, pcm: Pcm) -> None:
        self._now += len(pcm)
        self._sound = np.concatenate([self._sound, pcm])
        if self._start is None and self._now > self._left_until:
            self._left = None
        marks = (self._left, self._start)
        needed = next((mark for mark in marks if mark is not None), self._now) - 2 * BEFORE
        cut = max(0, needed - self._origin)
        self._sound, self._origin = self._sound[cut:], self._origin + cut

    def _clear(self) -> None:
        self._start: int | None = None
        self._end: int | None = None
        self._job: _Job | None = None
        self._final: _Read | None = None
        self._wait_s = DOUBTFUL_S
        self._last_partial = 0
        self._told_pause = False

    def _begin(self, sample: int) -> list[Sign]:
        self._revision += 1
        self._end = self._final = None
        if self._start is not None:
            return []
        self._start = sample
        self._last_partial = sample + PARTIAL_AFTER - PARTIAL_EVERY
        return [Began(sample)]

    def _pause(self, sample: int) -> None:
        if self._start is not None:
            self._end = sample
            self._told_pause = False

    def _silence_s(self) -> float:
        return 0.0 if self._end is None else (self._now - self._end) / RATE_HZ

    def _due(self) -> bool:
        assert self._start is not None
        return self._now - self._last_partial >= PARTIAL_EVERY

    def _submit(self, final: bool) -> None:
        job = self._job
        if job and (job.final or not final) and job.revision == self._revision:
            return
        assert self._start is not None
        if job and job.melody:
            job.melody.cancel()
        sound = self._since(self._start)
        whole = None if self._left is None or not final else self._since(self._left)
        self._last_partial = self._now
        heard = self._worker.submit(self._hear, sound, whole, final)
        self._job = _Job(self._revision, final, heard)
        if final and self._melody:
            self._job.melody = self._worker.submit(self._melody.complete, sound)

    def _since(self, start: int) -> Pcm:
        """The sound from just before `start` to just after the voice's end."""
        end = self._now if self._end is None else min(self._now, self._end + AFTER)
        return self._sound[max(0, start - BEFORE - self._origin) : end - self._origin]

    def _hear(self, sound: Pcm, whole: Pcm | None, final: bool) -> _Read:
        """Runs in the thread. Of the whole and its second part, what makes more sense counts."""
        voice, began = voiceprint(sound), time.perf_counter()
        read = None
        if whole is not None:
            read = _Read(self._recogniser.recognise(whole, sense=self._sense), voice, joined=True)
        if read is None or self._makes_sense(read) < SENSIBLE:
            words = self._recogniser.recognise(sound, quick=not final, sense=self._sense)
            alone = _Read(words, voice)
            read = max(alone, read, key=self._makes_sense) if read else alone
        self.asr_ms = (time.perf_counter() - began) * 1e3
        return read

    def _makes_sense(self, read: _Read) -> float:
        """Log odds of sense; minus infinity without words."""
        if not read.words.text:
            return -math.inf
        return self._sense(read.words.text) if self._sense else 0.0

    def _collect(self) -> list[Sign]:
        """Take words that are ready, then their melody: the turn's end does not wait for it."""
        job = self._job
        if job is None:
            return []
        if job.revision != self._revision:
            self._job = None
            return []
        if not (self._counted or job.heard.done()):
            return []
        read = job.heard.result()
        words, partial = read.words, Partial(read.words, self._start or 0, read.voice)
        if not job.final:
            self._job = None
            return [partial]
        signs: list[Sign] = []
        if self._final is None:
            self._final = read
            self._wait_s = self._judge(words.text, None) if words.text else SPECULATE_S
            signs.append(partial)
        if job.melody and words.text and (self._counted or job.melody.done()):
            self._wait_s = self._judge(words.text, job.melody.result())
            job.melody = None
        return signs

    def _finish(self) -> list[Sign]:
        assert self._start is not None
        if self._end is None and self._now - self._start > LONGEST:
            self._end = self._now
        if self._final is None or self._end is None:
            return []
        if self._silence_s() < self._wait_s and self._end - self._start < LONGEST:
            if self._told_pause or self._wait_s <= DOUBTFUL_S:
                return []
            self._told_pause = True
            return [Paused(self._final.words)]
        read = self._final
        start = self._left if read.joined and self._left is not None else self._start
        done = Utterance(read.words, start, self._end, read.voice, read.joined)
        self._left = None
        self._clear()
        return [done]
