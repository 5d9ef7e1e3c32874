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
    ActKind.OTHER: -1.0,
}
"""What the words ask for; anything else counts nothing."""
ADDRESSED_OTHER = -5.0
_NAMED = 3.0
_FLOOR = re.compile(
    r'^(?:(?:um|uh|oh|okay|ah|well|and|but) )*(?:no|wait|stop|hold on|hang on|actually|excuse me|'
    r'sorry|pardon|listen|one (?:moment|second)|never mind|forget|instead|what about|how about|'
    r'(?:can|could|would|will|do|are|did|have) you|tell me|show me|bring|go to|i (?:need|want|'
    r'would like|meant|mean)|let us|i have (?:a|another) question|before you|enough|that is not)\b'
)
_TAKES_FLOOR = 1.5
_PEOPLE = re.compile(
    r'\b(?:mum|mom|mummy|mommy|dad|daddy|honey|darling|sweetheart|love|guys|kids|boys|girls|'
    r'grandma|grandpa|mate|dude|sir|madam|he|she|him|they|them|us|we)\b'
)
_OTHER_PEOPLE = -1.0

NEAR_DB, FAR_DB = -4.0, -16.0
"""Level against the user's usual one: nothing lost down to the first; `DISTANT` at the second."""
DISTANT = -4.0
SAME_PITCH, OTHER_PITCH = 2.0, 8.0
"""Semitones."""
STRANGE_PITCH = -1.5
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
    odds = _BY_ACT.get(act.kind, 0.0)
    if re.search(rf'\b(?:{re.escape(normalise(robot_name))}|robot)\b', plain):
        odds += _NAMED
    if takes_floor(text):
        odds += _TAKES_FLOOR
    if _PEOPLE.search(plain):
        odds += _OTHER_PEOPLE
    return odds


def takes_floor(text: str) -> bool:
    """Whether words ask the one who speaks to listen: 'wait', 'no', 'excuse me'."""
    return bool(_FLOOR.match(normalise(text)))


def by_voice(unlike: Unlikeness | None) -> float:
    """Log odds that a voice is the user's who talks with the robot, by its sound.

    Args:
        unlike: how it differs from theirs; none if that is not known.
    """
    if unlike is None:
        return 0.0
    odds = FAMILIAR + DISTANT * _between(-unlike.louder_db, -NEAR_DB, -FAR_DB)
    if not math.isnan(unlike.higher):
        odds += STRANGE_PITCH * _between(abs(unlike.higher), SAME_PITCH, OTHER_PITCH)
    return odds + STRANGE_COLOUR * _between(unlike.colour_db, SAME_COLOUR_DB, OTHER_COLOUR_DB)


def _between(value: float, low: float, high: float) -> float:
    """0 up to `low`, 1 from `high`, straight between them."""
    return min(1.0, max(0.0, (value - low) / (high - low)))
