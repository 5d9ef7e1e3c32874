# SPDX-License-Identifier: Apache-2.0
"""Doubles of the robot's action servers behave as a scene says."""

from __future__ import annotations

from typing import Any

import pytest

from venus_ros.core.messages import (
    GoalStatus,
    RobotAnswer,
    RobotCancel,
    RobotFeedback,
    RobotGoal,
    RobotResult,
    RobotServer,
)
from venus_ros.scenes.format import Double
from venus_ros.sim.double import RobotDouble

SERVER = 'navigate_to_pose'


class Play:
    """Runs a double in steps of 20 ms of counted time, goals and cancels at given moments."""

    def __init__(self, double: RobotDouble, origin_s: float = 777.0) -> None:
        self.log: list[tuple[float, Any]] = []
        self._double = double
        self._origin_s = origin_s
        self._step = 0
        self._take(double.tick(origin_s))

    @property
    def t_s(self) -> float:
        return self._step * 0.02

    def until(self, t_s: float) -> None:
        while self.t_s < t_s - 1e-6:
            self._step += 1
            self._take(self._double.tick(self._origin_s + self.t_s))

    def send(self, message: Any) -> None:
        self._take(self._double.receive(message, self._origin_s + self.t_s))

    def goal(self, goal_id: str = 'one') -> None:
        self.send(RobotGoal(goal_id, SERVER, '', {}))

    def of(self, cls: type) -> list[tuple[float, Any]]:
        return [(round(t, 2), m) for t, m in self.log if isinstance(m, cls)]

    def _take(self, messages: list[Any]) -> None:
        self.log += [(self.t_s, message) for message in messages]


def play(start_s: float = 0.0, **behaviour: Any) -> Play:
    return Play(RobotDouble(SERVER, Double(**behaviour), start_s))


def test_ok_answers_reports_and_succeeds_in_time() -> None:
    run = play(after_s=8.0, feedback_hz=2.0)
    run.goal()
    run.until(10)
    assert [(t, a.accepted) for t, a in run.of(RobotAnswer)] == [(0.0, True)]
    ((t_s, result),) = run.of(RobotResult)
    assert (t_s, result.status) == (8.0, GoalStatus.SUCCEEDED)
    shares = [f.feedback['progress'] for _, f in run.of(RobotFeedback)]
    assert len(shares) == pytest.approx(16, abs=1)
    assert shares == sorted(shares)
    assert 0 <= shares[0] < 0.05 and 0.9 < shares[-1] <= 1


def test_abort_gives_the_robots_own_code_and_words() -> None:
    run = play(result='abort', after_s=1.0, error_code=208, error_msg='no way')
    run.goal()
    run.until(2)
    ((_, result),) = run.of(RobotResult)
    assert result.status is GoalStatus.ABORTED
    assert result.result == {'error_code': 208, 'error_msg': 'no way'}


def test_refuse_answers_no_and_nothing_else() -> None:
    run = play(result='refuse', accept_after_s=0.5)
    run.goal()
    run.until(5)
    ((t_s, answer),) = run.of(RobotAnswer)
    assert (t_s, answer.accepted) == (0.5, False)
    assert not run.of(RobotResult) and not run.of(RobotFeedback)


def test_silent_accepts_and_is_never_heard_of_again() -> None:
    run = play(result='silent', after_s=1.0)
    run.goal()
    run.until(60)
    assert run.of(RobotAnswer)[0][1].accepted
    assert not run.of(RobotResult) and not run.of(RobotFeedback)


def test_a_late_answer_shifts_the_end() -> None:
    run = play(accept_after_s=3.0, after_s=2.0)
    run.goal()
    run.until(6)
    assert run.of(RobotAnswer)[0][0] == 3.0
    assert run.of(RobotResult)[0][0] == 5.0


@pytest.mark.parametrize(
    ('ignore', 'status', 'at_s'),
    [(False, GoalStatus.CANCELED, 1.1), (True, GoalStatus.SUCCEEDED, 4.0)],
)
def test_cancel_is_obeyed_or_ignored(ignore: bool, status: GoalStatus, at_s: float) -> None:
    run = play(after_s=4.0, ignore_cancel=ignore)
    run.goal()
    run.until(1)
    run.send(RobotCancel(SERVER, 'one'))
    run.until(6)
    ((t_s, result),) = run.of(RobotResult)
    assert (t_s, result.status) == (at_s, status)


def test_cancel_all_ends_every_goal_of_this_server_only() -> None:
    run = play(after_s=4.0)
    run.goal('one')
    run.goal('two')
    run.send(RobotCancel('pick_place'))
    run.until(1)
    assert not run.of(RobotResult)
    run.send(RobotCancel(SERVER))
    run.until(2)
    assert {r.goal_id for _, r in run.of(RobotResult)} == {'one', 'two'}


def test_dying_takes_the_goals_with_it() -> None:
    run = play(after_s=5.0, die_at_s=2.0)
    run.goal()
    run.until(9)
    assert [(t, s.available) for t, s in run.of(RobotServer)] == [(0.0, True), (2.0, False)]
    assert not run.of(RobotResult)
    run.goal('two')
    assert not run.of(RobotAnswer)[-1][1].accepted


def test_absent_until_its_time() -> None:
    run = play(unavailable_until_s=3.0)
    run.goal('early')
    run.until(4)
    run.goal('late')
    run.until(8)
    assert [(t, s.available) for t, s in run.of(RobotServer)] == [(0.0, False), (3.0, True)]
    assert [(a.goal_id, a.accepted) for _, a in run.of(RobotAnswer)] == [
        ('early', False),
        ('late', True),
    ]


def test_its_clock_can_start_before_the_scene_and_be_set_later() -> None:
    run = play(start_s=-1.0, die_at_s=1.0)
    run.until(1.9)
    assert run.of(RobotServer)[-1][1].available
    run.until(2.1)
    assert not run.of(RobotServer)[-1][1].available
    double = RobotDouble(SERVER, Double(die_at_s=2.0))
    double.tick(100.0)
    double.set_time(0.0, 110.0)
    assert double.tick(111.5) == []
    assert [m.available for m in double.tick(112.1)] == [False]


def test_a_goal_id_that_is_open_is_refused_again() -> None:
    run = play(after_s=4.0)
    run.goal()
    run.goal()
    assert [a.accepted for _, a in run.of(RobotAnswer)] == [True, False]
