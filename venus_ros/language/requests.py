# SPDX-License-Identifier: Apache-2.0
"""Requests: which works an utterance asks for, with which arguments, in which order."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from venus_ros.core.messages import Capability
from venus_ros.language import grammar, template
from venus_ros.language.acts import Step
from venus_ros.language.clauses import Clause, ClauseReader
from venus_ros.language.lexicon import DETERMINERS, PREPOSITIONS
from venus_ros.language.mood import Mood, mood_of
from venus_ros.language.offered import Offered, is_named, roles_of
from venus_ros.language.order import in_order
from venus_ros.language.text import tokens

_THEN = ' and then '


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for.

    Attributes:
        task: the request in plain words; read again, it gives the same steps.
        steps: complete steps, in order; the first problem ends them.
        question: what to ask if something is missing or unclear; else empty.
        choices: tasks between which the question lets choose; none if it is an open one.
        unknown: a sentence about a thing or place that is not known; else empty.
    """

    task: str = ''
    steps: tuple[Step, ...] = ()
    question: str = ''
    choices: tuple[str, ...] = ()
    unknown: str = ''


class Reader(ClauseReader):
    """Understands requests for one set of capabilities."""

    def clauses(self, text: str, mentioned: Mapping[str, str], name: str = '') -> list[Clause]:
        """All clauses of an utterance, each understood with what the ones before it named.

        Args:
            text: tokens joined by blanks; see `task_tokens`.
        """
        known = dict(mentioned)
        result: list[Clause] = []
        for part in self._parts(in_order(grammar.core(text, name), self.begins)):
            part = self._with_verb(part, result)
            clause = self.clause(part, known, name)
            told = bool(result) and result[-1].mood is Mood.STATE
            if told and grammar.is_past(part.split()[0]):
                clause = replace(clause, mood=Mood.STATE, skill=None)
            for role, value in self._named(clause).items():
                known.pop(role, None)
                known[role] = value
            result.append(clause)
        return result

    def _parts(self, text: str) -> list[str]:
        parts: list[str] = []
        for part in grammar.clauses(text, self.begins, self._names_first):
            pair = grammar.run_on(part)
            split = (
                pair is not None
                and mood_of(grammar.core(pair[0])) is Mood.STATE
                and pair[1].split()[0] not in PREPOSITIONS
                and self.begins(pair[1])
            )
            parts += pair if pair and split else (part,)
        return parts

    def _names_first(self, text: str) -> bool:
        """Whether words begin with a thing or place: 'the hall', 'back to the hall'."""
        said = grammar.core(text).split()
        small = DETERMINERS | PREPOSITIONS | {'back', 'over'}
        start = next((i for i, word in enumerate(said) if word not in small), len(said))
        return any(spot.start <= start < spot.end for spot in self.lexicon.spots(said))

    def _with_verb(self, part: str, before: Sequence[Clause]) -> str:
        """'then the lamp' after 'bring me the ball' -> 'bring me the lamp'."""
        said = part.split()
        bare = [word for word in said if word not in DETERMINERS]
        first = self.lexicon.spots(bare)[:1]
        if not before or before[-1].skill is None or not first or first[0].start:
            return part
        verb = before[-1].words
        start = min((s.start for s in self.lexicon.spots(verb)), default=0)
        while start and verb[start - 1] in DETERMINERS:
            start -= 1
        return ' '.join((*verb[:start], *said))

    def request(self, clauses: Sequence[Clause]) -> Request:
        """The steps that the asking clauses of an utterance make together."""
        asking = [(clause, clause.skill) for clause in clauses if clause.skill]
        texts = [self._plain(clause) for clause, _ in asking]
        steps: list[Step] = []
        for i, (clause, skill) in enumerate(asking):
            problem = _problem(clause, skill, self)
            if problem:
                before, after = texts[:i], texts[i + 1 :]
                choices = (_THEN.join([*before, one, *after]) for one in problem.choices)
                task = _THEN.join(texts)
                return replace(problem, task=task, steps=tuple(steps), choices=tuple(choices))
            for arguments in self._each(clause, skill):
                carried = _carried(steps, skill, arguments)
                steps.append(Step(*skill.label, carried, texts[i]))
        return Request(_THEN.join(texts), tuple(self._joined(steps)))

    def promise(self, steps: Sequence[Step]) -> str:
        """Steps as the robot would say them after "I will"; a place is named once."""
        phrases = []
        place = None
        for step in steps:
            here = step.arguments.get('place')
            told = here is not None and (here == place or self._implied(here, step))
            phrases.append(self._promise(step, {'place'} if told else ()))
            place = here
        return template.listed(_shortened(phrases))

    def _implied(self, place: Any, step: Step) -> bool:
        """Whether what a step asks names something that stands in `place`: the coffee table."""
        asked = (str(v).split() for n, v in step.arguments.items() if n != 'place')
        spots = (spot for words in asked for spot in self.lexicon.spots(words))
        return any(self.lexicon.within(spot.value, (place,)) for spot in spots)

    def _promise(self, step: Step, told: Container[str]) -> str:
        scope: dict[str, Any] = {}
        for name, value in step.arguments.items():
            if name not in told:
                spoken = {'name': value, 'spoken': self.lexicon.say(str(value))}
                scope[name] = spoken if isinstance(value, str) else value
        cases = self.offer((step.capability, step.skill)).schema.get('x-say', ())
        return template.say(template.choose(cases, scope).get('say', ''), scope)

    def _each(self, clause: Clause, skill: Offered) -> list[dict[str, Any]]:
        """Arguments once, or once for every value in 'the cup, the book and the keys'."""
        arguments = clause.filled.arguments
        for name, values in clause.filled.several.items():
            return [{**arguments, name: value} for value in values]
        spots = self.lexicon.spots(clause.words)
        for name, prop in skill.properties.items():
            if name not in arguments or not is_named(prop) or name in PREPOSITIONS:
                continue
            roles = roles_of(name, prop)
            same = [s for s in spots if s.value in prop['enum'] and s.role in roles]
            between = [clause.words[a.end : b.start] for a, b in pairwise(same)]
            joined = [
                s.value
                for s, gap in zip(same[1:], between, strict=True)
                if set(gap) <= DETERMINERS | {'and'}
            ]
            if joined and same[0].value == arguments[name]:
                return [{**arguments, name: v} for v in dict.fromkeys([same[0].value, *joined])]
        return [dict(arguments)]

    def _joined(self, steps: Sequence[Step]) -> list[Step]:
        """Steps without repetition, and without those that the next one includes.

        'Pick it up and bring it to me' is one step, to bring it.
        """
        result: list[Step] = []
        for step in steps:
            if result and self._implies(step, result[-1]):
                step = replace(step, text=f'{result.pop().text} and {step.text}')
            same = result and (result[-1].skill, result[-1].arguments) == (
                step.skill,
                step.arguments,
            )
            if not same:
                result.append(step)
        return result

    def _implies(self, step: Step, before: Step) -> bool:
        if (step.capability, step.skill) != (before.capability, before.skill):
            return False
        rules = self.offer((step.capability, step.skill)).schema.get('x-implies', {})
        for name, implied in rules.items():
            others = {k: v for k, v in before.arguments.items() if k != name}
            if before.arguments.get(name) in implied.get(step.arguments.get(name), ()):
                return others.items() <= step.arguments.items()
        return False

    def _plain(self, clause: Clause) -> str:
        """Words of a clause, with 'the cup' in full where the context decided which."""
        said = clause.words
        for value in clause.filled.arguments.values():
            spots = self.lexicon.spots(said)
            if any(spot.value == value for spot in spots):
                continue
            meant = next((s for s in spots if len(s.values) > 1 and value in s.values), None)
            if meant is not None:
                said[meant.start : meant.end] = self.lexicon.say(value).split()
        return ' '.join(said)

    def _named(self, clause: Clause) -> dict[str, str]:
        """Role -> value that the clause named last."""
        named = {s.role: s.value for s in self.lexicon.spots(clause.words) if s.value}
        for name, prop in clause.skill.properties.items() if clause.skill else ():
            value = clause.filled.arguments.get(name)
            if isinstance(value, str) and is_named(prop):
                named[prop.get('x-roles', {}).get(value) or prop.get('x-role') or name] = value
        return named


