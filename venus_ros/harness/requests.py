# SPDX-License-Identifier: Apache-2.0
"""From a request to its works: planning, two steps, corrections, requests made twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from venus_ros.core.errors import Code
from venus_ros.core.messages import (
    DelegateSpan,
    Kind,
    Scope,
    SpanPhase,
    State,
    Stopped,
    Work,
)
from venus_ros.core.work import ENDED, WorkEvent, ended
from venus_ros.harness.dispatch import Dispatch, Wish, executing
from venus_ros.harness.evidence import EvidenceStore
from venus_ros.harness.journal import Entry
from venus_ros.harness.planner.base import Plan, PlanContext, PlannedStep, Planner, Refusal
from venus_ros.harness.skills import promise
from venus_ros.harness.table import WorkTable, arguments_of

MAX_OPEN_WORKS = 8
SPAN_LIFE_NS, TELL_LIFE_NS = 30 * 10**9, 600 * 10**9
"""Ages past which a span is not carried out any more, and not even refused aloud."""
FRESH_NS = 10**9
"""Past this age a span may be one of the past, which a later one withdraws."""
Steps = tuple[PlannedStep, ...]
_TOO_MANY = 'I have too much to do already. Please ask me again when something is done.'
_TOO_LATE = 'I was away for a while and have left out what you asked for. Please ask me again.'


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asked, and how the works are to be made."""

    request_id: str
    session_id: str
    task: str
    opened_ns: int
    intent_epoch: int = 0
    priority: int = 0
    deliver: bool = True
    time_limit_s: float = 0.0


