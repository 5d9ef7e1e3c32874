# SPDX-License-Identifier: Apache-2.0
"""The private requests of a conversation: numbered, dated, corrected and withdrawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from venus_ros.core.floor import Tell
from venus_ros.core.messages import DelegateSpan, Kind, SpanPhase, Unit, Work
from venus_ros.core.split import Closed, Opened, Part, Public, Splitter, Voided
from venus_ros.core.step import Control, StepOutput
from venus_ros.core.work import ended

T = TypeVar('T')
MOST_KEPT = 64
"""Requests that are remembered: those that can be withdrawn, and those that were."""


class Spans:
    """Turns a frontend's text into `DelegateSpan`s. Public text goes no further than here.

    A request that the user withdraws becomes VOID. Spans are latched, so that a harness that is
    away learns of it when it is back; the event CANCEL_ASKED says the same to those who watch.
    """

    def __init__(self, session_id: str, tell: Tell) -> None:
        self._session_id = session_id
        self._tell = tell
        self._splitter = Splitter()
        self._count = 0
        self._open: DelegateSpan | None = None
        self._asked: dict[str, DelegateSpan] = {}  # closed; some of their works may be open
        self._withdrawn: dict[str, None] = {}

    def read(self, output: StepOutput, unit: Unit, intent_epoch: int) -> list[DelegateSpan]:
        """Return the phases that the step's text has reached."""
        parts = self._splitter.feed(output.text)
        if output.control is Control.END_TURN:
            parts += self._splitter.end_turn()
        corrects = self._id_of(output.corrects)
        spans = []
        for part in parts:
            if isinstance(part, Opened):
                self._count += 1
                spans.append(self._begin(unit, intent_epoch, corrects))
                corrects = ''
            elif not isinstance(part, Public):
                spans += self._finish(part, unit.k)
        return spans

    def void(self, reason: str) -> list[DelegateSpan]:
        """The turn was cut: what was being asked is not to be done."""
        unit = self._open.unit if self._open else 0
        return [span for part in self._splitter.cut(reason) for span in self._finish(part, unit)]

    def cancel(self, ordinals: tuple[int, ...], works: tuple[Work, ...]) -> list[DelegateSpan]:
        """Return what withdraws the requests that the user took back; (0,) = all of them.

        Args:
            ordinals: of the frontend's spans.
            works: the newest table of the harness.
        """
        if 0 in ordinals:
            self._tell(Kind.CANCEL_ASKED, reason='everything')
            others = (work.request_id for work in works if not ended(work))
            names = dict.fromkeys((*self._asked, *filter(None, others)))
        else:
            names = dict.fromkeys(filter(None, map(self._id_of, ordinals)))
        withdrawn = []
        for span_id in names:
            asked = (work for work in works if work.request_id == span_id)
            work_ids = tuple(work.work_id for work in asked if not ended(work))
            if work_ids and 0 not in ordinals:
                self._tell(Kind.CANCEL_ASKED, work_ids=work_ids, reason=span_id)
            if (work_ids or span_id in self._asked) and span_id not in self._withdrawn:
                withdrawn.append(self._withdraw(span_id))
        return withdrawn

    def learn(self, works: tuple[Work, ...]) -> None:
        """Forget the requests whose works have ended."""
        still_open: dict[str, bool] = {}
        for work in works:
            known = still_open.get(work.request_id, False)
            still_open[work.request_id] = known or not ended(work)
        self._asked = {name: s for name, s in self._asked.items() if still_open.get(name, True)}

    def _withdraw(self, span_id: str) -> DelegateSpan:
        """The VOID phase of a request, of this session or of an earlier one."""
        none = DelegateSpan(self._session_id, span_id, SpanPhase.VOID, 0, 0, 0)
        span = self._asked.pop(span_id, none)
        _keep(self._withdrawn, span_id, None)
        return replace(span, phase=SpanPhase.VOID, task='withdrawn', corrects='')

    def _id_of(self, ordinal: int) -> str:
        """Return the span's id; empty for 0, and for one that was never opened."""
        if not 0 <= ordinal <= self._count:
            self._tell(Kind.FAULT, reason=f'the frontend names span {ordinal} of {self._count}')
            return ''
        return f'{self._session_id}/{ordinal}' if ordinal else ''

    def _begin(self, unit: Unit, intent_epoch: int, corrects: str) -> DelegateSpan:
        self._open = DelegateSpan(
            self._session_id,
            f'{self._session_id}/{self._count}',
            SpanPhase.OPENED,
            unit.k,
            intent_epoch,
            unit.end_ns,
            corrects=corrects,
        )
        return self._open

    def _finish(self, part: Part, unit: int) -> list[DelegateSpan]:
        span, self._open = self._open, None
        if span is None:
            return []
        closed = isinstance(part, Closed)
        task = part.task if isinstance(part, Closed) else ''
        task = part.reason if isinstance(part, Voided) else task
        phase = SpanPhase.CLOSED if closed else SpanPhase.VOID
        done = replace(span, phase=phase, unit=unit, task=task)
        if closed:
            _keep(self._asked, span.span_id, done)
        return [done]


def _keep(kept: dict[str, T], name: str, value: T) -> None:
    """Remember `value`, and forget what is too old."""
    kept[name] = value
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]
