# SPDX-License-Identifier: Apache-2.0
"""Sends works to their capability servers, in order and one per resource, and calls them back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from venus_ros.core.errors import Code, VenusError
from venus_ros.core.messages import DelegateCancel, DelegateGoal, Scope, State, Stopped, Work
from venus_ros.core.work import RELEASED, WorkEvent
from venus_ros.harness.job import failure_words, resources, stops
from venus_ros.harness.journal import Entry
from venus_ros.harness.skills import Limits, Skill, Skills
from venus_ros.harness.table import WorkTable, arguments_of, untold
from venus_ros.harness.watch import Watch

RETRY_S = 0.5
RESTORE_S = 2.0
"""After a restart of the harness, servers get so much longer to be found."""
CANCEL_MARGIN_S = 3.0
"""A server reports an unconfirmed cancel by itself; so much later it is taken for silent."""

_ENDED_WELL = (State.COMPLETED, State.DELIVERING, State.DELIVERED, State.UNSPOKEN)


@dataclass(slots=True)
class Sent:
    """What is known about a goal at a server, in watch time."""

    first_s: float
    last_s: float
    answered: bool = False
    missing_s: float = math.inf
    cancel_by_s: float = math.inf
    asked_cancel_s: float = math.inf


@dataclass(frozen=True, slots=True)
class Wish:
    """What a goal carries besides its work: it is in no record and on no disk."""

    task: str = ''
    time_limit_s: float = 0.0


class Dispatch:
    """From QUEUED to the server, and back if it is not wanted any more.

    Args:
        table: all works.
        skills: limits, resources and effects.
        watch: time for deadlines.

    Attributes:
        sent: goals whose end no server has told yet, by work id.
    """

    def __init__(self, table: WorkTable, skills: Skills, watch: Watch) -> None:
        self._table = table
        self._skills = skills
        self._watch = watch
        self._wishes: dict[str, Wish] = {}
        self._out: list[Any] = []
        self.sent: dict[str, Sent] = {}
        for entry in table:
            if entry.sent and executing(entry):
                sent = Sent(0.0, 0.0, answered=True, missing_s=RESTORE_S)
                self.sent[entry.work.work_id] = sent

    def take(self) -> list[Any]:
        """What is to be sent."""
        out, self._out = self._out, []
        return out

    def skill_of(self, work: Work) -> Skill | None:
        """The skill that runs a work; none if it has none that is known."""
        return self.find_skill(work.capability, work.skill)

    def find_skill(self, capability: str, skill: str) -> Skill | None:
        """A skill by its names, if there is one."""
        try:
            return self._skills.get(capability, skill)
        except VenusError:
            return None

    def limits_of(self, work: Work) -> Limits:
        """How long things may take for a work."""
        skill = self.skill_of(work)
        return skill.limits if skill else Limits()

    def needs(self, work: Work) -> frozenset[str]:
        """Resources that a work holds while it runs."""
        skill = self.skill_of(work)
        return resources(skill.resource) if skill else frozenset()

    def remember(self, work_id: str, wish: Wish) -> None:
        """Keep what the work's goal is to carry."""
        self._wishes[work_id] = wish

    def forget(self, work_id: str) -> None:
        """The goal has ended."""
        self.sent.pop(work_id, None)
        self._wishes.pop(work_id, None)

    # ---- sending -----------------------------------------------------------------------------

    def start_what_can(self) -> None:
        """Send the goals of works whose earlier step is done and whose resources are free."""
        taken: set[str] = set()
        for entry in self._table:
            if entry.sent and executing(entry):
                taken |= self.needs(entry.work)
        idle = [e for e in self._table if not e.sent and executing(e)]
        for entry in sorted(idle, key=lambda e: -e.work.priority):
            if self._waits_for_step(entry):
                continue
            needs = self.needs(entry.work)
            if needs & taken and entry.work.state is State.QUEUED:
                self._table.change(entry, WorkEvent.WAIT)
            elif not needs & taken and not self._just_tried(entry):
                self._send(entry)
            taken |= needs

    def _waits_for_step(self, entry: Entry) -> bool:
        """Whether an earlier step is still to come; one that ended badly ends this one too."""
        if not entry.work.after_work_id:
            return False
        before = self._table.get(entry.work.after_work_id)
        if before is None or before.work.state is State.FAILED:
            self.fail(entry, Code.STEP_FAILED, 'what had to come first did not work')
        elif before.work.state in _ENDED_WELL:
            return False
        elif before.work.state in (State.CANCELLED, State.STALE):
            code = before.work.error_code
            self._table.change(entry, WorkEvent.CONFIRM_CANCEL, error_code=code)
            self.forget(entry.work.work_id)
        elif entry.work.state is State.QUEUED:
            self._table.change(entry, WorkEvent.WAIT)
        return True

    def _just_tried(self, entry: Entry) -> bool:
        """Its server was absent a moment ago; nothing reached it, so that nothing runs twice."""
        sent = self.sent.get(entry.work.work_id)
        return sent is not None and self._watch.now_s - sent.last_s < RETRY_S

    def _send(self, entry: Entry) -> None:
        """Send the goal; the journal knows it before the server does."""
        work, now_s = entry.work, self._watch.now_s
        entry.sent = True
        self._table.touch(entry)
        self.sent.setdefault(work.work_id, Sent(now_s, now_s)).last_s = now_s
        wish = self._wishes.get(work.work_id, Wish())
        self._out.append(
            DelegateGoal(
                goal_id=work.work_id,
                capability=work.capability,
                task=wish.task,
                arguments_json=work.arguments_json,
                request_id=work.request_id,
                session_id=work.session_id,
                skill=work.skill,
                evidence_id=work.request_id,
                intent_epoch=work.intent_epoch,
                priority=work.priority,
                time_limit_s=wish.time_limit_s,
                deliver=work.deliver,
            )
        )

    # ---- calling back ------------------------------------------------------------------------

    def cancel(self, entry: Entry, why: Code) -> None:
        """Cancel a work with all steps that wait for it, or withdraw its telling."""
        if executing(entry):
            if not entry.sent:
                self._table.change(entry, WorkEvent.CONFIRM_CANCEL, error_code=why)
                self.forget(entry.work.work_id)
            elif entry.work.state is not State.CANCELLING:
                self._table.change(entry, WorkEvent.ASK_CANCEL, error_code=why)
                self.ask_cancel(entry)
            for follower in self._table.followers(entry):
                self.cancel(follower, why)
        elif untold(entry) and entry.work.state is not State.FAILED:
            if why is Code.STALE:
                self._table.change(entry, WorkEvent.OUTDATE, error_code=why)
            elif why is Code.CANCELLED:
                self._table.change(entry, WorkEvent.GIVE_UP, error_code=Code.NOT_TOLD)
                self.ask_cancel(entry)

    def outdate(self, entry: Entry) -> None:
        """A correction replaced this work: cancel it, and let nobody hear what it still brings."""
        entry.outdated = True
        if entry.work.state is State.FAILED:
            self._table.silence(entry, 'stale: a correction replaced it before it was told')
        self._table.touch(entry)
        skill = self.skill_of(entry.work)
        if skill is None or 'correction' in skill.cancel_on or not entry.sent:
            self.cancel(entry, Code.STALE)

    def stop(self, stopped: Stopped) -> None:
        """Cancel what a stop concerns, if it was asked for before it."""
        before = (e for e in self._table if e.work.states[0][1] <= stopped.stamp_ns)
        self.stop_these(before, stopped.scope)

    def stop_these(self, entries: Iterable[Entry], scope: Scope) -> None:
        """Cancel those that a stop of this scope concerns, and the steps after them."""
        for entry in entries:
            skill = self.skill_of(entry.work)
            if skill is not None and stops(skill, scope) and executing(entry):
                self.cancel(entry, Code.STOPPED)

    def ask_cancel(self, entry: Entry) -> None:
        """Ask the server to cancel a goal; its own limit begins with the first time."""
        work, now_s = entry.work, self._watch.now_s
        self._out.append(DelegateCancel(work.work_id, work.capability))
        if sent := self.sent.get(work.work_id):
            sent.asked_cancel_s = now_s
            limit_s = self.limits_of(work).cancel_s + CANCEL_MARGIN_S
            sent.cancel_by_s = min(sent.cancel_by_s, now_s + limit_s)

    def fail(self, entry: Entry, code: Code, reason: str) -> None:
        """End a work that no server will end; `reason` is a clause for the user's ears."""
        skill = self.skill_of(entry.work)
        words = f'That did not work: {reason}.'
        if skill is not None:
            words = failure_words(skill, arguments_of(entry.work), code, reason, {})
        self._table.change(entry, WorkEvent.FAIL, error_code=code, error_msg=reason, summary=words)
        self.forget(entry.work.work_id)


def executing(entry: Entry) -> bool:
    """Whether a work may still do something to the world."""
    return entry.work.state not in RELEASED
