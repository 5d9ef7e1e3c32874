# SPDX-License-Identifier: Apache-2.0
"""Every fault in every state: the work ends, is told at most once, and leaves nothing running."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from venus_ros.core import messages as m
from venus_ros.core.errors import Code
from venus_ros.core.work import ENDED, legal

STATES = ('QUEUED', 'WAITING', 'RUNNING', 'CANCELLING', 'COMPLETED', 'DELIVERING')


def bring_to(bench: Any, state: str) -> str:
    """Ask for something and let it come into `state`; returns the request's id."""
    bench.robot.how.end_after = 3.0
    if state == 'QUEUED':
        bench.robot.how.accept_after = 1.0
    if state == 'COMPLETED':
        bench.frontend.floor = m.Floor.USER
    bench.frontend.tell_s = 3.0
    task = 'go kitchen then look kitchen' if state == 'WAITING' else 'go kitchen'
    span = bench.ask(task)
    if state == 'CANCELLING':
        bench.robot.how.cancel_after = 1.0
        bench.run(1)
        bench.send(m.Event(m.Kind.CANCEL_ASKED, 's1', 'frontend#1'))
    bench.run_until(lambda: bench.of(span)[-1].state.name == state, 10)
    return span


def robot_loses_it(bench: Any) -> None:
    for run in bench.robot.runs.values():
        if not run.ended:
            bench.send(m.RobotResult(run.goal.goal_id, m.GoalStatus.UNKNOWN, {}), source='robot')
            run.ended = True


def robot_cancels_by_itself(bench: Any) -> None:
    for run in bench.robot.runs.values():
        run.cancelled_s = bench.now_s


def robot_aborts(bench: Any) -> None:
    for run in bench.robot.runs.values():
        run.how = replace(run.how, status=m.GoalStatus.ABORTED, end_after=0.0)


def robot_falls_silent(bench: Any) -> None:
    quiet = replace(
        bench.robot.how, accept_after=None, end_after=None, feedback_every=None, cancel_after=None
    )
    bench.robot.how = quiet
    for run in bench.robot.runs.values():
        run.how = quiet


def robot_never_ends(bench: Any) -> None:
    for run in bench.robot.runs.values():
        run.how = replace(run.how, end_after=None)


def robot_server_dies(bench: Any) -> None:
    for name in ('navigate_to_pose', 'look'):
        bench.send(m.RobotServer(name, False, 'gone'))
    for run in bench.robot.runs.values():
        run.ended = True


def harness_restarts(bench: Any) -> None:
    bench.kill_harness()
    bench.run(1.5)
    bench.start_harness()


def harness_stands_still(bench: Any) -> None:
    bench.freeze('harness')
    bench.run(6)
    bench.thaw('harness')


def server_restarts(bench: Any) -> None:
    bench.kill_server('navigation')
    bench.run(1.5)
    bench.start_server('navigation')


def server_dies(bench: Any) -> None:
    bench.kill_server('navigation')
    bench.send(m.RobotServer('navigation/delegate', False, 'gone'))


def server_stands_still(bench: Any) -> None:
    bench.freeze('navigation')
    bench.run(6)
    bench.thaw('navigation')


def stop_is_pressed(bench: Any) -> None:
    bench.stop()


def user_withdraws(bench: Any) -> None:
    bench.send(m.Event(m.Kind.CANCEL_ASKED, 's1', 'frontend#1'))


def user_interrupts(bench: Any) -> None:
    if bench.frontend.telling:
        bench.send(*bench.frontend.cut(0.4), source='frontend')
        bench.run(2)
        bench.frontend.floor = m.Floor.FREE


def everything_comes_twice(bench: Any) -> None:
    for _, source, message in list(bench.sent)[-12:]:
        if not isinstance(message, (m.RobotGoal, m.AdmitNote, m.DelegateGoal)):
            bench.send(message, source=source)


FAULTS: list[Callable[[Any], None]] = [
    robot_loses_it,
    robot_cancels_by_itself,
    robot_aborts,
    robot_falls_silent,
    robot_never_ends,
    robot_server_dies,
    harness_restarts,
    harness_stands_still,
    server_restarts,
    server_dies,
    server_stands_still,
    stop_is_pressed,
    user_withdraws,
    user_interrupts,
    everything_comes_twice,
]


