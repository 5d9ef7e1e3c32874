# SPDX-License-Identifier: Apache-2.0
"""The telling: when, how often, and what becomes of it when somebody dies in the middle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from venus_ros.core import messages as m
from venus_ros.core.errors import Code
from venus_ros.harness.journal import Journal


def walk(work: m.Work) -> str:
    return ' '.join(state.name for state, _ in work.states)


def last(bench: Any, span: str) -> m.Work:
    return bench.of(span)[-1]


def test_nothing_is_told_while_the_user_speaks(bench: Any) -> None:
    bench.frontend.floor = m.Floor.USER
    span = bench.ask('go kitchen')
    bench.run(20)
    assert not bench.frontend.notes and last(bench, span).state is m.State.COMPLETED
    bench.frontend.floor = m.Floor.FREE
    bench.run(0.1)
    assert last(bench, span).state is m.State.DELIVERING
    bench.run(2)
    assert bench.frontend.told == [last(bench, span).summary]


def test_a_note_goes_out_in_the_step_in_which_the_work_completed(bench: Any) -> None:
    span = bench.ask('go kitchen')
    bench.run_until(lambda: bench.of(span)[0].summary != '')
    completed = next(t for t, _, x in bench.sent if isinstance(x, m.RobotResult))
    admitted = next(t for t, _, x in bench.sent if isinstance(x, m.AdmitNote))
    assert admitted == completed


def test_results_that_come_while_the_floor_is_taken_are_told_together(bench: Any) -> None:
    bench.frontend.floor = m.Floor.USER
    spans = [bench.ask('go kitchen'), bench.ask('bring banana')]
    bench.run(8)
    bench.frontend.floor = m.Floor.FREE
    bench.run(3)
    assert len(bench.frontend.told) == 1
    assert all(last(bench, span).summary in bench.frontend.told[0] for span in spans)


def test_a_frontend_that_refuses_is_asked_again(bench: Any) -> None:
    bench.frontend.accepts = False
    span = bench.ask('go kitchen')
    bench.run(5)
    assert last(bench, span).state is m.State.COMPLETED
    bench.frontend.accepts = True
    bench.run(2)
    assert last(bench, span).state is m.State.DELIVERED and len(bench.frontend.notes) == 1


def test_an_unanswered_offer_is_repeated_under_the_same_id(bench: Any) -> None:
    bench.freeze('frontend')
    bench.ask('go kitchen')
    bench.run(8)
    ids = {x.attempt_id for _, _, x in bench.sent if isinstance(x, m.AdmitNote)}
    assert len(ids) == 1 and bench.count(m.AdmitNote) > 1
    bench.thaw('frontend')
    bench.run(3)
    assert len(bench.frontend.told) == 1


def test_a_cut_telling_is_offered_again_at_most_twice(bench: Any) -> None:
    bench.frontend.tell_s = 3.0
    span = bench.ask('go kitchen')
    for _ in range(3):
        bench.run_until(lambda: bench.frontend.telling)
        bench.run(1)
        bench.send(*bench.frontend.cut(0.3), source='frontend')
        bench.run(1)
        bench.frontend.floor = m.Floor.FREE
    bench.run(10)
    assert len(bench.frontend.notes) == 3
    work = last(bench, span)
    assert walk(work) == 'QUEUED RUNNING COMPLETED DELIVERING UNSPOKEN'
    assert work.error_code == Code.NOT_TOLD and not work.delivered


def test_a_cut_telling_that_is_heard_the_second_time_is_delivered(bench: Any) -> None:
    bench.frontend.tell_s = 3.0
    span = bench.ask('go kitchen')
    bench.run_until(lambda: bench.frontend.telling)
    bench.send(*bench.frontend.cut(0.3), source='frontend')
    bench.run(1)
    assert last(bench, span).state is m.State.DELIVERING
    bench.frontend.floor = m.Floor.FREE
    bench.run(5)
    assert last(bench, span).state is m.State.DELIVERED and len(bench.frontend.notes) == 2


def test_what_is_told_when_the_user_says_stop_is_not_told_again(bench: Any) -> None:
    bench.frontend.tell_s = 3.0
    span = bench.ask('go kitchen')
    bench.run_until(lambda: bench.frontend.telling)
    bench.stop()
    bench.send(*bench.frontend.cut(0.3), source='frontend')
    bench.frontend.floor = m.Floor.FREE
    bench.run(20)
    assert last(bench, span).state is m.State.UNSPOKEN and len(bench.frontend.notes) == 1


def test_a_frontend_that_chooses_silence_is_asked_three_times(bench: Any) -> None:
    bench.frontend.tells = False
    span = bench.ask('go kitchen')
    bench.run(60)
    assert last(bench, span).state is m.State.UNSPOKEN and len(bench.frontend.notes) == 3


def test_what_cannot_be_told_within_the_limit_is_unspoken(bench: Any) -> None:
    bench.frontend.floor = m.Floor.USER
    good = bench.ask('go kitchen')
    bench.run(4)
    bench.robot.how = replace(bench.robot.how, status=m.GoalStatus.ABORTED)
    bad = bench.ask('go hall')
    bench.run(130)
    assert last(bench, good).state is m.State.UNSPOKEN
    assert last(bench, bad).state is m.State.FAILED and not last(bench, bad).delivered
    bench.frontend.floor = m.Floor.FREE
    bench.run(5)
    assert not bench.frontend.told, 'told too late'
    ends = [r.status for _, _, r in bench.sent if isinstance(r, m.DelegateResult)]
    assert sorted(ends) == [m.GoalStatus.SUCCEEDED, m.GoalStatus.ABORTED]


@pytest.mark.parametrize('hangs', ['before it answers', 'while it tells'])
def test_a_frontend_that_hangs_for_good_does_not_keep_works_open(bench: Any, hangs: str) -> None:
    bench.frontend.tell_s = 1000.0
    if hangs == 'before it answers':
        bench.freeze('frontend')
    span = bench.ask('go kitchen')
    bench.run(190)
    assert last(bench, span).state is m.State.UNSPOKEN, bench.brief()
    bench.frontend.tell_s = 1.0
    if hangs == 'before it answers':
        bench.thaw('frontend')
    bench.frontend.floor = m.Floor.FREE
    again = bench.ask('go hall')
    bench.run(8)
    assert last(bench, again).state is m.State.DELIVERED, bench.brief()
    assert max(bench.frontend.heard_ids.count(w.work_id) for w in bench.works()) == 1


def test_a_muted_robot_tells_when_it_may_speak_again(bench: Any) -> None:
    state = m.ConversationState('s1', m.Floor.FREE, muted=True)
    bench.send(state, source='frontend')
    span = bench.ask('go kitchen')
    bench.run(5)
    assert not bench.frontend.notes
    bench.send(replace(state, muted=False), source='frontend')
    bench.run(2)
    assert last(bench, span).state is m.State.DELIVERED


# ---- somebody dies in the middle -----------------------------------------------------------


def playout(bench: Any, note: m.AdmitNote, session: str, played: int, discarded: int = 0,
            finished: bool = True) -> m.Playout:  # fmt: skip
    turn = m.TurnPlayed(session, 7, note.work_ids, played, discarded, finished)
    return m.Playout(
        bench.stamp(), session, 7, note.work_ids, played, 0, discarded, m.PlayoutState.IDLE,
        recent=(turn,),
    )  # fmt: skip


def start_telling(bench: Any) -> tuple[str, m.AdmitNote]:
    bench.frontend.tell_s, bench.frontend.speaker_reports = 30.0, False
    span = bench.ask('go kitchen')
    bench.run_until(lambda: bench.frontend.telling)
    bench.run(0.5)
    return span, bench.frontend.notes[-1]


@pytest.mark.parametrize('played', [0, 4000])
def test_a_new_frontend_tells_what_nobody_heard_and_only_that(bench: Any, played: int) -> None:
    span, note = start_telling(bench)
    bench.send(playout(bench, note, 's1', played), source='speaker')
    bench.frontend = type(bench.frontend)('s2')
    bench.run(10)
    work = last(bench, span)
    if played:
        assert (work.state, work.error_code) == (m.State.UNSPOKEN, int(Code.HEARD_UNKNOWN))
        assert not bench.frontend.notes
    else:
        assert work.state is m.State.DELIVERED and bench.frontend.told == [work.summary]


def test_a_result_of_the_old_session_is_told_in_the_new_one(bench: Any) -> None:
    bench.frontend.floor = m.Floor.USER
    span = bench.ask('go kitchen')
    bench.run(4)
    bench.frontend = type(bench.frontend)('s2')
    bench.run(3)
    assert last(bench, span).state is m.State.DELIVERED
    assert bench.frontend.notes[0].session_id == 's2'


def restart_harness(bench: Any) -> None:
    bench.kill_harness()
    bench.run(1)
    bench.start_harness()


def test_a_new_harness_learns_from_the_speaker_what_was_heard_meanwhile(bench: Any) -> None:
    span, note = start_telling(bench)
    bench.kill_harness()
    bench.frontend.tell_s = 0.0
    bench.run(0.5)
    assert bench.frontend.told
    bench.send(playout(bench, note, 's1', 8000), source='speaker')
    bench.start_harness()
    bench.run(6)
    work = last(bench, span)
    assert work.state is m.State.DELIVERED and len(bench.frontend.notes) == 1, bench.brief()


def test_a_new_harness_does_not_repeat_what_was_cut_unseen(bench: Any) -> None:
    span, note = start_telling(bench)
    bench.kill_harness()
    bench.frontend.cut(0.5)
    bench.frontend.floor = m.Floor.FREE
    bench.send(playout(bench, note, 's1', 4000, discarded=4000), source='speaker')
    bench.start_harness()
    bench.run(10)
    work = last(bench, span)
    assert (work.state, work.error_code) == (m.State.UNSPOKEN, int(Code.HEARD_UNKNOWN))
    assert len(bench.frontend.notes) == 1


def test_a_new_harness_waits_for_a_telling_that_goes_on(bench: Any) -> None:
    span, note = start_telling(bench)
    bench.kill_harness()
    bench.send(playout(bench, note, 's1', 4000, finished=False), source='speaker')
    bench.start_harness()
    bench.run(10)
    assert last(bench, span).state is m.State.DELIVERING
    bench.frontend.tell_s = 0.0
    bench.run(1)
    assert last(bench, span).state is m.State.DELIVERED and len(bench.frontend.notes) == 1


def test_a_new_harness_tells_what_was_pending_once_and_not_as_fresh(bench: Any) -> None:
    bench.frontend.floor = m.Floor.USER
    span = bench.ask('go kitchen')
    bench.run(4)
    for _ in range(3):
        restart_harness(bench)
    bench.frontend.floor = m.Floor.FREE
    bench.run(5)
    assert bench.frontend.told == [f'Before I was restarted: {last(bench, span).summary}']
    restart_harness(bench)
    bench.run(5)
    assert len(bench.frontend.told) == 1, 'told again after a restart'


def test_a_new_harness_closes_what_no_server_knows_and_says_so_once(bench: Any) -> None:
    bench.robot.how.accept_after, bench.robot.how.end_after = 3.0, 30.0
    span = bench.ask('go kitchen')
    bench.run(0.2)
    bench.kill_harness()
    bench.kill_server('navigation')
    bench.start_server('navigation')
    bench.run(1)
    bench.start_harness()
    bench.run(15)
    work = last(bench, span)
    assert (work.state, work.error_code) == (m.State.FAILED, int(Code.RESTARTED)), bench.brief()
    assert bench.told("I was restarted, and I don't know how it ended") == 1
    assert not bench.robot.active, 'a robot goal was left behind'


def test_a_harness_that_lost_its_journal_tells_no_old_stories(bench: Any) -> None:
    bench.robot.how.status = m.GoalStatus.ABORTED
    bench.ask('go kitchen')
    bench.run(70)
    assert len(bench.frontend.told) == 1
    bench.kill_harness()
    bench.journal_path = ':memory:'
    bench.start_harness()
    bench.run(5)
    assert not bench.works() and len(bench.frontend.told) == 1


def test_spans_that_are_given_again_after_a_restart_run_nothing_again(bench: Any) -> None:
    bench.ask('go kitchen')
    old = bench.ask('go kitchen')
    bench.ask('go kitchen', corrects=old)
    bench.run(6)
    restart_harness(bench)
    bench.run(6)
    assert bench.count(m.RobotGoal) == 1 and bench.told('kitchen') == 1, bench.brief()


@pytest.mark.parametrize('journal', [':memory:', 'damaged'])
def test_without_its_memory_a_new_harness_carries_out_nothing_old(
    bench: Any, journal: str, tmp_path: Any
) -> None:
    bench.ask('go kitchen')
    bench.run(6)
    bench.kill_harness()
    (tmp_path / 'damaged').write_bytes(b'no database at all' * 100)
    bench.journal_path = journal if journal == ':memory:' else str(tmp_path / 'damaged')
    bench.start_harness()
    bench.run(6)
    assert bench.count(m.RobotGoal) == 1, bench.brief()


def test_the_journal_knows_that_a_waiting_work_was_sent(bench: Any) -> None:
    bench.ask('go kitchen')
    waiting = bench.ask('bring banana')
    bench.run_until(lambda: bench.of(waiting)[0].state is m.State.WAITING)
    seen = []
    take = bench.servers['manipulation'].receive

    def spy(message: Any, now_s: float) -> list[Any]:
        if isinstance(message, m.DelegateGoal):
            entries = Journal(bench.journal_path).load(bench.stamp())
            seen.extend(e.sent for e in entries if e.work.work_id == message.goal_id)
        return take(message, now_s)

    bench.servers['manipulation'].receive = spy
    bench.run(4)
    assert seen == [True]


def test_a_second_step_survives_a_restart_of_the_harness(bench: Any) -> None:
    span = bench.ask('go kitchen then look kitchen')
    bench.run(1)
    restart_harness(bench)
    bench.run(10)
    assert [w.state for w in bench.of(span)] == [m.State.DELIVERED] * 2, bench.brief()
    assert bench.count(m.RobotGoal) == 2


def test_works_sent_to_a_server_by_others_are_adopted_and_told(bench: Any) -> None:
    goal = m.DelegateGoal('11111111-1111-4111-8111-111111111111', 'navigation',
                          arguments_json='{"place": "hall"}')  # fmt: skip
    bench.send(goal)
    bench.run(6)
    (work,) = bench.works()
    assert walk(work) == 'QUEUED RUNNING COMPLETED DELIVERING DELIVERED'
    assert bench.told('hall') == 1
    (end,) = [r for _, _, r in bench.sent if isinstance(r, m.DelegateResult)]
    assert end.status is m.GoalStatus.SUCCEEDED and end.work.delivered
