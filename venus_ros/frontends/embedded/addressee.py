# SPDX-License-Identifier: Apache-2.0
"""Whether a voice speaks to the robot: what it says weighed with how it sounds.

Everything is counted in log odds, so that weak signs add up: above 0, the robot is meant. The
weights were set on the `tune` part of the evaluation (docs/evaluation.md).
"""

from __future__ import annotations

import math
import re

from venus_ros.frontends.embedded.voiceprint import Unlikeness
from venus_ros.language.acts import Act, ActKind
from venus_ros.language.mood import Mood, mood_of
from venus_ros.language.text import normalise

_BY_ACT = {
    ActKind.DELEGATE: 3.0,
    ActKind.CORRECT: 3.0,
    ActKind.CANCEL: 3.0,
    ActKind.STOP_TALKING: 3.0,
    ActKind.REPEAT: 2.0,
    ActKind.ASK_WORKS: 2.0,
    ActKind.ASK_SELF: 2.0,
    ActKind.CLARIFY: 2.0,
    ActKind.CANNOT: 1.5,
    ActKind.SMALLTALK: 1.0,
    ActKind.FRAGMENT: -1.0,
    ActKind.GREET: -0.5,
    ActKind.GOODBYE: -1.0,
    ActKind.THANKS: -1.0,
    ActKind.OTHER: -1.0,
}
"""What the words ask for; anything else counts nothing."""
_STATED = {
    ActKind.OTHER: -1.0,
    ActKind.UNKNOWN: -1.0,
    ActKind.FRAGMENT: -1.0,
    ActKind.SMALLTALK: -2.0,
}
"""The same for words that tell something instead of asking for it, added to it."""
ADDRESSED_OTHER = -5.0
_NAMED = 3.0
_REQUESTS = 2.0
"""Half a sentence that begins with what a skill is asked by."""
_FLOOR = re.compile(
    r'^(?:(?:um|uh|oh|okay|ah|well|and|but) )*(?:'
    r'no(?! \w)|no (?:not|no|wait|stop|the|a|to|go|that is|i (?:mean|meant|said|asked|want\w*))|'
    r'wait|stop|hold on|hang on|'
    r'actually|excuse me|sorry|pardon|listen|one (?:moment|second)|never mind|forget|instead|'
    r'what about|how about|tell me|show me|bring|go to|'
    r'i (?:need|want|would like) (?:the|a|an|some|my|this|that|it|you)|i (?:meant|mean)|'
    r'i have (?:a|another) question|before you|enough|cancel|that is not)\b'
)
_TAKES_FLOOR = 1.5
_PEOPLE = re.compile(
    r'\b(?:mum|mom|mummy|mommy|dad|daddy|honey|darling|sweetheart|love|guys|kids|boys|girls|'
    r'grandma|grandpa|mate|dude|sir|madam|he|she|him|they)\b'
)
_OTHER_PEOPLE = -1.5
_QUESTION, _ASKS_PERSON, _OFFERS, _OF_LIFE = 0.5, -1.9, -1.0, -1.5
_OF_PERSON = re.compile(r'\b(?:did|have|had|were) you\b')
_OFFER = re.compile(
    r'^(?:(?:and|so|well|but|yes|no|okay) )*(?:can|could|may|shall|should) (?:i|we)\b'
)
_LIFE = re.compile(r'\b(?:you|your|yours|we|us|our|ours|my|somebody|someone|anybody|anyone)\b')
"""In questions that mean nothing to the robot: people ask each other about their lives."""
_REMARK = re.compile(r'^(?:i wonder|what an? |how (?:was|were)\b)')
_ROBOT = re.compile(r'\b(?:batter(?:y|ies)|charg\w+|wheels?|sensors?|software|gripper|motors?)\b')
_SENSELESS = -1.0
"""Words that are no question and mean nothing to the robot."""
_FEW, _FEW_SAY, _BEGUN = 2, 1.0, -1.0
"""So few words that take no floor tell no more than this, and the first of a question nothing."""
_EXACT = 0.95
"""Confidence of an act whose whole sentence is known."""
_OPEN = re.compile(
    r'^(?:what|why|when|how|which \w+) (?:do|did|does|would|will|can|could|should|have) '
    r'(?:you|we|they|i)$|^what are you$'
)
_TOLD_LATE = (ActKind.CANNOT, ActKind.CLARIFY, ActKind.SMALLTALK, ActKind.CANCEL)
"""What half a sentence to anybody is easily taken for."""

