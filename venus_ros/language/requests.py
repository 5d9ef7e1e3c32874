# SPDX-License-Identifier: Apache-2.0
"""Requests: which skills an utterance asks for, with which arguments, in which order."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from venus_ros.core.messages import Capability
from venus_ros.language import grammar, template
from venus_ros.language.acts import ActKind, Step
from venus_ros.language.frames import Frames, Near
from venus_ros.language.lexicon import DETERMINERS, PREPOSITIONS, Lexicon
from venus_ros.language.phrases import TALK
from venus_ros.language.slots import Filled, fill, is_verbal, phrase_after, preposition
from venus_ros.language.text import COMMA, MARKS, tokens, words

_NEAR, _NEAR_ORDER, _MARGIN = 0.5, 0.42, 0.03
_UNHEARD = 0.1
_GENERAL = 0.3
_OTHER_QUESTION = 0.25
_PLACEHOLDER = re.compile(r'\{(\w+)\}')
_CLEAR_VERB = 0.12
_PRONOUNS = frozenset(('it', 'that', 'this', 'them', 'those', 'these'))
_AFTER_PRONOUN = frozenset(('up', 'down', 'back', 'over', 'here', 'there', 'please', 'me', 'too'))
_NOT_OBJECT = frozenset(
    ('is', 'are', 'was', 'what', 'do', 'does', 'did', 'like', 'about', 'where', 'how', 'why',
     'stop', 'cancel', 'forget', 'leave', 'say', 'repeat', 'know', 'than', 'of')
)  # fmt: skip
_RARE_QUESTIONS = frozenset(('why', 'when', 'how', 'who', 'whose', 'should', 'shall', 'may'))
_HERE = frozenset(('there', 'see', 'any', 'here', 'this', 'those', 'these'))
_GOING = frozenset(('go', 'back', 'drive', 'move', 'return', 'over', 'run', 'bring', 'head'))
_BEFORE_THERE = _GOING | PREPOSITIONS | {'it', 'that', 'them', 'be', 'see', 'look', 'wait', 'stay'}
_NEGATED = 0.3


@dataclass(frozen=True, slots=True)
class SkillModel:
    """What a capability message says, read once."""

    capability: str
    skill: str
    schema: Mapping[str, Any]
    roles: frozenset[str]
    placing: frozenset[str]
    leads: Mapping[str, tuple[tuple[str, ...], ...]]


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause and what it is nearest to; `model` is none if it asks for no skill."""

    text: str
    mood: grammar.Mood
    near: tuple[Near, ...] = ()
    model: SkillModel | None = None
    filled: Filled = field(default_factory=Filled)

    @property
    def best(self) -> Near | None:
        """The nearest known sentence."""
        return self.near[0] if self.near else None


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for.

    Attributes:
        task: the request in plain words, pronouns resolved; it reads as the same steps again.
        steps: complete steps, in order; the first problem ends them.
        question: what to ask if something is missing or unclear; else empty.
        unknown: words for a thing or place that is not known, and what it should have been.
    """

    task: str = ''
    steps: tuple[Step, ...] = ()
    question: str = ''
    unknown: str = ''


@dataclass(frozen=True, slots=True)
class _Heard:
    """Words [start, end) where `argument` belongs; `value` if they sound like one."""

    model: SkillModel
    argument: str
    start: int
    end: int
    value: str
    as_known: tuple[str, ...]


class Reader:
    """Understands requests for one set of capabilities."""

    def __init__(self, capabilities: Sequence[Capability]) -> None:
        schemas = [json.loads(c.arguments_json or '{}') for c in capabilities]
        verbal = {
            prop.get('x-role') or name
            for schema in schemas
            for name, prop in schema.get('properties', {}).items()
            if is_verbal(prop)
        }
        self.lexicon = Lexicon(schemas, verbal)
        self.models = [self._model(c, s) for c, s in zip(capabilities, schemas)]
        examples = [
            (model, example)
            for model, capability in zip(self.models, capabilities)
            for example in capability.examples
        ]
        talk = [
            ((kind, topic), self._placed(sentence))
            for (kind, topic), sentences in TALK.items()
            for sentence in sentences
        ]
        labels = [((m.capability, m.skill), grammar.core(' '.join(words(e)))) for m, e in examples]
        self.frames = Frames([*labels, *talk], self.lexicon)
        self._things = set(self.lexicon.roles) - {'place', 'colour', 'surface'}
        self._by_name = {(m.capability, m.skill): m for m in self.models}

    # ---- one clause ----------------------------------------------------------------------

    def begins(self, text: str) -> bool:
        """Whether something new that can be asked for begins with `text`."""
        said = [w for w in grammar.core(text).split() if w not in MARKS]
        if not said:
            return False
        if said[0] in ('what', 'where', 'which', 'how', 'is', 'are', 'do', 'not'):
            return True
        bare = grammar.bare_verb(' '.join(said), self._is_verb).split()
        return bool(self.frames.verb(bare[0])) and bool(
            self._is_verb(bare[0]) or (TALK_KINDS & self.frames.verb(bare[0]))
        )

    def clause(
        self, text: str, mentioned: Mapping[str, str], name: str = ''
    ) -> Clause:
        """Understand one clause."""
        core = grammar.core(text, name)
        core = grammar.wish_as_order(core)
        core = grammar.core(core, name)
        core = grammar.bare_verb(core, self._is_verb)
        mood = grammar.mood(core)
        said = self._resolve([word for word in core.split() if word not in MARKS], mentioned)
        if not said:
            return Clause(core, mood)
        asks = mood in (grammar.Mood.ORDER, grammar.Mood.ASK)
        near = self._adjusted(said, self.frames.nearest(said), mood)
        heard = self._heard(said) if asks else None
        if heard:
            near = self._with_heard(near, heard, mood)
        text = ' '.join(said)
        model = self._by_name.get(near[0].label)  # type: ignore[arg-type]
        if not asks or model is None or not self._near_enough(said, model, near, mood):
            return Clause(text, mood, tuple(near))
        heard = heard if heard and heard.model is model else None
        if heard and heard.value:
            said[heard.start : heard.end] = self.lexicon.say(heard.value).split()
        filled = self.fill(model, said, mentioned)
        if heard and heard.end and not heard.value and heard.argument in filled.missing:
            filled.missing.remove(heard.argument)
            filled.unknown[heard.argument] = ' '.join(said[heard.start : heard.end])
        return Clause(' '.join(said), mood, tuple(near), model, filled)

    def _with_heard(self, near: Sequence[Near], heard: _Heard, mood: grammar.Mood) -> list[Near]:
        """Scores in which the skill that misses a value is taken as if it were said."""
        known = self._adjusted(heard.as_known, self.frames.nearest(heard.as_known), mood)
        label = (heard.model.capability, heard.model.skill)
        mine = next(item for item in known if item.label == label)
        mine = Near(label, mine.score - _UNHEARD, mine.sentence)
        others = [item for item in near if item.label != label]
        return sorted([mine, *others], key=lambda item: -item.score)

    def _near_enough(
        self, said: Sequence[str], model: SkillModel, near: Sequence[Near], mood: grammar.Mood
    ) -> bool:
        """Whether the nearest is a request. An order that names what the skill needs may have a
        verb that is not known, if it is clearly no talk."""
        if near[0].score >= _NEAR:
            return True
        needed = self._needed(model)
        if mood is not grammar.Mood.ORDER or not needed or not self._has(said, needed):
            return False
        rival = next((item.score for item in near if item.label not in self._by_name), 0.0)
        return near[0].score >= _NEAR_ORDER and near[0].score - rival >= _MARGIN

    def fill(self, model: SkillModel, said: Sequence[str], mentioned: Mapping[str, str]) -> Filled:
        """Arguments of one skill from words."""
        placing = bool(said) and said[0] in model.placing
        return fill(model.schema, said, self.lexicon, mentioned=mentioned, placing=placing)

    def _resolve(self, said: list[str], mentioned: Mapping[str, str]) -> list[str]:
        """Words with 'it' and 'there' replaced by what was named last."""
        place = mentioned.get('place', '')
        thing = next((v for role, v in reversed(mentioned.items()) if role in self._things), '')
        result: list[str] = []
        for i, word in enumerate(said):
            before, after = said[i - 1] if i else '', said[i + 1] if i + 1 < len(said) else ''
            if word == 'there' and place and before in _BEFORE_THERE:
                lead = [] if before in PREPOSITIONS else ['to' if before in _GOING else 'in']
                result += [*lead, 'the', *self.lexicon.say(place).split()]
            elif (
                word in _PRONOUNS
                and thing
                and i
                and before not in _NOT_OBJECT
                and (not after or after in PREPOSITIONS | _AFTER_PRONOUN)
            ):
                result += ['the', *self.lexicon.say(thing).split()]
            else:
                result.append(word)
        return result

    def _heard(self, said: Sequence[str]) -> _Heard | None:
        """The words that stand where the verb's skill wants a value, if they are none."""
        for model in self.models:
            if (model.capability, model.skill) not in self.frames.verb(said[0]):
                continue
            properties = model.schema.get('properties', {})
            for name in model.schema.get('required', ()):
                roles = _roles(name, properties[name])
                if is_verbal(properties[name]) or not roles or self._has(said, roles):
                    continue
                role = min(roles)
                start, end = phrase_after(said, model.leads.get(name, ()))
                if start == end:
                    vague = [i for i, word in enumerate(said) if i and word in _PRONOUNS]
                    if not vague or role == 'place':
                        continue
                    known = self.lexicon.canonical(role).split()
                    as_known = (*said[: vague[0]], *known, *said[vague[0] + 1 :])
                    return _Heard(model, name, 0, 0, '', as_known)
                spot = self.lexicon.alike(said[start:end], role)
                known = self.lexicon.say(spot.value) if spot else self.lexicon.canonical(role)
                as_known = (*said[:start], *known.split(), *said[end:])
                return _Heard(
                    model, name, start, end, spot.value if spot else '', as_known
                )
        return None

    def _has(self, said: Sequence[str], roles: set[str]) -> bool:
        return any(spot.role in roles for spot in self.lexicon.spots(said))

    def adjusted(self, said: Sequence[str]) -> list[Near]:
        """What the words `said` are nearest to, requests and talk, with what grammar knows."""
        return self._adjusted(said, self.frames.nearest(said), grammar.mood(' '.join(said)))

    def _adjusted(
        self, said: Sequence[str], near: Sequence[Near], mood: grammar.Mood
    ) -> list[Near]:
        """Scores with what the grammar knows: roles that a skill has or needs, its verbs."""
        roles = {spot.role for spot in self.lexicon.spots(said)} - {'colour'}
        general = mood is grammar.Mood.ASK and self._speaks_generally(said)
        result = []
        for item in near:
            model = self._by_name.get(item.label)  # type: ignore[arg-type]
            score = item.score
            if ('not' in said) != ('not' in words(item.sentence)):
                score -= _NEGATED
            if model is not None:
                if general:
                    score -= _GENERAL
                if said[0] in _RARE_QUESTIONS and said[0] != item.sentence.split()[0]:
                    score -= _OTHER_QUESTION
                score -= 0.12 * len(roles - model.roles)
                needed = self._needed(model)
                if needed and not needed & roles:
                    score -= 0.06
                if item.label in self.frames.verb(said[0]) and mood is grammar.Mood.ORDER:
                    score += _CLEAR_VERB if not needed or needed & roles else 0.0
            result.append(Near(item.label, score, item.sentence))
        return sorted(result, key=lambda item: -item.score)

    def _speaks_generally(self, said: Sequence[str]) -> bool:
        """'where do bananas come from': about a kind of thing, not about one that is here."""
        if set(said) & _HERE:
            return False
        spots = [spot for spot in self.lexicon.spots(said) if spot.role != 'colour']
        return bool(spots) and all(
            spot.role in self._things
            and said[spot.end - 1].endswith('s')
            and (spot.start == 0 or said[spot.start - 1] not in DETERMINERS)
            for spot in spots
        )

    def _needed(self, model: SkillModel) -> set[str]:
        properties = model.schema.get('properties', {})
        return {
            role
            for name in model.schema.get('required', ())
            for role in _roles(name, properties[name])
            if 'enum' in properties[name] and not is_verbal(properties[name])
        }

    def _is_verb(self, word: str) -> bool:
        return any(label in self._by_name for label in self.frames.verb(word))

    # ---- a whole utterance ---------------------------------------------------------------

    def clauses(
        self, text: str, mentioned: Mapping[str, str], name: str = ''
    ) -> list[Clause]:
        """All clauses of an utterance, each understood with what the ones before it named."""
        known = dict(mentioned)
        result = []
        for part in grammar.clauses(grammar.core(text, name), self.begins):
            clause = self.clause(part, known, name)
            known |= self._named(clause)
            result.append(clause)
        return result

    def request(self, clauses: Sequence[Clause]) -> Request:
        """The steps that the asking clauses of an utterance make together."""
        steps: list[Step] = []
        texts: list[str] = []
        for clause in clauses:
            if clause.model is None:
                continue
            texts.append(self._plain(clause))
            task = ' and then '.join(texts)
            problem = self._problem(clause, task, tuple(steps))
            if problem:
                return problem
            for arguments in self._each(clause):
                carried = _carry(steps, clause.model, arguments)
                steps.append(
                    Step(clause.model.capability, clause.model.skill, carried, texts[-1])
                )
        return Request(' and then '.join(texts), tuple(self._joined(steps)))

    def promise(self, steps: Sequence[Step]) -> str:
        """Steps as the robot would say them after "I will"."""
        phrases = []
        for before, step in zip([None, *steps], steps):
            told = before.arguments.items() if before else ()
            phrases.append(self._promise(step, {n for n, v in told if n == 'place' and step.arguments.get(n) == v}))
        return template.listed(phrases)

    def _promise(self, step: Step, told: Container[str]) -> str:
        model = self._by_name[(step.capability, step.skill)]
        scope = {
            name: {'name': value, 'spoken': self.lexicon.say(value)}
            if isinstance(value, str)
            else value
            for name, value in step.arguments.items()
            if name not in told
        }
        return template.say(template.choose(model.schema.get('x-say', ()), scope).get('say', ''), scope)

    def _problem(self, clause: Clause, task: str, steps: tuple[Step, ...]) -> Request | None:
        filled, properties = clause.filled, clause.model.schema['properties']  # type: ignore[union-attr]
        for name, phrase in filled.unknown.items():
            kind = properties[name].get('x-role') or name
            named = template.with_article(kind)
            return Request(task, steps, unknown=f"I don't know {named} called {phrase}.")
        for name, values in filled.unclear.items():
            choices = [f'the {self.lexicon.say(value)}' for value in values]
            question = f'{", ".join(choices[:-1])} or {choices[-1]}?'
            return Request(task, steps, question[:1].upper() + question[1:])
        for name in filled.missing:
            ask = properties[name].get('x-ask') or f'Which {name.replace("_", " ")}?'
            return Request(task, steps, ask)
        return None

    def _each(self, clause: Clause) -> list[dict[str, Any]]:
        """Arguments once, or once for every value in 'the cup, the book and the keys'."""
        arguments = clause.filled.arguments
        said = [word for word in clause.text.split() if word not in MARKS]
        spots = self.lexicon.spots(said)
        for name, prop in clause.model.schema['properties'].items():  # type: ignore[union-attr]
            if name not in arguments or is_verbal(prop) or 'enum' not in prop:
                continue
            same = [
                spot
                for spot in spots
                if spot.value in prop['enum'] and spot.role in _roles(name, prop)
            ]
            joined = [
                spot
                for before, spot in zip(same, same[1:])
                if set(said[before.end : spot.start]) <= DETERMINERS | {'and', 'also', COMMA}
            ]
            if joined and same[0].value == arguments[name] and name not in PREPOSITIONS:
                values = dict.fromkeys([same[0].value, *(spot.value for spot in joined)])
                return [{**arguments, name: value} for value in values]
        return [dict(arguments)]

    def _joined(self, steps: Sequence[Step]) -> list[Step]:
        """Steps without those that the next one includes: 'pick it up and bring it to me'."""
        result: list[Step] = []
        for step in steps:
            if result and self._implies(step, result[-1]):
                before = result.pop()
                step = Step(
                    step.capability, step.skill, step.arguments, f'{before.text} and {step.text}'
                )
            if result and (result[-1].skill, result[-1].arguments) == (step.skill, step.arguments):
                continue
            result.append(step)
        return result

    def _implies(self, step: Step, before: Step) -> bool:
        if (step.capability, step.skill) != (before.capability, before.skill):
            return False
        rules = self._by_name[(step.capability, step.skill)].schema.get('x-implies', {})
        differing = {k for k in step.arguments if step.arguments[k] != before.arguments.get(k)}
        for name, implied in rules.items():
            if before.arguments.get(name) in implied.get(step.arguments.get(name), ()):
                return differing - {name} <= {k for k in step.arguments if k not in before.arguments}
        return False

    # ---- words ---------------------------------------------------------------------------

    def _plain(self, clause: Clause) -> str:
        """Words of a clause, with 'the cup' in full where the context decided which."""
        said = [word for word in clause.text.split() if word not in MARKS]
        for value in clause.filled.arguments.values():
            if not isinstance(value, str) or value not in self.lexicon.spoken:
                continue
            spots = self.lexicon.spots(said)
            if not any(spot.value == value for spot in spots):
                for spot in spots:
                    if len(spot.values) > 1 and value in spot.values:
                        said[spot.start : spot.end] = self.lexicon.say(value).split()
                        break
        return ' '.join(said)

    def _named(self, clause: Clause) -> dict[str, str]:
        said = [word for word in clause.text.split() if word not in MARKS]
        named = {spot.role: spot.value for spot in self.lexicon.spots(said) if spot.value}
        if clause.model:
            for name, prop in clause.model.schema['properties'].items():
                value = clause.filled.arguments.get(name)
                if isinstance(value, str) and 'enum' in prop and not is_verbal(prop):
                    named[prop.get('x-roles', {}).get(value) or prop.get('x-role') or name] = value
        return named

    def _placed(self, sentence: str) -> str:
        """A talk sentence with a canonical value for every `{role}`."""
        return _PLACEHOLDER.sub(
            lambda match: self.lexicon.canonical(match[1])
            if match[1] in self.lexicon.roles
            else {'place': 'garden', 'object': 'box'}.get(match[1], 'thing'),
            sentence,
        )

    def _model(self, capability: Capability, schema: Mapping[str, Any]) -> SkillModel:
        properties = schema.get('properties', {})
        roles = frozenset(r for name, prop in properties.items() for r in _roles(name, prop))
        if any(prop.get('x-free') for prop in properties.values()):
            roles |= frozenset(self.lexicon.roles)
        placing, leads = set(), {}
        for example in capability.examples:
            said = grammar.core(' '.join(words(example))).split()
            for spot in self.lexicon.spots(said):
                before = preposition(said, spot.start)
                if before in ('in', 'on', 'at', 'under', 'near', 'by'):
                    placing.add(said[0])
                start = spot.start
                while start and said[start - 1] in DETERMINERS:
                    start -= 1
                for name, prop in properties.items():
                    if spot.role in _roles(name, prop):
                        leads.setdefault(name, set()).add(tuple(said[max(0, start - 2) : start]))
        found = {name: tuple(l for l in some if l) for name, some in leads.items()}
        return SkillModel(
            capability.capability, capability.skill, schema, roles, frozenset(placing), found
        )


