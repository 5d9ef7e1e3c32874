# SPDX-License-Identifier: Apache-2.0
"""How quick a run was: the latencies of the design's budgets, from its messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from venus_ros.core.messages import (
    DelegateSpan,
    Floor,
    Kind,
    Playout,
    SpanPhase,
    State,
    Stopped,
    StopRequest,
    UnitReport,
    Works,
)
from venus_ros.scenes.log import Log
from venus_ros.scenes.story import Story

ANSWER_LIMIT_S = 6.0
"""A turn that begins later than this after the user's last word is no answer to it."""

NAMES = (
    'answer',
    'audio_lag',
    'mic_to_unit',
    'duck',
    'flush',
    'stop_to_cancel',
    'goal_accepted',
    'note_admitted',
)


def latencies_ms(log: Log, story: Story) -> dict[str, list[float]]:
    """All samples of each latency, ms."""
    reports = [report for _, _, report in log.of(UnitReport)]
    return {
        'answer': [1000 * s for s in _answers(log, story)],
        'audio_lag': [report.lag_ms for report in reports],
        'mic_to_unit': [report.mic_to_unit_ms for report in reports],
        'duck': [1000 * s for s in _ducks(log, story)],
        'flush': [1000 * s for s in _flushes(log, story)],
        'stop_to_cancel': [1000 * s for s in _stops(log)],
        'goal_accepted': [1000 * s for s in _goals(log)],
        'note_admitted': [1000 * s for s in _notes(story)],
    }


def summary(samples: list[float]) -> dict[str, Any]:
    """{n, median, p95, p99}; none where there is no sample."""
    if not samples:
        return {'n': 0, 'median': None, 'p95': None, 'p99': None}
    median, p95, p99 = (round(float(v), 2) for v in np.percentile(samples, (50, 95, 99)))
    return {'n': len(samples), 'median': median, 'p95': p95, 'p99': p99}


def _answers(log: Log, story: Story) -> Iterator[float]:
    """User's last sample → first sample of the robot's turn that follows it."""
    spoken = [stretch for stretch in log.track.stretches if stretch.speech]
    starts = [*(stretch.start_s for stretch in spoken), float('inf')][1:]
    for stretch, next_s in zip(spoken, starts, strict=True):
        until_s = min(next_s, stretch.end_s + ANSWER_LIMIT_S)
        begins = [
            turn.begin_s
            for turn in story.turns
            if stretch.end_s <= turn.begin_s < until_s and not turn.work_ids
        ]
        if begins:
            yield begins[0] - stretch.end_s


def _ducks(log: Log, story: Story) -> Iterator[float]:
    """First moment at which both speak → ducked."""
    for t_s, event in story.events:
        if event.kind is not Kind.DUCKED:
            continue
        for turn in story.turns:
            for stretch in log.track.stretches:
                both_s = max(turn.begin_s, stretch.start_s)
                if both_s <= t_s <= min(turn.end_s, stretch.end_s) + 0.5:
                    yield t_s - both_s
                    break


def _flushes(log: Log, story: Story) -> Iterator[float]:
    """Decision → the speaker has dropped the turn."""
    reports = [(log.seconds(p.stamp_ns), p) for _, _, p in log.of(Playout) if p.stamp_ns]
    for t_s, event in story.events:
        if event.kind is not Kind.FLUSHED:
            continue
        for at_s, report in reports:
            gone = any(
                turn.finished and turn.discarded and turn.turn_id < event.turn_id
                for turn in report.recent
                if turn.session_id == event.session_id
            )
            if gone and at_s >= t_s:
                yield at_s - t_s
                break


def _stops(log: Log) -> Iterator[float]:
    """Call of the stop service → cancels sent."""
    asked = {request.request_id: t_s for t_s, _, request in log.of(StopRequest)}
    for _, _, stopped in log.of(Stopped):
        if stopped.request_id in asked:
            yield max(0.0, log.seconds(stopped.stamp_ns) - asked.pop(stopped.request_id))


def _goals(log: Log) -> Iterator[float]:
    """Span's end → a capability server has its goal."""
    closed = {
        span.span_id: t_s
        for t_s, _, span in log.of(DelegateSpan)
        if span.phase is SpanPhase.CLOSED
    }
    for t_s, _, works in log.of(Works):
        if works.source == 'harness':
            continue
        for work in works.works:
            if work.request_id in closed:
                yield t_s - closed.pop(work.request_id)


def _notes(story: Story) -> Iterator[float]:
    """Later of the work's end and the floor's becoming free → its note was admitted."""
    for t_s, event in story.events:
        if event.kind is not Kind.NOTE_ADMITTED:
            continue
        ends = [
            work.reached(State.COMPLETED) or work.reached(State.FAILED)
            for work in story.works
            if work.work.work_id in event.work_ids
        ]
        frees = [at_s for at_s, floor in story.floors if floor is Floor.FREE and at_s <= t_s]
        since_s = max([end for end in ends if end is not None] + frees[-1:], default=None)
        if since_s is not None and since_s <= t_s:
            yield t_s - since_s
