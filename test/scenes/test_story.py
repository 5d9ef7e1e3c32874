# SPDX-License-Identifier: Apache-2.0
"""What a run's messages come to: turns as heard, works as they went, latencies, and its end."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from venus_ros.core import messages as m
from venus_ros.scenes.ending import ASKED_S, LONGEST_S, QUIET_S, Ending
from venus_ros.scenes.format import Act, ExpectSilence, Scene
from venus_ros.scenes.log import Log
from venus_ros.scenes.measure import latencies_ms, summary
from venus_ros.scenes.report import Outcome, conversation, report
from venus_ros.scenes.story import Story, tell
from venus_ros.scenes.track import Stretch, Track

RATE_HZ = 16_000
ZERO_NS = 1_000


def ns(t_s: float) -> int:
    """Stamp of a scene time."""
    return ZERO_NS + round(t_s * 1e9)


def a_log(*messages: tuple[float, str, Any]) -> Log:
    """A run whose user speaks from 1 to 2 s."""
    pcm = np.zeros(2 * RATE_HZ, np.int16)
    pcm[RATE_HZ:] = 1000
    log = Log(Track(pcm, (Stretch(1.0, 2.0, 'hello', speech=True),)), ZERO_NS)
    for t_s, source, message in messages:
        log.add(t_s, source, message)
    log.end_s = 10.0
    return log


def speech(turn_id: int, first_s: float, text: str, work: str = '') -> m.SpeechChunk:
    """One second of speech."""
    ids = (work,) if work else ()
    pcm = np.ones(RATE_HZ, np.int16)
    first = round(first_s * RATE_HZ)
    return m.SpeechChunk('s', turn_id, 0, m.SpeechKind.AUDIO, first, RATE_HZ, pcm, text, ids)


def playout(t_s: float, turn_id: int, played_s: float, **fields: Any) -> m.Playout:
    """A report of the speaker about one turn that began at 3 s."""
    played, discarded = round(played_s * RATE_HZ), fields.pop('discarded', 0)
    turn = m.TurnPlayed(
        's', turn_id, (), played, discarded, fields.pop('finished', False), ns(3.0)
    )
    state = fields.pop('state', m.PlayoutState.PLAYING)
    return m.Playout(ns(t_s), 's', turn_id, (), played, 0, discarded, state, recent=(turn,))


def a_work(state: m.State, *states: tuple[m.State, float], **fields: Any) -> m.Work:
    """A record of the work 'w'."""
    stamped = tuple((s, ns(t)) for s, t in states)
    return m.Work('w', 'navigation', state, stamped, arguments_json='{"place": "hall"}', **fields)


def test_only_what_was_played_counts_as_said() -> None:
    log = a_log(
        (2.5, 'frontend', speech(1, 0.0, 'I will')),
        (2.6, 'frontend', speech(1, 1.0, 'go there.')),
        (2.7, 'frontend', speech(2, 0.0, 'Never heard.')),
        (3.5, 'speaker', playout(3.5, 1, 0.5)),
        (4.0, 'speaker', playout(4.0, 1, 0.9, discarded=20_000, finished=True)),
    )
    (turn,) = tell(log).turns
    assert (turn.text, turn.begin_s, turn.played_s) == ('I will', 3.0, pytest.approx(0.9))
    assert turn.made_s == 2.0 and turn.finished and turn.end_s == pytest.approx(4.0)


def test_a_turn_whose_speaker_died_ends_where_it_was_last_heard() -> None:
    log = a_log(
        (2.5, 'frontend', speech(1, 0.0, 'I will')),
        (3.5, 'speaker', playout(3.5, 1, 0.5)),
        (9.0, 'speaker', m.Playout(ns(9.0), '', 0, (), 0, 0, 0, m.PlayoutState.IDLE)),
    )
    (turn,) = tell(log).turns
    assert turn.end_s == pytest.approx(3.5) and not turn.finished


def test_the_harness_record_counts_before_a_servers() -> None:
    s = m.State
    own = a_work(s.RUNNING, (s.QUEUED, 3.0), (s.RUNNING, 3.1), revision=2)
    servers = replace(own, states=(*own.states, (s.COMPLETED, ns(5.0))), revision=9)
    log = a_log((3.1, 'harness', m.Works('harness', (own,))))
    log.add(5.0, 'navigation', m.Works('navigation', (servers,)))
    (work,) = tell(log).works
    assert work.walk == (s.QUEUED, s.RUNNING) and work.arguments == {'place': 'hall'}
    assert work.reached(s.RUNNING) == pytest.approx(3.1)


def test_a_work_that_only_a_server_told_is_known() -> None:
    s = m.State
    log = a_log((3.0, 'navigation', m.Works('navigation', (a_work(s.QUEUED, (s.QUEUED, 3.0)),))))
    assert [work.walk for work in tell(log).works] == [(s.QUEUED,)]


def test_latencies_come_from_the_messages() -> None:
    s = m.State
    done = a_work(s.COMPLETED, (s.QUEUED, 2.5), (s.COMPLETED, 4.0), request_id='s/1')
    span = m.DelegateSpan('s', 's/1', m.SpanPhase.CLOSED, 1, 0, ns(2.4))
    flushed = m.Event(m.Kind.FLUSHED, 's', stamp_ns=ns(3.5), turn_id=2)
    admitted = m.Event(m.Kind.NOTE_ADMITTED, 's', stamp_ns=ns(5.2), work_ids=('w',))
    log = a_log(
        (2.5, 'frontend', speech(1, 0.0, 'Hello.')),
        (2.5, 'frontend', span),
        (2.6, 'navigation', m.Works('navigation', (done,))),
        (3.4, 'speaker', playout(3.4, 1, 0.4)),
        (3.5, 'frontend', flushed),
        (3.6, 'speaker', playout(3.54, 1, 0.5, discarded=99, finished=True)),
        (5.0, 'frontend', m.ConversationState('s', m.Floor.FREE, stamp_ns=ns(5.0))),
        (5.2, 'frontend', admitted),
        (6.0, 'user', m.StopRequest('x')),
        (6.1, 'reflex', m.Stopped('x', ns(6.004), m.Scope.ALL)),
        (6.2, 'frontend', m.UnitReport('s', 1, ns(6.2), mic_to_unit_ms=7.0, lag_ms=3.0)),
    )
    found = latencies_ms(log, tell(log))
    assert {name: [round(v) for v in values] for name, values in found.items()} == {
        'answer': [1000],
        'audio_lag': [3],
        'mic_to_unit': [7],
        'duck': [],
        'flush': [40],
        'stop_to_cancel': [4],
        'goal_accepted': [100],
        'note_admitted': [200],
    }


def test_percentiles_and_their_absence() -> None:
    assert summary([]) == {'n': 0, 'median': None, 'p95': None, 'p99': None}
    assert summary([1.0, 2.0, 3.0])['median'] == 2.0


def test_a_report_is_plain_json_with_both_sides_on_one_clock() -> None:
    log = a_log()
    log.robot_pcm, log.robot_rate_hz = np.full(4 * 8000, 500, np.int16), 8000
    outcome = Outcome(Scene('x', Path('x.yaml')), log, Story(), (), {'I1': [], 'I5': ['broken']})
    contents = json.loads(json.dumps(report([outcome]), allow_nan=False))
    assert contents['invariants']['I1'] and not contents['invariants']['I5']
    sound = conversation(log)
    assert sound.shape == (10 * RATE_HZ, 2) and sound.dtype == np.int16
    assert sound[RATE_HZ + 10, 0] == 1000 and abs(int(sound[3 * RATE_HZ, 1]) - 500) < 5
    assert not sound[2 * RATE_HZ + 10 :, 0].any() and not sound[5 * RATE_HZ :, 1].any()


# ---- the end ---------------------------------------------------------------------------------


def an_ending(*expect: Any) -> Ending:
    scene = Scene('x', Path('x.yaml'), user=(Act(1.0, say='hello'),), expect=expect)
    return Ending(scene, a_log().track)


def test_a_scene_is_over_when_nothing_has_gone_on_for_a_while() -> None:
    ending = an_ending()
    assert not ending.over(2.0 + QUIET_S - 0.1) and ending.over(2.0 + QUIET_S)
    ending = an_ending(ExpectSilence(20.0, 500))
    assert not ending.over(20.0) and ending.over(20.5 + QUIET_S)


@pytest.mark.parametrize(
    ('busy', 'free'),
    [
        (m.ConversationState('s', m.Floor.THINKING), m.ConversationState('s', m.Floor.FREE)),
        (playout(3.0, 1, 0.1), playout(3.0, 1, 0.1, state=m.PlayoutState.IDLE)),
        (
            m.Works('harness', (a_work(m.State.RUNNING),)),
            m.Works('harness', (a_work(m.State.DELIVERED),)),
        ),
    ],
    ids=['thinking', 'speaking', 'working'],
)
def test_what_goes_on_keeps_a_scene_open_but_not_for_ever(busy: Any, free: Any) -> None:
    ending = an_ending()
    ending.see(3.0, busy)
    assert not ending.over(40.0)
    ending.see(40.0, free)
    assert not ending.over(40.0 + QUIET_S - 0.5) and ending.over(40.1 + QUIET_S)
    ending = an_ending()
    ending.see(3.0, busy)
    assert ending.over(2.0 + LONGEST_S)


def test_a_request_may_take_its_time_to_become_a_work() -> None:
    ending = an_ending()
    ending.see(3.0, m.DelegateSpan('s', 's/1', m.SpanPhase.CLOSED, 1, 0, 0))
    assert not ending.over(3.0 + ASKED_S - 1.0) and ending.over(3.0 + ASKED_S + QUIET_S)


def test_units_that_run_late_are_waited_for() -> None:
    ending = an_ending()
    ending.see(3.0, m.UnitReport('s', 1, 0, lag_ms=5000))
    assert not ending.over(2.0 + QUIET_S + 4.0) and ending.over(2.0 + QUIET_S + 5.0)
