# SPDX-License-Identifier: Apache-2.0
"""The capability server: takes delegated goals and drives the robot's own action servers.

One generic engine serves any capability. It owns the truth about a work up to its end on the
robot; the telling belongs to the harness, from whose `works` the server learns it. A goal stays
open until its work was told (`deliver`), but it holds the robot only while the robot runs it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from venus_ros.core import work as life
from venus_ros.core.errors import Code, VenusError
from venus_ros.core.log import EventLog
from venus_ros.core.messages import (
    DelegateAnswer,
    DelegateCancel,
    DelegateGoal,
    RobotAnswer,
    RobotFeedback,
    RobotResult,
    RobotServer,
    State,
    Stopped,
    Work,
    Works,
)
from venus_ros.core.work import WorkEvent
from venus_ros.harness.choice import check_time_limit, choose
from venus_ros.harness.execution import Execution
from venus_ros.harness.job import Job, Phase, stops
from venus_ros.harness.jobs import Jobs
from venus_ros.harness.planner.base import Plan, PlanContext, Planner
from venus_ros.harness.skills import Skill, Skills
from venus_ros.harness.table import arguments_of
from venus_ros.harness.watch import Watch

MAX_OPEN_GOALS = 32
DELIVERY_LIMIT_S = 180.0
"""Longer than the harness' own limit: it decides, unless there is none."""

_TOLD_BY_HARNESS = {
    State.DELIVERING: WorkEvent.ADMIT,
    State.DELIVERED: WorkEvent.HEAR,
    State.UNSPOKEN: WorkEvent.GIVE_UP,
    State.STALE: WorkEvent.OUTDATE,
}


