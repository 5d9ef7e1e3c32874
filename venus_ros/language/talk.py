# SPDX-License-Identifier: Apache-2.0
"""What is said besides requests: greetings, thanks, questions about the robot, orders to stop."""

from __future__ import annotations

import re
from dataclasses import dataclass

from venus_ros.language import grammar
from venus_ros.language.acts import Act, ActKind, Talk
from venus_ros.language.frames import Near
from venus_ros.language.lexicon import DETERMINERS
from venus_ros.language.mood import Mood
from venus_ros.language.phrases import TALK
from venus_ros.language.requests import Reader
from venus_ros.language.sound import likeness
from venus_ros.language.text import MARKS

_LIKELY = 0.55
_ALIKE = 0.8
_PERHAPS = 0.4
_PART = 0.8
_OPENING = 0.8
_OPENINGS = frozenset((ActKind.CANCEL, ActKind.THANKS, ActKind.GREET, ActKind.GOODBYE))
_POLITE = re.compile(r'^(?:please|(?:can|could|would|will) you)\b|\bplease$')
_CONTROL = ((ActKind.CANCEL, 'all'), (ActKind.STOP_TALKING, ''))
_SURE = {ActKind.CANCEL: 0.65, ActKind.STOP_TALKING: 0.7, ActKind.GOODBYE: 0.65}
OPENS_CORRECTION = re.compile(
    r'^(?:oh |um |uh |ah |okay |sorry (?=,? ?(?:i mea|no|wait))|, )*'
    r'(?:(?P<hard>no|not|wait|hang on|hold on|i mean|i meant|i said|'
    r'correction|scratch that|make (?:it|that)|change (?:it|that)|oops|on second thoughts?|'
    r'never mind|forget (?:it|that|about that|the \w+(?: \w+)?))|'
    r'(?P<soft>actually|sorry|rather|or rather))\b[ ,.]*'
)
_FLIPPED = {
    'me': 'you', 'my': 'your', 'i': 'you', 'mine': 'yours', 'myself': 'yourself', 'your': 'my',
    'yourself': 'myself', 'us': 'you', 'our': 'your', 'you': 'me',
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Utterance:
    """An utterance on its way through the rules.

    Attributes:
        text: tokens joined by blanks.
        plain: words joined by blanks.
        name: the robot's, in plain words.
        talk: what was talked about before.
    """

    text: str
    plain: str
    name: str
    talk: Talk
    reader: Reader


def talked(said: Utterance) -> Act:
    """Everything that asks for no work."""
    near = _sounds_like_control(said) or _nearest_part(said)
    clauses = said.reader.clauses(said.text, said.talk.mentioned, said.name)
    moods = {clause.mood for clause in clauses}
    orders = moods == {Mood.ORDER} and bool(_POLITE.search(said.plain))
    if near is not None and near.score >= _SURE.get(near.label[0], _LIKELY):
        kind, topic = near.label
        if kind is ActKind.CANCEL:
            topic = _things(said) or topic
        if kind is ActKind.OTHER and Mood.ASK in moods:
            return Act(ActKind.UNKNOWN, 'question', confidence=near.score)
        if kind is ActKind.ASK_WORKS:
            return Act(kind, topic, about=_values(said), confidence=near.score)
        if kind is not ActKind.CANNOT:
            return Act(kind, topic, confidence=near.score)
        orders = True
    elif near is not None and near.label[0] is ActKind.CANNOT and moods == {Mood.ORDER}:
        orders = orders or near.score >= _PERHAPS
    if orders:
        return Act(ActKind.CANNOT, promise=_flipped(said), task=said.plain, confidence=0.6)
    if moods & {Mood.STATE, Mood.SUPPOSE, Mood.FORBID}:
        return Act(ActKind.OTHER, confidence=0.5)
    if Mood.ASK in moods:
        return Act(ActKind.UNKNOWN, 'question', confidence=0.5)
    return Act(ActKind.UNKNOWN, confidence=0.3)


def nearest_talk(said: Utterance) -> Near | None:
    """The nearest sentence that is no request, to the whole utterance or to its core."""
    whole = (said.plain, grammar.core(said.text, said.name))
    found = [near for near in (_talk(text, said, 1.0) for text in whole) if near]
    return max(found, key=lambda near: near.score, default=None)


def _nearest_part(said: Utterance) -> Near | None:
    """The nearest talk to the utterance or to a part of it; a part counts less."""
    words = said.plain.split()
    parts = [*re.split(r' [.?,] ', said.text), OPENS_CORRECTION.sub('', said.text)]
    openings = [' '.join(words[:count]) for count in (2, 3) if count < len(words)]
    found = [nearest_talk(said), *(_talk(text, said, _PART) for text in parts)]
    found += [near for near in (_talk(text, said, _PART) for text in openings) if _opens(near)]
    return max((near for near in found if near), key=lambda near: near.score, default=None)


def _talk(text: str, said: Utterance, weight: float) -> Near | None:
    """The nearest talk to a part of an utterance; a small part counts `weight`, the whole 1."""
    heard = [word for word in text.split() if word not in MARKS]
    words = [
        word
        for before, word in zip(['', *heard], heard, strict=False)
        if word != said.name and (word != 'robot' or before in DETERMINERS)
    ]
    if not words:
        return None
    share = len(words) / max(1, len(said.plain.split()))
    for near in said.reader.near(words):
        if isinstance(near.label[0], ActKind):
            scale = weight + (1 - weight) * min(1.0, share)
            return Near(near.label, near.score * scale, near.sentence)
    return None


def _opens(near: Near | None) -> bool:
    """Whether the first words alone say what it is: 'never mind, I will do it myself'."""
    return near is not None and near.label[0] in _OPENINGS and near.score >= _OPENING


def _sounds_like_control(said: Utterance) -> Near | None:
    """A short order to stop that was misheard: 'can so that' for 'cancel that'."""
    heard = said.plain.removeprefix('please ')
    if len(heard.split()) > 4 or said.reader.lexicon.spots(heard.split()):
        return None
    for label in _CONTROL:
        for phrase in TALK[label]:
            score = likeness(heard, phrase) if '{' not in phrase else 0.0
            if score >= _ALIKE and len(phrase) > 7:
                return Near(label, score, phrase)
    return None


def _things(said: Utterance) -> str:
    """What is named in the utterance, in its own words."""
    heard = said.plain.split()
    spots = said.reader.lexicon.spots(heard)
    return ' '.join(word for spot in spots for word in heard[spot.start : spot.end])


def _values(said: Utterance) -> tuple[str, ...]:
    """Values that the utterance names; of an unclear name all that it may mean."""
    spots = said.reader.lexicon.spots(said.plain.split())
    return tuple(v for spot in spots if spot.role != 'colour' for v in spot.values)


def _flipped(said: Utterance) -> str:
    """The request in the robot's mouth: 'call my mother' -> 'call your mother'."""
    core = grammar.core(said.text, said.name)
    return ' '.join(_FLIPPED.get(word, word) for word in core.split() if word not in MARKS)
