# SPDX-License-Identifier: Apache-2.0
"""What is kept of one session: what was said, heard, decided and done, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from venus_ros.core.messages import DelegateSpan, Event, Kind, Pcm, Role, SpanPhase, Transcript
from venus_ros.core.voice import VoiceActivity
from venus_ros.evaluation import outcome, timing
from venus_ros.evaluation.items import Item
from venus_ros.evaluation.outcome import Overlap, Paused, RobotTurn, Tag
from venus_ros.evaluation.sentences import PAUSE
from venus_ros.scenes.log import Log
from venus_ros.scenes.measure import latencies_ms
from venus_ros.scenes.report import at_rate
from venus_ros.scenes.story import Story, tell

WANTED = {
    'user_interruption': Tag.RESPOND,
    'user_backchannel': Tag.RESUME,
    'talking_to_other': Tag.RESUME,
    'background_speech': Tag.RESUME,
}
AUDIBLE = 50
"""Samples of the robot above it are heard, of 32768."""
DECISIONS = frozenset({
    Kind.USER_STARTED, Kind.USER_ENDED, Kind.BACKCHANNEL, Kind.INTERRUPTION, Kind.CORRECTION,
    Kind.OTHER_DIRECTED, Kind.BACKGROUND, Kind.PAUSE, Kind.DUCKED, Kind.RESTORED, Kind.FLUSHED,
    Kind.STOPPED, Kind.FAULT, Kind.UNDERRUN,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Played:
    """A session that was run.

    Attributes:
        voice: the user's side without noise, int16 [samples] at 16 kHz, from t = 0.
        start_s: first audible sample of what the item is about.
        end_s: last one.
        turn_id: the robot turn that it overlaps; 0 = none.
        script: all words of that turn.
        rest_s: where the rest after a pause begins, counted from `start_s`.
    """

    log: Log
    voice: Pcm
    start_s: float
    end_s: float
    turn_id: int
    script: str
    rest_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Record:
    """One session in a form that JSON can hold; times are seconds of the session.

    Attributes:
        held: whether the outcome is the wanted one.
        tag: one of `outcome.Tag`; of a pause `held` or `broken`.
        stop_s, response_s: see `outcome.Verdict`.
        bench_stop_s, bench_response_s: the same by the benchmark's own rule; see `timing`.
        false_stop: the robot fell silent although it should not.
        talked_into: robot turns that began while the user spoke.
        heard: (time, words, final) as the robot understood them.
        decisions: (time, kind, reason, confidence).
        turns: (turn, begin, end, why it ended, words).
    """

    id: str
    scenario: str
    part: str
    voice: str
    engine: str
    snr: str
    about: str
    say: str
    script: str
    wants_silence: bool
    start_s: float
    end_s: float
    held: bool
    tag: str
    notes: tuple[str, ...]
    stop_s: float | None
    response_s: float | None
    bench_stop_s: float | None
    bench_response_s: float | None
    yielded: bool
    taken_up: bool
    false_stop: bool
    talked_into: int
    duck_ms: tuple[float, ...]
    flush_ms: tuple[float, ...]
    heard: tuple[tuple[float, str, bool], ...] = ()
    decisions: tuple[tuple[float, str, str, float | None], ...] = ()
    turns: tuple[tuple[int, float, float, str, str], ...] = ()
    errors: tuple[str, ...] = ()
    wall_s: float = field(default=0.0)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def make_record(item: Item, played: Played, voice: VoiceActivity, wall_s: float) -> Record:
    """Judge a session that was run.

    Args:
        voice: detector for the benchmark's timing rule.
        wall_s: what the run took.
    """
    log, story = played.log, tell(played.log)
    turns = robot_turns(log, story)
    stops, responses = _bench(played, voice)
    if item.scenario == PAUSE:
        held, notes = outcome.judge_pause(item.sentence, _paused(played), turns)
        verdict = outcome.Verdict(Tag.UNKNOWN, notes=notes)
        tag = 'held' if held else 'broken'
    else:
        overlap = Overlap(played.start_s, played.end_s, played.turn_id)
        verdict = outcome.judge(item.sentence, overlap, played.script, turns)
        held, tag = verdict.tag is WANTED[item.scenario], verdict.tag.value
    measured = latencies_ms(log, story)
    return Record(
        id=item.id,
        scenario=item.scenario,
        part=item.part,
        voice=item.speaker.name,
        engine=item.speaker.engine,
        snr=item.snr,
        about=item.sentence.about,
        say=item.sentence.say,
        script=played.script,
        wants_silence=item.sentence.wants_silence,
        start_s=round(played.start_s, 3),
        end_s=round(played.end_s, 3),
        held=held,
        tag=tag,
        notes=verdict.notes,
        stop_s=_rounded(verdict.stop_s),
        response_s=_rounded(verdict.response_s),
        bench_stop_s=_rounded(stops),
        bench_response_s=_rounded(responses),
        yielded=verdict.yielded,
        taken_up=verdict.taken_up,
        false_stop=verdict.stop_s is not None and WANTED.get(item.scenario) is Tag.RESUME,
        talked_into=sum(played.start_s < turn.begin_s < played.end_s for turn in turns),
        duck_ms=tuple(round(ms, 1) for ms in measured['duck']),
        flush_ms=tuple(round(ms, 1) for ms in measured['flush']),
        heard=tuple(_heard(log)),
        decisions=tuple(_decisions(story)),
        turns=tuple((t.turn_id, _s(t.begin_s), _s(t.end_s), t.ended, t.text) for t in turns),
        errors=tuple(log.errors),
        wall_s=round(wall_s, 2),
    )


def robot_turns(log: Log, story: Story) -> list[RobotTurn]:
    """The robot's turns as they were heard, with why they ended."""
    ended = {e.turn_id: e.reason for _, e in story.events if e.kind is Kind.TURN_ENDED}
    return [
        RobotTurn(
            turn.turn_id,
            turn.text,
            turn.begin_s,
            _last_audible_s(log, turn.begin_s, turn.end_s),
            ended.get(turn.turn_id, ''),
        )
        for turn in story.turns
    ]


