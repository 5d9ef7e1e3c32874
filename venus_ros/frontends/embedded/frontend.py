# SPDX-License-Identifier: Apache-2.0
"""The default frontend: hears, decides, talks and delegates on a CPU, without a network."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from venus_ros.core.errors import BackendError, InputError
from venus_ros.core.messages import Capability, Kind, Role, Transcript, Unit
from venus_ros.frontends.embedded import floor
from venus_ros.frontends.embedded.asr import Recogniser, Words
from venus_ros.frontends.embedded.dialogue import Dialogue, Reply
from venus_ros.frontends.embedded.ears import Began, Ears, Partial, Paused, Sign, Utterance
from venus_ros.frontends.embedded.end_of_turn import Melody, wait_s
from venus_ros.frontends.embedded.mouth import Line, Mouth
from venus_ros.frontends.embedded.vad import RATE_HZ
from venus_ros.frontends.embedded.voice import Voice
from venus_ros.frontends.protocol import (
    Context,
    Control,
    Decision,
    Directive,
    FrontendSpec,
    Heard,
    Note,
    Prompt,
    StepOutput,
)
from venus_ros.language.acts import ActKind

UNIT_S = 0.1
MAX_TYPED = 1000
"""Characters of one typed text; the rest is not read."""
HOLD_S = 3.0
"""How long a reply waits for a voice that began before it could be spoken."""


@dataclass(slots=True)
class _Draft:
    """A reply that nobody has heard yet: it can still be taken back."""

    text: str
    reply: Reply
    made_s: float


class EmbeddedFrontend:
    """Silero hears a voice, Whisper its words, rules decide, piper or espeak-ng speaks.

    Args:
        counted: wait for the workers inside `step`, so that a run repeats exactly.
        engine: `piper` or `espeak`; empty = the best there is.
        threads: threads of one recognition.
    """

    def __init__(self, counted: bool = False, engine: str = '', threads: int = 1) -> None:
        self._counted, self._engine, self._threads = counted, engine, threads
        self._voice: Voice | None = None
        self._ears: Ears | None = None
        self._expected: object = None
        self.missing: list[str] = []
        self.spec = FrontendSpec(
            name='embedded',
            unit_s=UNIT_S,
            audio_rate_hz=RATE_HZ,
            speech_rate_hz=22050,
            picture_size=None,
            delegates=True,
            licence='Apache-2.0; weights MIT and BSD-2-Clause; voice CC0-1.0 or GPL-3.0-or-later',
            revision='whisper-tiny.en silero-6.2 smart-turn-3.2 piper-joe',
        )

    def open(self, prompt: Prompt) -> None:
        """Load, warm up and start a session; `missing` tells what is absent but not needed.

        Raises:
            BackendError: weights or a synthesiser are missing, or do not work.
        """
        if prompt.language.split('-')[0].split('_')[0] not in ('', 'en'):
            raise BackendError(f'the embedded frontend speaks English only, not {prompt.language}')
        self.close()
        self._prompt = prompt
        self._voice = Voice(self._engine, steady=self._counted)
        try:
            self._recogniser = Recogniser(self._threads)
            melody = self._melody()
            self._ears = Ears(self._recogniser, melody, self._patience, self._counted)
            noise = np.random.default_rng(0).normal(0, 800, RATE_HZ).astype(np.int16)
            self._recogniser.recognise(noise)
            self._recogniser.recognise(noise, quick=True)
            if melody:
                melody.complete(noise)
            self._voice.open()
            if self._voice.rate_hz != self.spec.speech_rate_hz:
                raise BackendError(f'the voice gives {self._voice.rate_hz} Hz, not 22050 Hz')
            Dialogue(prompt.robot_name).understand('hello', Context(), 0.0)
        except BaseException:
            self.close()
            raise
        self._restart()

    def close(self) -> None:
        """End the session and every worker. Idempotent."""
        ears, self._ears = self._ears, None
        voice, self._voice = self._voice, None
        if ears:
            ears.close()
        if voice:
            voice.close()

    def say(self, text: str) -> None:
        """Speak `text` as a turn of its own at the next chance."""
        self._orders.append(text)

    def step(
        self,
        unit: Unit,
        notes: tuple[Note, ...],
        heard: Heard,
        directive: Directive,
        context: Context,
    ) -> StepOutput:
        """Advance by one unit; see `DuplexFrontend`."""
        if self._ears is None:
            raise BackendError('step before open: call open(prompt) first')
        began = time.perf_counter()
        out = StepOutput()
        self._out, self._unit, self._heard, self._context = out, unit, heard, context
        self._obey(directive)
        self._listen_to_itself(heard)
        self._expect(context.capabilities)
        for sign in self._ears.step(_checked(unit), partials=self._talking):
            self._take(sign)
        self._watch_overlap()
        for typed in unit.typed:
            self._typed(typed)
        for note in notes:
            self._mouth.say(Line(self._dialogue.restate(note, context), note))
        self._speak()
        out.timings_ms = {'asr': self._ears.asr_ms, 'step': (time.perf_counter() - began) * 1e3}
        return out

    # ---- the course of a step, in order ----

    def _obey(self, directive: Directive) -> None:
        if directive is Directive.RESET:
            self._restart()
        if directive is not Directive.NONE:
            self._hush()
            self._orders.clear()

    def _listen_to_itself(self, heard: Heard) -> None:
        self._dialogue.played(heard.turn_id, heard.text)
        self._robot_s = self._robot_s + UNIT_S if heard.speaking else 0.0

    def _take(self, sign: Sign) -> None:
        """Make a decision of what the ears report."""
        if isinstance(sign, Began):
            self._over = self._talking
            self._robot_s_before = self._robot_s
            self._partial = None
            self._robot_text = self._mouth.turn_text
            self._decide(Kind.USER_STARTED, 'voice')
        elif isinstance(sign, Partial):
            self._partial = sign.words
            self._transcribe(sign.words, sign.start, self._ears_now, final=False)
        elif isinstance(sign, Paused):
            self._decide(Kind.PAUSE, 'the words ask for more', sign.words.confidence)
        elif isinstance(sign, Utterance):
            self._finish(sign)

    def _watch_overlap(self) -> None:
        """Fall silent as soon as it is clear that the user takes the floor."""
        assert self._ears is not None
        if not (self._over and self._ears.busy and self._talking):
            return
        verdict = floor.while_speaking(
            self._partial,
            self._ears.spoken_s(),
            self._robot_s_before,
            self._robot_text,
            self._answering,
        )
        if verdict and verdict.silent:
            self._out.decisions.append(verdict.decision)
            self._cut_short = self._mouth.unheard(self._heard.text)
            self._flush()

    def _finish(self, said: Utterance) -> None:
        """An utterance is complete: noise, a backchannel, or something to answer."""
        over, self._over = self._over, False
        rest, self._cut_short = self._cut_short, []
        self._decide(Kind.USER_ENDED, 'silence')
        verdict = None
        spoken_s = (said.end - said.start) / RATE_HZ
        if over:
            verdict = floor.after_speaking(said.words, spoken_s, self._robot_text)
        elif not said.words.text:
            verdict = floor.Verdict(
                Decision(Kind.BACKGROUND, said.words.reason, 1 - said.words.confidence), False
            )
        if verdict:
            self._out.decisions.append(verdict.decision)
            self._resume(rest)
            return
        self._transcribe(said.words, said.start, said.end, final=True)
        reply = self._answer(said.words.text, over)
        if reply.act.kind in (ActKind.OTHER, ActKind.BACKCHANNEL):
            self._resume(rest)

    def _typed(self, typed: str) -> None:
        plain = (c if c.isprintable() and c not in '<>' else ' ' for c in typed[:MAX_TYPED])
        text = ' '.join(''.join(plain).split())
        if text:
            self._transcribe(Words(text, 1.0), self._ears_now, self._ears_now, final=True)
            self._answer(text, self._talking)

    def _answer(self, text: str, over: bool) -> Reply:
        """Draft the reply to `text`; what was drafted but not heard yet is taken back first."""
        draft = self._draft
        if draft and draft.reply.act.kind not in (ActKind.OTHER, ActKind.BACKCHANNEL):
            text = f'{draft.text.rstrip(" .")} {text}'
            self._mouth.stop()
            self._draft = None
        reply = self._dialogue.answer(text, self._context, self._now_s)
        if reply.decision:
            self._out.decisions.append(reply.decision)
        if over and self._talking and (reply.text or reply.silent):
            self._decide(Kind.INTERRUPTION, 'words', reply.act.confidence)
            self._flush()
        if reply.text:
            self._draft = _Draft(text, reply, self._now_s)
            self._mouth.say(Line(reply.text))
        else:
            self._commit(reply, text)
        return reply

    def _speak(self) -> None:
        """Give sound that is ready, unless the user has begun to speak meanwhile."""
        assert self._ears is not None
        if self._orders and not (self._mouth.pending or self._talking or self._ears.busy):
            self._mouth.say(Line(self._orders.pop(0)))
        waits = self._draft is not None and self._now_s - self._draft.made_s < HOLD_S
        if waits and self._ears.speaking and not self._mouth.begun:
            self._out.thinking = True
            return
        self._out.control, self._out.speech = self._mouth.speak()
        if self._draft and (self._out.speech or not self._mouth.pending):
            self._answering = True
            self._commit(self._draft.reply, self._draft.text)
            self._draft = None
        elif self._out.speech:
            self._answering = False
        self._out.faults += self._mouth.faults
        self._mouth.faults = []
        hearing = self._ears.busy and not self._ears.speaking
        self._out.thinking = self._out.control is Control.LISTEN and (
            self._mouth.pending or hearing
        )

    # ---- helpers ----

    def _restart(self) -> None:
        assert self._voice is not None and self._ears is not None
        self._ears.reset()
        self._voice.drop()
        self._mouth = Mouth(self._voice, self._counted)
        self._dialogue = Dialogue(self._prompt.robot_name)
        self._draft: _Draft | None = None
        self._orders: list[str] = []
        self._partial: Words | None = None
        self._cut_short: list[Line] = []
        self._over = self._answering = False
        self._robot_s = self._robot_s_before = 0.0
        self._robot_text = ''
        self._heard = Heard()
        self._context = Context()
        self._expected = None

    def _hush(self) -> None:
        """Say nothing of what was going to be said, and do not take it up again."""
        self._mouth.stop()
        self._draft = None
        self._cut_short = []
        self._over = False

    def _flush(self) -> None:
        self._out.flush = True
        self._mouth.stop()
        self._heard = Heard(self._heard.turn_id, self._heard.text)

    def _resume(self, rest: Sequence[Line]) -> None:
        """Take up what was cut short for a voice that wanted nothing."""
        for line in rest:
            self._mouth.say(line)

    def _commit(self, reply: Reply, text: str) -> None:
        self._dialogue.commit(reply, text, self._now_s)
        if reply.task:
            self._out.text += f'<delegate>{reply.task}</delegate>'
            self._out.corrects = reply.corrects
        self._out.cancel += reply.cancel

    def _decide(self, kind: Kind, reason: str, confidence: float = float('nan')) -> None:
        self._out.decisions.append(Decision(kind, reason, confidence))

    def _transcribe(self, words: Words, start: int, end: int, final: bool) -> None:
        if words.text:
            self._out.heard_user.append(
                Transcript(
                    session_id=self._prompt.session_id,
                    role=Role.USER,
                    turn_id=0,
                    text=words.text,
                    final=final,
                    stamp_ns=self._unit.end_ns,
                    start_ns=self._stamp_ns(start),
                    end_ns=self._stamp_ns(end),
                    language='en',
                )
            )

    def _stamp_ns(self, sample: int) -> int:
        return self._unit.end_ns - (self._ears_now - sample) * 1_000_000_000 // RATE_HZ

    def _patience(self, text: str, melody: float | None) -> float:
        act = self._dialogue.understand(text, self._context, self._now_s)
        return wait_s(text, act.kind, melody)

    def _melody(self) -> Melody | None:
        try:
            return Melody()
        except BackendError as error:
            self.missing = [error.message]
            return None

    def _expect(self, capabilities: tuple[Capability, ...]) -> None:
        """Bias recognition to the words of what can be asked for."""
        if capabilities != self._expected:
            self._expected = capabilities
            self._recogniser.expect(expected_words(self._prompt.robot_name, capabilities))

    @property
    def _talking(self) -> bool:
        """Whether the robot can be heard, or has begun to speak."""
        return self._heard.speaking or self._mouth.begun

    @property
    def _ears_now(self) -> int:
        return self._ears.now if self._ears else 0

    @property
    def _now_s(self) -> float:
        return self._ears_now / RATE_HZ


def expected_words(name: str, capabilities: Sequence[Capability]) -> str:
    """Words that this robot's user is likely to say, as a text of the same style."""
    values: dict[str, None] = {}
    for capability in capabilities:
        for value in _enums(json.loads(capability.arguments_json or '{}')):
            values.setdefault(value.replace('_', ' '))
    asked = [e.capitalize() + '.' for c in capabilities for e in c.examples[:1]]
    start = f'Hello {name}. Hello robot. Uh-huh. Mm-hmm. Okay. Yeah.'
    names = ', the '.join(list(values)[:40])
    return f'{start} {" ".join(asked)} {"The " + names + "." if names else ""} Stop talking. Cancel that. No, wait.'


def _enums(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == 'enum' and isinstance(value, list):
                yield from (v for v in value if isinstance(v, str))
            else:
                yield from _enums(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _enums(value)


def _checked(unit: Unit) -> np.ndarray[Any, np.dtype[np.int16]]:
    """The unit's sound, or an error that says what is wrong with it."""
    pcm = unit.pcm
    if pcm.ndim != 1 or pcm.dtype != np.int16:
        raise InputError(f'unit sound must be int16 [samples], not {pcm.dtype} {pcm.shape}', 'audio')
    return pcm
