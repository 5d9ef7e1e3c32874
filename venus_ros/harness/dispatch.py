# SPDX-License-Identifier: Apache-2.0
"""Sends works to their capability servers, and watches over those that were sent."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from venus_ros.core import work as life
from venus_ros.core.errors import Code, VenusError
from venus_ros.core.messages import (
    DelegateAnswer,
    DelegateCancel,
    DelegateGoal,
    DelegateResult,
    GoalStatus,
    Kind,
    RobotServer,
    State,
    Stopped,
    Work,
    Works,
)
from venus_ros.core.work import RELEASED, WorkEvent
from venus_ros.harness import skills as skill_words
from venus_ros.harness.job import resources
from venus_ros.harness.journal import Entry
from venus_ros.harness.skills import Effect, Skill, Skills
from venus_ros.harness.table import WorkTable, arguments_of, untold
from venus_ros.harness.watch import Watch

RETRY_S = 0.5
SILENT_SERVER_S = 12.0
"""A server that runs something speaks every 2 s; after so long it is lost."""
ABSENT_SERVER_S = 8.0
MISSING_WORK_S = 3.0
"""A server that does not list a work of its own was restarted; it gets so long to say what of."""
RESTORE_S = 2.0
"""After a restart of the harness, servers get so much longer to be found."""
CANCEL_MARGIN_S = 3.0
ADOPT_WITHIN_NS = 60 * 10**9


@dataclass(slots=True)
class _Sent:
    """What is known about a goal at a server, in watch time."""

    first_s: float
    last_s: float
    answered: bool = False
    missing_s: float = math.inf
    cancel_by_s: float = math.inf
    asked_cancel_s: float = math.inf


class Dispatch:
    """From QUEUED to the robot's end, as far as the harness is concerned.

    Args:
        table: all works.
        skills: limits, resources and effects.
        watch: time for deadlines.
    """

    def __init__(self, table: WorkTable, skills: Skills, watch: Watch) -> None:
        self._table = table
        self._skills = skills
        self._watch = watch
        self._tasks: dict[str, str] = {}
        self._sent: dict[str, _Sent] = {}
        self._heard_s: dict[str, float] = {}
        self._absent_s: dict[str, float] = {}
        self._out: list[Any] = []
        for entry in table:
            if entry.sent and self._executing(entry):
                sent = _Sent(0.0, 0.0, answered=True, missing_s=RESTORE_S)
                self._sent[entry.work.work_id] = sent

    def take(self) -> list[Any]:
        """What is to be sent."""
        out, self._out = self._out, []
        return out

    def skill_of(self, work: Work) -> Skill | None:
        """The skill that runs a work; none if it has none that is known."""
        try:
            return self._skills.get(work.capability, work.skill)
        except VenusError:
            return None

    def remember_task(self, work_id: str, task: str) -> None:
        """Keep a work's words until its goal is sent; they are in no record."""
        self._tasks[work_id] = task

    # ---- sending -----------------------------------------------------------------------------

    def start_what_can(self) -> None:
        """Send the goals of works whose earlier step is done and whose resources are free."""
        taken: set[str] = set()
        for entry in self._table:
            if entry.sent and self._executing(entry):
                taken |= self._resources(entry)
        idle = [e for e in self._table if not e.sent and self._executing(e)]
        for entry in sorted(idle, key=lambda e: -e.work.priority):
            if self._waits_for_step(entry):
                continue
            if self._just_tried(entry):
                taken |= self._resources(entry)
                continue
            if taken & self._resources(entry):
                if entry.work.state is State.QUEUED:
                    self._table.change(entry, WorkEvent.WAIT)
                continue
            taken |= self._resources(entry)
            self._send(entry)

    def _just_tried(self, entry: Entry) -> bool:
        """Its server was absent a moment ago; nothing reached it, so that nothing runs twice."""
        sent = self._sent.get(entry.work.work_id)
        return sent is not None and self._watch.now_s - sent.last_s < RETRY_S

    def _waits_for_step(self, entry: Entry) -> bool:
        """Whether an earlier step is still to come; one that ended badly ends this one too."""
        before = self._table.get(entry.work.after_work_id)
        if not entry.work.after_work_id:
            return False
        state = before.work.state if before else State.FAILED
        if state in (State.COMPLETED, State.DELIVERING, State.DELIVERED, State.UNSPOKEN):
            return False
        if state in (State.CANCELLED, State.STALE):
            code = before.work.error_code if before else Code.CANCELLED
            self._table.change(entry, WorkEvent.CONFIRM_CANCEL, error_code=code)
        elif state is State.FAILED:
            self.fail(entry, Code.STEP_FAILED, 'what had to come first did not work')
        elif entry.work.state is State.QUEUED:
            self._table.change(entry, WorkEvent.WAIT)
        return True

    def _send(self, entry: Entry) -> None:
        """Send the goal; the journal knows it before the server does."""
        work, now_s = entry.work, self._watch.now_s
        entry.sent = True
        self._table.save(entry)
        sent = self._sent.setdefault(work.work_id, _Sent(now_s, now_s))
        sent.last_s = now_s
        self._out.append(
            DelegateGoal(
                goal_id=work.work_id,
                capability=work.capability,
                task=self._tasks.get(work.work_id, ''),
                arguments_json=work.arguments_json,
                request_id=work.request_id,
                session_id=work.session_id,
                skill=work.skill,
                evidence_id=work.request_id,
                intent_epoch=work.intent_epoch,
                priority=work.priority,
                deliver=work.deliver,
            )
        )

    # ---- hearing from servers ----------------------------------------------------------------

    def on_answer(self, answer: DelegateAnswer) -> None:
        """A server accepted, refused, has it already, or is not there."""
        sent, entry = self._sent.get(answer.goal_id), self._table.get(answer.goal_id)
        if sent is None or entry is None:
            return
        if answer.accepted or answer.reason.startswith('duplicate'):
            sent.answered = True
            if not self._executing(entry) or entry.work.state is State.CANCELLING:
                self._ask_cancel(entry)
        elif not self._executing(entry):
            return
        elif entry.work.state is State.CANCELLING:
            self._table.change(entry, WorkEvent.CONFIRM_CANCEL)
        elif answer.reason.startswith('absent'):
            entry.sent = False
            sent.last_s = self._watch.now_s
        else:
            self.fail(entry, Code.REFUSED, answer.reason or 'it was refused')

    def on_works(self, works: Works, now_ns: int) -> None:
        """Take over a server's records; adopt what others sent to it."""
        self._heard_s[works.source] = self._watch.now_s
        self._absent_s.pop(works.source, None)
        for told in works.works:
            if told.capability == works.source:
                self._take_over(told, now_ns)
        listed = {told.work_id for told in works.works}
        for work_id, sent in self._sent.items():
            entry = self._table.get(work_id)
            if entry is None or entry.work.capability != works.source or not sent.answered:
                continue
            if work_id in listed:
                sent.missing_s = math.inf
            else:
                sent.missing_s = min(sent.missing_s, self._watch.now_s)

    def on_result(self, result: DelegateResult) -> None:
        """The goal of a work ended; its record comes with it, unless the server lost it."""
        entry = self._table.get(result.goal_id)
        if entry is None:
            return
        if result.status is GoalStatus.UNKNOWN:
            if sent := self._sent.get(result.goal_id):
                sent.missing_s = min(sent.missing_s, self._watch.now_s)
        elif result.work.work_id == result.goal_id:
            self._merge(entry, result.work)
            if result.work.state is not entry.work.state is State.FAILED:
                self._table.say(Kind.DROPPED, entry.work, 'late: it was given up before it ended')

    def on_server(self, server: RobotServer) -> None:
        """A capability server came into sight or went out of it."""
        capability, _, action = server.server.rpartition('/')
        if action != 'delegate':
            return
        if server.available:
            self._absent_s.pop(capability, None)
        else:
            self._absent_s.setdefault(capability, self._watch.now_s)

    def _take_over(self, told: Work, now_ns: int) -> None:
        entry = self._table.get(told.work_id)
        if entry is not None:
            sent = self._sent.get(told.work_id)
            if sent is not None:
                sent.answered = True
            self._merge(entry, told)
            return
        ended_ns = told.states[-1][1] if told.states else 0
        if told.state not in life.ENDED or now_ns - ended_ns < ADOPT_WITHIN_NS:
            entry = self._table.adopt(told)
            entry.silent = told.delivered
            if self._executing(entry):
                now_s = self._watch.now_s
                self._sent[told.work_id] = _Sent(now_s, now_s, answered=True)

    def _merge(self, entry: Entry, told: Work) -> None:
        """Take over a record; what came too late is dropped with a reason."""
        self._table.merge(told)
        if not self._executing(entry):
            self._sent.pop(entry.work.work_id, None)
            self._tasks.pop(entry.work.work_id, None)

    # ---- cancelling --------------------------------------------------------------------------

    def cancel(self, entry: Entry, why: Code) -> None:
        """Cancel a work with all steps that wait for it, or withdraw its telling."""
        if self._executing(entry):
            if not entry.sent:
                self._table.change(entry, WorkEvent.CONFIRM_CANCEL, error_code=why)
            elif entry.work.state is not State.CANCELLING:
                self._table.change(entry, WorkEvent.ASK_CANCEL, error_code=why)
                self._ask_cancel(entry)
            for follower in self._table.followers(entry):
                self.cancel(follower, why)
        elif untold(entry) and entry.work.state is not State.FAILED:
            if why is Code.STALE:
                self._table.change(entry, WorkEvent.OUTDATE, error_code=why)
            elif why is Code.CANCELLED:
                self._table.change(entry, WorkEvent.GIVE_UP, error_code=Code.NOT_TOLD)
                self._ask_cancel(entry)

    def outdate(self, entry: Entry) -> None:
        """A correction replaced this work: cancel it, and let nobody hear what it still brings."""
        entry.outdated = True
        if entry.work.state is State.FAILED:
            entry.silent = True
        self._table.save(entry)
        self.cancel(entry, Code.STALE)

    def stop(self, stopped: Stopped) -> None:
        """Cancel the moves that were asked for before the stop."""
        if stopped.scope.motion:
            self.stop_moves(e for e in self._table if e.work.states[0][1] <= stopped.stamp_ns)

    def stop_moves(self, entries: Iterable[Entry]) -> None:
        """Cancel those that move, and the steps after them."""
        for entry in entries:
            skill = self.skill_of(entry.work)
            if skill is not None and skill.effect is Effect.MOVE and self._executing(entry):
                self.cancel(entry, Code.STOPPED)

    def _ask_cancel(self, entry: Entry) -> None:
        work, now_s = entry.work, self._watch.now_s
        self._out.append(DelegateCancel(work.work_id, work.capability))
        if sent := self._sent.get(work.work_id):
            sent.asked_cancel_s = now_s
            if sent.cancel_by_s == math.inf:
                skill = self.skill_of(work)
                limit_s = skill.limits.cancel_s if skill else 5.0
                sent.cancel_by_s = now_s + limit_s + CANCEL_MARGIN_S

    # ---- time --------------------------------------------------------------------------------

    def check(self) -> None:
        """End what its server neither answers nor knows any more."""
        for work_id, sent in list(self._sent.items()):
            entry = self._table.get(work_id)
            if entry is None or not self._executing(entry):
                del self._sent[work_id]
                continue
            self._check(entry, sent)

    def _check(self, entry: Entry, sent: _Sent) -> None:
        now_s, name = self._watch.now_s, f'the {entry.work.capability} server'
        heard_s = max(sent.first_s, self._heard_s.get(entry.work.capability, 0.0))
        absent_s = self._absent_s.get(entry.work.capability, math.inf)
        if entry.work.state is State.CANCELLING:
            if now_s >= sent.cancel_by_s:
                reason = 'I could not make sure that it has stopped'
                self.fail(entry, Code.CANCEL_UNCONFIRMED, reason)
            elif now_s - sent.asked_cancel_s >= 1.0:
                self._ask_cancel(entry)
        elif not sent.answered:
            if now_s - sent.first_s >= self._accept_s(entry):
                if entry.sent:
                    self._ask_cancel(entry)
                self.fail(entry, Code.SERVER_ABSENT, f'{name} is not there')
        elif now_s - sent.missing_s >= MISSING_WORK_S:
            if absent_s < math.inf:
                self._lose(entry, Code.SERVER_LOST, f'{name} has gone')
                return
            who = 'I' if entry.work.resumed else name
            reason = f"{who} was restarted, and I don't know how it ended"
            self._lose(entry, Code.RESTARTED, reason)
        elif now_s - heard_s >= SILENT_SERVER_S or now_s - absent_s >= ABSENT_SERVER_S:
            self._lose(entry, Code.SERVER_LOST, f'{name} has gone')

    def _lose(self, entry: Entry, code: Code, reason: str) -> None:
        self._ask_cancel(entry)
        self.fail(entry, code, reason)

    def fail(self, entry: Entry, code: Code, reason: str) -> None:
        """End a work that no server will end; `reason` is a clause for the user's ears."""
        skill = self.skill_of(entry.work)
        words = f'That did not work: {reason}.'
        if skill is not None:
            words = skill_words.failure(skill, arguments_of(entry.work), {}, reason)
        self._table.change(entry, WorkEvent.FAIL, error_code=code, error_msg=reason, summary=words)
        self._sent.pop(entry.work.work_id, None)

    # ---- small -------------------------------------------------------------------------------

    def _executing(self, entry: Entry) -> bool:
        return entry.work.state not in RELEASED

    def _resources(self, entry: Entry) -> frozenset[str]:
        skill = self.skill_of(entry.work)
        return resources(skill.resource) if skill else frozenset()

    def _accept_s(self, entry: Entry) -> float:
        skill = self.skill_of(entry.work)
        return skill.limits.accept_s if skill else 5.0
