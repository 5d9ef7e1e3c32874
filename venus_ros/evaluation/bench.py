# SPDX-License-Identifier: Apache-2.0
"""What a live run cost, against the budgets: latencies, losses, processor and memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from venus_ros.core.messages import Event, Kind, UnitReport
from venus_ros.evaluation.meter import Usage
from venus_ros.scenes.log import Log
from venus_ros.scenes.measure import latencies_ms
from venus_ros.scenes.report import Outcome

FLOOR = 'bare_goal'
"""From the sending of a bare action goal to its acceptance, beside the run."""
SHOWN = (
    'answer', 'audio_lag', 'mic_to_unit', 'flush', 'duck', 'stop_to_cancel', 'goal_accepted',
    FLOOR, 'note_admitted',
)  # fmt: skip
LOSSES = {
    'gaps': Kind.GAP,
    'underruns': Kind.UNDERRUN,
    'late': Kind.LATE,
    'dropped': Kind.DROPPED,
}


@dataclass(frozen=True, slots=True)
class Budget:
    """The value `statistic` of what is measured may be at most `limit`."""

    what: str
    statistic: str
    limit: float


BUDGETS = (
    Budget('answer', 'median', 1200),
    Budget('audio_lag', 'max', 200),
    Budget('mic_to_unit', 'p99', 40),
    Budget('flush', 'p99', 60),
    Budget('duck', 'p95', 120),
    Budget('stop_to_cancel', 'max', 20),
    Budget('goal_accepted', 'p95 over the floor', 25),
    Budget('gaps', 'count', 0),
    Budget('gap_samples', 'count', 0),
)
IDLE_BUDGET = Budget('cpu_percent', 'sum', 20)


@dataclass(slots=True)
class Run:
    """One scene that was played live.

    Attributes:
        outcome: the run and its verdict.
        usage: process → what it took.
        pictures_hz: pictures per second that were sent, and that the frontend looked at.
        floor_ms: `FLOOR`, measured beside the run.
    """

    outcome: Outcome
    usage: Mapping[str, Usage]
    pictures_hz: Mapping[str, float]
    floor_ms: list[float] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Name of its scene."""
        return self.outcome.scene.name

    def latencies(self) -> dict[str, dict[str, Any]]:
        """What was measured, in ms → n, median, p95, p99, max."""
        samples = latencies_ms(self.outcome.log, self.outcome.story)
        samples[FLOOR] = self.floor_ms
        return {name: spread(samples[name]) for name in SHOWN}


def spread(samples: Sequence[float]) -> dict[str, Any]:
    """{n, median, p95, p99, max}; none where there is no sample."""
    if not samples:
        return {'n': 0, 'median': None, 'p95': None, 'p99': None, 'max': None}
    values = (*np.percentile(samples, (50, 95, 99)), max(samples))
    rounded = (round(float(value), 2) for value in values)
    return dict(zip(('n', 'median', 'p95', 'p99', 'max'), (len(samples), *rounded), strict=True))


def losses(log: Log) -> dict[str, int]:
    """How often something was lost or came late, and the samples of sound that were lost."""
    kinds = [event.kind for _, _, event in log.of(Event)]
    lost = sum(report.gap_samples for _, _, report in log.of(UnitReport))
    return {name: kinds.count(kind) for name, kind in LOSSES.items()} | {'gap_samples': lost}


def verdicts(run: Run) -> list[dict[str, Any]]:
    """Each budget with what was seen: {what, statistic, limit, seen, held}; held none = unseen."""
    latencies, lost = run.latencies(), losses(run.outcome.log)
    found = []
    for budget in BUDGETS:
        if budget.statistic == 'count':
            seen: float | None = lost[budget.what]
        elif budget.statistic == 'p95 over the floor':
            seen = _over(latencies[budget.what]['p95'], latencies[FLOOR]['p95'])
        else:
            seen = latencies[budget.what][budget.statistic]
        found.append(_verdict(budget, seen))
    return found


def idle_verdict(run: Run) -> dict[str, Any]:
    """The processor's share of all of the graph's own processes."""
    own = [u.cpu_percent for name, u in run.usage.items() if is_own(name)]
    return _verdict(IDLE_BUDGET, round(sum(own), 1))


def is_own(process: str) -> bool:
    """Whether a process belongs to the robot's graph, and not to the measurement."""
    return not process.startswith('double_') and process not in ('camera', 'sim', 'bench')


def _over(value: float | None, floor: float | None) -> float | None:
    return None if value is None or floor is None else round(value - floor, 2)


def _verdict(budget: Budget, seen: float | None) -> dict[str, Any]:
    return {
        'what': budget.what,
        'statistic': budget.statistic,
        'limit': budget.limit,
        'seen': seen,
        'held': None if seen is None else seen <= budget.limit,
    }


def record(run: Run, found: list[dict[str, Any]]) -> dict[str, Any]:
    """A run as it stands in bench.json."""
    return {
        'passed': run.outcome.passed,
        'failures': [str(failure) for failure in run.outcome.failures],
        'seconds': round(run.outcome.log.end_s, 1),
        'latencies_ms': run.latencies(),
        'losses': losses(run.outcome.log),
        'pictures_hz': dict(run.pictures_hz),
        'processes': {name: usage.record() for name, usage in sorted(run.usage.items())},
        'budgets': found,
    }


def table(run: Run, found: list[dict[str, Any]]) -> Iterator[str]:
    """Lines for people."""
    by_name = {verdict['what']: verdict for verdict in found}
    yield f'{"":<16}{"n":>6}{"median":>9}{"p95":>9}{"p99":>9}{"max":>9}   ms'
    for name, values in run.latencies().items():
        if values['n']:
            cells = ''.join(f'{values[key]:>9.1f}' for key in ('median', 'p95', 'p99', 'max'))
            yield f'{name:<16}{values["n"]:>6}{cells}   {_told(by_name.get(name))}'.rstrip()
    lost = losses(run.outcome.log)
    yield ', '.join(f'{name} {count}' for name, count in lost.items())
    if run.pictures_hz:
        yield 'pictures/s: ' + ', '.join(f'{k} {hz:.1f}' for k, hz in run.pictures_hz.items())
    yield f'{"process":<24}{"cpu %":>8}{"peak %":>8}{"MB":>8}{"growth":>8}'
    for name, usage in sorted(run.usage.items()):
        yield (
            f'{name:<24}{usage.cpu_percent:>8.1f}{usage.peak_percent:>8.1f}'
            f'{usage.rss_mb[-1]:>8.0f}{usage.growth_mb:>+8.1f}'
        )
    for verdict in found:
        if verdict['held'] is False:
            yield f'NOT HELD: {verdict["what"]} {_told(verdict)}'


def _told(verdict: dict[str, Any] | None) -> str:
    if verdict is None or verdict['held'] is None:
        return ''
    word = 'held' if verdict['held'] else 'NOT HELD'
    return f'{verdict["statistic"]} {verdict["seen"]:g} <= {verdict["limit"]:g}: {word}'
