# SPDX-License-Identifier: Apache-2.0
"""Sessions of the evaluation with the real robot: placed to the sample, the same every time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from venus_ros.bringup.sessions import Sessions
from venus_ros.evaluation.items import Item, draw
from venus_ros.evaluation.records import Played, Record, make_record
from venus_ros.evaluation.sentences import read_script
from venus_ros.scenes.story import tell
from venus_ros.scenes.track import RATE_HZ
from venus_ros.silero import open_voice


def item(scenario: str) -> Item:
    """A quiet item in which the robot speaks by order and the user has said nothing before."""
    items = draw(read_script(), 'tune', scenario)
    found = next(i for i in items if i.snr_db is None and i.robot and not i.sentence.before)
    return replace(found, opening='')


ASKS = item('user_interruption')
FAR = item('background_speech')
SILENT = replace(FAR, place=replace(FAR.place, level_db=-90.0))


@pytest.fixture(scope='module')
def played(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Item, Played]]:
    """One item, another, and the first again, by the same models."""
    sessions = Sessions(tmp_path_factory.mktemp('clips'))
    try:
        return [(of, sessions.play(of)) for of in (ASKS, SILENT, ASKS)]
    finally:
        sessions.close()


def record(of: Item, ran: Played) -> Record:
    return make_record(of, ran, open_voice(), 0.0)


def test_the_overlap_begins_where_the_item_says(played: list[tuple[Item, Played]]) -> None:
    of, ran = played[0]
    turn = next(t for t in tell(ran.log).turns if t.turn_id == ran.turn_id)
    assert ran.start_s - turn.begin_s == pytest.approx(of.into_turn_s, abs=1 / RATE_HZ)
    assert of.robot.startswith(turn.text[:20]), turn.text
    loud = np.flatnonzero(ran.voice)
    assert loud[0] / RATE_HZ == pytest.approx(ran.start_s, abs=0.01)
    assert ran.log.end_s > ran.end_s + 3.0 - 1e-6, 'the run ended inside the window'
    assert not ran.log.errors, ran.log.errors


def test_a_session_is_the_same_again_whatever_ran_before(
    played: list[tuple[Item, Played]],
) -> None:
    assert record(*played[0]) == record(*played[2])


def test_a_robot_that_is_left_alone_goes_on(played: list[tuple[Item, Played]]) -> None:
    """Somebody who says nothing cuts nothing: a clip that cannot be heard."""
    seen = record(*played[1])
    assert (seen.tag, seen.stop_s, seen.duck_ms) == ('resume', None, ()), seen
    assert SILENT.robot.split()[-1] in seen.turns[0][4], 'the turn was not said to its end'