def check_all_is_well(bench: Any, robot_obeys: bool = True) -> None:
    """What must hold of every history, once everything had time to end."""
    works = bench.works()
    for work in works:
        told = sum(work.work_id in note.work_ids for note in bench.frontend.notes)
        assert work.state in ENDED, f'{bench.brief()}: never ended'
        assert legal(tuple(state for state, _ in work.states)), bench.brief()
        stamps = [ns for _, ns in work.states]
        assert stamps == sorted(stamps), bench.brief()
        assert told <= 3, f'{bench.brief()}: offered {told} times'
        if work.state is m.State.FAILED:
            assert work.error_code and work.summary, f'{bench.brief()}: failed without a reason'
            assert work.delivered, f'{bench.brief()}: a failure was never told'
        heard = bench.frontend.heard_ids.count(work.work_id)
        assert heard <= 1, f'{bench.frontend.told}: told twice'
        withdrawn = work.state in (m.State.UNSPOKEN, m.State.STALE)
        assert work.delivered == bool(heard) or withdrawn, bench.brief()
    goals = [g.goal_id for _, _, g in bench.sent if isinstance(g, m.RobotGoal)]
    assert len(goals) == len(set(goals)), 'a goal ran twice'
    if robot_obeys:
        assert not bench.robot.active, f'{bench.robot.active} still runs: {bench.brief()}'
    ends = [r.goal_id for _, _, r in bench.sent if isinstance(r, m.DelegateResult)]
    assert len(ends) == len(set(ends)), 'a goal ended twice'


@pytest.mark.parametrize('state', STATES)
@pytest.mark.parametrize('fault', FAULTS, ids=lambda f: f.__name__)
def test_a_fault_in_a_state(bench: Any, fault: Callable[[Any], None], state: str) -> None:
    span = bring_to(bench, state)
    fault(bench)
    bench.run(1)
    bench.frontend.floor = m.Floor.ROBOT if bench.frontend.telling else m.Floor.FREE
    bench.run(60 if fault is not robot_never_ends else 200)
    check_all_is_well(bench, robot_obeys=fault is not robot_falls_silent)
    assert bench.of(span), 'the request was lost'
    bench.robot.how = type(bench.robot.how)()
    again = bench.ask('bring banana')
    bench.run(15)
    assert bench.of(again)[0].state is m.State.DELIVERED, f'deaf afterwards: {bench.brief()}'


ENDS = [
    ('RUNNING', robot_aborts, Code.ABORTED),
    ('RUNNING', robot_loses_it, Code.SERVER_LOST),
    ('RUNNING', robot_falls_silent, Code.SERVER_SILENT),
    ('RUNNING', robot_never_ends, Code.TIMED_OUT),
    ('RUNNING', robot_server_dies, Code.SERVER_LOST),
    ('RUNNING', server_restarts, Code.RESTARTED),
    ('RUNNING', server_dies, Code.SERVER_LOST),
    ('RUNNING', robot_cancels_by_itself, Code.CANCELLED),
    ('QUEUED', robot_falls_silent, Code.SERVER_SILENT),
    ('CANCELLING', robot_falls_silent, Code.CANCEL_UNCONFIRMED),
    ('WAITING', robot_aborts, Code.STEP_FAILED),
]


@pytest.mark.parametrize(('state', 'fault', 'code'), ENDS)
def test_a_failure_has_its_typed_reason(
    bench: Any, state: str, fault: Callable[[Any], None], code: Code
) -> None:
    span = bring_to(bench, state)
    fault(bench)
    bench.run(200)
    work = bench.of(span)[-1]
    assert (work.state, work.error_code) == (m.State.FAILED, int(code)), bench.brief()


@pytest.mark.parametrize('obeys', [True, False])
def test_a_cancel_is_gone_on_with_by_the_next_server(bench: Any, obeys: bool) -> None:
    """Never optimistically: it counts when the robot says so, or says that it has no such goal."""
    span = bring_to(bench, 'CANCELLING')
    if not obeys:
        robot_falls_silent(bench)
    server_restarts(bench)
    bench.run(30)
    (work,) = bench.of(span)
    expected = (m.State.CANCELLED, Code.CANCELLED) if obeys else (m.State.FAILED, None)
    assert work.state is expected[0], bench.brief()
    assert work.error_code == (expected[1] or Code.CANCEL_UNCONFIRMED), bench.brief()


@pytest.mark.parametrize('fault', [harness_restarts, harness_stands_still, server_stands_still])
def test_what_goes_on_behind_a_fault_is_finished_and_told(
    bench: Any, fault: Callable[[Any], None]
) -> None:
    span = bring_to(bench, 'RUNNING')
    fault(bench)
    bench.run(10)
    (work,) = bench.of(span)
    assert work.state is m.State.DELIVERED, bench.brief()
    assert bench.frontend.told == [work.summary]


def test_a_server_that_is_not_there_is_told_within_its_limit(bench: Any) -> None:
    bench.kill_server('navigation')
    span = bench.ask('go kitchen')
    bench.run(11)
    (work,) = bench.of(span)
    assert work.error_code == Code.SERVER_ABSENT and work.delivered, bench.brief()


def test_a_robot_server_that_comes_in_time_is_used(bench: Any) -> None:
    bench.send(m.RobotServer('navigate_to_pose', False, 'starting'))
    span = bench.ask('go kitchen')
    bench.run(2)
    assert bench.count(m.RobotGoal) == 0
    bench.send(m.RobotServer('navigate_to_pose', True))
    bench.run(8)
    assert bench.of(span)[0].state is m.State.DELIVERED, bench.brief()


