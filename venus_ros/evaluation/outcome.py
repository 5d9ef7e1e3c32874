# SPDX-License-Identifier: Apache-2.0
"""What became of one item: the four tags of Full-Duplex-Bench v1.5 by rule, without a judge.

The rules look at the event log alone: which robot turn was played from when to when, how it ended,
and which turns came after.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from venus_ros.evaluation.sentences import Sentence

WINDOW_S = 3.0
"""After the overlap's end: until then an answer must have begun."""
GOES_ON_S = 1.0
"""After the overlap's end: a turn that is heard so long after it has gone on."""
TALKED_INTO_S = 0.3
"""A robot that began to answer in the pause must have fallen silent after so long."""
REPEAT = re.compile(
    r"\b(say (that|it) again|repeat|pardon|(didn't|did not|don't|do not) "
    r'(quite )?(understand|catch|hear|get) (that|you)|what did you say)\b',
    re.IGNORECASE,
)
"""Words with which a robot asks for the words once more."""


class Tag(Enum):
    """What the robot did about the speech that overlapped its own."""

    RESPOND = 'respond'
    RESUME = 'resume'
    UNCERTAIN = 'uncertain'
    UNKNOWN = 'unknown'


@dataclass(frozen=True, slots=True)
class RobotTurn:
    """A robot turn as it was heard.

    Attributes:
        text: words whose sound began.
        begin_s: its first sample.
        end_s: its last sample, or the end of the run.
        ended: why it ended; `done` = it was played whole; empty = it had not ended.
    """

    turn_id: int
    text: str
    begin_s: float
    end_s: float
    ended: str = 'done'


@dataclass(frozen=True, slots=True)
class Overlap:
    """Speech over the robot's turn `turn_id`, from its first audible sample to its last, s."""

    start_s: float
    end_s: float
    turn_id: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The tag and what it rests on.

    Attributes:
        stop_s: voice's start → last sample of the turn that was cut; none = it was not cut.
        response_s: voice's end → first sample of the next turn that is no rest of the old one.
        yielded: the turn was cut, and another one or the wanted silence followed.
        taken_up: the turn was cut, and its rest was said after all.
        notes: what a reader should know.
    """

    tag: Tag
    stop_s: float | None = None
    response_s: float | None = None
    yielded: bool = False
    taken_up: bool = False
    notes: tuple[str, ...] = field(default=())


def judge(
    sentence: Sentence, overlap: Overlap, script: str, turns: Sequence[RobotTurn]
) -> Verdict:
    """Tag what happened.

    RESPOND: the turn ended within the window, and a new one that answers began in it (or, where
    silence is the right answer, no word followed). RESUME: the same turn is still heard one
    second after the overlap and is said to its end. UNCERTAIN: a new turn asks for the words once
    more. UNKNOWN: none of these.

    Args:
        sentence: what was said over it; for a sentence without `answer` any new turn responds.
        overlap: when, and over which turn.
        script: all words of that turn, also those that were not heard.
        turns: all robot turns of the run in their order.
    """
    until_s = overlap.end_s + WINDOW_S
    old = next((turn for turn in turns if turn.turn_id == overlap.turn_id), None)
    if old is None or old.end_s <= overlap.start_s:
        return Verdict(Tag.UNKNOWN, notes=('the robot was silent when the voice began',))
    later = [turn for turn in turns if turn.begin_s >= overlap.start_s and turn is not old]
    rest = [turn for turn in later if is_rest(turn.text, script)]
    new = [turn for turn in later if turn not in rest]
    cut = old.ended not in ('', 'done')
    in_time = [turn for turn in new if turn.begin_s <= until_s]
    tag, notes = _tag(sentence, overlap, old, in_time, rest)
    if tag is Tag.RESUME and new:
        notes = (*notes, 'it answered after its turn')
    return Verdict(
        tag,
        stop_s=old.end_s - overlap.start_s if cut else None,
        response_s=new[0].begin_s - overlap.end_s if new else None,
        yielded=cut and not rest and bool(in_time or sentence.wants_silence),
        taken_up=cut and bool(rest),
        notes=notes,
    )


@dataclass(frozen=True, slots=True)
class Paused:
    """One request with a pause inside, and the robot turns around it.

    Attributes:
        rest_s: when its second half begins.
        end_s: its last audible sample.
        requests: how many requests left for the works.
    """

    rest_s: float
    end_s: float
    requests: int


def judge_pause(
    sentence: Sentence, paused: Paused, turns: Sequence[RobotTurn]
) -> tuple[bool, tuple[str, ...]]:
    """Whether both halves were taken as one request, and what was wrong if not.

    The robot may not talk into the second half for more than `TALKED_INTO_S`, must answer the
    whole within the window, and may ask the works for no more than one thing.
    """
    into_s = sum(
        max(0.0, min(turn.end_s, paused.end_s) - max(turn.begin_s, paused.rest_s))
        for turn in turns
    )
    answers = [
        turn
        for turn in turns
        if paused.rest_s <= turn.begin_s <= paused.end_s + WINDOW_S and _answers(turn, sentence)
    ]
    notes = []
    if into_s > TALKED_INTO_S:
        notes.append(f'it talked into the rest for {into_s:.1f} s')
    if not answers:
        notes.append('no answer to the whole')
    if paused.requests > 1:
        notes.append(f'{paused.requests} requests were made of one')
    return not notes, tuple(notes)


def _tag(
    sentence: Sentence,
    overlap: Overlap,
    old: RobotTurn,
    new: Sequence[RobotTurn],
    rest: Sequence[RobotTurn],
) -> tuple[Tag, tuple[str, ...]]:
    cut = old.ended not in ('', 'done')
    over = old.ended != '' and old.end_s <= overlap.end_s + WINDOW_S
    if sentence.wants_silence and cut and over and not rest:
        return Tag.RESPOND, ()
    if new and over and not sentence.wants_silence:
        if any(_answers(turn, sentence) for turn in new):
            return Tag.RESPOND, ()
        if any(REPEAT.search(turn.text) for turn in new):
            return Tag.UNCERTAIN, ()
        return Tag.UNKNOWN, ('another answer than the right one',)
    if not cut and old.end_s >= overlap.end_s + GOES_ON_S:
        return Tag.RESUME, () if old.ended else ('the run ended before the turn',)
    if cut:
        return Tag.UNKNOWN, ('it was cut, and its rest was said later' if rest else 'it was cut',)
    return Tag.UNKNOWN, ('the turn was over too soon to tell',)


def _answers(turn: RobotTurn, sentence: Sentence) -> bool:
    """Whether the turn answers the sentence; words that ask for nothing are answered by any."""
    if sentence.answer:
        return re.search(sentence.answer, turn.text, re.IGNORECASE) is not None
    return REPEAT.search(turn.text) is None


def is_rest(text: str, script: str) -> bool:
    """Whether `text` is a stretch of `script`, word for word."""
    words, whole = (' '.join(re.findall(r"[\w']+", t.lower())) for t in (text, script))
    return bool(words) and f' {words} ' in f' {whole} '