NEAR_DB, FAR_DB = -3.0, -10.0
"""Level against the user's usual one: nothing lost down to the first; `DISTANT` at the second."""
DISTANT = -4.0
UNKNOWN_USER = 0.5
"""Share of `DISTANT` that counts while only ordinary speech is there to compare with."""
SAME_PITCH, OTHER_PITCH = 2.0, 8.0
"""Semitones."""
STRANGE_PITCH = -2.5
GUEST = 0.4
"""Share of strangeness that counts in a voice as near as the user's: a second person may speak."""
SAME_COLOUR_DB, OTHER_COLOUR_DB = 5.0, 12.0
STRANGE_COLOUR = -2.0
FAMILIAR = 1.0
"""What a voice that is just like the user's counts for."""
QUESTION_OPEN = 1.0
"""The robot has asked something: words are likely its answer."""


def by_words(text: str, act: Act, robot_name: str) -> float:
    """Log odds that words are meant for the robot, by their sense.

    Args:
        text: as recognised.
        act: what they mean, if they are.
        robot_name: what the robot is called.
    """
    if act.kind is ActKind.OTHER and act.topic == 'addressed':
        return ADDRESSED_OTHER
    plain = normalise(text)
    calls = takes_floor(text)
    odds = _by_act(act, plain, calls)
    if re.search(rf'\b(?:{re.escape(normalise(robot_name))}|robot)\b', plain):
        odds += _NAMED
    if calls:
        odds += _TAKES_FLOOR
    elif mood_of(plain) is Mood.STATE:
        odds += _STATED.get(act.kind, 0.0)
    if _PEOPLE.search(plain):
        odds += _OTHER_PEOPLE
    return odds


def _by_act(act: Act, plain: str, calls: bool) -> float:
    """What the act tells about who is meant. `calls`: the words take the floor anyway."""
    if act.kind is ActKind.UNKNOWN:
        return 0.0 if calls else _unknown(plain, act.topic == 'question')
    if act.kind is ActKind.CANNOT and _OF_PERSON.search(plain):
        return _ASKS_PERSON
    if act.kind is ActKind.FRAGMENT and act.topic == 'request':
        return _BY_ACT[act.kind] + _REQUESTS
    return _BY_ACT.get(act.kind, 0.0)


def _unknown(plain: str, asks: bool) -> float:
    """What words that the robot makes nothing of tell about who is meant."""
    if asks:
        if _ROBOT.search(plain):
            return _QUESTION
        if _OF_PERSON.search(plain):
            return _ASKS_PERSON
        if _LIFE.search(plain) or _REMARK.match(plain):
            return _OF_LIFE
        return _OFFERS if _OFFER.match(plain) else _QUESTION
    return _SENSELESS


def so_far(text: str, act: Act, robot_name: str) -> float:
    """The same for words that are still being said: the first few tell little."""
    odds = by_words(text, act, robot_name)
    if takes_floor(text):
        return odds
    count = len(text.split())
    few = count <= _FEW
    if act.kind is ActKind.UNKNOWN:
        return min(odds, _BEGUN if act.topic == 'question' or not few else 0.0)
    outside = act.kind is ActKind.CANNOT and not act.topic
    if outside or few and act.kind in _TOLD_LATE or _question_begins(normalise(text), count, act):
        return min(odds, _BEGUN)
    return min(odds, _FEW_SAY) if few else odds


def _question_begins(plain: str, count: int, act: Act) -> bool:
    """Whether these are the first words of a question that may go anywhere: 'what do you'."""
    if mood_of(plain) is not Mood.ASK or count > _FEW + 1:
        return False
    asked = act.kind in (ActKind.ASK_SELF, ActKind.ASK_WORKS, ActKind.REPEAT, ActKind.SMALLTALK)
    return count <= _FEW or asked and (act.confidence < _EXACT or bool(_OPEN.match(plain)))


def takes_floor(text: str) -> bool:
    """Whether words ask the one who speaks to listen: 'wait', 'no', 'excuse me'."""
    return bool(_FLOOR.match(normalise(text)))


def by_voice(unlike: Unlikeness | None) -> float:
    """Log odds that a voice is the user's who talks with the robot, by its sound.

    Args:
        unlike: how it differs from theirs; none if it is too short to tell.
    """
    if unlike is None:
        return 0.0
    far = _between(-unlike.louder_db, -NEAR_DB, -FAR_DB)
    if not unlike.met:
        return UNKNOWN_USER * DISTANT * far
    strange = STRANGE_COLOUR * _between(unlike.colour_db, SAME_COLOUR_DB, OTHER_COLOUR_DB)
    if not math.isnan(unlike.higher):
        strange += STRANGE_PITCH * _between(abs(unlike.higher), SAME_PITCH, OTHER_PITCH)
    return FAMILIAR + DISTANT * far + strange * (GUEST + (1 - GUEST) * far)


def _between(value: float, low: float, high: float) -> float:
    """0 up to `low`, 1 from `high`, straight between them."""
    return min(1.0, max(0.0, (value - low) / (high - low)))
