# SPDX-License-Identifier: Apache-2.0
"""The course of one conversation: from what was heard to what is said, unit by unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from venus_ros.core.messages import Kind, Pcm, Role, Transcript, Unit
from venus_ros.frontends.embedded import addressee, floor
from venus_ros.frontends.embedded.asr import Words
from venus_ros.frontends.embedded.dialogue import Dialogue, Reply
from venus_ros.frontends.embedded.ears import Began, Ears, Partial, Paused, Sign, Utterance
from venus_ros.frontends.embedded.end_of_turn import wait_s
from venus_ros.frontends.embedded.mouth import Line, Mouth
from venus_ros.frontends.embedded.voiceprint import Acquaintance, Voiceprint
from venus_ros.frontends.protocol import (
    Context,
    Decision,
    Heard,
    Note,
    Prompt,
    StepOutput,
)
from venus_ros.language.acts import Act, ActKind
from venus_ros.language.understand import understand
from venus_ros.silero import RATE_HZ

MAX_TYPED = 1000
"""Characters of one typed text; the rest is not read."""
HOLD_S = 3.0
"""How long a reply waits for a voice that began before it could be spoken."""
UNANSWERED = frozenset({ActKind.OTHER, ActKind.BACKCHANNEL})
HALF = frozenset({ActKind.OTHER, ActKind.UNKNOWN, ActKind.CANNOT, ActKind.CLARIFY})
"""What half a sentence is easily taken for."""


@dataclass(slots=True)
class _Draft:
    """A reply that nobody has heard yet: it can still be taken back."""

    text: str
    reply: Reply
    made_s: float


class Course:
    """One conversation, from its first unit on.

    Args:
        prompt: what the session starts with.
        ears: hear utterances; they start anew.
        mouth: speaks.
    """

    def __init__(self, prompt: Prompt, ears: Ears, mouth: Mouth) -> None:
        self._prompt, self._ears, self._mouth = prompt, ears, mouth
        self._dialogue = Dialogue(prompt.robot_name)
        self._user = Acquaintance()
        self._context, self._heard, self._out = Context(), Heard(), StepOutput()
        self._unit_end_ns = 0
        self._draft: _Draft | None = None
        self._overlap: floor.Overlap | None = None
        self._cut_short: list[Line] = []
        self._orders: list[str] = []
        self._answering = False
        self._robot_s = 0.0
        ears.reset(self._patience, self._sense)

    def say(self, text: str) -> None:
        """Speak `text` as a turn of its own at the next chance."""
        self._orders.append(text)

    def hush(self) -> None:
        """Say nothing of what was going to be said, and do not take it up again."""
        self._mouth.stop()
        self._orders.clear()
        self._cut_short.clear()
        self._draft = self._overlap = None

    def advance(
        self, unit: Unit, pcm: Pcm, notes: Sequence[Note], heard: Heard, context: Context
    ) -> StepOutput:
        """Take one unit: hear, decide, answer, speak."""
        self._out = StepOutput()
        self._unit_end_ns, self._heard, self._context = unit.end_ns, heard, context
        self._dialogue.played(heard.turn_id, heard.text)
        self._robot_s = self._robot_s + len(pcm) / RATE_HZ if heard.speaking else 0.0
        for sign in self._ears.step(pcm, partials=self._talking):
            self._take(sign)
        self._watch_overlap()
        for typed in unit.typed:
            self._read(typed)
        for note in notes:
            self._mouth.say(Line(self._dialogue.restate(note, context, self._now_s), note))
        self._speak()
        return self._out

    # ---- hearing ----

    def _take(self, sign: Sign) -> None:
        """Make of what the ears report a decision."""
        if isinstance(sign, Began):
            if self._talking:
                self._overlap = floor.Overlap(self._robot_s, self._mouth.turn_text)
            self._decide(Kind.USER_STARTED, 'voice')
        elif isinstance(sign, Partial):
            if self._overlap:
                self._overlap.partials.append(sign.words)
                self._overlap.odds = self._odds(sign.words.text, sign.voice, addressee.so_far)
            self._transcribe(sign.words, sign.start, self._ears.now, final=False)
        elif isinstance(sign, Paused):
            self._decide(Kind.PAUSE, 'the words ask for more', sign.words.confidence)
        elif isinstance(sign, Utterance):
            self._finish(sign)

    def _watch_overlap(self) -> None:
        """Fall silent as soon as it is clear that the user takes the floor."""
        over = self._overlap
        if over is None or not (self._ears.busy and self._talking):
            return
        over.spoken_s, over.goes_on = self._ears.spoken_s(), self._ears.speaking
        over.awaited = self._ears.reading
        decision = floor.while_speaking(over, self._answering)
        if decision:
            self._out.decisions.append(decision)
            self._cut_short = self._mouth.unheard(self._heard.text)
            self._flush()

    def _finish(self, said: Utterance) -> None:
        """An utterance is complete: noise, a backchannel, or something to answer."""
        over, self._overlap = None if said.joined else self._overlap, None
        rest, self._cut_short = self._cut_short, []
        self._decide(Kind.USER_ENDED, 'silence')
        spoken_s = (said.end - said.start) / RATE_HZ
        decision = floor.nothing_said(
            said.words, spoken_s, over.robot_text if over else None
        ) or self._not_for_us(said, over is not None)
        if decision:
            self._out.decisions.append(decision)
            self._resume(rest)
            if decision.kind is Kind.BACKGROUND and over is None:
                self._ears.expect_rest(said)
            return
        self._transcribe(said.words, said.start, said.end, final=True)
        if said.joined:
            self._take_back()
        reply = self._answer(said.words.text, over is not None)
        half = reply.act.kind in HALF and reply.act.topic != 'addressed'
        if half and over is None:
            self._ears.expect_rest(said)
        if reply.act.kind in UNANSWERED:
            self._resume(rest)
        elif reply.act.kind is not ActKind.UNKNOWN:
            self._user.learn(said.voice)

    def _not_for_us(self, said: Utterance, over: bool) -> Decision | None:
        """Why an utterance was not said to the robot; none = it was."""
        voice = addressee.by_voice(self._user.unlike(said.voice))
        odds = self._odds(said.words.text, said.voice)
        return floor.not_for_us(odds, voice, over)

    def _odds(
        self,
        text: str,
        voice: Voiceprint | None,
        weigh: Callable[[str, Act, str], float] = addressee.by_words,
    ) -> float:
        """Log odds that words in this voice are meant for the robot."""
        act = self._dialogue.understand(text, self._context, self._now_s)
        words = weigh(text, act, self._prompt.robot_name)
        open_question = addressee.QUESTION_OPEN if self._dialogue.talk.asked else 0.0
        return words + open_question + addressee.by_voice(self._user.unlike(voice))

    def _read(self, typed: str) -> None:
        """Take typed words like spoken ones."""
        plain = (c if c.isprintable() and c not in '<>' else ' ' for c in typed[:MAX_TYPED])
        text = ' '.join(''.join(plain).split())
        if text:
            self._transcribe(Words(text, 1.0), self._ears.now, self._ears.now, final=True)
            self._answer(text, self._talking)

    # ---- answering ----

    def _answer(self, text: str, over: bool) -> Reply:
        """Draft the reply to `text`; what was drafted but not heard yet is taken back first.

        Args:
            over: the words began over the robot's speech.
        """
        if self._draft:
            text = f'{self._draft.text.rstrip(" .")} {text}'
            self._take_back()
        reply = self._dialogue.answer(text, self._context, self._now_s)
        if over and reply.silent and not reply.cancel:
            reply = replace(reply, text='')  # 'stop' to a robot that only talks: it is quiet
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

    def _take_back(self) -> None:
        """Drop the reply that was drafted, if nobody has heard it yet."""
        if self._draft:
            self._mouth.stop()
            self._draft = None

    def _commit(self, reply: Reply, text: str) -> None:
        """The reply counts from now on; what it asks for leaves."""
        self._dialogue.commit(reply, text, self._now_s)
        if reply.task:
            self._out.text += f'<delegate>{reply.task}</delegate>'
            self._out.corrects = reply.corrects
        self._out.cancel += reply.cancel

    # ---- speaking ----

    def _speak(self) -> None:
        """Give sound that is ready, unless the user has begun to speak meanwhile."""
        if self._orders and not (self._mouth.pending or self._talking or self._ears.busy):
            self._mouth.say(Line(self._orders.pop(0)))
        self._out.thinking = self._ears.busy and not self._ears.speaking
        waits = self._draft is not None and self._now_s - self._draft.made_s < HOLD_S
        if waits and self._ears.speaking and not self._mouth.begun:
            self._out.thinking = True
            return
        self._out.control, self._out.speech = self._mouth.speak()
        if self._draft and (self._out.speech or not self._mouth.pending):
            self._commit(self._draft.reply, self._draft.text)
            self._draft, self._answering = None, True
        elif self._out.speech:
            self._answering = False
        self._out.faults = self._mouth.take_faults()
        self._out.thinking |= self._mouth.pending and not self._mouth.begun

    def _flush(self) -> None:
        self._out.flush = True
        self._mouth.stop()
        self._heard = Heard(self._heard.turn_id, self._heard.text)

    def _resume(self, rest: Sequence[Line]) -> None:
        """Take up what was cut short for a voice that wanted nothing."""
        for line in rest:
            self._mouth.say(line)

    # ---- telling ----

    def _decide(self, kind: Kind, reason: str, confidence: float = float('nan')) -> None:
        self._out.decisions.append(Decision(kind, reason, confidence))

    def _transcribe(self, words: Words, start: int, end: int, final: bool) -> None:
        if not words.text:
            return
        self._out.heard_user.append(
            Transcript(
                session_id=self._prompt.session_id,
                role=Role.USER,
                turn_id=0,
                text=words.text,
                final=final,
                stamp_ns=self._unit_end_ns,
                start_ns=self._stamp_ns(start),
                end_ns=self._stamp_ns(end),
                language='en',
            )
        )

    def _stamp_ns(self, sample: int) -> int:
        return self._unit_end_ns - (self._ears.now - sample) * 1_000_000_000 // RATE_HZ

    def _patience(self, text: str, melody: float | None) -> float:
        act = self._dialogue.understand(text, self._context, self._now_s)
        return wait_s(text, act.kind, melody)

    def _sense(self, text: str) -> float:
        """How much sense words make here; called in the thread of the ears."""
        act = understand(
            text,
            capabilities=self._context.capabilities,
            robot_name=self._prompt.robot_name,
            context=self._dialogue.talk,
        )
        return addressee.by_words(text, act, self._prompt.robot_name)

    @property
    def _talking(self) -> bool:
        """Whether the robot can be heard, or has begun to speak."""
        return self._heard.speaking or self._mouth.begun

    @property
    def _now_s(self) -> float:
        return self._ears.now / RATE_HZ
