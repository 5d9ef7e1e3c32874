# SPDX-License-Identifier: Apache-2.0
"""The conversation: one unit after the other through inbox, step, split, floor and playout.

`Session.advance` is the whole way of the data. Everything else here takes messages in, or makes
sure that a unit goes its way when a frontend fails, is late, or is told to be silent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from venus_ros.core.errors import InputError, VenusError
from venus_ros.core.floor import DECISIONS, FloorKeeper
from venus_ros.core.inbox import Inbox
from venus_ros.core.lag import Lag
from venus_ros.core.log import EventLog
from venus_ros.core.messages import (
    AdmitNote,
    AudioChunk,
    Capabilities,
    ConversationState,
    Floor,
    Frame,
    Kind,
    Playout,
    Role,
    Say,
    Stopped,
    Transcript,
    TypedText,
    Unit,
    UnitReport,
    Works,
)
from venus_ros.core.playout import Ledger
from venus_ros.core.says import Says
from venus_ros.core.spans import Spans
from venus_ros.core.split import has_token
from venus_ros.core.step import (
    Context,
    Control,
    Decision,
    Directive,
    DuplexFrontend,
    Note,
    Prompt,
    Speech,
    StepOutput,
)
from venus_ros.core.unit import RATE_HZ, UnitClock

FAILURES = 3
"""After so many failed steps in a row the frontend is reset."""
DRY_S = 3.0
"""A turn that has no more sound for so long is over."""
NOTE_WAIT_S = 30.0
"""A note of which nothing is said for so long is given back."""
FRESH_NOTE_S = 3.0
"""So long after its admission a note keeps the floor from others."""
NO_MICROPHONE_S = 1.0
"""Without sound for so long, units go on in silence: typed words and results are still heard."""


class Session:
    """Engine of one conversation.

    Takes AudioChunk (16 kHz mono), Frame, TypedText, Playout, AdmitNote, Works of the harness,
    Capabilities, Stopped, Say. Gives SpeechChunk, DelegateSpan, Event, Transcript, UnitReport,
    ConversationState, NoteAnswer, Said. The first AudioChunk opens it if `open` was not called.

    Args:
        frontend: what hears and speaks; `step` runs inside `receive` and `tick`.
        prompt: what the session starts with; its id is the session's.
        source: node and its run, for events.
        max_lag_s: past it the robot stops speaking until the units have caught up.
        timer: seconds of any steady clock, for the timings in unit reports.
    """

    def __init__(
        self,
        frontend: DuplexFrontend,
        prompt: Prompt,
        *,
        source: str,
        max_lag_s: float = 3.0,
        timer: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._frontend = frontend
        self._prompt = prompt
        self._session_id = prompt.session_id
        self._timer = timer
        self._log = EventLog(source)
        self._out: list[Any] = []
        self._now_s = 0.0
        self._now_ns = 0
        self._is_open = False
        self._opened_ns = 0
        unit_s = frontend.spec.unit_s
        self._clock = UnitClock(unit_s)
        self._lag = Lag(unit_s, max_lag_s)
        self._inbox = Inbox(self._session_id)
        self._floor = FloorKeeper(self._tell)
        self._ledger = Ledger(
            self._session_id, frontend.spec.speech_rate_hz, self._floor, self._tell
        )
        self._spans = Spans(self._session_id, self._tell)
        self._says = Says()
        self._context = Context()
        self._directive = Directive.NONE
        self._failures = 0
        self._admitted: dict[str, tuple[Note, int]] = {}
        self._dry_units = 0
        self._gap_samples = 0
        self._stops: set[str] = set()
        self._succeeded = False
        self._unit = 0
        self._anchors = 0
        self._no_sound_s = 0.0
        self._ticked_s: float | None = None
        self._state: ConversationState | None = None

    # -- the way of the data ----------------------------------------------------------------

    def advance(self, unit: Unit) -> None:
        """Take one unit through every stage; what comes out waits in the outbox."""
        self._unit, self._now_ns = unit.k, unit.end_ns
        self._keep_time(unit)
        started = self._timer()
        # inbox: results that go into the private context at this unit
        notes = self._inbox.take()
        for note in notes:
            self._admitted[note.attempt_id] = (note, unit.end_ns)
            self._tell(Kind.NOTE_ADMITTED, work_ids=note.work_ids, reason=note.attempt_id)
        # step: the frontend hears, and says what it does
        stepped = self._timer()
        output = self._step(unit, notes)
        step_s = self._timer() - stepped
        # floor: what the frontend decided about user, turn and intent
        if output.corrects:
            self._floor.correct()
        for decision in self._decisions(output):
            self._floor.decide(decision, unit.end_ns)
        self._floor.thinking = output.thinking
        if output.flush:
            self._interrupt()
        # split: private requests leave for the harness; no other text does
        self._out += self._spans.read(output, unit, self._floor.intent_epoch)
        self._spans.cancel(output.cancel, self._context.works)
        self._out += [
            replace(words, session_id=self._session_id, stamp_ns=words.stamp_ns or unit.end_ns)
            for words in output.heard_user
        ]
        # playout: speech joins the turn and leaves at the pace at which it is heard
        for speech in output.speech:
            self._speak(speech)
        if output.control is Control.END_TURN:
            self._ledger.complete()
        self._watch_turn(output, unit)
        self._flow()
        self._report(unit, output, step_s, self._timer() - started - step_s)

    # -- life -------------------------------------------------------------------------------

    def open(self, stamp: Callable[[], int] = lambda: 0) -> list[Any]:
        """Start the frontend and say so.

        Args:
            stamp: gives ROS (or counted) time, ns; unit 0 starts when the frontend has loaded.

        Raises:
            VenusError: the frontend cannot start.
        """
        self._open(stamp)
        return self._take_out()

    def _open(self, stamp: Callable[[], int]) -> None:
        self._frontend.open(self._prompt)
        self._is_open = True
        self._now_ns = self._opened_ns = stamp()
        self._clock.begin(self._opened_ns)
        self._tell(Kind.SESSION_OPENED, reason=self._frontend.spec.name)

    def close(self, reason: str = 'closed') -> list[Any]:
        """End turns, spans and the frontend, and say so. Idempotent."""
        if not self._is_open:
            return []
        if self._ledger.busy:
            self._out += self._ledger.flush(reason, self._now_s)
        self._ledger.watch(float('inf'))
        self._out += self._spans.void(reason)
        self._is_open = False
        self._frontend.close()
        self._tell(Kind.SESSION_CLOSED, reason=reason)
        return self._take_out()

    def mute(self, muted: bool) -> list[Any]:
        """Be silent, or allow speech again."""
        if muted != self._floor.muted:
            self._floor.muted = muted
            self._tell(Kind.MUTED, reason='on' if muted else 'off')
            if muted:
                self._silence('muted')
        return self._take_out()

    def reset(self) -> list[Any]:
        """Have the frontend forget the conversation at the next unit."""
        self._silence('reset')
        self._directive = Directive.RESET
        return self._take_out()

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Take one message; those of no concern are ignored."""
        self._now_s = now_s
        take = self._takers.get(type(message))
        if take is not None:
            take(self, message)
        return self._take_out()

    def tick(self, now_s: float) -> list[Any]:
        """Let time pass: speech flows, waits end, and silence stands for an absent microphone."""
        self._now_s = now_s
        if self._is_open:
            self._pass_silence()
            self._ledger.watch(now_s)
            self._flow()
        return self._take_out()

    # -- messages ---------------------------------------------------------------------------

    def _hear(self, chunk: AudioChunk) -> None:
        if not self._is_open:
            self._open(lambda: chunk.stamp_ns)
        self._no_sound_s = 0.0
        try:
            self._clock.push(chunk)
        except InputError as error:
            self._tell(Kind.FAULT, reason=str(error))
            return
        if self._clock.anchors != self._anchors:
            self._anchors = self._clock.anchors
            self._lag.restart()
        self._advance_all()

    def _pass_silence(self) -> None:
        """Count time by ticks while no microphone does; a stalled process counts little."""
        passed_s = 0.0 if self._ticked_s is None else min(0.1, self._now_s - self._ticked_s)
        self._ticked_s = self._now_s
        self._no_sound_s += passed_s
        if self._no_sound_s > NO_MICROPHONE_S:
            self._lag.restart()
            self._clock.pass_silence(round(passed_s * RATE_HZ))
            self._advance_all()

    def _advance_all(self) -> None:
        while (unit := self._clock.pop()) is not None:
            self.advance(unit)

    def _listen_to_speaker(self, playout: Playout) -> None:
        foreign = playout.session_id not in ('', self._session_id)
        if foreign and self._is_open and not self._succeeded:
            self._succeed(playout)
        self._now_ns = max(self._now_ns, playout.stamp_ns)
        self._ledger.report(playout, self._now_s)
        if self._ledger.broken:
            self._ledger.broken = ''
            self._silence('lost')
        self._flow()

    def _succeed(self, playout: Playout) -> None:
        """Silence an earlier session's speech, and close the turn that it left open."""
        for turn in playout.recent:
            if not turn.finished:
                self._out.append(
                    self._log.add(
                        Kind.TURN_ENDED,
                        playout.stamp_ns,
                        turn.session_id,
                        turn_id=turn.turn_id,
                        work_ids=turn.work_ids,
                        reason='lost',
                    )
                )
        if self._ledger.unused:
            self._out.append(self._ledger.claim())
        self._succeeded = True

    def _admit(self, note: AdmitNote) -> None:
        floor = self.floor if self._is_open else Floor.UNKNOWN
        self._out.append(self._inbox.ask(note, floor, self._floor.muted))

    def _know_works(self, works: Works) -> None:
        if works.source == 'harness':
            self._context = replace(self._context, works=works.works)
            self._spans.cancel((), works.works)

    def _know_capabilities(self, known: Capabilities) -> None:
        self._context = replace(self._context, capabilities=known.capabilities)

    def _stop(self, stopped: Stopped) -> None:
        old = stopped.request_id in self._stops or stopped.stamp_ns < self._opened_ns
        if not self._is_open or old or not stopped.request_id or not stopped.scope.speech:
            return
        self._stops.add(stopped.request_id)
        self._now_ns = max(self._now_ns, stopped.stamp_ns)
        self._silence('stopped')

    def _say(self, say: Say) -> None:
        said = self._says.ask(say, self._now_s)
        self._out += said
        if not said and self._is_open:
            self._frontend.say(say.text)

    # -- stages of a unit -------------------------------------------------------------------

    def _keep_time(self, unit: Unit) -> None:
        """Measure the lag, past the limit fall silent; say where sound is missing."""
        late = self._lag.measure((unit.k + 1) * self._frontend.spec.unit_s, self._now_s)
        if late:
            self._tell(Kind.LATE, reason=late)
        if late and self._lag.too_late:
            self._silence('late')
        if unit.gap_samples and not self._gap_samples:
            self._tell(Kind.GAP, reason=f'{unit.gap_samples} samples are missing')
        elif self._gap_samples > unit.gap_samples == 0:
            self._tell(Kind.GAP, reason=f'over: {self._gap_samples} samples in all')
        self._gap_samples = self._gap_samples + unit.gap_samples if unit.gap_samples else 0

    def _step(self, unit: Unit, notes: tuple[Note, ...]) -> StepOutput:
        """Run the frontend's step; a step that fails counts as listening."""
        directive, self._directive = self._directive, Directive.NONE
        seen = replace(unit, frame=None) if self._lag.late else unit
        try:
            output = self._frontend.step(
                seen, notes, self._ledger.heard(), directive, self._context
            )
            self._failures = 0
        except Exception as error:  # whatever a model raises, the conversation goes on
            self._failures += 1
            text = error.message if isinstance(error, VenusError) else type(error).__name__
            output = StepOutput(faults=[f'a step failed: {text}'])
            if self._failures % FAILURES == 0:
                self._silence('fault')
                self._directive = Directive.RESET
        if directive is Directive.RESET:
            self._floor.forget_user()
        for fault in output.faults:
            self._tell(Kind.FAULT, reason=fault)
        return output

    def _decisions(self, output: StepOutput) -> list[Decision]:
        known = [decision for decision in output.decisions if decision.kind in DECISIONS]
        if output.corrects and all(d.kind is not Kind.CORRECTION for d in known):
            known.append(Decision(Kind.CORRECTION))
        return known

    def _interrupt(self) -> None:
        """The frontend gives the floor to the user."""
        if not self._ledger.busy:
            return
        if self._ledger.interruptible:
            self._out += self._ledger.flush('interrupted', self._now_s)
        else:
            self._tell(Kind.DROPPED, reason='flush of a turn that may not be interrupted')

    def _speak(self, speech: Speech) -> None:
        fault = self._fault_of(speech)
        if fault:
            self._tell(Kind.FAULT, reason=fault)
        elif self._floor.muted or self._lag.too_late:
            self._tell(Kind.DROPPED, reason='speech while the robot is to be silent')
        elif (turn := self._ledger.speak(speech)) is not None:
            self._admitted.pop(speech.attempt_id, None)
            self._says.match(turn)

    @staticmethod
    def _fault_of(speech: Speech) -> str:
        if speech.pcm.dtype != np.int16 or speech.pcm.ndim != 1:
            return f'speech is {speech.pcm.dtype} {list(speech.pcm.shape)}, not int16 [samples]'
        return 'speech with a protocol token was dropped' if has_token(speech.text) else ''

    def _watch_turn(self, output: StepOutput, unit: Unit) -> None:
        """End a turn that has run dry; give back a note of which nothing was said."""
        dry = self._ledger.dry and not output.speech
        self._dry_units = self._dry_units + 1 if dry else 0
        if self._dry_units * self._frontend.spec.unit_s >= DRY_S:
            self._ledger.complete()
            if output.control is Control.SPEAK:
                self._tell(Kind.FAULT, reason='the frontend speaks without sound')
        for attempt_id, (note, since_ns) in tuple(self._admitted.items()):
            if unit.end_ns - since_ns > NOTE_WAIT_S * 1e9:
                del self._admitted[attempt_id]
                self._ledger.withdraw(attempt_id, note.work_ids)

    # -- what leaves ------------------------------------------------------------------------

    @property
    def floor(self) -> Floor:
        """Who holds the floor; a note that waits for its speech counts as thinking."""
        holder = self._floor.holder(self._now_ns)
        fresh_ns = self._now_ns - int(FRESH_NOTE_S * 1e9)
        fresh = any(since_ns > fresh_ns for _, since_ns in self._admitted.values())
        if holder is Floor.FREE and (self._inbox.waiting or fresh):
            return Floor.THINKING
        return holder

    def _silence(self, reason: str) -> None:
        """Cut the turn from outside: the frontend has to close it, too."""
        if self._ledger.busy:
            self._out += self._ledger.flush(reason, self._now_s)
        self._out += self._spans.void(reason)
        for attempt_id, (note, _) in self._admitted.items():
            self._ledger.withdraw(attempt_id, note.work_ids)
        self._admitted.clear()
        if self._directive is not Directive.RESET:
            self._directive = Directive.FORCE_LISTEN

    def _flow(self) -> None:
        """Send speech that may leave, tell what was heard, and who holds the floor."""
        self._out += self._ledger.send(self._now_s)
        settled, self._ledger.settled = self._ledger.settled, []
        self._out += [
            Transcript(
                self._session_id,
                Role.ROBOT,
                turn.turn_id,
                turn.heard(),
                stamp_ns=self._now_ns,
                start_ns=turn.began_ns,
                end_ns=self._now_ns,
                language=self._prompt.language,
            )
            for turn in settled
        ]
        self._out += self._says.progress(settled, self._now_s)
        self._tell_state()

    def _tell_state(self) -> None:
        state = ConversationState(
            self._session_id,
            self.floor,
            turn_id=self._floor.turn_id,
            intent_epoch=self._floor.intent_epoch,
            muted=self._floor.muted,
            stage=self._stage(),
        )
        if state != self._state:
            self._state = state
            self._out.append(replace(state, unit=self._unit, stamp_ns=self._now_ns))

    def _stage(self) -> str:
        if self._failures >= FAILURES:
            return 'failed'
        return 'late' if self._lag.late else 'ready'

    def _report(self, unit: Unit, output: StepOutput, step_s: float, core_s: float) -> None:
        self._out.append(
            UnitReport(
                self._session_id,
                unit.k,
                unit.end_ns,
                step_ms=1000 * step_s,
                core_ms=1000 * core_s,
                lag_ms=1000 * self._lag.lag_s,
                gap_samples=unit.gap_samples,
                tokens=output.tokens,
                notes_waiting=self._inbox.waiting,
                speech_ahead_ms=1000 * self._ledger.unheard_s,
                stages=tuple(output.timings_ms),
                stages_ms=tuple(output.timings_ms.values()),
            )
        )

    def _tell(self, kind: Kind, **fields: Any) -> None:
        fields.setdefault('intent_epoch', self._floor.intent_epoch)
        event = self._log.add(kind, self._now_ns, self._session_id, unit=self._unit, **fields)
        self._out.append(event)

    def _take_out(self) -> list[Any]:
        out, self._out = self._out, []
        return out

    _takers: dict[type, Callable[[Session, Any], None]] = {
        AudioChunk: _hear,
        Frame: lambda self, frame: self._clock.show(frame),
        TypedText: lambda self, text: self._clock.type(text),
        Playout: _listen_to_speaker,
        AdmitNote: _admit,
        Works: _know_works,
        Capabilities: _know_capabilities,
        Stopped: _stop,
        Say: _say,
    }
