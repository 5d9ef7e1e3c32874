# SPDX-License-Identifier: Apache-2.0
"""Clauses: what one sentence of an utterance asks for.

The nearest known sentence (an example of a skill, or talk) decides, corrected by what the grammar
knows: a statement asks for nothing, a skill needs the things that it is about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from venus_ros.core.messages import Capability
from venus_ros.language import grammar
from venus_ros.language.acts import ActKind
from venus_ros.language.frames import Frames, Label, Near
from venus_ros.language.lexicon import DETERMINERS, PREPOSITIONS
from venus_ros.language.mood import Mood, mood_of
from venus_ros.language.offered import Offered, is_named, read_offers, roles_of
from venus_ros.language.phrases import TALK
from venus_ros.language.questions import searches
from venus_ros.language.slots import Filled, fill, wanted
from venus_ros.language.text import MARKS, words
from venus_ros.language.unknown import ANYTHING, phrase_after

_NEAR = 0.5
_NEAR_ORDER, _MARGIN = 0.42, 0.03
_VERB, _FOREIGN, _LACKING, _UNHEARD = 0.12, 0.12, 0.06, 0.1
_NEGATED, _GENERAL, _OTHER_QUESTION, _PERSON, _OTHER_MOOD = 0.3, 0.3, 0.25, 0.1, 0.06
# Scores are 0 to 1 (see `frames`). The figures were set on the `tune` half of the labelled
# utterances of test/language; the other half is held out.

_PLACEHOLDER = re.compile(r'\{(\w+)\}')
_STAND_INS = {'place': 'garden', 'object': 'box'}
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
_TALKING = frozenset(('talk', 'chat', 'speak', 'think', 'dream', 'worry', 'argue', 'joke'))
_OF_THE_PAST = frozenset((('have', 'you'), ('did', 'you'), ('had', 'you'), ('were', 'you')))
_BEGINS = frozenset(('what', 'where', 'which', 'how', 'is', 'are', 'do', 'not'))
_ACTS = frozenset((ActKind.CANNOT, ActKind.SMALLTALK, ActKind.CANCEL))


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause and what it is nearest to.

    Attributes:
        text: its words, pronouns and misheard words replaced by what they mean.
        near: nearest known sentence of every label, nearest first.
        skill: what it asks for; none if it asks for no work.
        filled: the skill's arguments.
    """

    text: str
    mood: Mood
    near: tuple[Near, ...] = ()
    skill: Offered | None = None
    filled: Filled = field(default_factory=Filled)

    @property
    def words(self) -> list[str]:
        """Words without marks."""
        return [word for word in self.text.split() if word not in MARKS]


@dataclass(frozen=True, slots=True)
class _Heard:
    """Words [start, end) where an argument of `skill` belongs, which name nothing known.

    `value` is what they sound like; `as_known` is the clause with something known in their place.
    """

    skill: Offered
    argument: str
    start: int
    end: int
    value: str
    as_known: tuple[str, ...]


