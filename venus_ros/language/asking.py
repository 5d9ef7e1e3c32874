# SPDX-License-Identifier: Apache-2.0
"""What an utterance asks for, or forbids: the act of a request that stands for itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from venus_ros.language import grammar, template
from venus_ros.language.acts import Act, ActKind
from venus_ros.language.clauses import Clause
from venus_ros.language.lexicon import DETERMINERS
from venus_ros.language.mood import Mood
from venus_ros.language.requests import Request
from venus_ros.language.talk import Utterance, nearest_talk
from venus_ros.language.text import FILLERS, MARKS

_LATER = re.compile(
    r'\b(?:(?:in|after|every) (?:an?|one|two|three|five|ten|\w+teen|\w+ty|half an?|\d+|a few|'
    r'some|a couple of)? ?(?:seconds?|minutes?|hours?|days?|while)|'
    r'(?:at|by|before|after|until) (?:\w+ )?'
    r'(?:o ?clock|noon|midnight|\d+(?: ?(?:am|pm))?|dinner|lunch|breakfast)|'
    r'(?<!look )(?:at|by) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)'
    r'(?: thirty| fifteen)?$|'
    r'tomorrow|tonight|later|every (?:day|hour|morning|evening))\b'
)


def asked(said: Utterance) -> Act | None:
    """A request, or what forbids one."""
    clauses = said.reader.clauses(said.text, said.talk.mentioned, said.name)
    asking = [clause for clause in clauses if clause.skill]
    if asking and _LATER.search(said.plain):
        question = 'I can only do things right away, not later.'
        return Act(ActKind.CANNOT, 'unknown', asking[0].text, question=question)
    forbidden = [clause for clause in clauses if clause.mood is Mood.FORBID]
    talk = nearest_talk(said)
    if asking:
        weakest = min(clause.near[0].score for clause in asking)
        if talk and talk.score > max(weakest, 0.8) and len(clauses) == 1:
            return None
        if _names_only(said) and len(asking) == 1:
            return _offered(asking[0], said)
        kind = ActKind.CORRECT if forbidden and said.talk.task else ActKind.DELEGATE
        return _act(said.reader.request(asking), said, kind)
    if forbidden and not (talk and talk.score >= 0.8):
        return _withdrawn(forbidden[0], said)
    return None


def alternatives(said: Utterance) -> Act | None:
    """'Go to the kitchen or bring me the ball': two requests of which one is meant."""
    parts = re.split(r'(?: ,)? or (?:else |maybe |rather |perhaps )?', said.text)
    if len(parts) != 2 or not said.reader.begins(parts[1]):
        return None
    both = [said.reader.clauses(part, said.talk.mentioned, said.name) for part in parts]
    requests = [said.reader.request(clauses) for clauses in both if _orders(clauses)]
    if len(requests) != 2 or not all(request.steps for request in requests):
        return None
    promises = [said.reader.promise(request.steps) for request in requests]
    return Act(
        ActKind.CLARIFY,
        task=requests[0].task,
        question=f'Shall I {template.either(promises)}?',
        choices=tuple(request.task for request in requests),
    )


def _orders(clauses: Sequence[Clause]) -> bool:
    return bool(clauses) and all(c.skill and c.mood is Mood.ORDER for c in clauses)


def _names_only(said: Utterance) -> bool:
    """Whether nothing but a thing or a place was said, without a 'please'."""
    heard = [word for word in said.text.split() if word not in MARKS]
    spots = said.reader.lexicon.spots(heard)
    covered = {i for spot in spots for i in range(spot.start, spot.end)}
    rest = {word for i, word in enumerate(heard) if i not in covered}
    return bool(spots) and rest <= DETERMINERS | FILLERS | {'and', said.name}


def _offered(clause: Clause, said: Utterance) -> Act:
    """A thing or place was only named: ask whether the likely request is meant."""
    request = said.reader.request([clause])
    if not request.steps:
        return _act(request, said, ActKind.DELEGATE)
    promise = said.reader.promise(request.steps)
    return Act(ActKind.CLARIFY, task=promise, question=f'Shall I {promise}?', confidence=0.5)


def _withdrawn(clause: Clause, said: Utterance) -> Act | None:
    """'Don't go to the kitchen': withdraws what was asked, if that was; asks for nothing."""
    core = re.sub(r'^(?:do not|never|stop|quit|not|no need to|you \w+ not)\s*', '', clause.text)
    core = grammar.bare_verb(core, lambda word: bool(said.reader.frames.verb(word)))
    meant = said.reader.clause(core, said.talk.mentioned, said.name)
    if meant.skill is None:
        return None
    if said.talk.task or said.talk.works:
        return Act(ActKind.CANCEL, core)
    return Act(ActKind.OTHER, 'forbidden')


def requested(task: str, said: Utterance, kind: ActKind) -> Act:
    """The act of a request in plain words."""
    asking = [c for c in said.reader.clauses(task, said.talk.mentioned, said.name) if c.skill]
    return _act(said.reader.request(asking), said, kind)


def _act(request: Request, said: Utterance, kind: ActKind) -> Act:
    if request.question:
        question, choices = request.question, request.choices
        return Act(ActKind.CLARIFY, task=request.task, question=question, choices=choices)
    if request.unknown:
        return Act(ActKind.CANNOT, 'unknown', request.task, question=request.unknown)
    return Act(
        kind,
        task=request.task,
        steps=request.steps,
        promise=said.reader.promise(request.steps),
    )
