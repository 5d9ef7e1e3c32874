# SPDX-License-Identifier: Apache-2.0
"""What answers, corrects or takes back an earlier request, or one in the same breath."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from venus_ros.language import grammar
from venus_ros.language.acts import Act, ActKind
from venus_ros.language.asking import asked, requested
from venus_ros.language.choose import chosen
from venus_ros.language.correct import elliptic, merge, same_steps
from venus_ros.language.lexicon import DETERMINERS, PREPOSITIONS, Spot
from venus_ros.language.talk import OPENS_CORRECTION, Utterance, talked
from venus_ros.language.text import MARKS

_INSTEAD = re.compile(r'\b(?:instead|rather)\b')
_LEAVE = re.compile(
    r'^(?:leave|skip) (?P<thing>(?:the|my|that|this) [\w ]+?)'
    r'(?: (?:out|alone|there|be|after all|for now|where (?:it|they) (?:is|are)))?$'
)
_ADDS = re.compile(r'^(?:and|also|plus)\b|\b(?:too|as well|also)$')


def picked(said: Utterance) -> Act | None:
    """One of the things between which the robot's question let choose."""
    if not said.talk.pending or not said.talk.choices:
        return None
    answer = [w for w in grammar.core(said.text, said.name).split() if w not in MARKS]
    task = chosen(answer or said.plain.split(), said.talk.choices, said.reader.lexicon)
    if not task:
        return None
    return _settled(task, said)


def completed(said: Utterance) -> Act | None:
    """The answer to a question that the robot asked about an unclear request."""
    if not said.talk.pending:
        return None
    new = said.reader.clauses(said.text, said.talk.mentioned, said.name)
    if any(clause.skill and clause.filled.complete for clause in new) and not elliptic(
        said.text, said.reader
    ):
        return None
    task = merge(said.talk.pending, said.text, said.reader, said.talk.mentioned)
    if not task:
        task = _with_missing(said)
    return _settled(task, said) if task else None


def _settled(task: str, said: Utterance) -> Act:
    """The act of a request that was asked back about: a correction stays one."""
    kind = ActKind.CORRECT if said.talk.pending == said.talk.task else ActKind.DELEGATE
    return requested(task, said, kind)


def _with_missing(said: Utterance) -> str:
    """The pending request with the thing that was named in the place of its pronoun, or last."""
    heard = [word for word in said.text.split() if word not in MARKS]
    lexicon = said.reader.lexicon
    spots = lexicon.spots(heard)
    if not spots and len(heard) <= 3:
        alike = (lexicon.alike(heard, role) for role in lexicon.roles)
        spots = [spot for spot in alike if spot]
    named = next((spot for spot in spots if spot.value), None)
    if named is None:
        return ''
    phrase = f'the {lexicon.say(named.value)}'
    pronoun = r'\bthere\b' if named.role == 'place' else r'\b(?:it|that|this|them)\b'
    lead = 'to ' if named.role == 'place' and not said.talk.pending.endswith(' to') else ''
    task, count = re.subn(pronoun, lead + phrase, said.talk.pending, count=1)
    return task if count else f'{said.talk.pending} {lead}{phrase}'


def left(said: Utterance) -> Act | None:
    """'Leave the blue one': what was asked for is not wanted; nothing is put anywhere."""
    match = _LEAVE.match(grammar.core(OPENS_CORRECTION.sub('', said.text), said.name))
    if match is None:
        return None
    heard = [word for word in match['thing'].split() if word not in MARKS]
    spots = said.reader.lexicon.spots(heard)
    if any(spot.role == 'place' for spot in spots) or not (spots or heard[-1:] == ['one']):
        return None
    if _asked_for(heard, spots, said):
        return Act(ActKind.CANCEL, match['thing'])
    return Act(ActKind.OTHER, 'forbidden')


