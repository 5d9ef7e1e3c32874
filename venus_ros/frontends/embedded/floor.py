# SPDX-License-Identifier: Apache-2.0
"""First floor decisions: what a voice over the robot's voice means, before a model is asked."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from venus_ros.core.messages import Kind
from venus_ros.frontends.embedded.addressee import takes_floor
from venus_ros.frontends.embedded.asr import Words, is_urgent
from venus_ros.frontends.protocol import Decision
from venus_ros.language.phrases import BACKCHANNELS
from venus_ros.language.text import words as plain_words

INTERRUPT_S = 0.6
"""Voice over the robot's speech with words that take the floor, before it falls silent."""
NEUTRAL_S = 0.8
"""The same for words that may be for anybody."""
LONE_NO_S = 1.3
"""The same for a 'no' that may be the beginning of something said to others."""
QUICK_S = 0.25
"""The same for words that ask the robot to listen: 'wait', 'no'."""
BLIND_S = 1.6
"""The same, when recognition finds no words."""
UNREAD_S = 3.0
"""The same, while its words are still awaited: a busy machine is no reason to stop."""
RESUMED_S = 0.25
"""Voice that stops a robot which began to answer although the user had not finished."""
BEGUN_S = 1.2
"""The same for words of listening with one more word: 'I see it' is often a misread 'I see'."""
CLEAR = 0.45
"""Words so far with more confidence take the floor; others once they have been read twice."""
HASTY_S = 1.2
"""The robot's first stretch of speech, in which the user may simply be going on."""

CLEARLY_MEANT, SURELY_MEANT, MEANT, UNMEANT = 2.0, 1.0, 0.25, -2.0
"""Log odds of being spoken to over the robot's voice: from these on words take the floor soon, a
call does so at once, and any words in time. Below the last, words in silence get no answer."""
STRANGE = -1.5
"""Log odds of a voice below which it is somebody else in the room."""
MAYBE_MURMUR = -0.9
HARDLY_MURMUR = -1.4
"""Log odds from which short words over the robot's voice count as a murmur: any, unsure ones."""
SHORT_S = 0.8
UNSURE, UNCLEAR = 0.58, 0.4
"""Shorter words over the robot's voice with less confidence: unsure; never take the floor."""
MOST_WORDS = 4
"""More words than these are no mere sign of listening."""
_LONE_NO = re.compile(r'(?:(?:oh|um|uh|ah|okay|well) )*no')


def words_of(text: str) -> list[str]:
    """The words of `text`, lower case, without punctuation."""
    return re.findall(r"[\w']+", text.lower().replace('-', ' '))


def is_backchannel(text: str) -> bool:
    """Whether `text` only shows that the user listens: 'uh huh', 'okay, I see'."""
    if is_hum(text):
        return True
    said = plain_words(text)
    return 0 < len(said) <= MOST_WORDS and _only_assent(said)


def _begins_as_assent(text: str) -> bool:
    """Whether `text` is a sign of listening and one word, which may be its end misread."""
    before = plain_words(text)[:-1]
    return bool(before) and _only_assent(before)


def is_hum(text: str) -> bool:
    """Whether `text` is how recognisers write a hum: 'Mm-hmm', 'M-H-M-M', 'M-M-H and M-H'."""
    found = words_of(text)
    hummed = sum(set(word) <= set('mhn') for word in found)
    return hummed > 0 and hummed >= 0.75 * len(found)


def _only_assent(rest: list[str]) -> bool:
    """Whether `rest` is nothing but one or several phrases of listening."""
    return not rest or any(
        ' '.join(rest[:n]) in BACKCHANNELS and _only_assent(rest[n:])
        for n in range(1, len(rest) + 1)
    )


def is_echo(text: str, spoken: str) -> bool:
    """Whether `text` is a stretch of the robot's own speech, come back by the microphone."""
    heard, said = words_of(text), words_of(spoken)
    same = SequenceMatcher(None, heard, said, autojunk=False).find_longest_match()
    return same.size >= max(3, 0.7 * len(heard))


