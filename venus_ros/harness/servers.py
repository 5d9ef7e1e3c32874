# SPDX-License-Identifier: Apache-2.0
"""What the capability servers tell about works, and what follows when they fall silent."""

from __future__ import annotations

import math

from venus_ros.core import work as life
from venus_ros.core.errors import Code
from venus_ros.core.messages import (
    DelegateAnswer,
    DelegateResult,
    GoalStatus,
    Kind,
    RobotServer,
    State,
    Work,
    Works,
)
from venus_ros.core.work import WorkEvent
from venus_ros.harness.dispatch import Dispatch, Sent, executing
from venus_ros.harness.journal import Entry
from venus_ros.harness.table import WorkTable
from venus_ros.harness.watch import Watch

SILENT_S = 12.0
"""A server that runs something speaks every 2 s; after so long it is lost."""
ABSENT_S = 8.0
"""A server out of sight for so long will not come back; a restart takes less."""
MISSING_S = 3.0
"""A server that does not list a work of its own was restarted; it gets so long to say what of."""
ADOPT_WITHIN_NS = 60 * 10**9


class Servers:
    """Merges what servers tell into the table, and ends what they do not know any more.

    Args:
        table: all works.
        dispatch: what was sent to whom.
        watch: time for deadlines.
    """

    def __init__(self, table: WorkTable, dispatch: Dispatch, watch: Watch) -> None:
        self._table = table
        self._dispatch = dispatch
        self._watch = watch
        self._heard_s: dict[str, float] = {}
        self._absent_s: dict[str, float] = {}

    # ---- hearing -----------------------------------------------------------------------------

    def on_answer(self, answer: DelegateAnswer) -> None:
        """A server accepted, refused, has it already, or is not there."""
        sent = self._dispatch.sent.get(answer.goal_id)
        entry = self._table.get(answer.goal_id)
        if entry is None or sent is None:
            return
        if answer.accepted or answer.reason.startswith('duplicate'):
            sent.answered = True
        elif not executing(entry):
            return
        elif entry.work.state is State.CANCELLING:
            self._table.change(entry, WorkEvent.CONFIRM_CANCEL)
        elif answer.reason.startswith('absent'):
            entry.sent = False
            sent.last_s = self._watch.now_s
        else:
            plain = answer.reason in ('', 'refused')
            reason = f'{_name(entry)} refused it' if plain else answer.reason
            self._dispatch.fail(entry, Code.REFUSED, reason)

    def on_works(self, works: Works, now_ns: int) -> None:
        """Take over a server's records; adopt what others sent to it."""
        self._heard_s[works.source] = self._watch.now_s
        self._absent_s.pop(works.source, None)
        for told in works.works:
            if told.capability == works.source:
                self._take_over(told, now_ns)
        listed = {told.work_id for told in works.works}
        for work_id, sent in self._dispatch.sent.items():
            entry = self._table.get(work_id)
            if entry is None or entry.work.capability != works.source or not sent.answered:
                continue
            known = work_id in listed
            sent.missing_s = math.inf if known else min(sent.missing_s, self._watch.now_s)

    def on_result(self, result: DelegateResult) -> None:
        """The goal of a work ended; its record comes with it, unless the server lost it."""
        entry = self._table.get(result.goal_id)
        if entry is None:
            return
        if result.status is GoalStatus.UNKNOWN:
            if sent := self._dispatch.sent.get(result.goal_id):
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
            if sent := self._dispatch.sent.get(told.work_id):
                sent.answered = True
            self._merge(entry, told)
            return
        ended_ns = told.states[-1][1] if told.states else 0
        if told.state not in life.ENDED or now_ns - ended_ns < ADOPT_WITHIN_NS:
            entry = self._table.adopt(told)
            if executing(entry):
                now_s = self._watch.now_s
                self._dispatch.sent[told.work_id] = Sent(now_s, now_s, answered=True)

    def _merge(self, entry: Entry, told: Work) -> None:
        self._table.merge(told)
        if not executing(entry):
            self._dispatch.forget(entry.work.work_id)

    # ---- silence -----------------------------------------------------------------------------

    def check(self) -> None:
        """End what its server neither answers nor knows any more."""
        for work_id, sent in list(self._dispatch.sent.items()):
            entry = self._table.get(work_id)
            if entry is None or not executing(entry):
                self._dispatch.forget(work_id)
            elif entry.work.state is State.CANCELLING:
                self._check_cancel(entry, sent)
            elif not sent.answered:
                self._check_answer(entry, sent)
            else:
                self._check_life(entry, sent)

    def _check_cancel(self, entry: Entry, sent: Sent) -> None:
        if self._watch.now_s >= sent.cancel_by_s:
            self._dispatch.fail(entry, Code.CANCEL_UNCONFIRMED, 'the cancel was not confirmed')
        elif self._watch.now_s - sent.asked_cancel_s >= 1.0:
            self._dispatch.ask_cancel(entry)

    def _check_answer(self, entry: Entry, sent: Sent) -> None:
        limit_s = self._dispatch.limits_of(entry.work).accept_s
        if entry.work.capability in self._heard_s:  # it was there: it may be on its way back
            limit_s = max(limit_s, ABSENT_S)
        if self._watch.now_s - sent.first_s >= limit_s:
            self._lose(entry, Code.SERVER_ABSENT, f'{_name(entry)} is not there')

    def _check_life(self, entry: Entry, sent: Sent) -> None:
        now_s = self._watch.now_s
        heard_s = max(sent.first_s, self._heard_s.get(entry.work.capability, 0.0))
        absent_s = now_s - self._absent_s.get(entry.work.capability, math.inf)
        missing = now_s - sent.missing_s >= MISSING_S
        if now_s - heard_s >= SILENT_S or absent_s >= (0.0 if missing else ABSENT_S):
            self._lose(entry, Code.SERVER_LOST, f'{_name(entry)} has gone')
        elif missing:
            who = 'I' if entry.work.resumed else _name(entry)
            reason = f"{who} was restarted, and I don't know how it ended"
            self._lose(entry, Code.RESTARTED, reason)

    def _lose(self, entry: Entry, code: Code, reason: str) -> None:
        """Fail, and have the goal cancelled should the server come to itself."""
        if entry.sent:
            self._dispatch.ask_cancel(entry)
        self._dispatch.fail(entry, code, reason)


def _name(entry: Entry) -> str:
    return f'the {entry.work.capability} server'