class CapabilityServer:
    """Engine of one capability.

    Args:
        capability: its name; other capabilities' goals are declined.
        skills: all skills.
        source: this node and its run, for events.
        stamp: gives ROS (or counted) time, ns.
        planner: takes the arguments of direct goals from their task; none = they must bring them.

    Raises:
        VenusError: UNKNOWN_CAPABILITY, if no skill belongs to it.
    """

    def __init__(
        self,
        capability: str,
        skills: Skills,
        *,
        source: str,
        stamp: Callable[[], int],
        planner: Planner | None = None,
    ) -> None:
        skills.of(capability)
        self.capability = capability
        self._skills = skills
        self._planner = planner
        self._stamp = stamp
        self._began_ns = stamp()
        self._watch = Watch()
        self._jobs = Jobs(capability, EventLog(source), stamp, self._watch)
        self._execution = Execution(self._jobs, self._watch)
        self._harness_seen = False
        self._given_up: frozenset[str] = frozenset()

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Take one message; see the contract of engines. Returns what to send."""
        self._watch.look(now_s)
        match message:
            case DelegateGoal():
                self._on_goal(message)
            case DelegateCancel() if message.capability == self.capability:
                if job := self._jobs.get(message.goal_id):
                    self._execution.cancel(job, Code.CANCELLED)
            case RobotAnswer():
                self._execution.on_answer(message)
            case RobotFeedback():
                self._execution.on_feedback(message)
            case RobotResult():
                self._execution.on_result(message)
            case RobotServer():
                self._execution.on_robot_server(message)
            case Works(source='harness'):
                self._learn(message)
            case Stopped():
                self._on_stopped(message)
        return self._send()

    def tick(self, now_s: float) -> list[Any]:
        """Let time pass: start what can start, end what is overdue. Returns what to send."""
        self._watch.look(now_s)
        self._execution.check()
        self._expire()
        return self._send()

    def works(self) -> tuple[Work, ...]:
        """Open works and the last ended ones, oldest first."""
        return self._jobs.works()

    def _send(self) -> list[Any]:
        self._execution.start_what_can()
        return self._jobs.take()

    # ---- goals -------------------------------------------------------------------------------

    def _on_goal(self, goal: DelegateGoal) -> None:
        """Accept a goal; what cannot be done about it is a result, not a rejection."""
        refusal = self._refusal(goal)
        self._jobs.send(DelegateAnswer(goal.goal_id, not refusal, refusal))
        if refusal:
            return
        skill: Skill | None = None
        arguments: dict[str, Any] = {}
        error: VenusError | None = None
        try:
            skill, arguments = self._understand(goal)
        except VenusError as wrong:
            error = wrong
        work = Work(
            work_id=goal.goal_id,
            capability=self.capability,
            state=State.UNKNOWN,
            request_id=goal.request_id,
            session_id=goal.session_id,
            skill=skill.skill if skill else goal.skill,
            arguments_json=json.dumps(arguments),
            intent_epoch=goal.intent_epoch,
            priority=goal.priority,
            deliver=goal.deliver,
        )
        job = self._jobs.add(Job(goal, work, skill, arguments, self._watch.now_s))
        self._jobs.change(job, WorkEvent.ACCEPT)
        if error:
            self._jobs.fail(job, error.code, error.message, summary=error.message)

    def _refusal(self, goal: DelegateGoal) -> str:
        """Why the goal cannot even be accepted; empty if it can."""
        if goal.capability not in ('', self.capability):
            return f'other_capability: this server is {self.capability}, not {goal.capability}'
        if self._jobs.get(goal.goal_id):
            return 'duplicate: this goal is known already'
        if goal.goal_id in self._given_up:
            return 'given_up: the harness does not wait for it any more'
        if sum(not job.closed for job in self._jobs) >= MAX_OPEN_GOALS:
            return f'too_many: {MAX_OPEN_GOALS} goals are open'
        return ''

    def _understand(self, goal: DelegateGoal) -> tuple[Skill, dict[str, Any]]:
        """Skill and checked arguments of a goal. Raises VenusError with a spoken sentence."""
        check_time_limit(goal.time_limit_s)
        if goal.arguments_json or not goal.task or self._planner is None:
            return choose(self._skills, self.capability, goal.skill, goal.arguments_json)
        plan = self._planner.plan(goal.task, PlanContext(capability=self.capability))
        if not isinstance(plan, Plan):
            raise VenusError(plan.sentence, plan.code)
        if len(plan.steps) != 1 or plan.steps[0].capability != self.capability:
            raise VenusError(
                f'{self.capability} cannot do all of this in one goal.', Code.NOT_UNDERSTOOD
            )
        step = plan.steps[0]
        return choose(self._skills, self.capability, step.skill, json.dumps(dict(step.arguments)))

    def _on_stopped(self, stopped: Stopped) -> None:
        """Cancel what a stop concerns, if it was asked for before it."""
        for job in self._jobs:
            concerned = job.executing and job.skill and stops(job.skill, stopped.scope)
            if concerned and job.work.states[0][1] <= stopped.stamp_ns:
                self._execution.cancel(job, Code.STOPPED)

    def _expire(self) -> None:
        """Close goals whose telling nobody decides about."""
        for job in self._jobs:
            if job.closed or job.executing:
                continue
            ended_ns = next((ns for s, ns in job.work.states if s is State.COMPLETED), 0)
            if (self._stamp() - ended_ns) * 1e-9 >= DELIVERY_LIMIT_S:
                self._jobs.change(job, WorkEvent.GIVE_UP, error_code=Code.NOT_TOLD)

    # ---- learning from the harness -----------------------------------------------------------

    def _learn(self, works: Works) -> None:
        """Take over what the harness decided, and what an earlier run of this server left."""
        first, self._harness_seen = not self._harness_seen, True
        self._given_up = frozenset(w.work_id for w in works.works if w.state in life.ENDED)
        for work in works.works:
            if work.capability != self.capability:
                continue
            job = self._jobs.get(work.work_id)
            if job is None:
                self._find_left_behind(work, first)
            elif job.executing:
                asked = work.state is State.CANCELLING and work.error_code
                if asked or work.state in life.ENDED:
                    self._execution.cancel(job, _code(work.error_code))
            else:
                self._learn_telling(job, work)

    def _learn_telling(self, job: Job, told: Work) -> None:
        for state, ns in told.states:
            event = _TOLD_BY_HARNESS.get(state)
            if event and state is not job.work.state and life.following(job.work.state, event):
                self._jobs.change(job, event, ns, error_code=told.error_code)
        if told.delivered and not job.work.delivered:
            self._jobs.mark_delivered(job)

    def _find_left_behind(self, work: Work, first: bool) -> None:
        """A work of an earlier run: the robot may still be at it. It never runs twice.

        What is only QUEUED may be on its way to us right now, so that only what surely ran is
        closed here. Of a goal that the robot does not know, the cancel hurts nobody; but what was
        asked for in our own time an earlier run cannot have sent, and a cancel would meet ours.
        """
        ran = work.state in (State.RUNNING, State.CANCELLING)
        older = first and next((ns for _, ns in work.states), 0) < self._began_ns
        if not ran and not (older and work.state in (State.QUEUED, State.WAITING)):
            return
        try:
            skill = self._skills.get(self.capability, work.skill)
        except VenusError:
            return
        goal = DelegateGoal(work.work_id, self.capability, deliver=work.deliver)
        job = Job(goal, work, skill, arguments_of(work), self._watch.now_s)
        job.phase, job.closed = Phase.ACCEPTED, True
        if work.state is State.CANCELLING:
            self._jobs.add(job)
            self._execution.take_up_cancel(job, _code(work.error_code))
        elif ran:
            self._jobs.add(job)
            reason = 'I was restarted on the way and have called it off'
            self._execution.call_off(job, Code.RESTARTED, reason)
        else:
            self._execution.forestall(job)


def _code(number: int) -> Code:
    """An error code as the harness tells it; what is none of ours is an ordinary cancel."""
    known = number in Code.__members__.values()
    return Code(number) if known and number else Code.CANCELLED
