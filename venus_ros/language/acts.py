# SPDX-License-Identifier: Apache-2.0
"""What one utterance can mean to the conversation: the vocabulary of `understand`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from venus_ros.core.messages import Work


class ActKind(Enum):
    """Kinds of dialogue act; the comment says which fields of `Act` are filled."""

    GREET = 'greet'
    THANKS = 'thanks'
    GOODBYE = 'goodbye'
    SMALLTALK = 'smalltalk'  # topic
    ASK_SELF = 'ask_self'  # topic: name, abilities, places, objects, body, how, what, hear, see
    ASK_WORKS = 'ask_works'  # topic: doing, where, progress, done, history, result, next; about
    DELEGATE = 'delegate'  # task, steps, promise
    CLARIFY = 'clarify'  # a request that lacks something: task, question, choices
    CORRECT = 'correct'  # a request that replaces the last one: task, steps, promise
    CANCEL = 'cancel'  # topic: all, or the words of what is withdrawn; about
    CANNOT = 'cannot'  # a request outside the capabilities: task, promise ('open the window')
    STOP_TALKING = 'stop_talking'
    REPEAT = 'repeat'
    ANSWER = 'answer'  # topic: yes, no
    BACKCHANNEL = 'backchannel'
    FRAGMENT = 'fragment'  # not complete: wait for the rest; topic: request, if it begins as one
    OTHER = 'other'  # said to or about somebody else, or no request: nothing to do
    UNKNOWN = 'unknown'


@dataclass(frozen=True, slots=True)
class Step:
    """One piece of work that was asked for, in the order of asking."""

    capability: str
    skill: str
    arguments: Mapping[str, Any]
    text: str = ''
    """The words that asked for it."""


@dataclass(frozen=True, slots=True)
class Act:
    """What the user did by saying something.

    Attributes:
        kind: see `ActKind`.
        topic: what it is about, by kind.
        task: the whole request in plain words, as the harness gets it; private.
        steps: what was understood of it.
        promise: the request as the robot would say it after "I will": 'go to the kitchen'.
        question: what to ask back, a full sentence.
        choices: tasks between which the question lets choose; none if it is an open one.
        about: values that a question names ('did you bring the cup'): any of them may be meant.
            Of a `CANCEL`: what it names although nobody asked for it.
        confidence: 0 to 1.
    """

    kind: ActKind
    topic: str = ''
    task: str = ''
    steps: tuple[Step, ...] = ()
    promise: str = ''
    question: str = ''
    choices: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Talk:
    """What was talked about so far; makes pronouns, corrections and answers understood.

    Attributes:
        task: the user's last request in plain words; empty if none can be corrected any more.
        steps: what was understood of it.
        pending: a request that waits for the answer to a `CLARIFY` question.
        choices: what that question lets choose between; see `Act.choices`.
        asked: the robot's last words were a question.
        mentioned: role of an argument (`place`, `object`, ...) -> its last value.
        works: newest records of the works, for "don't go there" and the like.
    """

    task: str = ''
    steps: tuple[Step, ...] = ()
    pending: str = ''
    choices: tuple[str, ...] = ()
    asked: bool = False
    mentioned: Mapping[str, str] = field(default_factory=dict)
    works: tuple[Work, ...] = ()

    def after(self, act: Act) -> Talk:
        """The talk with `act` in it. `asked` and `works` are for the caller to renew."""
        if act.kind in (ActKind.DELEGATE, ActKind.CORRECT):
            mentioned = dict(self.mentioned)
            for step in act.steps:
                mentioned |= {k: v for k, v in step.arguments.items() if isinstance(v, str)}
            settled = replace(self, pending='', choices=(), mentioned=mentioned)
            return replace(settled, task=act.task, steps=act.steps)
        if act.kind is ActKind.CLARIFY:
            return replace(self, pending=act.task, choices=act.choices)
        if act.kind is ActKind.CANCEL and not act.about:
            return replace(self, task='', steps=(), pending='', choices=())
        if act.kind is ActKind.ANSWER and act.topic == 'no':
            return replace(self, pending='', choices=())
        return self
