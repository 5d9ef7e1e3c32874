# SPDX-License-Identifier: Apache-2.0
"""The private requests of a conversation: numbered, dated, corrected and withdrawn."""

from __future__ import annotations

from venus_ros.core.floor import Tell
from venus_ros.core.messages import DelegateSpan, Kind, SpanPhase, Unit, Work
from venus_ros.core.split import Closed, Opened, Part, Public, Splitter, Voided
from venus_ros.core.step import Control, StepOutput
from venus_ros.core.work import ended


class Spans:
    """Turns a frontend's text into `DelegateSpan`s. Public text goes no further than here."""

    def __init__(self, session_id: str, tell: Tell) -> None:
        self._session_id = session_id
        self._tell = tell
        self._splitter = Splitter()
        self._count = 0
        self._open: DelegateSpan | None = None
        self._withdrawn: list[int] = []  # ordinals whose works are not known yet

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

    def cancel(self, ordinals: tuple[int, ...], works: tuple[Work, ...]) -> None:
        """Tell whose works the user withdrew; a request whose works are unknown waits for them."""
        if 0 in ordinals:
            self._withdrawn.clear()
            self._tell(Kind.CANCEL_ASKED, reason='everything')
            return
        self._withdrawn += [n for n in ordinals if self._id_of(n) and n not in self._withdrawn]
        for ordinal in tuple(self._withdrawn):
            span_id = self._id_of(ordinal)
            asked = [work for work in works if work.request_id == span_id]
            if not asked:
                continue
            self._withdrawn.remove(ordinal)
            work_ids = tuple(work.work_id for work in asked if not ended(work))
            if work_ids:
                self._tell(Kind.CANCEL_ASKED, work_ids=work_ids, reason=span_id)

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
        return [
            DelegateSpan(
                self._session_id,
                span.span_id,
                phase,
                unit,
                span.intent_epoch,
                span.opened_ns,
                task,
                span.corrects,
            )
        ]
