# SPDX-License-Identifier: Apache-2.0
"""The default frontend: hears, decides, talks and delegates on a CPU, without a network."""

from __future__ import annotations

import time

import numpy as np

from venus_ros.core.errors import BackendError, InputError
from venus_ros.core.messages import Capability, Pcm, Unit
from venus_ros.frontends.embedded.asr import Recogniser
from venus_ros.frontends.embedded.course import Course
from venus_ros.frontends.embedded.dialogue import Dialogue
from venus_ros.frontends.embedded.ears import Ears
from venus_ros.frontends.embedded.end_of_turn import Melody
from venus_ros.frontends.embedded.mouth import Mouth
from venus_ros.frontends.embedded.vocabulary import expected_words
from venus_ros.frontends.embedded.voice import Voice
from venus_ros.frontends.protocol import (
    Context,
    Directive,
    FrontendSpec,
    Heard,
    Note,
    Prompt,
    StepOutput,
)
from venus_ros.silero import RATE_HZ

UNIT_S = 0.1
SPEECH_RATE_HZ = 22050


class EmbeddedFrontend:
    """Silero hears a voice, Whisper its words, rules decide, piper or espeak-ng speaks.

    Args:
        counted: wait for the workers inside `step`, so that a run repeats exactly.
        engine: `piper` or `espeak`; empty = the best there is.
        threads: threads of one recognition.

    Attributes:
        missing: what is absent but not needed, a sentence each; known after `open`.
    """

    def __init__(self, counted: bool = False, engine: str = '', threads: int = 1) -> None:
        self._counted, self._engine, self._threads = counted, engine, threads
        self._voice: Voice | None = None
        self._ears: Ears | None = None
        self._course: Course | None = None
        self._expected: tuple[Capability, ...] | None = None
        self.missing: list[str] = []
        self.spec = FrontendSpec(
            name='embedded',
            unit_s=UNIT_S,
            audio_rate_hz=RATE_HZ,
            speech_rate_hz=SPEECH_RATE_HZ,
            picture_size=None,
            delegates=True,
            licence='Apache-2.0; weights MIT and BSD-2-Clause; voice CC0-1.0 or GPL-3.0-or-later',
            revision='whisper-tiny.en silero-6.2 smart-turn-3.2 piper-joe',
        )

    def open(self, prompt: Prompt) -> None:
        """Load, warm up and start a session.

        Raises:
            BackendError: weights or a synthesiser are missing, or do not work.
        """
        if prompt.language.replace('_', '-').split('-')[0] not in ('', 'en'):
            raise BackendError(f'the embedded frontend speaks English only, not {prompt.language}')
        self.close()
        self._prompt = prompt
        try:
            self._load()
        except BaseException:
            self.close()
            raise
        self._begin()

    def close(self) -> None:
        """End the session and every worker. Idempotent."""
        ears, self._ears = self._ears, None
        voice, self._voice = self._voice, None
        self._course = None
        if ears:
            ears.close()
        if voice:
            voice.close()

    def say(self, text: str) -> None:
        """Speak `text` as a turn of its own at the next chance."""
        self._opened.say(text)

    def step(
        self,
        unit: Unit,
        notes: tuple[Note, ...],
        heard: Heard,
        directive: Directive,
        context: Context,
    ) -> StepOutput:
        """Advance by one unit; see `DuplexFrontend`."""
        began = time.perf_counter()
        course, pcm = self._opened, _checked(unit.pcm)
        if directive is Directive.FORCE_LISTEN:
            course.hush()
        elif directive is Directive.RESET:
            self._begin()
            course = self._opened
        self._expect(context.capabilities)
        out = course.advance(unit, pcm, notes, heard, context)
        assert self._ears is not None
        out.timings_ms = {'asr': self._ears.asr_ms, 'step': (time.perf_counter() - began) * 1e3}
        return out

    @property
    def _opened(self) -> Course:
        if self._course is None:
            raise BackendError('the frontend is not open: call open(prompt) first')
        return self._course

    def _load(self) -> None:
        """Load everything and use it once, so that the first answer is as quick as the rest."""
        self._voice = Voice(self._engine, steady=self._counted)
        self._recogniser = Recogniser(self._threads)
        melody = self._melody()
        self._ears = Ears(self._recogniser, melody, self._counted)
        noise = np.random.default_rng(0).normal(0, 800, RATE_HZ).astype(np.int16)
        for quick in (False, True):
            self._recogniser.recognise(noise, quick)
        if melody:
            melody.complete(noise)
        Dialogue(self._prompt.robot_name).understand('hello', Context(), 0.0)
        self._voice.open()
        if self._voice.rate_hz != SPEECH_RATE_HZ:
            rate = f'{self._voice.rate_hz} Hz, not {SPEECH_RATE_HZ} Hz'
            raise BackendError(f'the voice {self._voice.engine} gives {rate}')

    def _begin(self) -> None:
        """Start a conversation that knows nothing of an earlier one."""
        assert self._voice is not None and self._ears is not None
        self._voice.drop()
        self._expected = None
        self._course = Course(self._prompt, self._ears, Mouth(self._voice, self._counted))

    def _melody(self) -> Melody | None:
        try:
            melody = Melody()
        except BackendError as error:
            self.missing = [error.message]
            return None
        self.missing = []
        return melody

    def _expect(self, capabilities: tuple[Capability, ...]) -> None:
        """Bias recognition to the words of what can be asked for."""
        if capabilities is not self._expected:
            if capabilities != self._expected:
                self._recogniser.expect(expected_words(self._prompt.robot_name, capabilities))
            self._expected = capabilities


def _checked(pcm: Pcm) -> Pcm:
    """The unit's sound, or an error that says what is wrong with it."""
    if pcm.ndim != 1 or pcm.dtype != np.int16:
        found = f'{pcm.dtype} {list(pcm.shape)}'
        raise InputError(f'the sound of a unit must be int16 [samples], not {found}', 'audio')
    return pcm
