# SPDX-License-Identifier: Apache-2.0
"""A capability server's dealings with the robot: start, follow, cancel, and give up in time."""

from __future__ import annotations

import math

from venus_ros.core.errors import Code, VenusError
from venus_ros.core.messages import (
    GoalStatus,
    Kind,
    RobotAnswer,
    RobotCancel,
    RobotFeedback,
    RobotGoal,
    RobotResult,
    RobotServer,
    State,
)
from venus_ros.core.work import WorkEvent
from venus_ros.harness import skills as skill_words
from venus_ros.harness.job import Job, Phase, spoken_server
from venus_ros.harness.jobs import Jobs
from venus_ros.harness.watch import Watch

RETRY_S = 0.5
LOST_AFTER_S = 2.0
FORESTALL_S = 1.0
"""How long a goal waits for the answer to the cancel of the same goal of an earlier run."""
STRANGE_CANCEL_S = 0.5
"""How long a cancel that we did not ask for may wait for the stop that explains it."""


class Execution:
    """The robot's side of all jobs of one server.

    A work that failed by a limit may still be with the robot: it is told to cancel, and the
    resources stay taken until it has let go or the cancel's own limit is over.
    """

    def __init__(self, jobs: Jobs, watch: Watch) -> None:
        self._jobs = jobs
        self._watch = watch
        self._gone_since_s: dict[str, float] = {}
        self._retry_s: dict[str, float] = {}
        self._forestalled_s: dict[str, float] = {}

    # ---- starting ----------------------------------------------------------------------------

    def start_what_can(self) -> None:
        """Send the robot's goals of the oldest (or most urgent) works whose resources are free."""
        taken: set[str] = set()
        for job in self._jobs:
            if job.with_robot:
                taken |= job.resources
        idle = [j for j in self._jobs if j.executing and j.phase is Phase.IDLE]
        for job in sorted(idle, key=lambda j: -j.work.priority):
            if job.resources & taken:
                if job.work.state is State.QUEUED:
                    self._jobs.change(job, WorkEvent.WAIT)
                continue
            taken |= job.resources
            if job.eligible_s is None:
                job.eligible_s = self._watch.now_s
            self._send(job)

    def _send(self, job: Job) -> None:
        """Send the robot's goal, if its server can be there."""
        assert job.skill is not None
        server = job.skill.server
        not_before_s = max(
            self._retry_s.get(server, -math.inf),
            self._forestalled_s.get(job.robot_goal_id, -math.inf),
        )
        if server in self._gone_since_s or self._watch.now_s < not_before_s:
            return
        try:
            goal = skill_words.fill_goal(job.skill, job.arguments)
        except VenusError as error:
            job.phase = Phase.ENDED
            self._jobs.fail(job, error.code, error.message)
            return
        job.phase = Phase.SENT
        job.sent_s = self._watch.now_s
        self._jobs.send(RobotGoal(job.robot_goal_id, server, job.skill.type, goal))

    # ---- hearing -----------------------------------------------------------------------------

    def on_answer(self, answer: RobotAnswer) -> None:
        """The robot's server accepted, refused, or is not there."""
        job = self._jobs.of_robot(answer.goal_id)
        if job is None or job.skill is None or job.phase is Phase.ENDED and not answer.accepted:
            return
        if answer.accepted:
            self._accepted(job)
        elif not job.executing:
            job.phase = Phase.ENDED
        elif job.work.state is State.CANCELLING:
            job.phase = Phase.ENDED
            self._jobs.change(job, WorkEvent.CONFIRM_CANCEL, error_code=job.cancel)
        elif answer.reason.startswith('absent'):
            job.phase = Phase.IDLE
            self._retry_s[job.skill.server] = self._watch.now_s + RETRY_S
        else:
            job.phase = Phase.ENDED
            plain = answer.reason in ('', 'refused')
            reason = f'{spoken_server(job.skill)} refused it' if plain else answer.reason
            self._jobs.fail(job, Code.REFUSED, reason)

    def on_feedback(self, message: RobotFeedback) -> None:
        """The robot is at it."""
        job = self._jobs.of_robot(message.goal_id)
        if job is None or job.skill is None or not job.executing:
            return
        if job.phase is Phase.SENT:
            self._accepted(job)
        job.heard_s = self._watch.now_s
        if job.first_feedback is None:
            job.first_feedback = message.feedback
        if job.work.state is State.RUNNING:
            share, words = skill_words.progress(job.skill, message.feedback, job.first_feedback)
            self._jobs.progress(job, share, words)

    def on_result(self, message: RobotResult) -> None:
        """The robot has ended it, in whatever way."""
        self._forestalled_s.pop(message.goal_id, None)
        job = self._jobs.of_robot(message.goal_id)
        if job is None or job.skill is None or job.phase in (Phase.IDLE, Phase.ENDED):
            return
        if job.executing and job.phase is Phase.SENT:
            self._accepted(job)
        job.phase = Phase.ENDED
        if not job.executing:
            self._jobs.say(Kind.DROPPED, job, 'the robot ended it after it was given up')
        elif message.status is GoalStatus.SUCCEEDED:
            self._jobs.complete(job, message.result)
        elif job.cancel:
            cause = skill_words.cause_code(job.skill, message.result)
            self._jobs.change(
                job, WorkEvent.CONFIRM_CANCEL, error_code=job.cancel, cause_code=cause
            )
        elif message.status is GoalStatus.CANCELED:
            self._jobs.change(job, WorkEvent.ASK_CANCEL)
            job.cancel_by_s = self._watch.now_s + STRANGE_CANCEL_S
        elif message.status is GoalStatus.ABORTED:
            self._jobs.fail(job, Code.ABORTED, 'the robot gave up', result=message.result)
        else:
            self._jobs.fail(job, Code.SERVER_LOST, 'the robot lost it', result=message.result)

    def on_robot_server(self, message: RobotServer) -> None:
        """A server of the robot's came into sight or went out of it."""
        if message.available:
            self._gone_since_s.pop(message.server, None)
            self._retry_s.pop(message.server, None)
        else:
            self._gone_since_s.setdefault(message.server, self._watch.now_s)

    def _accepted(self, job: Job) -> None:
        """The robot runs it now; what was given up meanwhile is cancelled at once."""
        if job.phase is Phase.ACCEPTED:
            return
        job.phase = Phase.ACCEPTED
        job.started_s = job.heard_s = self._watch.now_s
        if job.work.state in (State.QUEUED, State.WAITING):
            self._jobs.change(job, WorkEvent.START)
        else:
            self._ask_robot_to_cancel(job)

    # ---- ending ------------------------------------------------------------------------------

    def cancel(self, job: Job, why: Code) -> None:
        """Cancel, never optimistically: CANCELLED only when nothing runs any more."""
        if not job.executing:
            if not job.closed:
                job.cancel = why
                self._jobs.change(job, WorkEvent.GIVE_UP)
            return
        job.cancel = job.cancel or why
        if not job.with_robot:
            job.phase = Phase.ENDED
            self._jobs.change(job, WorkEvent.CONFIRM_CANCEL, error_code=job.cancel)
        elif job.work.state is not State.CANCELLING:
            assert job.skill is not None
            job.cancel_by_s = self._watch.now_s + job.skill.limits.cancel_s
            self._jobs.change(job, WorkEvent.ASK_CANCEL)
            self._ask_robot_to_cancel(job)

    def call_off(self, job: Job, code: Code, reason: str) -> None:
        """Fail now. A robot that may still run is told to cancel and holds its resources on."""
        assert job.skill is not None
        hopeless = code in (Code.CANCEL_UNCONFIRMED, Code.SERVER_LOST)
        if job.with_robot and not hopeless:
            job.cancel_by_s = self._watch.now_s + job.skill.limits.cancel_s
            self._ask_robot_to_cancel(job)
        else:
            job.phase = Phase.ENDED
        self._jobs.fail(job, code, reason)

    def take_up_cancel(self, job: Job, why: Code) -> None:
        """Go on with a cancel that an earlier run had begun: nobody knows how far it came."""
        assert job.skill is not None
        job.cancel = why
        job.cancel_by_s = self._watch.now_s + job.skill.limits.cancel_s
        self._ask_robot_to_cancel(job)

    def forestall(self, job: Job) -> None:
        """Cancel what an earlier run may have sent; nothing is known of it but its id.

        A goal with this id waits for the answer, so that the cancel does not meet it.
        """
        self._forestalled_s[job.robot_goal_id] = self._watch.now_s + FORESTALL_S
        self._ask_robot_to_cancel(job)

    def check(self) -> None:
        """End what is overdue, ask again for cancels, let go of robots that never answer."""
        now_s = self._watch.now_s
        for job in self._jobs:
            if not job.executing:
                if job.with_robot and now_s >= job.cancel_by_s:
                    job.phase = Phase.ENDED
                continue
            assert job.skill is not None
            since_s = self._gone_since_s.get(job.skill.server, math.inf)
            overdue = job.overdue(now_s, server_gone=now_s - since_s >= LOST_AFTER_S)
            if overdue is not None:
                self.call_off(job, overdue.code, overdue.reason)
            elif job.cancel and job.phase is Phase.ACCEPTED and now_s - job.asked_cancel_s >= 1.0:
                self._ask_robot_to_cancel(job)

    def _ask_robot_to_cancel(self, job: Job) -> None:
        assert job.skill is not None
        job.asked_cancel_s = self._watch.now_s
        self._jobs.send(RobotCancel(job.skill.server, job.robot_goal_id))