def test_a_robot_server_that_never_comes_fails_the_work(bench: Any) -> None:
    bench.send(m.RobotServer('navigate_to_pose', False, 'not built in'))
    span = bench.ask('go kitchen')
    bench.run(8)
    (work,) = bench.of(span)
    assert work.error_code == Code.SERVER_ABSENT and work.delivered, bench.brief()


def test_a_late_acceptance_is_cancelled_at_once(bench: Any) -> None:
    bench.robot.how.accept_after, bench.robot.how.end_after = 7.0, 60.0
    span = bench.ask('go kitchen')
    bench.run(6)
    assert bench.of(span)[0].error_code == Code.SERVER_SILENT
    bench.run(3)
    assert not bench.robot.active and bench.robot.log[-1][1] == 'CANCELED'


def test_the_next_work_waits_until_a_lost_one_has_let_go(bench: Any) -> None:
    bench.robot.how.feedback_every, bench.robot.how.end_after = None, None
    bench.robot.how.cancel_after = 2.0
    bench.ask('go kitchen')
    bench.run(14)
    bench.ask('go bedroom')
    for _ in range(100):
        bench.run(0.1)
        assert len(bench.robot.active) <= 1, bench.robot.log


@pytest.mark.parametrize('offset', [-0.2, -0.1, -0.05, 0.0, 0.05, 0.1, 0.2])
def test_a_cancel_that_races_the_end(bench: Any, offset: float) -> None:
    bench.robot.how.end_after = 2.0
    span = bench.ask('go kitchen')
    bench.run(2.0 + offset)
    bench.send(m.Event(m.Kind.CANCEL_ASKED, 's1', 'frontend#1'))
    bench.run(8)
    (work,) = bench.of(span)
    ends = [r.status for _, _, r in bench.sent if isinstance(r, m.DelegateResult)]
    assert len(ends) == 1 and work.state in ENDED, bench.brief()
    ran_out = bench.robot.log[-1][1] == 'SUCCEEDED'
    assert (m.State.COMPLETED in [s for s, _ in work.states]) == ran_out, bench.brief()
    asked_in_time = m.State.CANCELLING in [s for s, _ in work.states]
    assert not (asked_in_time and bench.frontend.told), bench.frontend.told


def test_a_second_step_does_not_start_when_the_first_outruns_its_cancel(bench: Any) -> None:
    bench.robot.how.cancel_after, bench.robot.how.end_after = None, 3.0
    span = bench.ask('go kitchen then look kitchen')
    bench.run(1)
    first = bench.of(span)[0].work_id
    bench.send(m.Event(m.Kind.CANCEL_ASKED, 's1', 'frontend#1', work_ids=(first,)))
    bench.run(10)
    first, second = bench.of(span)
    assert m.State.COMPLETED in [s for s, _ in first.states], bench.brief()
    assert second.state is m.State.CANCELLED and bench.count(m.RobotGoal) == 1


def test_a_cancel_is_asked_for_until_it_is_answered(bench: Any) -> None:
    bring_to(bench, 'RUNNING')
    bench.freeze('navigation')
    bench.send(m.Event(m.Kind.CANCEL_ASKED, 's1', 'frontend#1'))
    bench.run(4)
    assert bench.count(m.DelegateCancel) >= 3


def test_a_goal_that_the_server_lost_is_closed_soon(bench: Any) -> None:
    span = bring_to(bench, 'RUNNING')
    bench.freeze('navigation')
    (work,) = bench.of(span)
    bench.send(m.DelegateResult(work.work_id, m.GoalStatus.UNKNOWN, work))
    bench.run(4)
    assert bench.of(span)[0].state is m.State.FAILED, bench.brief()


def test_a_goal_that_comes_after_it_was_given_up_does_not_run(bench: Any) -> None:
    bench.freeze('navigation')
    span = bench.ask('go kitchen')
    bench.run(10)
    assert bench.of(span)[0].error_code == Code.SERVER_ABSENT
    held = sorted(bench.frozen['navigation'], key=lambda x: isinstance(x, m.DelegateGoal))
    bench.frozen['navigation'].clear()
    bench.frozen['navigation'].extend(x for x in held if not isinstance(x, m.DelegateCancel))
    bench.thaw('navigation')
    bench.run(2)
    assert bench.count(m.RobotGoal) == 0


def test_an_own_stall_is_nobody_elses_silence(bench: Any) -> None:
    span = bring_to(bench, 'RUNNING')
    for part in (bench.servers['navigation'], bench.harness):
        out = part.tick(bench.now_s + 60.0)
        assert not [x for x in out if isinstance(x, (m.RobotCancel, m.DelegateCancel))], out
    bench.run(6)
    assert bench.of(span)[0].state is m.State.DELIVERED, bench.brief()