class ClauseReader:
    """Understands clauses for one set of capabilities."""

    def __init__(self, capabilities: Sequence[Capability]) -> None:
        self.offers, self.lexicon = read_offers(capabilities)
        self._by_label: dict[Label, Offered] = {offer.label: offer for offer in self.offers}
        self._things = set(self.lexicon.roles) - {'place', 'colour', 'surface'}
        examples = [(offer.label, text) for offer in self.offers for text in offer.examples]
        talk = [
            (label, self._placed(text)) for label, sentences in TALK.items() for text in sentences
        ]
        self.frames = Frames([*examples, *talk], self.lexicon)

    def offer(self, label: Label) -> Offered:
        """The skill with that label."""
        return self._by_label[label]

    def is_verb(self, word: str) -> bool:
        """Whether an example of a skill begins with `word`."""
        return any(label in self._by_label for label in self.frames.verb(word))

    def begins(self, text: str) -> bool:
        """Whether something new that can be asked for begins with `text`."""
        said = [word for word in grammar.core(text).split() if word not in MARKS]
        if not said:
            return False
        verb = grammar.bare_verb(said[0], self.is_verb)
        acts = {label[0] for label in self.frames.verb(verb)}
        return said[0] in _BEGINS or self.is_verb(verb) or bool(acts & _ACTS)

    def near(self, said: Sequence[str]) -> list[Near]:
        """What the words `said` are nearest to, with what the grammar knows."""
        return self._weighed(said, mood_of(' '.join(said)))

    def clause(self, text: str, mentioned: Mapping[str, str], name: str = '') -> Clause:
        """Understand one clause.

        Args:
            text: tokens joined by blanks.
            mentioned: role -> value that was named last.
            name: the robot's, in plain words.
        """
        core = grammar.bare_verb(grammar.as_order(text, name), self.is_verb)
        mood = mood_of(core)
        said = self._resolved([word for word in core.split() if word not in MARKS], mentioned)
        said = self.lexicon.spelt_out(said)
        if not said:
            return Clause(core, mood)
        freely = self._said_freely(said)
        if freely:
            return freely
        near = self._weighed(said, mood)
        heard = self._heard(said) if mood in (Mood.ORDER, Mood.ASK) else None
        if heard:
            near = self._with_heard(near, heard, mood)
        skill = self._by_label.get(near[0].label)
        if skill is None or not self._asks(said, skill, near, mood):
            return Clause(' '.join(said), mood, tuple(near))
        heard = heard if heard and heard.skill is skill else None
        if heard and heard.value:
            said[heard.start : heard.end] = self.lexicon.say(heard.value).split()
        placing = said[0] in skill.placing
        filled = fill(skill.schema, said, self.lexicon, mentioned=mentioned, placing=placing)
        if heard and heard.end and not heard.value and heard.argument in filled.missing:
            filled.missing.remove(heard.argument)
            filled.unknown[heard.argument] = ' '.join(said[heard.start : heard.end])
        return Clause(' '.join(said), mood, tuple(near), skill, filled)

    def _said_freely(self, said: Sequence[str]) -> Clause | None:
        """A clause of a form that takes words as they are: 'announce that dinner is ready'."""
        for skill in self.offers:
            for form in skill.free:
                text = form.taken(said)
                if text:
                    filled = fill(skill.schema, said, self.lexicon)
                    filled.arguments[form.argument] = text
                    filled.missing = [n for n in filled.missing if n != form.argument]
                    near = Near(skill.label, 1.0, ' '.join((*form.before, *form.after)))
                    return Clause(' '.join(said), Mood.ORDER, (near,), skill, filled)
        return None

    def _asks(self, said: Sequence[str], skill: Offered, near: Sequence[Near], mood: Mood) -> bool:
        """Whether the nearest is asked for.

        An order that names what the skill needs may have an unknown verb, if it is clearly no
        talk.
        """
        if mood not in (Mood.ORDER, Mood.ASK) or said[0] in _TALKING:
            return False
        if tuple(said[:2]) in _OF_THE_PAST and not searches(' '.join(said)):
            return False
        if near[0].score >= _NEAR:
            return True
        if mood is not Mood.ORDER or not skill.needed or not self._names(said, skill.needed):
            return False
        rival = next((item.score for item in near if item.label not in self._by_label), 0.0)
        return near[0].score >= _NEAR_ORDER and near[0].score - rival >= _MARGIN

    # ---- scores --------------------------------------------------------------------------

    def _weighed(self, said: Sequence[str], mood: Mood) -> list[Near]:
        roles = {spot.role for spot in self.lexicon.spots(said)} - {'colour'}
        general = mood is Mood.ASK and self._speaks_generally(said)
        result = []
        for item in self.frames.nearest(said):
            example = words(item.sentence)
            score = item.score
            if _negates(said) != _negates(example):
                score -= _NEGATED
            if (mood is Mood.ASK) != (mood_of(item.sentence) is Mood.ASK):
                score -= _OTHER_MOOD
            skill = self._by_label.get(item.label)
            if skill is None and 'you' in example and 'you' not in said:
                score -= _PERSON
            if skill is not None:
                has_needed = not skill.needed or bool(skill.needed & roles)
                score -= _FOREIGN * len(roles - skill.roles)
                score -= 0.0 if has_needed else _LACKING
                score -= _GENERAL if general else 0.0
                if said[0] in _RARE_QUESTIONS and said[0] != example[0]:
                    score -= _OTHER_QUESTION
                if mood is Mood.ORDER and has_needed and item.label in self.frames.verb(said[0]):
                    score += _VERB
            result.append(Near(item.label, score, item.sentence))
        return sorted(result, key=lambda item: -item.score)

    def _with_heard(self, near: Sequence[Near], heard: _Heard, mood: Mood) -> list[Near]:
        """Scores in which the skill that misses a value is taken as if it had been said."""
        label = heard.skill.label
        known = next(item for item in self._weighed(heard.as_known, mood) if item.label == label)
        mine = Near(label, known.score - _UNHEARD, known.sentence)
        others = [item for item in near if item.label != label]
        return sorted([mine, *others], key=lambda item: -item.score)

    def _speaks_generally(self, said: Sequence[str]) -> bool:
        """'where do bananas come from': about a kind of thing, not about one that is here."""
        spots = [spot for spot in self.lexicon.spots(said) if spot.role != 'colour']
        return (
            bool(spots)
            and not set(said) & _HERE
            and all(
                spot.role in self._things
                and said[spot.end - 1].endswith('s')
                and (spot.start == 0 or said[spot.start - 1] not in DETERMINERS)
                for spot in spots
            )
        )

    # ---- words that stand for something --------------------------------------------------

    def _resolved(self, said: list[str], mentioned: Mapping[str, str]) -> list[str]:
        """Words with 'it' and 'there' replaced by what was named last."""
        if not said or not self.is_verb(said[0]):
            return said
        place = mentioned.get('place', '')
        thing = next(
            (v for role, v in reversed(list(mentioned.items())) if role in self._things), ''
        )
        result: list[str] = []
        for i, word in enumerate(said):
            before, after = said[i - 1] if i else '', said[i + 1] if i + 1 < len(said) else ''
            if word == 'there' and place and before in _BEFORE_THERE:
                lead = [] if before in PREPOSITIONS else ['to' if before in _GOING else 'in']
                result += [*lead, 'the', *self.lexicon.say(place).split()]
            elif (
                word in _PRONOUNS
                and thing
                and before
                and before not in _NOT_OBJECT
                and (not after or after in PREPOSITIONS | _AFTER_PRONOUN)
            ):
                result += ['the', *self.lexicon.say(thing).split()]
            else:
                result.append(word)
        return result

    def _heard(self, said: Sequence[str]) -> _Heard | None:
        """The words that stand where the verb's skill wants a value, if they name none."""
        for skill in self.offers:
            if skill.label not in self.frames.verb(said[0]):
                continue
            for name in wanted(skill.schema, said):
                prop = skill.properties[name]
                roles = roles_of(name, prop)
                if not is_named(prop) or self._names(said, roles):
                    continue
                found = self._in_place(said, skill, name, min(roles))
                if found is not None:
                    return found
        return None

    def _in_place(
        self, said: Sequence[str], skill: Offered, name: str, role: str
    ) -> _Heard | None:
        start, end = phrase_after(said, skill.leads.get(name, ()))
        spot = self.lexicon.alike(said[start:end], role) if start < end else None
        cut = start, end
        if start == end:
            stands_in = _PRONOUNS | ANYTHING
            pronoun = next((i for i, word in enumerate(said) if i and word in stands_in), 0)
            if not pronoun or role == 'place':
                return None
            cut = pronoun, pronoun + 1
        known = self.lexicon.say(spot.value) if spot else self.lexicon.canonical(role)
        as_known = (*said[: cut[0]], *known.split(), *said[cut[1] :])
        return _Heard(skill, name, start, end, spot.value if spot else '', as_known)

    def _names(self, said: Sequence[str], roles: frozenset[str]) -> bool:
        return any(spot.role in roles for spot in self.lexicon.spots(said))

    def _placed(self, sentence: str) -> str:
        """A talk sentence with a value in the place of every `{role}`."""

        def value(match: re.Match[str]) -> str:
            known = match[1] in self.lexicon.roles
            return self.lexicon.canonical(match[1]) if known else _STAND_INS[match[1]]

        return _PLACEHOLDER.sub(value, sentence)


def _negates(said: Sequence[str]) -> bool:
    """Whether words deny something: 'I do not need it', 'I no longer need it'."""
    return 'not' in said or ('no', 'longer') in pairwise(said)