def _asked_for(heard: list[str], spots: Sequence[Spot], said: Utterance) -> bool:
    """Whether what is named is part of what the user wants done."""
    named = {value for spot in spots for value in spot.values} or set(heard) - DETERMINERS - {
        'one'
    }
    wanted = {str(v) for step in said.talk.steps for v in step.arguments.values()}
    for work in said.talk.works:
        wanted |= {str(v) for v in json.loads(work.arguments_json or '{}').values()}
    parts = {part for value in wanted for part in value.split('_')}
    return not named or bool(named & (wanted | parts))


def corrected(said: Utterance) -> Act | None:
    """'No wait, the blue one', 'go to the bedroom instead': the last request is replaced."""
    if not said.talk.task:
        return None
    opening = OPENS_CORRECTION.match(said.text)
    only_names = elliptic(said.text, said.reader) and not _stands_alone(said)
    if opening is None and not only_names and not _INSTEAD.search(said.text):
        return None
    rest = said.text[opening.end() :] if opening else said.text
    if opening and opening['hard'] == 'not':
        rest = f'not {rest}'
    rest = _after_last_repair(_INSTEAD.sub('', rest))
    if not grammar.core(rest, said.name):
        return None
    task = merge(said.talk.task, grammar.core(rest, said.name), said.reader, said.talk.mentioned)
    if not task:
        return _misheard(rest, said) if opening and opening['hard'] else None
    adds = bool(_ADDS.search(said.plain)) and opening is None
    act = requested(task, said, ActKind.DELEGATE if adds else ActKind.CORRECT)
    if act.kind is ActKind.CORRECT and same_steps(act.steps, said.talk.steps):
        return Act(ActKind.BACKCHANNEL, 'same', confidence=0.6)
    soft = opening is not None and opening['hard'] is None
    skills = {step.skill for step in said.talk.steps}
    if soft and not skills & {step.skill for step in act.steps}:
        return requested(task, said, ActKind.DELEGATE)
    return act


def _stands_alone(said: Utterance) -> bool:
    """Whether the words are a request of their own that lacks nothing: 'bring me the ball'."""
    core = grammar.core(said.text, said.name)
    first = core.partition(' ')[0]
    if first in PREPOSITIONS or not said.reader.is_verb(first):
        return False
    asking = [c for c in said.reader.clauses(core, {}, said.name) if c.skill]
    return bool(asking) and all(clause.filled.complete for clause in asking)


def _misheard(rest: str, said: Utterance) -> Act | None:
    """A correction whose words name nothing known: asked for again."""
    heard = [word for word in rest.split() if word not in MARKS]
    if not 2 <= len(heard) <= 4 or heard[0] not in DETERMINERS | PREPOSITIONS:
        return None
    question = 'Sorry, what shall it be instead?'
    return Act(ActKind.CLARIFY, task=said.talk.task, question=question, confidence=0.5)


def _after_last_repair(text: str) -> str:
    """'the blue, no, the green one' -> 'the green one'; unchanged if nothing was taken back."""
    repaired = grammar.repair(text)
    return repaired[1] if repaired and repaired[2] and repaired[1] else text


def repaired(said: Utterance) -> Act | None:
    """A slip that the speaker mends in the same breath: 'go to the kitchen, no, the bedroom'."""
    repaired = grammar.repair(said.text)
    if repaired is None or not repaired[0]:
        return None
    left, right, sure = repaired
    before = said.reader.clauses(left, said.talk.mentioned, said.name)
    if not any(clause.skill for clause in before):
        left_core = grammar.core(left, said.name)
        if not grammar.unfinished(left_core):
            return None
        return asked(_again(right, said)) if sure else None
    request = said.reader.request(before)
    task = merge(request.task, right, said.reader, said.talk.mentioned)
    if task:
        return requested(task, said, ActKind.DELEGATE)
    after = asked(_again(right, said)) if sure else None
    if after is None and sure:
        after = talked(_again(right, said))
    return after if after and after.kind is not ActKind.UNKNOWN else None


def _again(text: str, said: Utterance) -> Utterance:
    return Utterance(text, text, said.name, said.talk, said.reader)
