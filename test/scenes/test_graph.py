# SPDX-License-Identifier: Apache-2.0
"""The in-process graph: who gets what, and what a kill, a freeze and a restart do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from venus_ros.core.errors import ConfigError
from venus_ros.core.messages import (
    AdmitNote,
    AudioChunk,
    Capabilities,
    DelegateAnswer,
    DelegateGoal,
    NoteAnswer,
    RobotAnswer,
    RobotGoal,
    RobotServer,
    Stopped,
    StopRequest,
    TypedText,
)
from venus_ros.scenes.graph import PREROLL_S, RESPAWN_S, STEP_S, CountedClock, Graph, Part
from venus_ros.scenes.log import Log
from venus_ros.scenes.track import Track


class Probe:
    """Keeps what it receives; says once what it was made to say."""

    def __init__(self, *says: Any) -> None:
        self.got: list[Any] = []
        self.ticks = 0
        self._says = list(says)

    def receive(self, message: Any, now_s: float) -> list[Any]:
        if isinstance(message, StopRequest) and message.request_id == 'crash':
            raise RuntimeError('crashed as asked')
        self.got.append(message)
        return []

    def tick(self, now_s: float) -> list[Any]:
        self.ticks += 1
        says, self._says = self._says, []
        return says


class Stage:
    """A graph of probes; `made[name]` are all engines of a part, the newest last."""

    def __init__(self, **parts: tuple[tuple[type, ...], tuple[Any, ...]]) -> None:
        self.made: dict[str, list[Probe]] = {name: [] for name in parts}
        self.log = Log(Track(np.zeros(0, np.int16), ()), 0)
        self.clock = CountedClock()
        made = [
            Part(name, self._maker(name, says), takes, within='both' if name != 'other' else '')
            for name, (takes, says) in parts.items()
        ]
        self.graph = Graph(made, self.clock, self.log)

    def _maker(self, name: str, says: tuple[Any, ...]) -> Any:
        def make() -> Probe:
            self.made[name].append(Probe(*(says if not self.made[name] else ())))
            return self.made[name][-1]

        return make

    def got(self, name: str) -> list[Any]:
        return self.made[name][-1].got

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            self.graph.step()


WORDS = TypedText(0, 'hello')
KNOWN = Capabilities(())


@pytest.mark.parametrize(
    ('asks', 'answer'),
    [
        (DelegateGoal('g', 'navigation'), DelegateAnswer('g', False, 'absent')),
        (RobotGoal('g', 'look', 'type', {}), RobotAnswer('g', False, 'absent')),
        (AdmitNote('s', 'g', (), ''), NoteAnswer('g', False, 'absent')),
    ],
)
def test_who_asks_a_dead_one_is_told_that_nobody_is_there(asks: Any, answer: Any) -> None:
    stage = Stage(a=((type(answer),), ()), other=((type(asks),), ()))
    stage.graph.kill('other')
    stage.graph.post('a', asks)
    stage.run(STEP_S)
    assert stage.got('a') == [answer] and asks not in [e.message for e in stage.log.entries]
    stage.run(RESPAWN_S)
    stage.graph.post('a', asks)
    stage.run(STEP_S)
    assert stage.got('a') == [answer] and stage.got('other') == [asks]


def test_servers_of_a_dead_one_are_seen_to_go() -> None:
    stage = Stage(a=((RobotServer,), ()), other=((), (RobotServer('look', True),)))
    stage.run(STEP_S)
    stage.graph.kill('other')
    stage.run(STEP_S)
    assert [(s.server, s.available) for s in stage.got('a')] == [('look', True), ('look', False)]


def test_time_is_counted_from_before_the_first_sample() -> None:
    stage = Stage(a=((), ()))
    assert stage.clock.t_s == -PREROLL_S and stage.clock.now_s == 0
    stage.run(PREROLL_S)
    assert stage.clock.t_s == 0 and stage.made['a'][0].ticks == round(PREROLL_S / STEP_S)


def test_messages_go_to_who_takes_them_and_never_back() -> None:
    stage = Stage(a=((TypedText,), (WORDS,)), b=((TypedText,), ()), other=((Stopped,), ()))
    stage.run(STEP_S)
    assert (stage.got('a'), stage.got('b'), stage.got('other')) == ([], [WORDS], [])
    assert [(e.source, e.message) for e in stage.log.entries] == [('a', WORDS)]


def test_a_dead_part_loses_messages_and_is_made_again() -> None:
    stage = Stage(a=((TypedText,), ()), other=((), ()))
    stage.graph.kill('a')
    stage.graph.post('user', WORDS)
    stage.run(RESPAWN_S - 0.1)
    assert len(stage.made['a']) == 1
    stage.run(0.2)
    assert len(stage.made['a']) == 2 and stage.got('a') == []


def test_without_respawn_a_part_stays_dead_until_restarted() -> None:
    stage = Stage(a=((), ()))
    stage.graph.kill('a', respawn=False)
    stage.run(2 * RESPAWN_S)
    assert len(stage.made['a']) == 1
    stage.graph.restart('a')
    assert len(stage.made['a']) == 2


def test_a_new_part_is_given_what_is_latched_by_the_living() -> None:
    stage = Stage(a=((), (KNOWN,)), other=((Capabilities,), ()))
    stage.run(STEP_S)
    stage.graph.restart('other')
    assert stage.got('other') == [KNOWN]
    stage.graph.kill('a', respawn=False)
    stage.graph.restart('other')
    assert stage.got('other') == [], 'what a dead part had latched is gone'


def test_a_frozen_part_finds_what_its_topics_hold() -> None:
    stage = Stage(a=((TypedText, AudioChunk), ()))
    stage.graph.freeze('a')
    ticks = stage.made['a'][0].ticks
    for first in range(60):
        stage.graph.post('user', AudioChunk(0, 'mic', first, 16_000, np.zeros(1, np.int16)))
    stage.graph.post('user', WORDS)
    stage.run(1.0)
    assert stage.got('a') == [] and stage.made['a'][0].ticks == ticks
    stage.graph.thaw('a')
    got = stage.got('a')
    assert [m.first_sample for m in got[:-1]] == list(range(10, 60)) and got[-1] == WORDS


def test_parts_of_one_process_share_its_fate() -> None:
    stage = Stage(a=((), ()), b=((), ()), other=((), ()))
    stage.graph.restart('both')
    assert [len(stage.made[name]) for name in ('a', 'b', 'other')] == [2, 2, 1]


def test_an_error_is_recorded_and_the_part_goes_on() -> None:
    stage = Stage(a=((StopRequest,), ()))
    stage.graph.post('user', StopRequest('crash'))
    stage.graph.post('user', StopRequest('fine'))
    stage.run(STEP_S)
    assert stage.got('a') == [StopRequest('fine')]
    assert len(stage.log.errors) == 1 and 'crashed as asked' in stage.log.errors[0]


def test_unknown_nodes_are_named_with_those_that_there_are() -> None:
    with pytest.raises(ConfigError, match=r'ghost: no such node; there are a'):
        Stage(a=((), ())).graph.kill('ghost')