def _last_audible_s(log: Log, begin_s: float, end_s: float) -> float:
    """The last sample of the robot in this stretch that can be heard."""
    rate_hz = log.robot_rate_hz
    first = max(0, round(begin_s * rate_hz))
    loud = np.flatnonzero(np.abs(log.robot_pcm[first : round(end_s * rate_hz)]) > AUDIBLE)
    return (first + int(loud[-1]) + 1) / rate_hz if len(loud) else end_s


def _paused(played: Played) -> Paused:
    spans = [s for _, _, s in played.log.of(DelegateSpan) if s.phase is SpanPhase.CLOSED]
    return Paused(played.start_s + played.rest_s, played.end_s, len(spans))


def _bench(played: Played, voice: VoiceActivity) -> tuple[float | None, float | None]:
    """Stop and response latency of what the item is about, by the benchmark's rule."""
    log = played.log
    first = round(max(0.0, played.start_s - 0.5) * timing.RATE_HZ)
    robot = at_rate(log.robot_pcm, log.robot_rate_hz)
    user, model = (timing.speech(pcm[first:], voice) for pcm in (played.voice, robot))
    stops, responses = timing.latencies(user, model)
    return (stops[0] if stops else None), (responses[0] if responses else None)


def _heard(log: Log) -> Iterable[tuple[float, str, bool]]:
    for t_s, _, words in log.of(Transcript):
        if words.role is Role.USER:
            yield _s(t_s), words.text, words.final


def _decisions(story: Story) -> Iterable[tuple[float, str, str, float | None]]:
    for t_s, event in story.events:
        if event.kind in DECISIONS:
            sure = None if event.confidence != event.confidence else _s(event.confidence)
            yield _s(t_s), _name(event), event.reason, sure


def _name(event: Event) -> str:
    source = event.source.partition('#')[0]
    return f'{event.kind.name.lower()} ({source})'


def _s(value: float) -> float:
    return round(value, 2)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