def _roles(name: str, prop: Mapping[str, Any]) -> set[str]:
    if 'enum' not in prop:
        return set()
    many = set(prop.get('x-roles', {}).values())
    return many or {prop.get('x-role') or name}


def _carry(steps: Sequence[Step], model: SkillModel, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments that a step takes over from the one before: go there *and look* (there)."""
    if not steps:
        return arguments
    properties = model.schema.get('properties', {})
    optional = set(properties) - set(model.schema.get('required', ())) - PREPOSITIONS
    carried = {
        name: value
        for name, value in steps[-1].arguments.items()
        if name in optional
        and name not in arguments
        and 'place' in _roles(name, properties[name])
    }
    return {**arguments, **carried}


TALK_KINDS = frozenset(
    key for key in TALK if key[0] in (ActKind.CANNOT, ActKind.SMALLTALK, ActKind.CANCEL)
)


@lru_cache(maxsize=4)
def _reader(key: tuple[Capability, ...]) -> Reader:
    return Reader(key)


def reader(capabilities: Sequence[Capability]) -> Reader:
    """The reader for `capabilities`, made once (about 3 s with embeddings) and then kept.

    Availability does not matter: what cannot be done now is still understood.
    """
    from dataclasses import replace

    return _reader(tuple(replace(c, available=True, reason='') for c in capabilities))


def task_tokens(text: str) -> str:
    """Tokens of `text` joined by blanks, as `Reader.clauses` takes them."""
    return ' '.join(tokens(text))