class Requests:
    """Makes works of what is asked, each request once.

    Args:
        table: where works are entered.
        dispatch: cancels what a correction replaces.
        planner: routes the words.
        evidence: freezes what is known at a request.
        new_id: draws the ids of works.
        since_ns: spans that were opened earlier are not carried out: an earlier run may have, and
            nobody remembers.
    """

    def __init__(
        self,
        table: WorkTable,
        dispatch: Dispatch,
        planner: Planner,
        evidence: EvidenceStore,
        new_id: Callable[[], str],
        since_ns: int = 0,
    ) -> None:
        self._table = table
        self._dispatch = dispatch
        self._planner = planner
        self._evidence = evidence
        self._new_id = new_id
        self._since_ns = since_ns
        self._stopped_ns = -1
        self._past: dict[str, DelegateSpan] = {}

    # ---- spans -------------------------------------------------------------------------------

    def on_span(self, span: DelegateSpan, now_ns: int) -> None:
        """Freeze what is known when a span opens; make its works when it closes.

        A harness that was away is given the last spans again: what it has made works of already
        is left alone, and what is too old to be wanted still is refused. One of the past waits
        for the next `check`, since it may be withdrawn by then.
        """
        if span.phase is SpanPhase.VOID:
            self._withdraw(span.span_id)
        elif self._table.of_request(span.span_id):
            return
        elif span.opened_ns < self._since_ns or now_ns - span.opened_ns > TELL_LIFE_NS:
            if span.phase is SpanPhase.CLOSED:
                self._table.say(Kind.DROPPED, None, f'request {span.span_id} is too old')
        elif span.phase is SpanPhase.OPENED:
            self._evidence.freeze(span.span_id, span.opened_ns, span.unit)
        elif span.phase is SpanPhase.CLOSED and now_ns - span.opened_ns > FRESH_NS:
            self._past[span.span_id] = span
        elif span.phase is SpanPhase.CLOSED:
            self.check(now_ns)
            self._carry_out(span, now_ns)

    def check(self, now_ns: int) -> None:
        """Carry out what was not withdrawn."""
        past, self._past = self._past, {}
        for span in past.values():
            self._carry_out(span, now_ns)

    def _carry_out(self, span: DelegateSpan, now_ns: int) -> None:
        """Make the works of a request, in the place of those of the one that it corrects."""
        asked = Asked(span.span_id, span.session_id, span.task, span.opened_ns, span.intent_epoch)
        old = self._table.of_request(span.corrects) if span.corrects else []
        if now_ns - span.opened_ns > SPAN_LIFE_NS:
            self.make(asked, Refusal(Code.STALE, _TOO_LATE), old)
        else:
            self.make(asked, self.plan(asked, span.unit), old)

    def _withdraw(self, span_id: str) -> None:
        """The request was cut short, or the user took it back: nothing is to be done for it."""
        self._past.pop(span_id, None)
        self._evidence.release(span_id)
        for entry in self._table.of_request(span_id):
            if entry.work.request_id == span_id and not ended(entry.work):
                self._dispatch.cancel(entry, Code.CANCELLED)

    def on_stopped(self, stopped: Stopped) -> None:
        """Remember the stop: what was asked before it does not move any more."""
        if stopped.scope.motion:
            self._stopped_ns = max(self._stopped_ns, stopped.stamp_ns)

    def works_named(self, ids: Sequence[str]) -> list[Entry]:
        """Works with these ids, or asked for by requests with these ids."""
        found: dict[str, Entry] = {}
        for name in ids:
            entry = self._table.get(name)
            for one in [entry] if entry else self._table.of_request(name):
                found[one.work.work_id] = one
        return list(found.values())

    def forget(self) -> None:
        """Let go of evidence whose works have all ended."""
        open_ids = {e.work.request_id for e in self._table if e.work.state not in ENDED}
        for entry in self._table:
            if entry.work.request_id not in open_ids:
                self._evidence.release(entry.work.request_id)

    # ---- planning ----------------------------------------------------------------------------

    def plan(self, asked: Asked, unit: int = 0, capability: str = '') -> Steps | Refusal:
        """Ask the planner; an error inside it is a refusal and a fault, not our end."""
        evidence = self._evidence.freeze(asked.request_id, asked.opened_ns, unit)
        context = PlanContext(evidence.transcript, self._mentioned(asked.session_id), capability)
        try:
            planned = self._planner.plan(asked.task, context)
        except Exception as error:
            self._table.say(Kind.FAULT, None, f'the planner failed: {type(error).__name__}')
            return Refusal(Code.INTERNAL, 'Something inside me failed when I thought about that.')
        return self._confirmed(planned.steps) if isinstance(planned, Plan) else planned

    def _confirmed(self, steps: Steps) -> Steps | Refusal:
        """Refuse what needs a confirmation that nobody can give by voice."""
        for step in steps:
            skill = self._dispatch.find_skill(step.capability, step.skill)
            if skill is not None and skill.confirmation == 'always':
                wish = promise(skill, step.arguments) or 'do that'
                sentence = (
                    f'I may not {wish} without a confirmation, and I cannot ask for one yet.'
                )
                return Refusal(Code.NOT_ALLOWED, sentence)
        return steps

    def _mentioned(self, session_id: str) -> dict[str, str]:
        """What the last works were about: argument -> value."""
        mentioned: dict[str, str] = {}
        for entry in self._table:
            if entry.work.session_id == session_id:
                for name, value in arguments_of(entry.work).items():
                    if isinstance(value, str) and value:
                        mentioned[name] = value
        return mentioned

    # ---- making works ------------------------------------------------------------------------

    def make(self, asked: Asked, planned: Steps | Refusal, old: list[Entry]) -> list[Entry]:
        """Works of a request: the same ones if it was asked before, else new ones.

        Args:
            old: works of the request that this one corrects.
        """
        same = [] if isinstance(planned, Refusal) else self._running(planned)
        if same:
            self._join(asked, same)
        kept = {entry.work.work_id for entry in same}
        for entry in old:
            if entry.work.work_id not in kept:
                self._dispatch.outdate(entry)
        if same:
            return same
        if isinstance(planned, Refusal):
            return [self._refuse(asked, planned)]
        if self._open_works() + len(planned) > MAX_OPEN_WORKS:
            return [self._refuse(asked, Refusal(Code.TOO_MANY, _TOO_MANY))]
        entries = self._enter(asked, planned)
        if asked.opened_ns <= self._stopped_ns:
            self._dispatch.stop_these(entries, Scope.MOTION)
        return entries

    def _join(self, asked: Asked, works: list[Entry]) -> None:
        """Give works to the newest request, so that "cancel that" finds them.

        The earlier requests still lead to them.
        """
        for entry in works:
            entry.also_asked.append(entry.work.request_id)
            self._table.revise(entry, request_id=asked.request_id)
            self._table.say(Kind.DROPPED, entry.work, 'asked again while it runs: joined')

    def _enter(self, asked: Asked, steps: Steps) -> list[Entry]:
        ids = [self._new_id() for _ in steps]
        entries = []
        for work_id, step in zip(ids, steps, strict=True):
            work = Work(
                work_id=work_id,
                capability=step.capability,
                state=State.UNKNOWN,
                request_id=asked.request_id,
                session_id=asked.session_id,
                skill=step.skill,
                arguments_json=_canonical(step.arguments),
                after_work_id=ids[step.after] if step.after >= 0 else '',
                intent_epoch=asked.intent_epoch,
                priority=asked.priority,
                deliver=asked.deliver,
            )
            entries.append(self._table.add(work))
            wish = Wish(step.task or asked.task, asked.time_limit_s)
            self._dispatch.remember(work_id, wish)
        return entries

    def _refuse(self, asked: Asked, refusal: Refusal) -> Entry:
        """A refused request is a failed work of no capability: told once, lost never."""
        work = Work(
            work_id=self._new_id(),
            capability='',
            state=State.UNKNOWN,
            request_id=asked.request_id,
            session_id=asked.session_id,
            intent_epoch=asked.intent_epoch,
            deliver=asked.deliver,
        )
        entry = self._table.add(work)
        self._table.change(
            entry,
            WorkEvent.FAIL,
            error_code=refusal.code,
            error_msg=refusal.code.name.lower(),
            summary=refusal.sentence,
        )
        return entry

    def _open_works(self) -> int:
        return sum(executing(entry) for entry in self._table)

    def _running(self, steps: Steps) -> list[Entry]:
        """Works of one request that are just these steps and still run.

        None if something that was asked later stands between them and the robot.
        """
        wanted = [(s.capability, s.skill, _canonical(s.arguments)) for s in steps]
        for request_id in {e.work.request_id: None for e in self._table}:
            works = self._table.of_request(request_id)
            found = [
                (e.work.capability, e.work.skill, _canonical(arguments_of(e.work))) for e in works
            ]
            running = [executing(e) and e.work.state is not State.CANCELLING for e in works]
            if found == wanted and running[-1] and not self._overtaken(works):
                return works
        return []

    def _overtaken(self, works: list[Entry]) -> bool:
        """Whether other works that were asked later wait for the same resources."""
        held: set[str] = set()
        later = False
        for entry in self._table:
            needs = self._dispatch.needs(entry.work)
            if entry in works:
                held |= needs
                later = True
            elif later and needs & held and executing(entry):
                return True
        return False


def _canonical(arguments: Any) -> str:
    return json.dumps(dict(arguments), sort_keys=True, ensure_ascii=False)
