# SPDX-License-Identifier: Apache-2.0
"""One conversation that goes on for an hour of counted time: what grows, is left, or drifts.

The same two minutes of talk come again and again: greetings, requests that are carried out,
questions, interruptions, backchannels and silence. The whole robot runs in this process, but for
the voice, which has one of its own; nothing that the measurement collects is kept.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from venus_ros.bringup.parts import Cast
from venus_ros.core.errors import BackendError
from venus_ros.core.messages import Event, Kind, Pcm, Playout, Say, UnitReport
from venus_ros.harness.planner.embedded import EmbeddedPlanner
from venus_ros.harness.skills import load
from venus_ros.scenes.devices import Played
from venus_ros.scenes.format import Act, Double, Scene
from venus_ros.scenes.graph import ZERO_NS, CountedClock, Graph
from venus_ros.scenes.log import Log
from venus_ros.scenes.track import RATE_HZ, Track, make_track
from venus_ros.scenes.voices import user_audio

TALK = (
    (2.0, 'hello robot'), (8.0, 'go to the kitchen'), (22.0, 'what can you do'),
    (25.5, 'uh huh'), (38.0, 'bring me the red cup'), (42.0, 'no wait, the blue one'),
    (58.0, 'what are you doing'), (66.0, 'tell me a joke'), (78.0, 'where are my keys'),
    (95.5, 'go to the bedroom'), (108.0, 'thank you'),
)  # fmt: skip
"""(time in the round, words); the one at 95.5 s interrupts `STORY`."""
ROUND_S = 120.0
STORY_S = 90.0
STORY = (
    'Let me tell you how the day has been. The sun came out early, the post was late, and in the '
    'afternoon the neighbours were playing music in their garden until it began to rain.'
)
WARM_S = 240.0
"""Two rounds, in which everything has been used twice."""
LOOK_S = 10.0
EACH_MINUTE = 6
MOST_GROWTH_MB = 20.0
COUNTED = frozenset({
    Kind.TURN_STARTED, Kind.USER_STARTED, Kind.FLUSHED,
    Kind.LATE, Kind.DROPPED, Kind.GAP, Kind.UNDERRUN, Kind.FAULT,
})  # fmt: skip
"""What happened, and what was lost."""


class Rounds(Track):
    """A track that begins again after `ROUND_S`, without an end."""

    def chunk(self, first: int, samples: int) -> Pcm:
        """Samples [first, first + samples)."""
        return np.take(self.pcm, np.arange(first, first + samples), mode='wrap')


class _Passing(list[Any]):
    """A list that keeps nothing: the measurement itself must not grow."""

    def append(self, item: Any) -> None:
        """Forget it."""


@dataclass(slots=True)
class Soak:
    """What was seen. Each look: (counted s, MB of all processes, threads, open files, own MB)."""

    looks: list[tuple[float, float, int, int, float]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    drift_s: tuple[float, float] = (0.0, 0.0)
    lag_ms: float = 0.0
    wall_s: float = 0.0
    errors: list[str] = field(default_factory=list)

    def record(self) -> dict[str, Any]:
        """As it stands in soak.json; growth is of medians, first and last tenth after warm-up."""
        warm = np.array([look for look in self.looks if look[0] >= WARM_S] or self.looks)
        tenth = max(1, len(warm) // 10)
        first, last = np.median(warm[:tenth], axis=0), np.median(warm[-tenth:], axis=0)
        hours = np.ptp(warm[:, 0]) / 3600
        slope = np.polyfit(warm[:, 0] / 3600, warm[:, 1], 1)[0] if len(warm) > 2 else 0.0
        held = last[1] - first[1] <= MOST_GROWTH_MB and (last[2:4] <= first[2:4]).all()
        return {
            'held': bool(held) and not self.errors,
            'counted_s': round(self.looks[-1][0], 1),
            'wall_s': round(self.wall_s, 1),
            'memory_mb': {
                'after_warm_up': round(float(first[1]), 1),
                'at_end': round(float(last[1]), 1),
                'growth': round(float(last[1] - first[1]), 1),
                'growth_per_hour': round(float(slope), 1),
                'hours': round(float(hours), 3),
            },
            'threads': {'after_warm_up': int(first[2]), 'at_end': int(last[2])},
            'open_files': {'after_warm_up': int(first[3]), 'at_end': int(last[3])},
            'drift_ms': [round(1000 * value, 1) for value in self.drift_s],
            'worst_lag_ms': round(self.lag_ms, 1),
            'counts': dict(sorted(self.counts.items())),
            'errors': self.errors[:10],
            'by_minute_mb': {
                'graph': [round(look[4], 1) for look in self.looks[::EACH_MINUTE]],
                'voice': [round(look[1] - look[4], 1) for look in self.looks[::EACH_MINUTE]],
            },
        }


def soak(minutes: float, folder: Path) -> bool:
    """Run, write `soak.json` into `folder`, and return whether nothing grew, was left or failed.

    Raises:
        VenusError: a model or a voice is missing.
    """
    from venus_ros.frontends.embedded.frontend import EmbeddedFrontend

    skills = load()
    robots = {server: Double(after_s=6.0) for server in sorted({s.server for s in skills})}
    acts = tuple(Act(at, say=words) for at, words in TALK)
    scene = Scene('soak', Path('soak'), user=acts, robots=robots)
    track = _rounds(make_track(scene, user_audio))
    clock, seen = CountedClock(), Soak()
    log = Log(track, ZERO_NS)
    played: Played = _Passing()
    folder.mkdir(parents=True, exist_ok=True)
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix='venus-soak-') as scratch:
        cast = Cast(
            scene,
            track,
            skills,
            EmbeddedPlanner(skills),
            lambda scene: EmbeddedFrontend(counted=True),
            clock,
            Path(scratch),
            played,
        )
        graph = Graph(cast.parts(), clock, log)
        try:
            _run(graph, log, 60 * minutes, seen)
        finally:
            graph.close()
            seen.wall_s, seen.errors = time.monotonic() - began_s, log.errors
            held = bool(seen.looks) and _conclude(seen, folder)  # also if it was interrupted
    return held


def _conclude(seen: Soak, folder: Path) -> bool:
    made = seen.record()
    (folder / 'soak.json').write_text(json.dumps(made, indent=1) + '\n', encoding='utf-8')
    print(_line(made))
    return bool(made['held'])


def _line(made: dict[str, Any]) -> str:
    memory, threads, files = made['memory_mb'], made['threads'], made['open_files']
    return (
        f'{made["counted_s"] / 60:.0f} min of talk in {made["wall_s"] / 60:.1f} min: '
        f'memory {memory["after_warm_up"]:.0f} MB {memory["growth"]:+.1f} '
        f'({memory["growth_per_hour"]:+.1f} an hour), '
        f'threads {threads["after_warm_up"]} → {threads["at_end"]}, '
        f'files {files["after_warm_up"]} → {files["at_end"]}, '
        f'unit drift {made["drift_ms"]} ms, {made["counts"].get("units", 0)} units, '
        f'{len(made["errors"])} errors: {"held" if made["held"] else "NOT HELD"}'
    )


def _rounds(track: Track) -> Rounds:
    pcm = np.zeros(round(ROUND_S * RATE_HZ), np.int16)
    pcm[: len(track.pcm)] = track.pcm[: len(pcm)]
    return Rounds(pcm, track.stretches)


def _run(graph: Graph, log: Log, until_s: float, seen: Soak) -> None:
    story = 0
    next_look_s = 0.0
    while graph.clock.t_s < until_s:
        if graph.clock.t_s >= story * ROUND_S + STORY_S:
            graph.post('user', Say(f'story-{story}', STORY))
            story += 1
        graph.step()
        for entry in log.entries:
            _count(entry.message, entry.t_s, seen)
        log.entries.clear()
        if graph.clock.t_s >= next_look_s:
            next_look_s += LOOK_S
            seen.looks.append((graph.clock.t_s, *_look()))
            if sys.stdout.isatty():
                t_s, memory_mb = seen.looks[-1][:2]
                print(f'\r{t_s / 60:5.1f} min  {memory_mb:7.1f} MB', end='', flush=True)


def _count(message: Any, t_s: float, seen: Soak) -> None:
    if isinstance(message, UnitReport):
        seen.counts['units'] += 1
        seen.lag_ms = max(seen.lag_ms, message.lag_ms)
        late_s = t_s - (message.stamp_ns - ZERO_NS) / 1e9
        low, high = seen.drift_s
        seen.drift_s = (min(low, late_s), max(high, late_s))
    elif isinstance(message, Event):
        if message.kind in COUNTED:
            seen.counts[message.kind.name.lower()] += 1
    elif isinstance(message, Playout):
        seen.counts['underruns'] = max(seen.counts['underruns'], message.underruns)


def _look() -> tuple[float, int, int, float]:
    """(MB of this process and its children, its threads, its open files, its own MB); resident."""
    try:
        import psutil
    except ModuleNotFoundError:
        raise BackendError('is not installed: pip install psutil', 'psutil') from None
    this = psutil.Process()
    own_mb = this.memory_info().rss / 1e6
    others_mb = sum(child.memory_info().rss for child in this.children(recursive=True)) / 1e6
    return own_mb + others_mb, this.num_threads(), this.num_fds(), own_mb
