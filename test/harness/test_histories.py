# SPDX-License-Identifier: Apache-2.0
"""Any history of requests, moods and accidents: no work is lost, doubled, or left running."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from venus_ros.core import messages as m
from venus_ros.core.work import ENDED, legal
from venus_ros.harness.skills import Skills

EXAMPLES = int(os.environ.get('VENUS_HISTORIES', 0))
"""So many random histories instead of the same few: to look for new faults."""
TASKS = (
    'go kitchen', 'go bedroom', 'bring banana', 'look hall', 'dance now',
    'go kitchen then look kitchen', 'bring banana then go hall',
)  # fmt: skip
MOODS: dict[str, dict[str, Any]] = {
    'good': {},
    'slow': {'accept_after': 2.0, 'end_after': 9.0},
    'refusing': {'refuse': 'busy'},
    'failing': {'status': m.GoalStatus.ABORTED, 'result': {'error_code': 7, 'error_msg': 'no'}},
    'stubborn': {'cancel_after': None, 'end_after': 6.0},
    'sleepy': {'accept_after': 8.0},
    'mute': {'feedback_every': None, 'end_after': 30.0},
    'endless': {'end_after': None},
    'lost': {'status': m.GoalStatus.UNKNOWN},
    'capricious': {'status': m.GoalStatus.CANCELED},
}
SERVERS = ('navigation', 'manipulation', 'search')


class Histories(RuleBasedStateMachine):
    """What a user, a robot and a supervisor may do, in any order."""

    skills: Skills
    bench_type: Any
    new_journal: Any

    @initialize()
    def begin(self) -> None:
        self.bench = self.bench_type(self.skills, self.new_journal())
        self.spans: list[str] = []
        self.heard: Counter[str] = Counter()
        self.frontends = [self.bench.frontend]

    # ---- the user ----------------------------------------------------------------------------

    @rule(task=st.sampled_from(TASKS))
    def ask(self, task: str) -> None:
        known = {work.work_id for work in self.bench.works()}
        self.spans.append(self.bench.ask(task))
        if 'harness' not in self.bench.frozen:
            new = {work.work_id for work in self.bench.works()} - known
            asked_again = self.bench.sent_events(m.Kind.DROPPED, 'asked again')
            assert new or asked_again, f'{task} was lost: {self.bench.brief()}'

    @precondition(lambda self: self.spans)
    @rule(task=st.sampled_from(TASKS), which=st.integers(0, 3))
    def correct(self, task: str, which: int) -> None:
        self.spans.append(self.bench.ask(task, corrects=self.spans[-1 - which % len(self.spans)]))

    @rule()
    def withdraw(self) -> None:
        self.bench.send(m.Event(m.Kind.CANCEL_ASKED, 's1', 'frontend#1'))

    @precondition(lambda self: self.spans)
    @rule(which=st.integers(0, 3))
    def take_back(self, which: int) -> None:
        self.bench.withdraw(self.spans[-1 - which % len(self.spans)])

    @rule(scope=st.sampled_from([m.Scope.ALL, m.Scope.MOTION, m.Scope.SPEECH]))
    def stop(self, scope: m.Scope) -> None:
        if scope.motion:
            self.bench.stop(scope)
        else:
            self.bench.send(m.Stopped(self.bench.new_id(), self.bench.stamp(), scope))

    @rule()
    def interrupt(self) -> None:
        if self.bench.frontend.telling:
            self.bench.send(*self.bench.frontend.cut(0.5), source='frontend')

    @rule(free=st.booleans())
    def take_or_leave_the_floor(self, free: bool) -> None:
        if not self.bench.frontend.telling:
            self.bench.frontend.floor = m.Floor.FREE if free else m.Floor.USER

    # ---- the robot and the supervisor ----------------------------------------------------------

    @rule(mood=st.sampled_from(sorted(MOODS)))
    def robot_is(self, mood: str) -> None:
        self.bench.robot.how = replace(type(self.bench.robot.how)(), **MOODS[mood])

    @rule(seconds=st.sampled_from([0.05, 0.3, 1.0, 2.5, 7.0, 16.0]))
    def pass_time(self, seconds: float) -> None:
        self.bench.run(seconds)

    @rule(down_s=st.sampled_from([0.0, 1.0, 4.0]))
    def harness_dies(self, down_s: float) -> None:
        self.thaw()
        self.bench.kill_harness()
        self.bench.run(down_s)
        self.bench.start_harness()

    @rule(name=st.sampled_from(SERVERS), down_s=st.sampled_from([0.0, 1.0, 4.0]))
    def server_dies(self, name: str, down_s: float) -> None:
        self.thaw()
        self.bench.kill_server(name)
        self.bench.run(down_s)
        self.bench.start_server(name)

    @rule(name=st.sampled_from((*SERVERS, 'harness', 'frontend')))
    def stand_still(self, name: str) -> None:
        if name not in self.bench.frozen:
            self.bench.freeze(name)

    @rule()
    def thaw(self) -> None:
        for name in list(self.bench.frozen):
            self.bench.thaw(name)

    @rule()
    def frontend_dies(self) -> None:
        self.thaw()
        old = self.bench.frontend
        self.bench.frontend = type(old)(f's{len(self.frontends) + 1}', old.turns)
        self.frontends.append(self.bench.frontend)

    # ---- what must hold ------------------------------------------------------------------------

    @invariant()
    def walks_are_legal(self) -> None:
        if not hasattr(self, 'bench'):
            return
        for work in self.bench.works():
            assert legal(tuple(state for state, _ in work.states)), self.bench.brief()
            assert [ns for _, ns in work.states] == sorted(ns for _, ns in work.states)

    def teardown(self) -> None:
        """Everybody comes to their senses; after a while all must have ended well."""
        if not hasattr(self, 'bench'):
            return
        self.thaw()
        if self.bench.frontend.floor is m.Floor.USER:
            self.bench.frontend.floor = m.Floor.FREE
        self.bench.robot.how = type(self.bench.robot.how)()
        self.bench.run(60)
        self.bench.run_until(lambda: all(w.state in ENDED for w in self.bench.works()), 1500)
        self.bench.run(30)
        self.check_the_end()

    def check_the_end(self) -> None:
        bench = self.bench
        for frontend in self.frontends:
            self.heard.update(frontend.heard_ids)
        for work in bench.works():
            assert self.heard[work.work_id] <= 1, f'told twice: {work}'
            if work.state is m.State.DELIVERED:
                assert self.heard[work.work_id], f'never heard: {work}'
            if work.state is m.State.FAILED:
                assert work.error_code and work.summary, f'no reason: {work}'
        goals = [g.goal_id for _, _, g in bench.sent if isinstance(g, m.RobotGoal)]
        assert len(goals) == len(set(goals)), 'a goal ran twice'
        ends = Counter(r.goal_id for _, _, r in bench.sent if isinstance(r, m.DelegateResult))
        assert all(count == 1 for count in ends.values()), f'a goal ended twice: {ends}'
        sane = [r for r in bench.robot.runs.values() if r.how.cancel_after is not None]
        left = [r.goal.server for r in sane if r.answered and not r.ended]
        assert not left, f'{left} still runs: {bench.brief()}'


def test_any_history_ends_well(skills: Skills, bench: Any, tmp_path: Path) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    numbers = itertools.count()
    Histories.skills, Histories.bench_type = skills, type(bench)
    Histories.new_journal = staticmethod(lambda: str(tmp_path / f'{next(numbers)}.sqlite'))
    run_state_machine_as_test(
        Histories,
        settings=settings(
            max_examples=EXAMPLES or 15,
            stateful_step_count=20,
            deadline=None,
            derandomize=not EXAMPLES,
            database=None,
            phases=(Phase.generate,) if EXAMPLES else (Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        ),
    )
