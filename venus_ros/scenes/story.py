# SPDX-License-Identifier: Apache-2.0
"""A run as people would tell it: who said what when, and how each work went."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from venus_ros.core.messages import (
    ConversationState,
    Event,
    Floor,
    Playout,
    Role,
    SpeechChunk,
    SpeechKind,
    State,
    Transcript,
    TurnPlayed,
    Work,
    Works,
)
from venus_ros.scenes.log import Log


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of the robot and when their sound began, s."""

    t_s: float
    text: str


@dataclass(slots=True)
class Turn:
    """A robot turn as it was heard.

    Attributes:
        begin_s: its first sample was handed to the device.
        end_s: the last one that was played.
        pieces: words whose sound began.
        work_ids: works that it tells about.
    """

    session_id: str
    turn_id: int
    begin_s: float
    end_s: float
    played_s: float
    made_s: float
    finished: bool
    pieces: tuple[Piece, ...]
    work_ids: frozenset[str]

    @property
    def text(self) -> str:
        """All words that were heard, or begun."""
        return ' '.join(piece.text.strip() for piece in self.pieces if piece.text.strip())


@dataclass(frozen=True, slots=True)
class Words:
    """Final words of the user as the robot understood them."""

    t_s: float
    text: str


@dataclass(frozen=True, slots=True)
class WorkStory:
    """A work with its states in scene time."""

    work: Work
    states: tuple[tuple[State, float], ...]
    arguments: dict[str, Any]

    @property
    def queued_s(self) -> float:
        """When it began."""
        return self.states[0][1] if self.states else 0.0

    @property
    def walk(self) -> tuple[State, ...]:
        """Its states in order."""
        return tuple(state for state, _ in self.states)

    def reached(self, state: State) -> float | None:
        """When it first reached `state`."""
        return next((t for s, t in self.states if s is state), None)


@dataclass(slots=True)
class Story:
    """The whole run."""

    turns: tuple[Turn, ...] = ()
    heard: tuple[Words, ...] = ()
    works: tuple[WorkStory, ...] = ()
    events: tuple[tuple[float, Event], ...] = ()
    floors: tuple[tuple[float, Floor], ...] = ()


def tell(log: Log) -> Story:
    """Put a run's messages together."""
    return Story(
        turns=_turns(log),
        heard=_heard(log),
        works=_works(log),
        events=tuple((_when(log, t, e.stamp_ns), e) for t, _, e in log.of(Event)),
        floors=_floors(log),
    )


def _when(log: Log, t_s: float, stamp_ns: int) -> float:
    """Scene time of a stamp, or of the message where nobody stamped it."""
    return log.seconds(stamp_ns) if stamp_ns else t_s


@dataclass(slots=True)
class _Made:
    """Speech of one turn as it was sent."""

    rate_hz: int
    samples: int = 0
    pieces: list[tuple[int, str]] = field(default_factory=list)
    work_ids: set[str] = field(default_factory=set)


def _turns(log: Log) -> tuple[Turn, ...]:
    made = _made(log)
    heard = _heard_of_turns(log, {key: m.rate_hz for key, m in made.items()})
    turns = []
    for key, (begin_s, end_s, played, finished) in heard.items():
        speech = made.get(key)
        if speech is None or played == 0:
            continue
        rate_hz = speech.rate_hz
        pieces = [(first, text) for first, text in speech.pieces if first < played]
        turns.append(
            Turn(
                *key,
                begin_s=begin_s,
                end_s=max(end_s, begin_s + played / rate_hz) if finished else end_s,
                played_s=played / rate_hz,
                made_s=speech.samples / rate_hz,
                finished=finished,
                pieces=tuple(Piece(begin_s + first / rate_hz, text) for first, text in pieces),
                work_ids=frozenset(speech.work_ids),
            )
        )
    return tuple(sorted(turns, key=lambda turn: turn.begin_s))


def _made(log: Log) -> dict[tuple[str, int], _Made]:
    made: dict[tuple[str, int], _Made] = {}
    for _, _, chunk in log.of(SpeechChunk):
        if chunk.kind is not SpeechKind.AUDIO:
            continue
        turn = made.setdefault((chunk.session_id, chunk.turn_id), _Made(chunk.sample_rate))
        turn.samples = max(turn.samples, chunk.first_sample + len(chunk.pcm))
        turn.work_ids.update(chunk.work_ids)
        if chunk.text:
            turn.pieces.append((chunk.first_sample, chunk.text))
    return made


def _heard_of_turns(
    log: Log, rates_hz: dict[tuple[str, int], int]
) -> dict[tuple[str, int], tuple[float, float, int, bool]]:
    """(session, turn) → (begin s, end s, samples played, finished), from the speaker's reports."""
    heard: dict[tuple[str, int], tuple[float, float, int, bool]] = {}
    for t_s, _, report in log.of(Playout):
        now_s = _when(log, t_s, report.stamp_ns)
        for turn in report.recent or (_current(report),):
            key = (turn.session_id, turn.turn_id)
            if turn.played == 0 or key not in rates_hz:
                continue
            begin_s, end_s, played, _ = heard.get(key, (0.0, 0.0, 0, False))
            if turn.began_ns:
                begin_s = log.seconds(turn.began_ns)
            elif key not in heard:
                begin_s = now_s - turn.played / rates_hz[key]
            if turn.played > played:
                played, end_s = turn.played, max(now_s, begin_s)
            heard[key] = (begin_s, end_s, played, turn.finished)
    return heard


def _current(report: Playout) -> TurnPlayed:
    return TurnPlayed(
        report.session_id,
        report.turn_id,
        report.work_ids,
        report.played,
        report.discarded,
        finished=report.queued == 0 and report.state.name == 'IDLE',
    )


def _heard(log: Log) -> tuple[Words, ...]:
    return tuple(
        Words(_when(log, t_s, words.start_ns or words.stamp_ns), words.text)
        for t_s, _, words in log.of(Transcript)
        if words.role is Role.USER and words.final and words.text.strip()
    )


def _works(log: Log) -> tuple[WorkStory, ...]:
    """The newest record of each work; the harness' own counts before a server's."""
    newest: dict[str, tuple[bool, int, Work]] = {}
    for _, _, works in log.of(Works):
        own = works.source == 'harness'
        for work in works.works:
            known = newest.get(work.work_id)
            if known is None or (own, len(work.states), work.revision) >= (
                known[0],
                len(known[2].states),
                known[1],
            ):
                newest[work.work_id] = (own, work.revision, work)
    stories = [_work_story(log, work) for _, _, work in newest.values()]
    return tuple(sorted(stories, key=lambda story: story.queued_s))


def _work_story(log: Log, work: Work) -> WorkStory:
    try:
        arguments = json.loads(work.arguments_json or '{}')
    except ValueError:
        arguments = {}
    return WorkStory(
        work,
        tuple((state, log.seconds(ns)) for state, ns in work.states),
        arguments if isinstance(arguments, dict) else {},
    )


def _floors(log: Log) -> tuple[tuple[float, Floor], ...]:
    floors: list[tuple[float, Floor]] = []
    for t_s, _, state in log.of(ConversationState):
        if not floors or floors[-1][1] is not state.floor:
            floors.append((_when(log, t_s, state.stamp_ns), state.floor))
    return tuple(floors)
