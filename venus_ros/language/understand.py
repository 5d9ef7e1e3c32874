# SPDX-License-Identifier: Apache-2.0
"""One utterance in, one dialogue act out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from venus_ros.core.messages import Capability
from venus_ros.language import grammar
from venus_ros.language.acts import Act, ActKind, Talk
from venus_ros.language.address import for_another, with_own_name
from venus_ros.language.choose import chosen
from venus_ros.language.clauses import Clause
from venus_ros.language.correct import elliptic, merge, same_steps
from venus_ros.language.lexicon import DETERMINERS, PREPOSITIONS, Spot
from venus_ros.language.mood import Mood
from venus_ros.language.narrow import narrowed
from venus_ros.language.phrases import BACKCHANNELS, NO, YES
from venus_ros.language.requests import Request, reader, task_tokens
from venus_ros.language.talk import OPENS_CORRECTION, Utterance, nearest_talk, talked
from venus_ros.language.template import either
from venus_ros.language.text import FILLERS, MARKS, normalise

_PARTICLES = frozenset(('on', 'off', 'in', 'out', 'up', 'down', 'over', 'back', 'away'))
_INSTEAD = re.compile(r'\b(?:instead|rather)\b')
_LATER = re.compile(
    r'\b(?:(?:in|after|every) (?:an?|one|two|three|five|ten|\w+teen|\w+ty|half an?|\d+|a few|'
    r'some|a couple of)? ?(?:seconds?|minutes?|hours?|days?|while)|'
    r'(?:at|by|before|after|until) (?:\w+ )?'
    r'(?:o ?clock|noon|midnight|\d+(?: ?(?:am|pm))?|dinner|lunch|breakfast)|'
    r'(?<!look )(?:at|by) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)'
    r'(?: thirty| fifteen)?$|'
    r'tomorrow|tonight|later|every (?:day|hour|morning|evening))\b'
)
_LEAVE = re.compile(
    r'^(?:leave|skip) (?P<thing>(?:the|my|that|this) [\w ]+?)'
    r'(?: (?:out|alone|there|be|after all|for now|where (?:it|they) (?:is|are)))?$'
)
_ADDS = re.compile(r'^(?:and|also|plus)\b|\b(?:too|as well|also)$')


def understand(
    text: str,
    *,
    capabilities: Sequence[Capability],
    robot_name: str = 'Venus',
    context: Talk | None = None,
) -> Act:
    """Say what the user did by uttering `text` (final words of a recogniser, or typed).

    Requests are understood from `capabilities` alone: their examples and argument schemas.
    About 10 ms a clause with sentence embeddings; the first call for a set of capabilities takes
    seconds (see `warm`). No side effects.
    """
    name = normalise(robot_name)
    said = Utterance(
        with_own_name(task_tokens(text), name),
        normalise(text),
        name,
        context or Talk(),
        reader(capabilities),
    )
    if not said.plain:
        return Act(ActKind.UNKNOWN, confidence=0.0)
    if for_another(text, name, said.reader):
        return Act(ActKind.OTHER, 'addressed')
    for rule in (
        _short, _chosen, _fragment, _completed, _left, _corrected, _repaired, _either, _asked
    ):  # fmt: skip
        act = rule(said)
        if act is not None:
            return narrowed(act, said)
    return narrowed(talked(said), said)


def warm(capabilities: Sequence[Capability]) -> None:
    """Read `capabilities` and load the embeddings, so that the first `understand` is quick."""
    understand('hello', capabilities=capabilities)


# ---- rules, in order; each gives an act or passes on ------------------------------------------


def _short(said: Utterance) -> Act | None:
    """Yes, no and acknowledgements: an answer if something was asked, else a backchannel."""
    bare = grammar.core(said.text, said.name)
    forms = {said.plain, ' '.join(w for w in bare.split() if w not in MARKS)}
    if said.talk.asked or said.talk.pending:
        if forms & YES:
            agreed = _requested(_for_robot(said.talk.pending), said, ActKind.DELEGATE)
            return agreed if agreed.steps else Act(ActKind.ANSWER, 'yes')
        if forms & NO:
            return Act(ActKind.ANSWER, 'no')
    if _acknowledges(said.plain.split()):
        return Act(ActKind.BACKCHANNEL)
    if forms & NO:
        return Act(ActKind.ANSWER, 'no')
    return None


def _acknowledges(words: list[str]) -> bool:
    """Whether words only acknowledge: 'yeah sure, sounds good'."""
    if not words:
        return True
    return any(
        ' '.join(words[:count]) in BACKCHANNELS | _SOUNDS and _acknowledges(words[count:])
        for count in (3, 2, 1)
        if count <= len(words)
    )


_SOUNDS = frozenset(('um', 'uh', 'mm', 'hmm', 'ah', 'oh', 'eh', 'huh', 'yeah', 'okay', 'right'))


def _chosen(said: Utterance) -> Act | None:
    """One of the things between which the robot's question let choose."""
    if not said.talk.pending or not said.talk.choices:
        return None
    answer = [w for w in grammar.core(said.text, said.name).split() if w not in MARKS]
    task = chosen(answer or said.plain.split(), said.talk.choices, said.reader.lexicon)
    if not task:
        return None
    kind = ActKind.CORRECT if said.talk.pending == said.talk.task else ActKind.DELEGATE
    return _requested(task, said, kind)


