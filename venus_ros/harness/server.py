# SPDX-License-Identifier: Apache-2.0
"""The capability server: takes delegated goals and drives the robot's own action servers.

One generic engine serves any capability. It owns the truth about a work up to its end on the
robot; the telling belongs to the harness, from whose `works` the server learns it. A goal stays
open until its work was told (`deliver`), but it holds the robot only while the robot runs it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from venus_ros.core import work as life
from venus_ros.core.errors import Code, VenusError
from venus_ros.core.log import EventLog
from venus_ros.core.messages import (
    DelegateAnswer,
    DelegateCancel,
    DelegateFeedback,
    DelegateGoal,
    DelegateResult,
    GoalStatus,
    Kind,
    RobotAnswer,
    RobotCancel,
    RobotFeedback,
    RobotGoal,
    RobotResult,
    RobotServer,
    State,
    Stopped,
    Work,
    Works,
)
from venus_ros.core.work import WorkEvent
from venus_ros.harness import skills as skill_words
from venus_ros.harness.choice import choose
from venus_ros.harness.job import Job, Phase, robot_goal_id
from venus_ros.harness.planner.base import Plan, PlanContext, Planner
from venus_ros.harness.skills import Effect, Skill, Skills
from venus_ros.harness.table import arguments_of
from venus_ros.harness.watch import Watch

MAX_OPEN_GOALS = 32
KEEP_ENDED = 50
DELIVERY_LIMIT_S = 180.0
"""Longer than the harness' own limit: it decides, unless there is none."""
PROGRESS_PERIOD_S = 1.0
HEARTBEAT_S = 2.0
RETRY_S = 0.5
LOST_AFTER_S = 2.0
STRANGE_CANCEL_S = 0.5
"""How long a cancel that we did not ask for may wait for the stop that explains it."""

_TOLD_BY_HARNESS = {
    State.DELIVERING: WorkEvent.ADMIT,
    State.DELIVERED: WorkEvent.HEAR,
    State.UNSPOKEN: WorkEvent.GIVE_UP,
    State.STALE: WorkEvent.OUTDATE,
}


