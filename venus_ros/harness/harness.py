# SPDX-License-Identifier: Apache-2.0
"""The harness: owns the only table of works, from the request to its telling.

Requests become works (`requests`, `generals`), works go to capability servers (`dispatch`), which
tell how they fare (`servers`); results go into the conversation (`delivery`). Every change is in
the journal before anybody hears of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from venus_ros.core.errors import Code
from venus_ros.core.log import EventLog
from venus_ros.core.messages import (
    Capabilities,
    ConversationState,
    DelegateAnswer,
    DelegateCancel,
    DelegateGoal,
    DelegateResult,
    DelegateSpan,
    Event,
    Frame,
    Kind,
    NoteAnswer,
    Playout,
    Pose,
    RobotServer,
    Stopped,
    Transcript,
    Work,
    Works,
)
from venus_ros.core.work import RELEASED, ended
from venus_ros.harness.delivery import Delivery
from venus_ros.harness.dispatch import Dispatch
from venus_ros.harness.evidence import Evidence, EvidenceStore, Picture
from venus_ros.harness.generals import Generals
from venus_ros.harness.journal import Journal
from venus_ros.harness.planner.base import Planner
from venus_ros.harness.requests import Requests
from venus_ros.harness.servers import Servers
from venus_ros.harness.skills import Skills
from venus_ros.harness.table import WorkTable
from venus_ros.harness.watch import Watch

PURGE_PERIOD_S = 3600.0


class Harness:
    """Engine of the harness.

    Args:
        skills: all skills.
        planner: routes the words of requests.
        journal: what survives a crash; works of an earlier run are taken up from it.
        source: this node and its run, for events.
        stamp: gives ROS (or counted) time, ns.
        new_id: draws UUID texts.
    """

    def __init__(
        self,
        skills: Skills,
        planner: Planner,
        journal: Journal,
        *,
        source: str,
        stamp: Callable[[], int],
        new_id: Callable[[], str],
    ) -> None:
        self._stamp = stamp
        self._skills = skills
        self._watch = Watch()
        self._evidence = EvidenceStore()
        self._table = WorkTable(journal, EventLog(source), stamp)
        self._mark_restored()
        self._dispatch = Dispatch(self._table, skills, self._watch)
        self._servers = Servers(self._table, self._dispatch, self._watch)
        since_ns = 0 if journal.complete else stamp()
        self._requests = Requests(
            self._table, self._dispatch, planner, self._evidence, new_id, since_ns
        )
        self._generals = Generals(self._requests, self._dispatch, skills)
        self._delivery = Delivery(self._table, self._watch, new_id)
        self._absent: dict[str, str] = {}
        self._offer_due = True
        self._blind = False
        self._purged_s = 0.0
        self._out: list[Any] = []

    # ---- engine ------------------------------------------------------------------------------

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Take one message; see the contract of engines. Returns what to send."""
        self._watch.look(now_s)
        match message:
            case DelegateSpan():
                self._requests.on_span(message, self._stamp())
            case DelegateGoal():
                self._out += self._generals.on_goal(message, self._watch.now_s, self._stamp())
            case DelegateCancel():
                self._generals.cancel(message.goal_id)
            case DelegateAnswer():
                self._servers.on_answer(message)
            case DelegateResult():
                self._servers.on_result(message)
            case Works() if message.source != 'harness':
                self._servers.on_works(message, self._stamp())
            case NoteAnswer():
                self._delivery.on_answer(message)
            case ConversationState():
                self._delivery.on_state(message)
            case Playout():
                self._delivery.on_playout(message)
            case Event():
                self._on_event(message)
            case Stopped():
                self._on_stopped(message)
            case RobotServer():
                self._on_server(message)
            case _:
                self._witness(message)
                return []
        return self._flush()

    def tick(self, now_s: float) -> list[Any]:
        """Let time pass: deadlines, retries, tellings. Returns what to send."""
        self._watch.look(now_s)
        self._requests.check(self._stamp())
        self._servers.check()
        if self._watch.now_s - self._purged_s >= PURGE_PERIOD_S:
            self._purged_s = self._watch.now_s
            self._table.journal.purge(self._stamp())
        return self._flush()

    def evidence(self, evidence_id: str) -> Evidence | None:
        """What was known when a request was made (service `get_evidence`)."""
        return self._evidence.get(evidence_id)

    def works(self) -> tuple[Work, ...]:
        """All works of the table, oldest first."""
        return tuple(entry.work for entry in self._table)

    def _witness(self, message: Any) -> None:
        """Keep what may be evidence one day. A picture that is none is told once."""
        match message:
            case Transcript():
                self._evidence.hear(message)
            case Pose():
                self._evidence.stand(message)
            case Frame() | Picture():
                try:
                    self._evidence.see(message)
                    self._blind = False
                except ValueError as error:
                    if not self._blind:
                        self._table.say(Kind.DROPPED, None, f'evidence: {error}')
                    self._blind = True

    # ---- what concerns several parts ----------------------------------------------------------

    def _on_event(self, event: Event) -> None:
        if event.kind is Kind.CANCEL_ASKED:
            named = self._requests.works_named(event.work_ids)
            for entry in named if event.work_ids else self._table:
                if not ended(entry.work):
                    self._dispatch.cancel(entry, Code.CANCELLED)
        else:
            self._delivery.on_event(event)

    def _on_stopped(self, stopped: Stopped) -> None:
        self._requests.on_stopped(stopped)
        self._dispatch.stop(stopped)
        self._delivery.on_stopped(stopped)

    def _on_server(self, server: RobotServer) -> None:
        """Servers of the robot's, and capability servers (`<capability>/delegate`)."""
        before = dict(self._absent)
        if server.available:
            self._absent.pop(server.server, None)
        else:
            self._absent[server.server] = server.reason or 'its server is not there'
        self._offer_due = self._offer_due or before != self._absent
        self._servers.on_server(server)

    def _mark_restored(self) -> None:
        """Say of works of an earlier run that they are that."""
        for entry in self._table:
            if entry.work.state in RELEASED:
                entry.restored = True
            elif not entry.work.resumed:
                self._table.revise(entry, resumed=True)

    # ---- sending -----------------------------------------------------------------------------

    def _flush(self) -> list[Any]:
        """Let every part do what it can now.

        Cancels go before `works`, so that a server knows why a telling was withdrawn; goals go
        after it, so that nobody hears of a work from its server first.
        """
        self._dispatch.start_what_can()
        self._delivery.check()
        out, self._out = self._out, []
        changed = self._table.changed()
        if changed:
            out += self._generals.report(changed, self._watch.now_s)
            self._requests.forget()
        sent = self._dispatch.take()
        out += [message for message in sent if isinstance(message, DelegateCancel)]
        out += self._table.announce()
        out += [message for message in sent if not isinstance(message, DelegateCancel)]
        out += self._delivery.take()
        return out + self._offer()

    def _offer(self) -> list[Any]:
        """`Capabilities`, when a server came or went."""
        if not self._offer_due:
            return []
        self._offer_due = False
        absent = dict(self._absent)
        for skill in self._skills:
            reason = self._absent.get(f'{skill.capability}/delegate')
            if reason:
                absent.setdefault(skill.server, reason)
        return [Capabilities(self._skills.offer(absent), self._stamp())]
