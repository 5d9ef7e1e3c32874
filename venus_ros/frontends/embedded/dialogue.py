# SPDX-License-Identifier: Apache-2.0
"""From what the user said to what the robot says and asks for. Pure: it reads no clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from venus_ros.core.messages import Kind, State
from venus_ros.frontends.embedded import self_talk, works_talk
from venus_ros.frontends.embedded.floor import words_of
from venus_ros.frontends.protocol import Context, Decision, Note
from venus_ros.language.acts import Act, ActKind, Talk
from venus_ros.language.lexicon import DETERMINERS
from venus_ros.language.understand import understand

ENGAGED_S = 20.0
"""After the last exchange of words, unclear words are still taken as said to the robot."""
FRAGMENT_S = 4.0
"""How long half a sentence waits for its rest."""
JUST_ASKED_S = 5.0
"""How long a request may take to show up among the works."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What follows from an utterance; nothing counts until `Dialogue.commit`.

    Attributes:
        act: what the user did.
        text: words to speak; empty = say nothing.
        task: private request in plain words; empty = none.
        corrects: ordinal of the earlier request that it replaces; 0 = none.
        cancel: ordinals of withdrawn requests; (0,) = all.
        silent: stop speaking.
        decision: for the event log.
    """

    act: Act
    text: str = ''
    task: str = ''
    corrects: int = 0
    cancel: tuple[int, ...] = ()
    silent: bool = False
    decision: Decision | None = None


@dataclass(slots=True)
class Dialogue:
    """One conversation's memory and manners.

    Args:
        name: what the robot is called.
    """

    name: str
    talk: Talk = field(default_factory=Talk)
    tasks: list[str] = field(default_factory=list)
    """Tasks of the requests made so far; ordinals count from 1."""
    _heard: dict[int, str] = field(default_factory=dict)
    _fragment: tuple[float, str] = (float('-inf'), '')
    _last_s: float = float('-inf')
    _asked_s: float = float('-inf')
    _notes_told: int = 0
    _understood: tuple[tuple[str, Context, Talk], Act] | None = None
    """The last question and its answer: words are judged several times before they count."""

    def played(self, turn_id: int, text: str) -> None:
        """Remember the words of a robot turn that were heard."""
        if text.strip():
            self._heard[turn_id] = text
            while len(self._heard) > 8:
                self._heard.pop(next(iter(self._heard)))

    def understand(self, text: str, context: Context, now_s: float) -> Act:
        """What `text` means as it stands, with half a sentence before it if one waits."""
        question = (self._joined(text, now_s), context, self.talk)
        if self._understood is None or self._understood[0] != question:
            act = understand(
                question[0],
                capabilities=context.capabilities,
                robot_name=self.name,
                context=replace(self.talk, works=context.works),
            )
            self._understood = question, act
        return self._understood[1]

    def answer(self, text: str, context: Context, now_s: float) -> Reply:
        """The reply to the utterance `text` that ended at `now_s` (counted s)."""
        act = self.understand(text, context, now_s)
        if act.kind is ActKind.UNKNOWN and self._joined(text, now_s) != text:
            self._fragment = (float('-inf'), '')
            act = self.understand(text, context, now_s)
        return _REPLIES[act.kind](self, act, text, context, now_s)

    def commit(self, reply: Reply, text: str, now_s: float) -> None:
        """The reply is being spoken: from now on it belongs to the conversation."""
        if reply.act.kind is ActKind.FRAGMENT:
            self._fragment = (now_s, self._joined(text, now_s))
            return
        self._fragment = (float('-inf'), '')
        self.talk = replace(self.talk.after(reply.act), asked=reply.text.endswith('?'))
        if reply.task:
            self.tasks.append(reply.task)
            self._asked_s = now_s
        if reply.text:
            self._last_s = now_s

    def restate(self, note: Note, context: Context, now_s: float) -> str:
        """Words for a result, as part of a conversation.

        What the user says next is taken as said to the robot.
        """
        self._last_s = now_s
        failed = any(w.work_id in note.work_ids and w.state is State.FAILED for w in context.works)
        self._notes_told += 1
        self.talk = replace(self.talk, asked=note.text.rstrip().endswith('?'))
        start = "I'm sorry" if failed else ('Okay', 'All right')[self._notes_told % 2]
        first = words_of(note.text)[:1]
        if first in (['here'], ["i'm"], ['sorry']):
            return note.text
        return f'{start}, {note.text}' if first == ['i'] else f'{start}. {note.text}'

    def _joined(self, text: str, now_s: float) -> str:
        when, fragment = self._fragment
        if not fragment or now_s - when > FRAGMENT_S:
            return text
        return f'{fragment.rstrip(" .,-…")} {text}'

    # ---- one method for each kind of act ----

    def _greet(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        if now_s - self._last_s < ENGAGED_S:
            return Reply(act, 'Hello! I am listening.')
        return Reply(act, f'Hello, I am {self.name}. Tell me what I can do for you.')

    def _ask_works(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        return Reply(
            act, works_talk.answer(act.topic, context.works, context.capabilities, act.about)
        )

    def _ask_self(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        return Reply(act, self_talk.about_self(act.topic, self.name, context.capabilities))

    def _delegate(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        start = ('Okay', 'Sure', 'All right')[len(self.tasks) % 3]
        return Reply(act, f"{start}, I'll {act.promise or 'see to it'}.", act.task)

    def _correct(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        if not self.tasks:
            return self._delegate(act, text, context, now_s)
        return Reply(
            act,
            _instead(act.promise or 'do that'),
            act.task,
            corrects=len(self.tasks),
            decision=Decision(Kind.CORRECTION, 'the request was changed', act.confidence),
        )

    def _cancel(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        underway = any(w.state in works_talk.OPEN for w in context.works)
        if not underway and now_s - self._asked_s > JUST_ASKED_S:
            return Reply(act, "Okay. I'm not doing anything.", silent=True)
        named = ' '.join(act.about).replace('_', ' ')
        which = self._meant(named or act.topic)
        if named and which == (0,):
            doing = works_talk.answer('doing', context.works, context.capabilities)
            return Reply(act, f"That isn't something you have asked for. {doing}")
        what = 'that' if which != (0,) else 'everything' if len(self.tasks) > 1 else 'it'
        return Reply(act, f"Okay, I'll stop {what}.", cancel=which, silent=True)

    def _meant(self, topic: str) -> tuple[int, ...]:
        """Ordinals of the requests that share the most words with `topic`; (0,) = all."""
        if topic in ('', 'all'):
            return (0,)
        wanted = set(words_of(topic)) - DETERMINERS
        shared = [len(wanted & set(words_of(task))) for task in self.tasks]
        most = max(shared, default=0)
        return tuple(i for i, n in enumerate(shared, 1) if n == most) if most else (0,)

    def _repeat(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        if not self._heard:
            return Reply(act, "I haven't said anything yet.")
        last = list(self._heard.values())[-1]
        return Reply(act, last if last.startswith('I said: ') else f'I said: {last}')

    def _yes_no(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        return Reply(act, 'Okay.' if act.topic == 'no' else 'Okay. What shall I do?')

    def _other(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        said = 'not said to the robot'
        return Reply(act, decision=Decision(Kind.OTHER_DIRECTED, said, act.confidence))

    def _unknown(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        named = self.name.lower() in words_of(text) or 'robot' in words_of(text)
        if not named and now_s - self._last_s > ENGAGED_S:
            return self._other(act, text, context, now_s)
        if act.topic == 'question':
            return Reply(act, "I'm sorry, I don't know that.")
        return Reply(act, "Sorry, I didn't understand that.")

    def _cannot(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        return Reply(act, act.question or f"I'm sorry, I can't {act.promise or 'do that'}.")

    def _backchannel(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        return Reply(act, decision=Decision(Kind.BACKCHANNEL, 'listening', act.confidence))

    def _fragment_waits(self, act: Act, text: str, context: Context, now_s: float) -> Reply:
        return Reply(act, decision=Decision(Kind.PAUSE, 'half a sentence', act.confidence))


def _instead(promise: str) -> str:
    return f"Okay, I'll {promise}{'' if promise.startswith('only ') else ' instead'}."


def _fixed(text: str) -> _Answer:
    return lambda dialogue, act, words, context, now_s: Reply(act, text)


_Answer = Callable[[Dialogue, Act, str, Context, float], Reply]

_REPLIES: Mapping[ActKind, _Answer] = {
    ActKind.GREET: Dialogue._greet,
    ActKind.THANKS: _fixed("You're welcome."),
    ActKind.GOODBYE: _fixed('Goodbye.'),
    ActKind.SMALLTALK: lambda d, act, t, c, n: Reply(act, self_talk.small_talk(act.topic)),
    ActKind.ASK_SELF: Dialogue._ask_self,
    ActKind.ASK_WORKS: Dialogue._ask_works,
    ActKind.DELEGATE: Dialogue._delegate,
    ActKind.CLARIFY: lambda d, act, t, c, n: Reply(act, act.question),
    ActKind.CORRECT: Dialogue._correct,
    ActKind.CANCEL: Dialogue._cancel,
    ActKind.CANNOT: Dialogue._cannot,
    ActKind.STOP_TALKING: lambda d, act, t, c, n: Reply(act, silent=True),
    ActKind.REPEAT: Dialogue._repeat,
    ActKind.ANSWER: Dialogue._yes_no,
    ActKind.BACKCHANNEL: Dialogue._backchannel,
    ActKind.FRAGMENT: Dialogue._fragment_waits,
    ActKind.OTHER: Dialogue._other,
    ActKind.UNKNOWN: Dialogue._unknown,
}
