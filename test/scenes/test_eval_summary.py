# SPDX-License-Identifier: Apache-2.0
"""From sessions to figures: records of a log, rates with intervals, the panel, the picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from venus_ros.core.messages import (
    Event,
    Kind,
    Playout,
    PlayoutState,
    SpeechChunk,
    SpeechKind,
    TurnPlayed,
)
from venus_ros.core.voice import VoiceActivity
from venus_ros.evaluation.items import draw
from venus_ros.evaluation.outcome import Tag
from venus_ros.evaluation.panel import panel
from venus_ros.evaluation.picture import draw as draw_picture
from venus_ros.evaluation.records import Played, Record, make_record
from venus_ros.evaluation.sentences import OVERLAPS, read_script
from venus_ros.evaluation.summary import summarise, table
from venus_ros.scenes.log import Log
from venus_ros.scenes.track import RATE_HZ, Stretch, Track

SCRIPT = 'The weather has been lovely all week, and a little windy since then.'
ROBOT_HZ = 22_050
START_S, END_S = 5.0, 6.0


def ns(t_s: float) -> int:
    return round(t_s * 1e9)


class Loud:
    """A detector that takes every loud frame for voice."""

    def __call__(self, frame: np.ndarray) -> float:
        return float(np.abs(frame.astype(float)).mean() > 500)

    def reset(self) -> None:
        """It remembers nothing."""


def tone(spans: list[tuple[float, float]], rate_hz: int, length_s: float = 20.0) -> np.ndarray:
    pcm = np.zeros(round(length_s * rate_hz), np.int16)
    for begin_s, end_s in spans:
        pcm[round(begin_s * rate_hz) : round(end_s * rate_hz)] = 3000
    return pcm


def session(*turns: tuple[int, float, float, str, str]) -> Played:
    """A run with these robot turns: (turn, begin, end, why it ended, words)."""
    track = Track(tone([(START_S, END_S)], RATE_HZ), (Stretch(START_S, END_S, 'x', True),))
    log = Log(track, 0)
    recent: list[TurnPlayed] = []
    for turn_id, begin_s, end_s, why, words in turns:
        samples = round((end_s - begin_s) * ROBOT_HZ)
        pcm = np.full(samples, 3000, np.int16)
        speech = SpeechChunk('s', turn_id, 0, SpeechKind.AUDIO, 0, ROBOT_HZ, pcm, words)
        log.add(begin_s, 'frontend', speech)
        played = TurnPlayed('s', turn_id, (), samples, 0, True, ns(begin_s))
        recent.append(played)
        state = PlayoutState.IDLE
        report = Playout(ns(end_s), 's', turn_id, (), samples, 0, 0, state, recent=tuple(recent))
        log.add(end_s, 'speaker', report)
        ended = Event(
            Kind.TURN_ENDED, 's', 'frontend#1', 0, ns(end_s), turn_id=turn_id, reason=why
        )
        log.add(end_s, 'frontend', ended)
    log.robot_pcm = tone([(begin_s, end_s) for _, begin_s, end_s, _, _ in turns], ROBOT_HZ)
    log.robot_rate_hz = ROBOT_HZ
    return Played(log, track.pcm, START_S, END_S, 1, SCRIPT)


def judged(scenario: str, *turns: tuple[int, float, float, str, str]) -> Record:
    items = draw(read_script(), 'tune', scenario)
    item = next(i for i in items if not (i.sentence.wants_silence or i.sentence.before))
    item = replace(item, sentence=replace(item.sentence, answer=item.sentence.answer and 'answer'))
    return make_record(item, session(*turns), VoiceActivity(Loud()), 0.0)


def test_a_record_tells_what_the_log_shows() -> None:
    cut = (1, 2.0, 5.5, 'interrupted', SCRIPT[:20])
    record = judged('user_interruption', cut, (2, 7.0, 8.0, 'done', 'This is the answer.'))
    assert record.tag == 'respond' and record.held, record
    assert record.stop_s == pytest.approx(0.5, abs=0.02)
    assert record.response_s == pytest.approx(1.0, abs=0.02)
    assert record.bench_stop_s == pytest.approx(0.5, abs=0.15), 'by the sound: frames and pads'
    assert record.bench_response_s == pytest.approx(1.0, abs=0.15)
    assert json.loads(json.dumps(record.as_json()))['id'] == record.id


def test_a_false_stop_is_one_only_where_the_robot_should_go_on() -> None:
    cut = (1, 2.0, 5.5, 'interrupted', SCRIPT[:20])
    assert judged('user_backchannel', cut).false_stop
    assert not judged('user_interruption', cut).false_stop
    whole = judged('background_speech', (1, 2.0, 12.0, 'done', SCRIPT))
    assert whole.held and not whole.false_stop and whole.stop_s is None


@pytest.fixture(scope='module')
def some() -> Callable[..., list[Record]]:
    """Makes records of a scenario, so many of them as wanted."""
    base = judged('user_backchannel', (1, 2.0, 12.0, 'done', SCRIPT))

    def make(scenario: str, held: int, n: int, stop_s: float | None = None) -> list[Record]:
        good = 'respond' if scenario == 'user_interruption' else 'resume'
        return [
            replace(
                base,
                id=f'tune/{scenario}/{i:03d}',
                scenario=scenario,
                held=i < held,
                tag=good if i < held else Tag.UNKNOWN.value,
                stop_s=stop_s,
                response_s=0.5 if stop_s else None,
                snr='5 dB' if i % 2 else 'quiet',
            )
            for i in range(n)
        ]

    return make


def test_rates_have_wilson_intervals(some: Callable[..., list[Record]]) -> None:
    found = summarise(some('user_backchannel', 90, 100))['scenarios']['user_backchannel']
    assert (found['n'], found['rate'], found['resume'], found['unknown']) == (100, 0.9, 0.9, 0.1)
    assert found['ci'] == pytest.approx([0.8256, 0.9448], abs=2e-4)
    assert list(found['by_snr']) == ['5 dB', 'quiet']
    assert sum(cell['n'] for cell in found['by_snr'].values()) == 100


def test_the_panel_hides_what_is_too_few(some: Callable[..., list[Record]]) -> None:
    few = panel(some('user_interruption', 9, 9, stop_s=0.8))
    assert few['R_Y'] == {'n': 9, 'value': None, 'ci': None} and few['L_Y']['value'] is None
    enough = panel(
        some('user_interruption', 5, 5, stop_s=0.8)
        + some('user_interruption', 5, 5, stop_s=2.4)
        + some('talking_to_other', 12, 12)
        + some('background_speech', 4, 4, stop_s=1.9)
        + some('background_speech', 4, 4, stop_s=2.5)
    )
    assert enough['R_Y']['value'] == 0.5 and enough['L_Y']['value'] == pytest.approx(1.6)
    assert enough['S_ND']['value'] == 0.8, 'a stop later than 1 s after the end is none'
    assert enough['S_BC']['value'] is None


def test_report_table_and_picture(some: Callable[..., list[Record]], tmp_path: Path) -> None:
    records = [r for name in OVERLAPS for r in some(name, 7, 8, stop_s=0.7)]
    parts = {'tune': summarise(records), 'held': summarise([])}
    assert parts['held']['scenarios'] == {}
    lines = list(table({'tuning part': parts['tune']}))
    assert any('background_speech' in line and '0.875' in line for line in lines), lines
    draw_picture(records, parts, tmp_path / 'results.png')
    assert (tmp_path / 'results.png').stat().st_size > 10_000