class CapabilityServer:
    """Engine of one capability.

    Args:
        capability: its name; other capabilities' goals are refused.
        skills: all skills.
        source: this node and its run, for events.
        stamp: gives ROS (or counted) time, ns.
        planner: fills the arguments of direct goals that carry only a task; none = refused.
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
        self._events = EventLog(source)
        self._watch = Watch()
        self._jobs: dict[str, Job] = {}
        self._by_robot_goal: dict[str, Job] = {}
        self._gone_since_s: dict[str, float] = {}
        self._retry_s: dict[str, float] = {}
        self._harness_seen = False
        self._out: list[Any] = []
        self._changed = True
        self._progressed = False
        self._published_s = -math.inf

    # ---- engine ------------------------------------------------------------------------------

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Take one message; see the contract of engines. Returns what to send."""
        self._watch.look(now_s)
        match message:
            case DelegateGoal():
                self._take_goal(message)
            case DelegateCancel() if message.capability == self.capability:
                if job := self._jobs.get(message.goal_id):
                    self._cancel(job, Code.CANCELLED)
            case RobotAnswer():
                self._on_answer(message)
            case RobotFeedback():
                self._on_feedback(message)
            case RobotResult():
                self._on_result(message)
            case RobotServer():
                self._on_robot_server(message)
            case Works(source='harness'):
                self._learn(message)
            case Stopped():
                self._on_stopped(message)
        return self._flush()

    def tick(self, now_s: float) -> list[Any]:
        """Let time pass: start what can start, end what is overdue. Returns what to send."""
        watch_s = self._watch.look(now_s)
        for job in list(self._jobs.values()):
            self._check(job, watch_s)
        return self._flush()

    def works(self) -> tuple[Work, ...]:
        """Open works and the last ended ones, oldest first."""
        return tuple(job.work for job in self._jobs.values())

    # ---- goals -------------------------------------------------------------------------------

    def _take_goal(self, goal: DelegateGoal) -> None:
        refusal = self._refusal(goal)
        if refusal:
            self._out.append(DelegateAnswer(goal.goal_id, False, refusal))
            return
        self._out.append(DelegateAnswer(goal.goal_id, True))
        try:
            skill, arguments = self._understand(goal)
            error = None
        except VenusError as wrong:
            skill, arguments, error = None, {}, wrong
        work = Work(
            work_id=goal.goal_id,
            capability=self.capability,
            state=State.UNKNOWN,
            request_id=goal.request_id,
            session_id=goal.session_id,
            skill=skill.skill if skill else goal.skill,
            arguments_json=json.dumps(arguments) if skill else (goal.arguments_json or '{}'),
            intent_epoch=goal.intent_epoch,
            priority=goal.priority,
            deliver=goal.deliver,
        )
        job = Job(goal, work, skill, arguments, self._watch.now_s)
        self._jobs[goal.goal_id] = job
        self._by_robot_goal[job.robot_goal_id] = job
        self._change(job, WorkEvent.ACCEPT)
        if error:
            self._fail(job, error.code, error.message, summary=error.message)

    def _refusal(self, goal: DelegateGoal) -> str:
        """Why the goal cannot even be accepted; empty if it can."""
        if goal.capability not in ('', self.capability):
            return f'other_capability: this server is {self.capability}, not {goal.capability}'
        if goal.goal_id in self._jobs:
            return 'duplicate: this goal is known already'
        if sum(not job.closed for job in self._jobs.values()) >= MAX_OPEN_GOALS:
            return f'too_many: {MAX_OPEN_GOALS} goals are open'
        return ''

    def _understand(self, goal: DelegateGoal) -> tuple[Skill, dict[str, Any]]:
        """Skill and checked arguments of a goal. Raises VenusError with a spoken sentence."""
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

    # ---- running -----------------------------------------------------------------------------

    def _start_what_can(self) -> None:
        """Send the robot's goals of the oldest (or most urgent) works whose resources are free."""
        taken: set[str] = set()
        for job in self._jobs.values():
            if job.with_robot:
                taken |= job.resources
        idle = [j for j in self._jobs.values() if j.executing and j.phase is Phase.IDLE]
        for job in sorted(idle, key=lambda j: -j.work.priority):
            assert job.skill is not None
            if job.resources & taken:
                if job.work.state is State.QUEUED:
                    self._change(job, WorkEvent.WAIT)
                continue
            taken |= job.resources
            if job.eligible_s is None:
                job.eligible_s = self._watch.now_s
            if self._reachable(job.skill.server):
                self._send(job)

    def _reachable(self, server: str) -> bool:
        gone = server in self._gone_since_s
        return not gone and self._watch.now_s >= self._retry_s.get(server, -math.inf)

    def _send(self, job: Job) -> None:
        assert job.skill is not None
        try:
            goal = skill_words.fill_goal(job.skill, job.arguments)
        except VenusError as error:
            self._fail(job, error.code, error.message)
            return
        job.phase = Phase.SENT
        job.sent_s = self._watch.now_s
        self._out.append(RobotGoal(job.robot_goal_id, job.skill.server, job.skill.type, goal))

    def _on_answer(self, answer: RobotAnswer) -> None:
        job = self._by_robot_goal.get(answer.goal_id)
        if job is None or job.skill is None or job.phase is Phase.ENDED and not answer.accepted:
            return
        if answer.accepted:
            self._on_accepted(job)
        elif not job.executing:
            job.phase = Phase.ENDED
        elif job.work.state is State.CANCELLING:
            job.phase = Phase.ENDED
            self._change(job, WorkEvent.CONFIRM_CANCEL, error_code=job.cancel)
        elif 'absent' in answer.reason:
            job.phase = Phase.IDLE
            self._retry_s[job.skill.server] = self._watch.now_s + RETRY_S
        else:
            job.phase = Phase.ENDED
            self._fail(job, Code.REFUSED, answer.reason or 'the robot refused it')

    def _on_accepted(self, job: Job) -> None:
        """The robot runs it now; what was given up meanwhile is cancelled at once."""
        if job.phase is Phase.ACCEPTED:
            return
        job.phase = Phase.ACCEPTED
        job.started_s = job.heard_s = self._watch.now_s
        if job.work.state in (State.QUEUED, State.WAITING):
            self._change(job, WorkEvent.START)
        else:
            self._ask_robot_to_cancel(job)

    def _on_feedback(self, message: RobotFeedback) -> None:
        job = self._by_robot_goal.get(message.goal_id)
        if job is None or job.skill is None or not job.executing:
            return
        if job.phase is Phase.SENT:
            self._on_accepted(job)
        job.heard_s = self._watch.now_s
        if job.first_feedback is None:
            job.first_feedback = message.feedback
        share, words = skill_words.progress(job.skill, message.feedback, job.first_feedback)
        known = job.work.text, job.work.progress
        if job.work.state is State.RUNNING and (words, share) != known:
            job.work = life.revise(job.work, progress=share, text=words)
            self._progressed = True
            self._tell_client(job)

    def _on_result(self, message: RobotResult) -> None:
        job = self._by_robot_goal.get(message.goal_id)
        if job is None or job.skill is None or job.phase is Phase.ENDED:
            return
        if not job.executing:
            job.phase = Phase.ENDED
            self._event(Kind.DROPPED, job, 'the robot ended it after it was given up')
            return
        if job.phase is Phase.SENT:
            self._on_accepted(job)
        job.phase = Phase.ENDED
        result = message.result
        cause = skill_words.cause_code(job.skill, result)
        if message.status is GoalStatus.SUCCEEDED:
            self._complete(job, result)
        elif message.status is GoalStatus.CANCELED and not job.cancel:
            self._change(job, WorkEvent.ASK_CANCEL)
            job.cancel_by_s = self._watch.now_s + STRANGE_CANCEL_S
        elif job.cancel:
            self._change(job, WorkEvent.CONFIRM_CANCEL, error_code=job.cancel, cause_code=cause)
        elif message.status is GoalStatus.ABORTED:
            self._fail(job, Code.ABORTED, 'the robot gave up', result=result, cause_code=cause)
        else:
            self._fail(job, Code.SERVER_LOST, 'the robot lost it', result=result)

    def _complete(self, job: Job, result: Mapping[str, Any]) -> None:
        """The robot ended well. If a cancel came too late for that, it stays untold."""
        assert job.skill is not None
        words, found = skill_words.summary(job.skill, job.arguments, result)
        self._change(
            job,
            WorkEvent.COMPLETE,
            summary=words,
            data_json=json.dumps(found),
            progress=1.0,
            observed_ns=self._stamp(),
        )
        if job.cancel and job.goal.deliver:
            self._change(job, WorkEvent.GIVE_UP)

    def _on_robot_server(self, message: RobotServer) -> None:
        if message.available:
            self._gone_since_s.pop(message.server, None)
            self._retry_s.pop(message.server, None)
        else:
            self._gone_since_s.setdefault(message.server, self._watch.now_s)

    # ---- cancelling --------------------------------------------------------------------------

    def _cancel(self, job: Job, why: Code) -> None:
        """Cancel, never optimistically: CANCELLED only when nothing runs any more."""
        if job.executing:
            job.cancel = job.cancel or why
            if not job.with_robot:
                job.phase = Phase.ENDED
                self._change(job, WorkEvent.CONFIRM_CANCEL, error_code=why)
            elif job.work.state is not State.CANCELLING:
                assert job.skill is not None
                job.cancel_by_s = self._watch.now_s + job.skill.limits.cancel_s
                self._change(job, WorkEvent.ASK_CANCEL)
                self._ask_robot_to_cancel(job)
        elif not job.closed:
            job.cancel = why
            self._change(job, WorkEvent.GIVE_UP)

    def _ask_robot_to_cancel(self, job: Job) -> None:
        assert job.skill is not None
        job.asked_cancel_s = self._watch.now_s
        self._out.append(RobotCancel(job.skill.server, job.robot_goal_id))

    def _on_stopped(self, stopped: Stopped) -> None:
        """Cancel the moves that were asked for before the stop."""
        if not stopped.scope.motion:
            return
        for job in list(self._jobs.values()):
            moves = job.skill is not None and job.skill.effect is Effect.MOVE
            if moves and job.executing and job.work.states[0][1] <= stopped.stamp_ns:
                self._cancel(job, Code.STOPPED)

    # ---- time --------------------------------------------------------------------------------

    def _check(self, job: Job, watch_s: float) -> None:
        """End what is overdue, ask again for cancels, let go of robots that never answer."""
        if job.executing:
            assert job.skill is not None
            since_s = self._gone_since_s.get(job.skill.server, math.inf)
            overdue = job.overdue(watch_s, server_gone=watch_s - since_s >= LOST_AFTER_S)
            if overdue is not None:
                self._give_up(job, overdue.code, overdue.reason)
            elif job.cancel and job.phase is Phase.ACCEPTED and watch_s - job.asked_cancel_s >= 1:
                self._ask_robot_to_cancel(job)
        elif job.with_robot and watch_s >= job.cancel_by_s:
            job.phase = Phase.ENDED
        elif not job.closed and job.work.state in (State.COMPLETED, State.DELIVERING):
            ended_ns = next(ns for state, ns in job.work.states if state is State.COMPLETED)
            if (self._stamp() - ended_ns) * 1e-9 >= DELIVERY_LIMIT_S:
                self._change(job, WorkEvent.GIVE_UP, error_code=Code.NOT_TOLD)

    def _give_up(self, job: Job, code: Code, reason: str) -> None:
        """Fail now. A robot that may still run is told to cancel and holds its resources on."""
        assert job.skill is not None
        unconfirmed = code is Code.CANCEL_UNCONFIRMED
        if job.with_robot and not unconfirmed and code is not Code.SERVER_LOST:
            job.cancel_by_s = self._watch.now_s + job.skill.limits.cancel_s
            self._ask_robot_to_cancel(job)
        else:
            job.phase = Phase.ENDED
        self._fail(job, code, reason)

    # ---- learning from the harness -----------------------------------------------------------

    def _learn(self, works: Works) -> None:
        """Take over what the harness decided, and what an earlier run of this server left."""
        first, self._harness_seen = not self._harness_seen, True
        for work in works.works:
            if work.capability != self.capability:
                continue
            job = self._jobs.get(work.work_id)
            if job is None:
                self._find_left_behind(work, first)
            elif job.executing:
                asked = work.state is State.CANCELLING and work.error_code
                if asked or work.state in life.ENDED:
                    self._cancel(job, _code(work.error_code))
            else:
                self._learn_telling(job, work)

    def _learn_telling(self, job: Job, told: Work) -> None:
        for state, ns in told.states:
            event = _TOLD_BY_HARNESS.get(state)
            if event and state is not job.work.state and life.following(job.work.state, event):
                job.work = life.advance(job.work, event, ns)
                self._after_change(job)
        if told.delivered and not job.work.delivered:
            job.work = life.revise(job.work, delivered=True)
            self._changed = True

    def _find_left_behind(self, work: Work, first: bool) -> None:
        """A work of an earlier run: the robot may still be at it. It never runs twice.

        What is only QUEUED may be on its way to us right now, so that only what surely ran is
        closed here; the robot is asked to cancel either way, which hurts nobody.
        """
        ran = work.state in (State.RUNNING, State.CANCELLING)
        if not ran and not (first and work.state in (State.QUEUED, State.WAITING)):
            return
        try:
            skill = self._skills.get(self.capability, work.skill)
        except VenusError:
            return
        self._out.append(RobotCancel(skill.server, robot_goal_id(work.work_id)))
        if not ran:
            return
        goal = DelegateGoal(work.work_id, self.capability, deliver=work.deliver)
        job = Job(goal, work, skill, arguments_of(work), self._watch.now_s)
        job.phase, job.closed = Phase.ACCEPTED, True
        job.cancel_by_s = self._watch.now_s + skill.limits.cancel_s
        self._jobs[work.work_id] = job
        self._by_robot_goal[job.robot_goal_id] = job
        self._fail(job, Code.RESTARTED, 'I was restarted on the way and have called it off')

    # ---- records -----------------------------------------------------------------------------

    def _fail(
        self,
        job: Job,
        code: Code,
        reason: str,
        *,
        result: Mapping[str, Any] | None = None,
        summary: str = '',
        cause_code: int = 0,
    ) -> None:
        if not summary and job.skill is not None:
            summary = skill_words.failure(job.skill, job.arguments, result or {}, reason)
        self._change(
            job,
            WorkEvent.FAIL,
            error_code=code,
            error_msg=reason,
            cause_code=cause_code,
            summary=summary or reason,
            observed_ns=self._stamp(),
        )

    def _change(self, job: Job, event: WorkEvent, **fields: Any) -> None:
        if 'error_code' in fields:
            fields['error_code'] = int(fields['error_code'])
        job.work = life.advance(job.work, event, self._stamp(), **fields)
        self._after_change(job)

    def _after_change(self, job: Job) -> None:
        """Tell a change to the goal's client and in `works`; end the goal if this ends it."""
        self._changed = True
        if job.closed:
            return
        self._tell_client(job)
        status = job.goal_status()
        if status is not None:
            job.closed = True
            self._out.append(DelegateResult(job.goal.goal_id, status, job.work))

    def _tell_client(self, job: Job) -> None:
        work = job.work
        self._out.append(
            DelegateFeedback(
                goal_id=job.goal.goal_id,
                work_id=work.work_id,
                state=work.state,
                progress=work.progress,
                text=work.summary or work.text,
                revision=work.revision,
                elapsed_s=self._watch.now_s - job.accepted_s,
            )
        )

    def _event(self, kind: Kind, job: Job, reason: str) -> None:
        work = job.work
        self._out.append(
            self._events.add(
                kind,
                self._stamp(),
                work.session_id,
                work_ids=(work.work_id,),
                intent_epoch=work.intent_epoch,
                reason=reason,
            )
        )

    # ---- sending -----------------------------------------------------------------------------

    def _flush(self) -> list[Any]:
        """Start what can start, then give out everything, with `works` if they changed."""
        self._start_what_can()
        self._forget()
        age_s = self._watch.now_s - self._published_s
        busy = any(job.executing for job in self._jobs.values())
        stale = self._progressed and age_s >= PROGRESS_PERIOD_S or busy and age_s >= HEARTBEAT_S
        if self._changed or stale:
            self._out.append(Works(self.capability, self.works(), self._stamp()))
            self._changed = self._progressed = False
            self._published_s = self._watch.now_s
        out, self._out = self._out, []
        return out

    def _forget(self) -> None:
        """Keep the last ended works only."""
        over = [i for i, j in self._jobs.items() if j.closed and not j.with_robot][:-KEEP_ENDED]
        for work_id in over:
            job = self._jobs.pop(work_id)
            self._by_robot_goal.pop(job.robot_goal_id, None)


def _code(number: int) -> Code:
    """An error code as the harness tells it; what is none of ours is an ordinary cancel."""
    known = number in Code.__members__.values()
    return Code(number) if known and number else Code.CANCELLED
