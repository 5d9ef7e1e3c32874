# SPDX-License-Identifier: Apache-2.0
"""Stop latency against false stops: the same items, with a more or less willing robot.

What is shifted are the log odds from which a voice over the robot's counts as meant for it
(`floor.MEANT`, `floor.SURELY_MEANT`), in this process and for the time of the sweep.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from venus_ros.bringup.evaluating import CLIPS, drawn, run
from venus_ros.evaluation.bench import spread
from venus_ros.evaluation.records import Record
from venus_ros.evaluation.sentences import OVERLAPS
from venus_ros.evaluation.summary import share
from venus_ros.frontends.embedded import floor

SHIFTS = (-3.0, -1.5, 0.0, 1.5, 3.0)
"""Log odds; the robot as it is shipped is at 0."""


def sweep(folder: Path, part: str, each: int) -> None:
    """Run `each` items of every scenario of overlap at each shift; `sweep.json` in `folder`.

    Raises:
        VenusError: a model or a voice is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    items = drawn((part,), OVERLAPS, each)
    points: list[dict[str, Any]] = []
    for shift in SHIFTS:
        with _shifted(shift):
            points.append({'shift': shift, **_point(list(run(items, folder / CLIPS)))})
        print(_line(points[-1]), flush=True)
        text = json.dumps({'part': part, 'points': points}, indent=1)
        (folder / 'sweep.json').write_text(text + '\n', encoding='utf-8')


@contextmanager
def _shifted(by: float) -> Iterator[None]:
    meant, surely = floor.MEANT, floor.SURELY_MEANT
    floor.MEANT, floor.SURELY_MEANT = meant + by, surely + by
    try:
        yield
    finally:
        floor.MEANT, floor.SURELY_MEANT = meant, surely


def _point(records: Sequence[Record]) -> dict[str, Any]:
    wanted = [r for r in records if r.scenario == OVERLAPS[0]]
    others = [r for r in records if r.scenario != OVERLAPS[0]]
    stops = [r.stop_s for r in wanted if r.stop_s is not None]
    return {
        'true_stop_s': spread(stops),
        'stopped': share([r.stop_s is not None for r in wanted]),
        'respond': share([r.held for r in wanted]),
        'false_stops': share([r.false_stop for r in others]),
    }


def _line(point: dict[str, Any]) -> str:
    stop, false = point['true_stop_s'], point['false_stops']
    low, high = false['ci']
    return (
        f'shift {point["shift"]:+.1f}: stopped {point["stopped"]["rate"]:.2f}, '
        f'answered {point["respond"]["rate"]:.2f}, '
        f'median {stop["median"]} s, p95 {stop["p95"]} s; '
        f'false stops {false["rate"]:.3f} [{low:.3f}, {high:.3f}] (n {false["n"]})'
    )
