# SPDX-License-Identifier: Apache-2.0
"""The capability server alone, as a person on the command line or another program uses it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from venus_ros.core import messages as m
from venus_ros.core.errors import Code, VenusError
from venus_ros.harness.job import robot_goal_id
from venus_ros.harness.server import CapabilityServer
from venus_ros.harness.skills import Skills

ID = '11111111-1111-4111-8111-111111111111'
OTHER = '22222222-2222-4222-8222-222222222222'


class Direct:
    """A server without a harness; the test plays the robot."""

    def __init__(self, skills: Skills, now_s: float = 0.0) -> None:
        self.now_s = now_s
        self.server = CapabilityServer(
            'navigation', skills, source='navigation#1', stamp=lambda: int(self.now_s * 1e9) + 1
        )
        self.out: list[Any] = []

    def send(self, message: Any) -> list[Any]:
        out = self.server.receive(message, self.now_s)
        self.out += out
        return out

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 10)):
            self.now_s += 0.1
            self.out += self.server.tick(self.now_s)

    def ask(self, goal_id: str = ID, deliver: bool = False, **fields: Any) -> list[Any]:
        fields.setdefault('arguments_json', '{"place": "kitchen"}')
        return self.send(m.DelegateGoal(goal_id, 'navigation', deliver=deliver, **fields))

    def accept(self, goal_id: str = ID) -> list[Any]:
        return self.send(m.RobotAnswer(robot_goal_id(goal_id), True))

    def end(self, status: m.GoalStatus, goal_id: str = ID, **result: Any) -> list[Any]:
        return self.send(m.RobotResult(robot_goal_id(goal_id), status, result))

    def of(self, kind: type) -> list[Any]:
        return [message for message in self.out if isinstance(message, kind)]

    def work(self, goal_id: str = ID) -> m.Work:
        return next(w for w in self.server.works() if w.work_id == goal_id)


@pytest.fixture
def direct(skills: Skills) -> Direct:
    return Direct(skills)


def walk(direct: Direct) -> str:
    return ' '.join(f.state.name for f in direct.of(m.DelegateFeedback))


def test_a_goal_without_delivery_ends_when_completed(direct: Direct) -> None:
    direct.ask()
    direct.accept()
    direct.end(m.GoalStatus.SUCCEEDED)
    assert walk(direct) == 'QUEUED RUNNING COMPLETED'
    (result,) = direct.of(m.DelegateResult)
    assert result.status is m.GoalStatus.SUCCEEDED and result.work.summary
    assert json.loads(result.work.arguments_json) == {'place': 'kitchen'}


def test_a_goal_with_delivery_stays_open_until_the_harness_says_told(direct: Direct) -> None:
    direct.ask(deliver=True)
    direct.accept()
    direct.end(m.GoalStatus.SUCCEEDED)
    assert not direct.of(m.DelegateResult)
    told = direct.work()
    for state in (m.State.DELIVERING, m.State.DELIVERED):
        told = m.Work(
            ID, 'navigation', state, (*told.states, (state, 10**12)),
            delivered=state is m.State.DELIVERED,
        )  # fmt: skip
        direct.send(m.Works('harness', (told,)))
    assert walk(direct) == 'QUEUED RUNNING COMPLETED DELIVERING DELIVERED'
    (result,) = direct.of(m.DelegateResult)
    assert result.status is m.GoalStatus.SUCCEEDED and result.work.delivered


def test_without_a_harness_a_result_becomes_unspoken_after_the_limit(direct: Direct) -> None:
    direct.ask(deliver=True)
    direct.accept()
    direct.end(m.GoalStatus.SUCCEEDED)
    direct.run(185)
    (result,) = direct.of(m.DelegateResult)
    assert (result.status, result.work.state) == (m.GoalStatus.SUCCEEDED, m.State.UNSPOKEN)


def test_the_next_goal_runs_while_a_result_waits_to_be_told(direct: Direct) -> None:
    direct.ask(deliver=True)
    direct.accept()
    direct.end(m.GoalStatus.SUCCEEDED)
    assert any(isinstance(x, m.RobotGoal) for x in direct.ask(OTHER))


def test_goals_queue_for_the_resource_in_order_of_priority(direct: Direct) -> None:
    direct.ask()
    direct.ask(OTHER)
    urgent = '33333333-3333-4333-8333-333333333333'
    direct.ask(urgent, priority=5)
    assert direct.work(OTHER).state is direct.work(urgent).state is m.State.WAITING
    direct.accept()
    direct.end(m.GoalStatus.SUCCEEDED)
    assert [g.goal_id for g in direct.of(m.RobotGoal)] == [
        robot_goal_id(ID), robot_goal_id(urgent)
    ]  # fmt: skip


def test_a_failure_aborts_at_once_with_the_robots_own_reason(direct: Direct) -> None:
    direct.ask(deliver=True)
    direct.accept()
    direct.end(m.GoalStatus.ABORTED, error_code=208, error_msg='No valid path found.')
    (result,) = direct.of(m.DelegateResult)
    assert result.status is m.GoalStatus.ABORTED and result.work.state is m.State.FAILED
    assert (result.work.error_code, result.work.cause_code) == (Code.ABORTED, 208)
    assert 'no valid path found' in result.work.summary.lower()


@pytest.mark.parametrize(
    ('fields', 'code'),
    [
        ({'arguments_json': '{"place": "mars"}'}, Code.INVALID_ARGUMENT),
        ({'arguments_json': '{}'}, Code.MISSING_ARGUMENT),
        ({'arguments_json': '["kitchen"]'}, Code.INVALID_ARGUMENT),
        ({'arguments_json': '{"place": NaN}'}, Code.INVALID_ARGUMENT),
        ({'arguments_json': '{"place": "kitchen", "speed": 99}'}, Code.INVALID_ARGUMENT),
        ({'arguments_json': 'kitchen'}, Code.INVALID_ARGUMENT),
        ({'arguments_json': '[' * 5000}, Code.INVALID_ARGUMENT),
        ({'time_limit_s': -1.0}, Code.INVALID_ARGUMENT),
        ({'skill': 'fly_to'}, Code.UNKNOWN_SKILL),
        ({'arguments_json': '', 'task': 'go to the kitchen'}, Code.MISSING_ARGUMENT),
    ],
)
def test_a_wrong_goal_is_accepted_and_aborted_with_a_reason(
    direct: Direct, fields: dict[str, Any], code: Code
) -> None:
    direct.ask(**fields)
    (answer,), (result,) = direct.of(m.DelegateAnswer), direct.of(m.DelegateResult)
    assert answer.accepted and result.status is m.GoalStatus.ABORTED
    assert result.work.error_code == code and result.work.summary
    assert not direct.of(m.RobotGoal)


def test_goals_that_are_not_its_own_or_come_twice_are_declined(direct: Direct) -> None:
    direct.ask()
    direct.ask()
    direct.send(m.DelegateGoal(OTHER, 'search', arguments_json='{}'))
    answers = direct.of(m.DelegateAnswer)
    assert [a.accepted for a in answers] == [True, False, False]
    assert answers[1].reason.startswith('duplicate')
    assert answers[2].reason.startswith('other_capability')
    assert len(direct.of(m.RobotGoal)) == 1


def test_an_unknown_capability_has_no_server(skills: Skills) -> None:
    with pytest.raises(VenusError, match='flying') as error:
        CapabilityServer('flying', skills, source='x', stamp=lambda: 0)
    assert error.value.code is Code.UNKNOWN_CAPABILITY


def test_a_cancel_before_acceptance_reaches_the_robot_after_it(direct: Direct) -> None:
    direct.ask()
    direct.send(m.DelegateCancel(ID, 'navigation'))
    assert direct.work().state is m.State.CANCELLING
    assert any(isinstance(x, m.RobotCancel) for x in direct.accept())
    direct.end(m.GoalStatus.CANCELED)
    assert walk(direct) == 'QUEUED CANCELLING CANCELLED'
    assert [r.status for r in direct.of(m.DelegateResult)] == [m.GoalStatus.CANCELED]


def test_a_cancel_is_never_optimistic(direct: Direct) -> None:
    direct.ask()
    direct.accept()
    direct.send(m.DelegateCancel(ID, 'navigation'))
    direct.run(2)
    assert direct.work().state is m.State.CANCELLING and not direct.of(m.DelegateResult)
    direct.end(m.GoalStatus.CANCELED)
    assert direct.work().state is m.State.CANCELLED


def test_an_ignored_cancel_is_told_truthfully(direct: Direct) -> None:
    direct.ask()
    direct.accept()
    direct.send(m.DelegateCancel(ID, 'navigation'))
    direct.run(6)
    work = direct.work()
    assert (work.state, work.error_code) == (m.State.FAILED, int(Code.CANCEL_UNCONFIRMED))
    assert 'could not make sure that the robot has stopped' in work.summary


def test_a_queued_goal_is_cancelled_at_once(direct: Direct) -> None:
    direct.ask()
    direct.ask(OTHER)
    direct.send(m.DelegateCancel(OTHER, 'navigation'))
    assert direct.work(OTHER).state is m.State.CANCELLED
    assert len(direct.of(m.RobotGoal)) == 1


def test_feedback_becomes_progress_in_words(direct: Direct) -> None:
    direct.ask()
    direct.accept()
    for metres in (4.0, 2.0, 1.0):
        message = m.RobotFeedback(robot_goal_id(ID), {'distance_remaining': metres})
        out = direct.send(message)
    (feedback,) = [x for x in out if isinstance(x, m.DelegateFeedback)]
    assert feedback.progress == pytest.approx(0.75) and 'metre' in feedback.text


def test_fast_feedback_does_not_flood_the_works(direct: Direct) -> None:
    direct.ask()
    direct.accept()
    before = len(direct.of(m.Works))
    for number in range(100):
        message = m.RobotFeedback(robot_goal_id(ID), {'distance_remaining': 10 - number / 10})
        direct.send(message)
        direct.run(0.1)
    assert len(direct.of(m.Works)) - before <= 11


def test_an_action_without_feedback_may_be_silent(skills: Skills) -> None:
    (go_to,) = skills.of('navigation')
    quiet = replace(go_to, limits=replace(go_to.limits, feedback_gap_s=0.0))
    direct = Direct(Skills([quiet]))
    direct.ask()
    direct.accept()
    direct.run(100)
    assert direct.work().state is m.State.RUNNING
    direct.end(m.GoalStatus.SUCCEEDED)
    assert direct.work().state is m.State.COMPLETED


def test_the_goals_own_time_limit_goes_before_the_skills(direct: Direct) -> None:
    direct.ask(time_limit_s=3.0)
    direct.accept()
    direct.run(4)
    assert direct.work().error_code == Code.TIMED_OUT
    assert [c.goal_id for c in direct.of(m.RobotCancel)] == [robot_goal_id(ID)]


def test_a_stop_takes_moves_asked_before_it_and_none_after(direct: Direct) -> None:
    direct.ask()
    direct.accept()
    direct.run(1)
    stopped = m.Stopped('s', int(direct.now_s * 1e9), m.Scope.ALL)
    direct.send(stopped)
    direct.end(m.GoalStatus.CANCELED)
    assert (direct.work().state, direct.work().error_code) == (m.State.CANCELLED, Code.STOPPED)
    direct.run(1)
    direct.ask(OTHER)
    direct.send(stopped)
    assert direct.work(OTHER).state is m.State.QUEUED


def test_a_new_server_calls_off_what_the_old_one_left_and_never_repeats_it(direct: Direct) -> None:
    left = m.Work(
        ID, 'navigation', m.State.RUNNING,
        ((m.State.QUEUED, 1), (m.State.RUNNING, 2)), skill='go_to',
        arguments_json='{"place": "kitchen"}',
    )  # fmt: skip
    direct.send(m.Works('harness', (left,)))
    assert direct.of(m.RobotCancel) == [m.RobotCancel('navigate_to_pose', robot_goal_id(ID))]
    work = direct.work()
    assert (work.state, work.error_code) == (m.State.FAILED, int(Code.RESTARTED))
    direct.run(10)
    assert not direct.of(m.RobotGoal)


def queued(queued_ns: int) -> m.Works:
    work = m.Work(
        ID, 'navigation', m.State.QUEUED, ((m.State.QUEUED, queued_ns),), skill='go_to'
    )  # fmt: skip
    return m.Works('harness', (work,))


def test_what_was_asked_after_the_start_is_no_leftover(direct: Direct) -> None:
    """The harness tells of a work before its goal arrives."""
    direct.run(1)
    direct.send(queued(queued_ns=int(0.9e9)))
    direct.ask()
    direct.accept()
    assert not direct.of(m.RobotCancel) and direct.work().state is m.State.RUNNING


@pytest.mark.parametrize('answered', [True, False])
def test_a_goal_waits_for_the_cancel_of_an_earlier_goal(skills: Skills, answered: bool) -> None:
    direct = Direct(skills, now_s=5.0)
    direct.send(queued(queued_ns=int(3e9)))
    assert direct.of(m.RobotCancel) == [m.RobotCancel('navigate_to_pose', robot_goal_id(ID))]
    direct.ask()
    direct.run(0.3)
    assert not direct.of(m.RobotGoal)
    if answered:
        direct.end(m.GoalStatus.UNKNOWN)
    else:
        direct.run(1)
    assert len(direct.of(m.RobotGoal)) == 1
    direct.accept()
    assert direct.work().state is m.State.RUNNING


def test_works_are_kept_to_the_last_fifty(direct: Direct) -> None:
    for number in range(70):
        goal_id = f'00000000-0000-4000-8000-{number:012d}'
        direct.ask(goal_id)
        direct.accept(goal_id)
        direct.end(m.GoalStatus.SUCCEEDED, goal_id)
    assert len(direct.server.works()) == 50
