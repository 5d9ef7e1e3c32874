# SPDX-License-Identifier: Apache-2.0
"""From a request to its works: steps, corrections, refusals, requests made twice."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from venus_ros.core import messages as m
from venus_ros.core.errors import Code

FULL = 'QUEUED RUNNING COMPLETED DELIVERING DELIVERED'


def walk(work: m.Work) -> str:
    return ' '.join(state.name for state, _ in work.states)


def test_a_request_walks_from_queued_to_delivered(bench: Any) -> None:
    span = bench.ask('go kitchen')
    bench.run(6)
    (work,) = bench.of(span)
    assert walk(work) == FULL
    assert json.loads(work.arguments_json) == {'place': 'kitchen'}
    assert work.delivered and work.summary and work.observed_ns
    assert bench.frontend.told == [work.summary]


def test_states_are_announced_in_order_by_numbered_events(bench: Any) -> None:
    span = bench.ask('go kitchen')
    bench.run(6)
    (work,) = bench.of(span)
    events = [e for _, s, e in bench.sent if s == 'harness' and isinstance(e, m.Event)]
    reached = [e.reason for e in events if e.kind is m.Kind.WORK_CHANGED]
    assert reached == FULL.split()
    assert all(e.work_ids == (work.work_id,) and e.session_id == 's1' for e in events)
    assert [e.seq for e in events] == list(range(len(events)))


def test_the_journal_knows_a_goal_before_its_server(bench: Any) -> None:
    from venus_ros.harness.journal import Journal

    seen = []
    take = bench.servers['navigation'].receive

    def spy(message: Any, now_s: float) -> list[Any]:
        if isinstance(message, m.DelegateGoal):
            entries = Journal(bench.journal_path).load(bench.stamp())
            seen.append([(e.work.work_id, e.sent) for e in entries])
        return take(message, now_s)

    bench.servers['navigation'].receive = spy
    span = bench.ask('go kitchen')
    assert seen == [[(bench.of(span)[0].work_id, True)]]


def test_a_second_step_waits_for_the_first_and_both_are_told_at_once(bench: Any) -> None:
    span = bench.ask('go kitchen then look kitchen')
    bench.run(0.5)
    first, second = bench.of(span)
    assert second.after_work_id == first.work_id and second.state is m.State.WAITING
    bench.run(8)
    first, second = bench.of(span)
    assert walk(first) == FULL
    assert walk(second) == FULL.replace('QUEUED', 'QUEUED WAITING')
    assert bench.frontend.told == [f'{first.summary} {second.summary}']


def test_a_second_step_that_makes_the_first_untrue_does_not_keep_it_back(bench: Any) -> None:
    span = bench.ask('go kitchen then go hall')
    bench.run(8)
    assert bench.frontend.told == [entry.summary for entry in bench.of(span)]


def test_a_long_second_step_does_not_keep_the_first_result_back(bench: Any) -> None:
    span = bench.ask('go kitchen then bring banana')
    bench.run(1)
    bench.robot.how = replace(bench.robot.how, end_after=40.0)
    bench.run(20)
    first, second = bench.of(span)
    assert first.delivered and second.state is m.State.RUNNING, bench.brief()


def test_a_failed_first_step_ends_the_second_and_is_told_once(bench: Any) -> None:
    bench.robot.how.status = m.GoalStatus.ABORTED
    bench.robot.how.result = {'error_code': 204, 'error_msg': 'the door is blocked'}
    span = bench.ask('go kitchen then look kitchen')
    bench.run(10)
    first, second = bench.of(span)
    assert (first.error_code, first.cause_code) == (Code.ABORTED, 204)
    assert walk(second) == 'QUEUED WAITING FAILED' and second.error_code == Code.STEP_FAILED
    assert first.delivered and second.delivered
    assert len(bench.frontend.told) == 1 and bench.told('door is blocked') == 1
    assert bench.count(m.RobotGoal) == 1


def test_a_correction_cancels_what_it_replaces_and_waits_for_the_base(bench: Any) -> None:
    bench.robot.how.end_after = 8.0
    old = bench.ask('go kitchen')
    bench.run(1)
    new = bench.ask('go bedroom', corrects=old, epoch=1)
    bench.run(0.05)
    assert bench.of(new)[0].state is m.State.WAITING
    assert bench.robot.active == ['navigate_to_pose']
    bench.run(14)
    assert walk(bench.of(old)[0]) == 'QUEUED RUNNING CANCELLING CANCELLED'
    assert walk(bench.of(new)[0]) == FULL.replace('QUEUED', 'QUEUED WAITING')
    assert bench.frontend.told == [bench.of(new)[0].summary]


def test_a_correction_makes_an_undelivered_result_stale(bench: Any) -> None:
    bench.frontend.floor = m.Floor.USER
    old = bench.ask('go kitchen')
    bench.run(4)
    assert bench.of(old)[0].state is m.State.COMPLETED
    bench.ask('go bedroom', corrects=old, epoch=1)
    bench.frontend.floor = m.Floor.FREE
    bench.run(6)
    assert walk(bench.of(old)[0]) == 'QUEUED RUNNING COMPLETED STALE'
    assert not bench.told('kitchen') and bench.told('bedroom') == 1


def test_a_correction_that_the_robot_ignores_still_tells_the_new_result_only(bench: Any) -> None:
    bench.robot.how.cancel_after, bench.robot.how.end_after = None, 3.0
    old = bench.ask('go kitchen')
    bench.run(1)
    new = bench.ask('go bedroom', corrects=old, epoch=1)
    bench.run(12)
    assert bench.of(old)[0].state is m.State.STALE, bench.brief()
    assert bench.of(new)[0].state is m.State.DELIVERED
    assert not bench.told('kitchen')


def test_a_replaced_work_that_fails_is_not_told_but_kept_with_its_reason(bench: Any) -> None:
    bench.robot.how.cancel_after, bench.robot.how.end_after = None, 60.0
    old = bench.ask('go kitchen')
    bench.run(1)
    bench.robot.how = replace(bench.robot.how, end_after=2.0)
    new = bench.ask('go bedroom', corrects=old, epoch=1)
    bench.run(20)
    assert bench.of(old)[0].error_code == Code.CANCEL_UNCONFIRMED, bench.brief()
    assert bench.of(new)[0].state is m.State.DELIVERED and not bench.told('kitchen')
    assert len(bench.sent_events(m.Kind.DROPPED, 'stale')) == 1


def test_a_correction_to_the_same_thing_lets_it_run(bench: Any) -> None:
    old = bench.ask('go kitchen')
    bench.run(0.5)
    new = bench.ask('go kitchen', corrects=old, epoch=1)
    bench.run(6)
    assert bench.count(m.RobotGoal) == 1 and bench.told('kitchen') == 1
    assert [walk(work) for work in bench.of(new)] == [FULL] and not bench.of(old)


def test_a_request_made_twice_can_be_corrected_or_withdrawn_by_either_name(bench: Any) -> None:
    for name in (0, 1):
        bench.robot.how.end_after = 20.0
        spans = [bench.ask('go kitchen'), bench.ask('go kitchen')]
        bench.run(1)
        new = bench.ask('go hall', corrects=spans[name])
        bench.run(1)
        (old,) = bench.of(spans[1])
        assert old.state is m.State.CANCELLED, bench.brief()
        bench.send(m.Event(m.Kind.CANCEL_ASKED, 's1', 'f', work_ids=(bench.of(new)[0].work_id,)))
        bench.run(1)
        assert bench.of(new)[0].state is m.State.CANCELLED, bench.brief()


def test_a_correction_to_something_impossible_still_withdraws_the_old(bench: Any) -> None:
    bench.robot.how.end_after = 20.0
    old = bench.ask('go kitchen')
    bench.run(1)
    bench.ask('dance kitchen', corrects=old, epoch=1)
    bench.run(3)
    assert bench.of(old)[0].state is m.State.CANCELLED and bench.told('cannot dance') == 1


def test_the_same_request_twice_is_one_goal(bench: Any) -> None:
    for _ in range(3):
        bench.ask('go kitchen')
        bench.run(0.4)
    bench.run(6)
    assert bench.count(m.RobotGoal) == 1 and bench.told('kitchen') == 1


def test_the_same_request_after_another_one_is_a_new_goal(bench: Any) -> None:
    spans = [bench.ask(task) for task in ('go kitchen', 'go bedroom', 'go kitchen')]
    bench.run(15)
    goals = [g.goal['pose']['pose']['position']['x'] for _, _, g in bench.sent
             if isinstance(g, m.RobotGoal)]  # fmt: skip
    assert goals == [2.7, 2.3, 2.7]
    assert all(bench.of(span)[0].delivered for span in spans)


def test_the_same_request_after_its_end_is_a_new_goal(bench: Any) -> None:
    for _ in range(2):
        bench.ask('go kitchen')
        bench.run(6)
    assert bench.count(m.RobotGoal) == 2


def test_a_refused_request_is_one_failed_work_and_told_once(bench: Any) -> None:
    span = bench.ask('dance kitchen')
    bench.run(5)
    (work,) = bench.of(span)
    assert walk(work) == 'QUEUED FAILED' and work.error_code == Code.NOT_UNDERSTOOD
    assert work.delivered and bench.frontend.told == ['I cannot dance.']


def test_what_needs_a_confirmation_is_refused_aloud(bench: Any) -> None:
    skills = bench.skills
    strict = [replace(s, confirmation='always') if s.skill == 'go_to' else s for s in skills]
    bench.skills = type(skills)(strict)
    bench.start_harness()
    span = bench.ask('look hall then go kitchen')
    bench.run(5)
    (work,) = bench.of(span)
    assert work.error_code == Code.NOT_ALLOWED and bench.count(m.RobotGoal) == 0
    assert bench.told('I may not go to the kitchen without a confirmation') == 1


def test_a_planner_that_breaks_is_a_refusal_and_a_fault(bench: Any) -> None:
    span = bench.ask('crash it')
    bench.run(4)
    assert bench.of(span)[0].error_code == Code.INTERNAL
    faults = [e for _, _, e in bench.sent if isinstance(e, m.Event) and e.kind is m.Kind.FAULT]
    assert [f.reason for f in faults] == ['the planner failed: RuntimeError']


def test_too_many_requests_are_refused_aloud(bench: Any) -> None:
    bench.robot.how.end_after = 60.0
    places = ['kitchen', 'bedroom', 'hall', 'living_room']
    for number in range(10):
        bench.ask(f'go {places[number % 4]}')
    bench.run(3)
    refused = [w for w in bench.works() if w.error_code == Code.TOO_MANY]
    assert len(refused) == 2 and all(w.delivered for w in refused), bench.brief()
    assert bench.told('too much to do') == 2


def test_works_on_one_resource_run_one_after_the_other_across_servers(bench: Any) -> None:
    bench.ask('go kitchen')
    bench.ask('bring banana')
    for _ in range(60):
        bench.run(0.1)
        assert len(bench.robot.active) <= 1, bench.robot.active
    assert [w.state for w in bench.works()] == [m.State.DELIVERED] * 2


def test_works_that_wait_for_one_resource_are_sent_one_by_one(bench: Any) -> None:
    for task in ('go kitchen', 'bring banana', 'look hall'):
        bench.ask(task)
    for _ in range(90):
        bench.run(0.1)
        sent = {g.goal_id for _, s, g in bench.sent if isinstance(g, m.DelegateGoal)}
        open_ones = [w for w in bench.works() if w.work_id in sent and not w.summary]
        assert len(open_ones) <= 1, bench.brief()
    assert [w.state for w in bench.works()] == [m.State.DELIVERED] * 3


def test_a_first_step_is_remembered_as_long_as_a_second_waits_for_it(bench: Any) -> None:
    span = bench.ask('go kitchen then go hall')
    bench.run(0.5)
    bench.robot.how = replace(bench.robot.how, end_after=100.0)
    bench.send(m.DelegateGoal('g1', '', 'bring banana', priority=5))
    bench.run_until(lambda: bench.of('g1')[0].state is m.State.RUNNING)
    for _ in range(60):
        bench.ask('dance now')
        bench.run(1.2)
    bench.robot.how = replace(bench.robot.how, end_after=2.0)
    bench.run_until(lambda: not bench.of(span)[-1].state < m.State.COMPLETED)
    assert bench.of(span)[-1].state is not m.State.FAILED, bench.brief()


def test_cancel_of_everything_asked(bench: Any) -> None:
    bench.robot.how.end_after = 30.0
    spans = [bench.ask('go kitchen'), bench.ask('bring banana then go hall')]
    bench.run(1)
    bench.send(m.Event(m.Kind.CANCEL_ASKED, 's1', 'frontend#1'))
    bench.run(2)
    for span in spans:
        assert {w.state for w in bench.of(span)} == {m.State.CANCELLED}, bench.brief()
    assert not bench.robot.active and not bench.frontend.told


def test_cancel_of_one_request_leaves_the_others(bench: Any) -> None:
    bench.robot.how.end_after = 3.0
    first, second = bench.ask('go kitchen'), bench.ask('bring banana')
    bench.run(1)
    work_id = bench.of(first)[0].work_id
    bench.send(m.Event(m.Kind.CANCEL_ASKED, 's1', 'frontend#1', work_ids=(work_id,)))
    bench.run(8)
    assert bench.of(first)[0].state is m.State.CANCELLED
    assert bench.of(second)[0].state is m.State.DELIVERED


def test_a_cancel_after_completion_withdraws_the_telling(bench: Any) -> None:
    bench.frontend.floor = m.Floor.USER
    span = bench.ask('go kitchen')
    bench.run(4)
    bench.send(m.Event(m.Kind.CANCEL_ASKED, 's1', 'frontend#1'))
    bench.frontend.floor = m.Floor.FREE
    bench.run(3)
    assert walk(bench.of(span)[0]) == 'QUEUED RUNNING COMPLETED UNSPOKEN'
    ends = [r.status for _, _, r in bench.sent if isinstance(r, m.DelegateResult)]
    assert ends == [m.GoalStatus.CANCELED] and not bench.frontend.told


def test_a_stop_cancels_moves_and_their_second_steps_without_a_word(bench: Any) -> None:
    bench.robot.how.end_after = 20.0
    span, queued = bench.ask('go kitchen then look kitchen'), bench.ask('bring banana')
    bench.run(1)
    bench.stop()
    bench.run(3)
    assert {w.state for w in bench.of(span) + bench.of(queued)} == {m.State.CANCELLED}
    assert {w.error_code for w in bench.of(span)} == {int(Code.STOPPED)}, bench.brief()
    assert not bench.robot.active and not bench.frontend.told
    assert bench.count(m.RobotGoal) == 1


def test_what_is_asked_after_a_stop_runs(bench: Any) -> None:
    bench.stop()
    bench.run(1)
    span = bench.ask('go kitchen')
    bench.run(6)
    assert bench.of(span)[0].state is m.State.DELIVERED


def test_a_request_that_was_opened_before_the_stop_does_not_move(bench: Any) -> None:
    opened_ns = bench.stamp()
    bench.run(0.5)
    bench.stop()
    bench.send(m.DelegateSpan('s1', 's1/9', m.SpanPhase.CLOSED, 1, 0, opened_ns, 'go kitchen'))
    bench.run(2)
    assert bench.of('s1/9')[0].state is m.State.CANCELLED and bench.count(m.RobotGoal) == 0


@pytest.mark.parametrize(('age_s', 'goals', 'told'), [(5, 1, 0), (60, 0, 1), (900, 0, 0)])
def test_a_request_that_arrives_late_is_carried_out_or_refused_once(
    bench: Any, age_s: float, goals: int, told: int
) -> None:
    opened_ns = bench.stamp()
    bench.run(age_s)
    for _ in range(2):
        bench.send(m.DelegateSpan('s1', 's1/9', m.SpanPhase.CLOSED, 1, 0, opened_ns, 'go kitchen'))
    bench.run(6)
    assert bench.count(m.RobotGoal) == goals
    assert bench.told('left out what you asked for') == told
    assert len(bench.of('s1/9')) == goals + told


def test_a_stop_of_speech_alone_lets_moves_run(bench: Any) -> None:
    span = bench.ask('go kitchen')
    bench.run(1)
    bench.send(m.Stopped('x', bench.stamp(), m.Scope.SPEECH))
    bench.run(6)
    assert bench.of(span)[0].state is m.State.DELIVERED


@pytest.mark.parametrize('deliver', [True, False])
def test_a_general_goal_reports_its_works_and_ends_with_them(bench: Any, deliver: bool) -> None:
    bench.send(m.DelegateGoal('g1', '', 'go kitchen then look kitchen', deliver=deliver))
    bench.run(10)
    works = bench.of('g1')
    mine = [f for _, _, f in bench.sent if isinstance(f, m.DelegateFeedback) and f.goal_id == 'g1']
    assert {f.work_id for f in mine} == {w.work_id for w in works}
    (result,) = [r for _, _, r in bench.sent if isinstance(r, m.DelegateResult)
                 and r.goal_id == 'g1']  # fmt: skip
    assert result.status is m.GoalStatus.SUCCEEDED and result.work.work_id == works[1].work_id
    assert [w.delivered for w in works] == [deliver] * 2
    assert bool(bench.frontend.told) == deliver


def test_a_general_goal_with_arguments_needs_no_planner(bench: Any) -> None:
    goal = m.DelegateGoal('g1', '', arguments_json='{"place": "hall"}', skill='go_to')
    bench.send(goal)
    bench.run(6)
    assert [w.state for w in bench.of('g1')] == [m.State.DELIVERED], bench.brief()


def test_a_general_goal_may_name_its_capability(bench: Any) -> None:
    goal = m.DelegateGoal('g1', 'navigation', arguments_json='{"place": "hall"}', deliver=False)
    for message in bench.harness.receive(goal, bench.now_s):
        bench.send(message, source='harness')
    bench.run(4)
    assert [w.state for w in bench.of('g1')] == [m.State.COMPLETED], bench.brief()


def test_a_general_goal_for_a_capability_that_is_not_there_is_aborted(bench: Any) -> None:
    out = bench.harness.receive(m.DelegateGoal('g1', 'flying', task='go kitchen'), bench.now_s)
    (result,) = [x for x in out if isinstance(x, m.DelegateResult)]
    assert result.status is m.GoalStatus.ABORTED
    assert result.work.error_code == Code.UNKNOWN_CAPABILITY and 'flying' in result.work.summary


@pytest.mark.parametrize(
    ('arguments', 'code'),
    [('{"place": "mars"}', Code.INVALID_ARGUMENT), ('{', Code.INVALID_ARGUMENT)],
)
def test_a_general_goal_with_bad_arguments_is_aborted_with_a_reason(
    bench: Any, arguments: str, code: Code
) -> None:
    bench.send(m.DelegateGoal('g1', '', arguments_json=arguments, skill='go_to', deliver=False))
    (result,) = [r for _, _, r in bench.sent if isinstance(r, m.DelegateResult)]
    assert result.status is m.GoalStatus.ABORTED
    assert result.work.error_code == code and result.work.summary


def test_a_general_goals_time_limit_holds_for_its_works(bench: Any) -> None:
    bench.robot.how.end_after = 30.0
    bench.send(m.DelegateGoal('g1', '', 'go kitchen', time_limit_s=3.0))
    bench.run(5)
    assert [w.error_code for w in bench.of('g1')] == [int(Code.TIMED_OUT)]


def test_a_cancelled_general_goal_ends_canceled(bench: Any) -> None:
    bench.robot.how.end_after = 20.0
    bench.send(m.DelegateGoal('g1', '', 'go kitchen then look kitchen'))
    bench.run(1)
    bench.send(m.DelegateCancel('g1', ''))
    bench.run(2)
    (result,) = [r for _, _, r in bench.sent if isinstance(r, m.DelegateResult)
                 and r.goal_id == 'g1']  # fmt: skip
    assert result.status is m.GoalStatus.CANCELED and not bench.robot.active


def test_capabilities_tell_what_is_absent_and_why(bench: Any) -> None:
    bench.send(m.RobotServer('navigate_to_pose', False, 'not on the graph'))
    offers = [c for _, _, c in bench.sent if isinstance(c, m.Capabilities)]
    last = {c.capability: (c.available, c.reason) for c in offers[-1].capabilities}
    assert last['navigation'] == (False, 'not on the graph') and last['search'][0]
    bench.send(m.RobotServer('navigate_to_pose', True))
    offers = [c for _, _, c in bench.sent if isinstance(c, m.Capabilities)]
    assert all(c.available for c in offers[-1].capabilities)
