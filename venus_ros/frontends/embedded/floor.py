# SPDX-License-Identifier: Apache-2.0
"""First floor decisions: what a voice over the robot's voice means, before a model is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from venus_ros.core.messages import Kind
from venus_ros.frontends.embedded.asr import Words
from venus_ros.frontends.protocol import Decision

INTERRUPT_S = 0.6
"""Voice over the robot's speech with words that take the floor, before it falls silent."""
BLIND_S = 1.6
"""The same, while recognition has not told any words yet."""
RESUMED_S = 0.25
"""Voice that stops a robot which began to answer although the user had not finished."""
HASTY_S = 1.2
"""The robot's first stretch of speech, in which the user may simply be going on."""


def words_of(text: str) -> list[str]:
    """The words of `text`, lower case, without punctuation."""
    return re.findall(r"[\w']+", text.lower().replace('-', ' '))


_ASSENT = frozenset(
    words_of("""
    uh huh uhhuh mm hmm hm mhm mmhmm yeah yep yes ya okay ok right sure good great nice cool fine
    oh ah aha i see really wow all alright well true exactly absolutely interesting got it
    understood go on
""")
)
_FIXED = frozenset({'i', 'see', 'got', 'it', 'go', 'on', 'all', 'good', 'well'})
_FIXED_PHRASES = ('i see', 'got it', 'go on', 'all right')
MOST_WORDS = 4


def is_backchannel(text: str) -> bool:
    """Whether `text` only shows that the user listens: 'uh huh', 'okay', 'I see'."""
    words = words_of(text)
    if not words or len(words) > MOST_WORDS or not all(w in _ASSENT for w in words):
        return False
    rest = ' '.join(words)
    for phrase in _FIXED_PHRASES:
        rest = rest.replace(phrase, 'okay')
    return not any(w in _FIXED - {'good', 'well'} for w in rest.split())


def is_echo(text: str, spoken: str) -> bool:
    """Whether `text` is the robot's own speech coming back through the microphone."""
    heard, said = words_of(text), set(words_of(spoken))
    return len(heard) >= 3 and sum(w in said for w in heard) >= 0.8 * len(heard)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision, and whether the robot falls silent for it."""

    decision: Decision
    silent: bool


def while_speaking(
    partial: Words | None, spoken_s: float, robot_s: float, robot_text: str, answering: bool
) -> Verdict | None:
    """What to do about a voice that goes on over the robot's speech; none = wait.

    Args:
        partial: newest words of it; none = not known yet.
        spoken_s: how long the voice has lasted.
        robot_s: how long the robot had been speaking when the voice began.
        robot_text: the words of the robot's turn.
        answering: the robot's turn answers what the user said just before.
    """
    if answering and robot_s < HASTY_S and spoken_s >= RESUMED_S and partial is None:
        return Verdict(Decision(Kind.INTERRUPTION, 'the user goes on', 0.6), True)
    if partial is None:
        if spoken_s < BLIND_S:
            return None
        return Verdict(Decision(Kind.INTERRUPTION, 'long voice', 0.5), True)
    if not partial.text or is_backchannel(partial.text) or is_echo(partial.text, robot_text):
        return None
    if spoken_s < INTERRUPT_S:
        return None
    return Verdict(Decision(Kind.INTERRUPTION, 'words', partial.confidence), True)


def nothing_said(words: Words, spoken_s: float, robot_text: str | None) -> Decision | None:
    """Why a complete utterance is nothing to be answered; none = it is for the dialogue.

    Args:
        words: of the utterance.
        spoken_s: how long it lasted.
        robot_text: what the robot was saying when it began; none = the robot was silent.
    """
    unsure = 1 - words.confidence
    if robot_text is None:
        return None if words.text else Decision(Kind.BACKGROUND, words.reason, unsure)
    if is_backchannel(words.text):
        return Decision(Kind.BACKCHANNEL, 'listening', words.confidence)
    if is_echo(words.text, robot_text):
        return Decision(Kind.BACKGROUND, 'echo', words.confidence)
    few = len(words_of(words.text)) <= 2
    if spoken_s < 0.8 and few and (words.reason == 'unsure' or words.confidence < 0.5):
        return Decision(Kind.BACKCHANNEL, 'short and unclear', unsure)
    return None if words.text else Decision(Kind.BACKGROUND, words.reason, unsure)
