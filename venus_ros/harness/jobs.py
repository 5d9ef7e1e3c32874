# SPDX-License-Identifier: Apache-2.0
"""The jobs of one capability server: every change is told to the goal's client and in `works`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from venus_ros.core import work as life
from venus_ros.core.errors import Code
from venus_ros.core.log import EventLog
from venus_ros.core.messages import DelegateFeedback, DelegateResult, Kind, Work, Works
from venus_ros.core.work import WorkEvent
from venus_ros.harness import skills as skill_words
from venus_ros.harness.job import Job, failure_words
from venus_ros.harness.watch import Watch

KEEP_ENDED = 50
PROGRESS_PERIOD_S = 1.0
HEARTBEAT_S = 2.0
"""While something runs, `works` say at least so often that the server is alive."""


class Jobs:
    """Jobs in the order of their goals, and the only hand that changes their records.

    Args:
        capability: source of `works`.
        events: numbers the events.
        stamp: gives ROS (or counted) time, ns.
        watch: time for pacing.
    """

    def __init__(
        self, capability: str, events: EventLog, stamp: Callable[[], int], watch: Watch
    ) -> None:
        self._capability = capability
        self._events = events
        self._stamp = stamp
        self._watch = watch
        self._jobs: dict[str, Job] = {}
        self._by_robot_goal: dict[str, Job] = {}
        self._out: list[Any] = []
        self._changed = True
        self._progressed = False
        self._published_s = -math.inf

    def __iter__(self) -> Iterator[Job]:
        return iter(list(self._jobs.values()))

    def get(self, work_id: str) -> Job | None:
        """The job of a work."""
        return self._jobs.get(work_id)

    def of_robot(self, robot_goal_id: str) -> Job | None:
        """The job that a goal of the robot's belongs to."""
        return self._by_robot_goal.get(robot_goal_id)

    def add(self, job: Job) -> Job:
        """Enter a job; its work is changed from now on only here."""
        self._jobs[job.work.work_id] = job
        self._by_robot_goal[job.robot_goal_id] = job
        self._changed = True
        return job

    # ---- changing ----------------------------------------------------------------------------

    def change(self, job: Job, event: WorkEvent, ns: int | None = None, **fields: Any) -> None:
        """Let `event` happen to a work, now or at `ns`; this may end its goal."""
        if 'error_code' in fields:
            fields['error_code'] = int(fields['error_code'])
        stamp_ns = self._stamp() if ns is None else ns
        job.work = life.advance(job.work, event, stamp_ns, **fields)
        self._changed = True
        if job.closed:
            return
        self._tell_client(job)
        status = job.goal_status()
        if status is not None:
            job.closed = True
            self._out.append(DelegateResult(job.goal.goal_id, status, job.work))

    def complete(self, job: Job, result: Mapping[str, Any]) -> None:
        """The robot ended well. If a cancel came too late for that, it stays untold."""
        assert job.skill is not None
        words, found = skill_words.summary(job.skill, job.arguments, result)
        self.change(
            job,
            WorkEvent.COMPLETE,
            summary=words,
            data_json=json.dumps(found),
            progress=1.0,
            observed_ns=self._stamp(),
        )
        if job.cancel and job.goal.deliver:
            self.change(job, WorkEvent.GIVE_UP)

    def fail(
        self,
        job: Job,
        code: Code,
        reason: str,
        *,
        result: Mapping[str, Any] | None = None,
        summary: str = '',
    ) -> None:
        """End a work badly.

        Args:
            reason: a clause for the user's ears; the robot's own reason in `result` goes first.
            summary: whole sentence to be told instead.
        """
        cause = 0
        if job.skill is not None:
            cause = skill_words.cause_code(job.skill, result or {})
            summary = summary or failure_words(
                job.skill, job.arguments, code, reason, result or {}
            )
        self.change(
            job,
            WorkEvent.FAIL,
            error_code=code,
            error_msg=reason,
            cause_code=cause,
            summary=summary or reason,
            observed_ns=self._stamp(),
        )

    def progress(self, job: Job, share: float, words: str) -> None:
        """Tell the client how far it is; `works` follow at their own pace."""
        same_share = share == job.work.progress or share != share
        if same_share and words == job.work.text:
            return
        job.work = life.revise(job.work, progress=share, text=words)
        self._progressed = True
        self._tell_client(job)

    def mark_delivered(self, job: Job) -> None:
        """The user heard of it, though its state is not the one for that (a failure)."""
        job.work = life.revise(job.work, delivered=True)
        self._changed = True

    # ---- telling -----------------------------------------------------------------------------

    def send(self, message: Any) -> None:
        """Send something else, in order with what the jobs tell."""
        self._out.append(message)

    def say(self, kind: Kind, job: Job, reason: str) -> None:
        """Announce an event about a job."""
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

    def works(self) -> tuple[Work, ...]:
        """Open works and the last ended ones, oldest first."""
        return tuple(job.work for job in self._jobs.values())

    def take(self) -> list[Any]:
        """What is to be sent, with `works` if they changed, or as a sign of life."""
        self._forget()
        age_s = self._watch.now_s - self._published_s
        busy = any(job.executing for job in self._jobs.values())
        due = self._progressed and age_s >= PROGRESS_PERIOD_S or busy and age_s >= HEARTBEAT_S
        if self._changed or due:
            self._out.append(Works(self._capability, self.works(), self._stamp()))
            self._changed = self._progressed = False
            self._published_s = self._watch.now_s
        out, self._out = self._out, []
        return out

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

    def _forget(self) -> None:
        """Keep the last ended works only."""
        over = [i for i, job in self._jobs.items() if job.closed and not job.with_robot]
        for work_id in over[:-KEEP_ENDED]:
            job = self._jobs.pop(work_id)
            self._by_robot_goal.pop(job.robot_goal_id, None)