@dataclass(slots=True)
class Overlap:
    """A voice that began while the robot spoke.

    Attributes:
        robot_s: how long the robot had been speaking.
        robot_text: the words of the robot's turn.
        partials: words of the voice so far, oldest reading first.
        odds: log odds that it speaks to the robot.
        spoken_s: how long it has lasted.
        goes_on: it can be heard now.
        awaited: its first words are still being read.
    """

    robot_s: float
    robot_text: str
    partials: list[Words] = field(default_factory=list)
    odds: float = 0.0
    spoken_s: float = 0.0
    goes_on: bool = True
    awaited: bool = False


def while_speaking(over: Overlap, answering: bool) -> Decision | None:
    """Why the robot falls silent for a voice over its speech; none = wait.

    Args:
        over: the voice.
        answering: the robot's turn answers what the user said just before.
    """
    if not over.partials:
        if answering and over.robot_s < HASTY_S and over.spoken_s >= RESUMED_S:
            return Decision(Kind.INTERRUPTION, 'the user goes on', 0.6)
        if over.spoken_s >= (UNREAD_S if over.awaited else BLIND_S):
            return Decision(Kind.INTERRUPTION, 'long voice', 0.5)
        return None
    last = over.partials[-1]
    if not last.text or over.odds < MEANT or over.spoken_s < _patience_s(over):
        return None
    if is_backchannel(last.text) or is_echo(last.text, over.robot_text):
        return None
    if over.spoken_s < BEGUN_S and _begins_as_assent(last.text):
        return None
    sure = over.odds >= CLEARLY_MEANT and _read_twice(over.partials)
    if last.confidence < CLEAR and not sure:
        return None
    return Decision(Kind.INTERRUPTION, 'words', last.confidence)


def _patience_s(over: Overlap) -> float:
    """How long a voice with these words lasts before the robot falls silent."""
    text = over.partials[-1].text
    if _LONE_NO.fullmatch(' '.join(words_of(text))) and over.goes_on:
        return LONE_NO_S
    if over.odds >= SURELY_MEANT and takes_floor(text):
        return QUICK_S
    return INTERRUPT_S if over.odds >= CLEARLY_MEANT else NEUTRAL_S


def _read_twice(partials: Sequence[Words]) -> bool:
    """Whether the last two readings begin with the same word; those of a hum do not."""
    first = [words_of(p.text)[:1] for p in partials[-2:]]
    return len(first) == 2 and bool(first[0]) and first[0] == first[1]


def nothing_said(words: Words, spoken_s: float, robot_text: str | None) -> Decision | None:
    """Why a complete utterance is nothing to be answered; none = it is for the dialogue.

    Args:
        words: of the utterance.
        spoken_s: how long it lasted.
        robot_text: what the robot was saying when it began; none = the robot was silent.
    """
    unsure = 1 - words.confidence
    if is_hum(words.text):
        return Decision(Kind.BACKCHANNEL, 'hum', words.confidence)
    if robot_text is None:
        return None if words.text else Decision(Kind.BACKGROUND, words.reason, unsure)
    if is_backchannel(words.text):
        return Decision(Kind.BACKCHANNEL, 'listening', words.confidence)
    if is_echo(words.text, robot_text):
        return Decision(Kind.BACKGROUND, 'echo', words.confidence)
    if words.murmur > (MAYBE_MURMUR if words.confidence >= UNSURE else HARDLY_MURMUR):
        return Decision(Kind.BACKCHANNEL, 'like a murmur', unsure)
    if spoken_s < SHORT_S and _unclear(words):
        return Decision(Kind.BACKCHANNEL, 'short and unclear', unsure)
    return None if words.text else Decision(Kind.BACKGROUND, words.reason, unsure)


def not_for_us(odds: float, voice: float, over: bool) -> Decision | None:
    """Why a complete utterance was said to somebody else; none = it was said to the robot.

    Args:
        odds: log odds that it speaks to the robot.
        voice: the part of them that comes from how it sounds.
        over: it began over the robot's speech.
    """
    if odds >= (MEANT if over else UNMEANT):
        return None
    sure = 1 / (1 + math.exp(odds))
    if voice < STRANGE:
        return Decision(Kind.BACKGROUND, 'another voice', sure)
    return Decision(Kind.OTHER_DIRECTED, 'not said to the robot', sure)


def _unclear(words: Words) -> bool:
    """Whether one or two short words are too unsure to take the floor from the robot."""
    if words.reason:
        return words.reason == 'unsure'
    few = len(words_of(words.text)) <= 2
    return few and words.confidence < UNCLEAR and not is_urgent(words.text)