def _fragment(said: Utterance) -> Act | None:
    if not grammar.unfinished(said.text) or _ends_in_particle(said):
        return None
    return Act(ActKind.FRAGMENT, confidence=0.8)


def _ends_in_particle(said: Utterance) -> bool:
    """Whether the last word belongs to the verb: 'turn the light on'."""
    last = said.plain.split()[-1]
    phrases = (
        phrase
        for offer in said.reader.offers
        for prop in offer.properties.values()
        for phrases in prop.get('x-words', {}).values()
        for phrase in phrases
    )
    return last in _PARTICLES and any(phrase.endswith(f'* {last}') for phrase in phrases)


def _completed(said: Utterance) -> Act | None:
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
    kind = ActKind.CORRECT if said.talk.pending == said.talk.task else ActKind.DELEGATE
    return _requested(task, said, kind) if task else None


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


def _left(said: Utterance) -> Act | None:
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


def _corrected(said: Utterance) -> Act | None:
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
    act = _requested(task, said, ActKind.DELEGATE if adds else ActKind.CORRECT)
    if act.kind is ActKind.CORRECT and same_steps(act.steps, said.talk.steps):
        return Act(ActKind.BACKCHANNEL, 'same', confidence=0.6)
    soft = opening is not None and opening['hard'] is None
    skills = {step.skill for step in said.talk.steps}
    if soft and not skills & {step.skill for step in act.steps}:
        return _requested(task, said, ActKind.DELEGATE)
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


def _repaired(said: Utterance) -> Act | None:
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
        return _requested_by(right, said) if sure else None
    request = said.reader.request(before)
    task = merge(request.task, right, said.reader, said.talk.mentioned)
    if task:
        return _requested(task, said, ActKind.DELEGATE)
    after = _asked(Utterance(right, right, said.name, said.talk, said.reader)) if sure else None
    if after is None and sure:
        after = talked(Utterance(right, right, said.name, said.talk, said.reader))
    return after if after and after.kind is not ActKind.UNKNOWN else None


def _requested_by(text: str, said: Utterance) -> Act | None:
    return _asked(Utterance(text, text, said.name, said.talk, said.reader))


def _either(said: Utterance) -> Act | None:
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
        question=f'Shall I {either(promises)}?',
        choices=tuple(request.task for request in requests),
    )


def _orders(clauses: Sequence[Clause]) -> bool:
    return bool(clauses) and all(c.skill and c.mood is Mood.ORDER for c in clauses)


def _asked(said: Utterance) -> Act | None:
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


# ---- parts -----------------------------------------------------------------------------------


def _for_robot(promise: str) -> str:
    """The robot's own words for a request as an order: 'bring you the cup' -> 'bring me ...'."""
    return re.sub(r'\byou\b', 'me', promise)


def _requested(task: str, said: Utterance, kind: ActKind) -> Act:
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