def _problem(clause: Clause, skill: Offered, reader: Reader) -> Request | None:
    """What has to be asked or said before the clause can become a step."""
    filled = clause.filled
    for name, phrase in filled.unknown.items():
        prop = skill.properties[name]
        role = prop.get('x-role') or next(iter(prop.get('x-roles', {}).values()), name)
        kind = template.with_article(role)
        return Request(unknown=f"I don't know {kind} called {phrase}.")
    for name, values in filled.unclear.items():
        question = template.either([f'the {reader.lexicon.say(value)}' for value in values])
        start, end = filled.spans[name]
        named = [reader.lexicon.say(value).split() for value in values]
        choices = [' '.join((*clause.words[:start], *n, *clause.words[end:])) for n in named]
        return Request(question=f'{_capital(question)}?', choices=tuple(choices))
    for name in filled.missing:
        ask = skill.properties[name].get('x-ask') or f'Which {name.replace("_", " ")}?'
        return Request(question=ask)
    return None


def _shortened(phrases: Sequence[str]) -> list[str]:
    """'bring you the cup', 'bring you the keys' -> 'bring you the cup', 'the keys'."""
    result = list(phrases[:1])
    for before, phrase in pairwise(phrases):
        verb, article, _ = phrase.partition(' the ')
        same = article and before.startswith(f'{verb} the ')
        result.append(phrase[len(verb) + 1 :] if same else phrase)
    return result


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _carried(steps: Sequence[Step], skill: Offered, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments with the place of the step before: go there *and look* (there)."""
    optional = set(skill.properties) - set(skill.schema.get('required', ())) - PREPOSITIONS
    before = steps[-1].arguments.items() if steps else ()
    taken = {
        name: value
        for name, value in before
        if name in optional and 'place' in roles_of(name, skill.properties[name])
    }
    return {**taken, **arguments}


def reader(capabilities: Sequence[Capability]) -> Reader:
    """The reader for `capabilities`, made once (seconds, with embeddings) and then kept.

    Availability does not matter: what cannot be done now is still understood.
    """
    return _reader(tuple(replace(c, available=True, reason='') for c in capabilities))


@lru_cache(maxsize=8)
def _reader(capabilities: tuple[Capability, ...]) -> Reader:
    return Reader(capabilities)


def task_tokens(text: str) -> str:
    """Tokens of `text` joined by blanks, as `Reader.clauses` takes them."""
    return ' '.join(tokens(text))
