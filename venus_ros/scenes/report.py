# SPDX-License-Identifier: Apache-2.0
"""What is left of a run: report.json, conversation.wav and timeline.png."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from venus_ros.core.messages import Pcm
from venus_ros.scenes.format import Scene
from venus_ros.scenes.judge import Failure
from venus_ros.scenes.log import Log
from venus_ros.scenes.measure import NAMES, latencies_ms, summary
from venus_ros.scenes.story import Story
from venus_ros.scenes.timeline import draw_timeline
from venus_ros.scenes.track import RATE_HZ

INVARIANTS = tuple(f'I{number}' for number in range(1, 9))
PACKAGES = ('numpy', 'onnxruntime', 'faster-whisper', 'piper-tts', 'mujoco', 'rclpy')


@dataclass(frozen=True, slots=True)
class Outcome:
    """A scene that was played and judged."""

    scene: Scene
    log: Log
    story: Story
    failures: tuple[Failure, ...]
    invariants: dict[str, list[str]]

    @property
    def passed(self) -> bool:
        """Whether every expectation and invariant held."""
        return not self.failures


def write_report(outcomes: Sequence[Outcome], folder: Path) -> None:
    """Write the report of all scenes, and of several one more into a folder for each."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_json(report(outcomes), folder / 'report.json')
    if len(outcomes) == 1:
        _write_media(outcomes[0], folder)
        return
    for outcome in outcomes:
        write_report([outcome], folder / _file_name(outcome.scene.name))


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Contents of report.json. Times are seconds of the scene; `scene` names it where several."""
    samples: dict[str, list[float]] = {name: [] for name in NAMES}
    for outcome in outcomes:
        for name, values in latencies_ms(outcome.log, outcome.story).items():
            samples[name] += values
    return {
        'passed': all(outcome.passed for outcome in outcomes),
        'scenes': [
            {
                'name': outcome.scene.name,
                'passed': outcome.passed,
                'failures': [str(failure) for failure in outcome.failures],
            }
            for outcome in outcomes
        ],
        'works': [item for outcome in outcomes for item in _works(outcome)],
        'said': [item for outcome in outcomes for item in _said(outcome)],
        'heard': [item for outcome in outcomes for item in _heard(outcome)],
        'latencies_ms': {name: summary(values) for name, values in samples.items()},
        'invariants': {
            name: not any(outcome.invariants.get(name) for outcome in outcomes)
            for name in INVARIANTS
        },
        'versions': versions(),
    }


def versions() -> dict[str, str]:
    """What the run was made with."""
    found = {'python': platform.python_version()}
    for package in ('venus_ros', *PACKAGES):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _works(outcome: Outcome) -> list[dict[str, Any]]:
    return [
        {
            'scene': outcome.scene.name,
            'work_id': work.work.work_id,
            'capability': work.work.capability,
            'arguments': work.arguments,
            'states': [{'state': state.name, 't_s': round(t_s, 3)} for state, t_s in work.states],
            'summary': work.work.summary,
            'delivered': work.work.delivered,
            'error_code': work.work.error_code,
        }
        for work in outcome.story.works
    ]


def _said(outcome: Outcome) -> list[dict[str, Any]]:
    return [
        {
            'scene': outcome.scene.name,
            't_s': round(turn.begin_s, 3),
            'turn_id': turn.turn_id,
            'text': turn.text,
            'played_s': round(turn.played_s, 3),
        }
        for turn in outcome.story.turns
    ]


def _heard(outcome: Outcome) -> list[dict[str, Any]]:
    return [
        {'scene': outcome.scene.name, 't_s': round(words.t_s, 3), 'text': words.text}
        for words in outcome.story.heard
    ]


def _write_json(contents: dict[str, Any], file: Path) -> None:
    text = json.dumps(contents, indent=2, ensure_ascii=False, allow_nan=False)
    file.write_text(text + '\n', encoding='utf-8')


def _write_media(outcome: Outcome, folder: Path) -> None:
    import soundfile

    soundfile.write(str(folder / 'conversation.wav'), conversation(outcome.log), RATE_HZ)
    draw_timeline(outcome.scene, outcome.log, outcome.story, folder / 'timeline.png')


def conversation(log: Log) -> Pcm:
    """Both sides on one clock. Returns int16 [samples, 2] at 16 kHz: left user, right robot."""
    samples = round(max(log.end_s, log.track.end_s) * RATE_HZ)
    robot = at_rate(log.robot_pcm, log.robot_rate_hz)
    both = np.zeros((samples, 2), np.int16)
    for channel, side in enumerate((log.track.pcm, robot)):
        length = min(samples, len(side))
        both[:length, channel] = side[:length]
    return both


def at_rate(pcm: Pcm, rate_hz: int) -> Pcm:
    """`pcm` int16 [samples] at 16 kHz."""
    if rate_hz == RATE_HZ or not len(pcm):
        return pcm
    import soxr

    return np.asarray(soxr.resample(pcm, rate_hz, RATE_HZ), np.int16)


def _file_name(name: str) -> str:
    return ''.join(letter if letter.isalnum() or letter in '-_' else '_' for letter in name)
