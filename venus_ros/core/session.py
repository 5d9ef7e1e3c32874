# SPDX-License-Identifier: Apache-2.0
"""The conversation: one unit after the other through inbox, step, split, floor and playout.

`Session.advance` is the whole way of the data. What else is here takes messages in, cuts a turn
from outside, and tells what has become of the floor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from venus_ros.core.floor import FloorKeeper
from venus_ros.core.hearing import Hearing
from venus_ros.core.inbox import Inbox
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
    Say,
    Stopped,
    TypedText,
    Unit,
    Unsay,
    Works,
)
from venus_ros.core.playout import Ledger
from venus_ros.core.reports import heard_words, unit_report
from venus_ros.core.says import Says
from venus_ros.core.spans import Spans
from venus_ros.core.step import (
    Context,
    Control,
    Directive,
    DuplexFrontend,
    Prompt,
    Speech,
    StepOutput,
)
from venus_ros.core.stepper import Stepper

DRY_S = 3.0
"""A turn that has no more sound for so long is over."""


class Session:
    """Engine of one conversation.

    Takes AudioChunk (16 kHz mono), Frame, TypedText, Playout, AdmitNote, Works of the harness,
    Capabilities, Stopped, Say, Unsay. Gives SpeechChunk, DelegateSpan, Event, Transcript,
    UnitReport, ConversationState, NoteAnswer, Said. The first AudioChunk opens it if `open` was
    not called.

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
        self._timer = timer
        self._log = EventLog(source)
        self._stamp: Callable[[], int] | None = None
        self._out: list[Any] = []
        self._now_s = self._lived_s = 0.0
        self._ticked_s = math.inf
        self._now_ns = self._opened_ns = self._k = 0
        self._is_open = False
        spec, session_id = frontend.spec, prompt.session_id
        self._unit_s = spec.unit_s
        self._hearing = Hearing(spec.unit_s, max_lag_s, self._tell)
        self._inbox = Inbox(session_id)
        self._stepper = Stepper(frontend, self._tell)
        self._floor = FloorKeeper(self._tell)
        self._ledger = Ledger(session_id, spec.speech_rate_hz, self._floor, self._tell)
        self._spans = Spans(session_id, self._tell)
        self._says = Says()
        self._context = Context()
        self._dry_units = 0
        self._stops: set[str] = set()
        self._state: ConversationState | None = None

    # -- the way of the data ----------------------------------------------------------------

    def advance(self, unit: Unit) -> None:
        """Take one unit through every stage; what comes out waits in the outbox."""
        self._k, self._now_ns = unit.k, unit.end_ns
        if self._hearing.keep_time(unit, self._now_s):
            self._silence('late')
        started_s = self._timer()
        # inbox: results that go into the private context at this unit
        notes = self._inbox.take(unit.end_ns)
        for note in notes:
            self._tell(Kind.NOTE_ADMITTED, work_ids=note.work_ids, reason=note.attempt_id)
        # step: the frontend hears, and says what it does
        seen = replace(unit, frame=None) if self._hearing.lag.late else unit
        before_s = self._timer()
        output = self._stepper.step(seen, notes, self._ledger.heard(), self._context)
        step_s = self._timer() - before_s
        # floor: what the frontend decided about user, turn and intent
        self._floor.obey(output, unit.end_ns)
        if output.flush:
            self._interrupt()
        # split: private requests leave for the harness; no other text does
        self._out += self._spans.read(output, unit, self._floor.intent_epoch)
        self._out += self._spans.cancel(output.cancel, self._context.works)
        self._out += [
            replace(words, session_id=self._session_id, stamp_ns=words.stamp_ns or unit.end_ns)
            for words in output.heard_user
        ]
        # playout: speech joins the turn and leaves at the pace at which it is heard
        for speech in output.speech:
            self._speak(speech)
        if output.control is Control.END_TURN:
            self._ledger.complete()
        self._watch(output)
        self._flow()
        report = unit_report(
            self._prompt,
            unit,
            output,
            step_s=step_s,
            core_s=self._timer() - started_s - step_s,
            lag_s=self._hearing.lag.lag_s,
            notes_waiting=self._inbox.waiting,
            unheard_s=self._ledger.unheard_s,
        )
        self._out.append(report)

    # -- life -------------------------------------------------------------------------------

    def open(self, stamp: Callable[[], int]) -> list[Any]:
        """Start the frontend and say so.

        Args:
            stamp: gives ROS (or counted) time, ns: unit 0 starts once the frontend has loaded, and
                units without a microphone keep to it, also where it jumps.

        Raises:
            VenusError: the frontend cannot start.
        """
        self._stamp = stamp
        self._open(stamp)
        return self._take_out()

    def _open(self, stamp: Callable[[], int]) -> None:
        self._frontend.open(self._prompt)
        self._is_open = True
        self._now_ns = self._opened_ns = stamp()
        self._hearing.clock.begin(self._opened_ns)
        self._tell(Kind.SESSION_OPENED, reason=self._frontend.spec.name)
        self._tell_state()

    def miss(self, sound_s: float) -> list[Any]:
        """Say that so many seconds of sound came before the session was open."""
        self._tell(Kind.DROPPED, reason=f'{sound_s:.1f} s of sound before it could be heard')
        return self._take_out()

    def close(self, reason: str = 'closed') -> list[Any]:
        """End turns, spans and the frontend, and say so. Idempotent."""
        if not self._is_open:
            return []
        self._silence(reason)
        self._ledger.watch(math.inf)
        self._flow()
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
            self._tell_state()
        return self._take_out()

    def reset(self) -> list[Any]:
        """Have the frontend forget the conversation at the next unit."""
        self._silence('reset')
        self._stepper.directive = Directive.RESET
        self._floor.forget_user()
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
            self._hearing.tick(self._pass(now_s), self._stamp() if self._stamp else None)
            self._advance_all()
            self._ledger.watch(self._lived_s)
            self._end_broken_turn()
            self._flow()
        return self._take_out()

    def _pass(self, now_s: float) -> float:
        """Return the seconds lived through since the last tick.

        A process that stood still has not waited: what others sent meanwhile is still to come.
        """
        passed_s = max(0.0, min(max(0.25, 2 * self._unit_s), now_s - self._ticked_s))
        self._ticked_s = now_s
        self._lived_s += passed_s
        return passed_s

    # -- messages ---------------------------------------------------------------------------

    def _hear(self, chunk: AudioChunk) -> None:
        if not self._is_open:
            self._open(lambda: chunk.stamp_ns)
        self._hearing.push(chunk)
        self._advance_all()

    def _advance_all(self) -> None:
        for unit in self._hearing.units():
            self.advance(unit)

    def _listen_to_speaker(self, playout: Playout) -> None:
        self._now_ns = max(self._now_ns, playout.stamp_ns)
        if self._is_open:
            self._out += self._ledger.succeed(playout)
        self._ledger.report(playout, self._lived_s)
        self._end_broken_turn()
        self._flow()

    def _admit(self, note: AdmitNote) -> None:
        floor = self.floor if self._is_open else Floor.UNKNOWN
        self._out.append(self._inbox.ask(note, floor, self._floor.muted))
        self._tell_state()

    def _know_works(self, works: Works) -> None:
        if works.source == 'harness':
            self._context = replace(self._context, works=works.works)
            self._spans.learn(works.works)
            for note in self._inbox.drop_stale(works.works):
                self._tell(Kind.DROPPED, work_ids=note.work_ids, reason='a note became stale')
                self._ledger.withdraw(note)

    def _know_capabilities(self, known: Capabilities) -> None:
        self._context = replace(self._context, capabilities=known.capabilities)

    def _stop(self, stopped: Stopped) -> None:
        old = stopped.request_id in self._stops or stopped.stamp_ns < self._opened_ns
        if not self._is_open or old or not stopped.request_id or not stopped.scope.speech:
            return
        self._stops.add(stopped.request_id)
        self._now_ns = max(self._now_ns, stopped.stamp_ns)
        self._silence('stopped')
        self._flow()

    def _say(self, say: Say) -> None:
        if not self._says.follows(say.request_id):
            self._says.ask(say, self._floor.muted)
            self._flow()

    def _unsay(self, unsay: Unsay) -> None:
        if self._says.withdraw(unsay.request_id):
            self._silence('withdrawn')
        self._flow()

    # -- turns ------------------------------------------------------------------------------

    def _speak(self, speech: Speech) -> None:
        if self._floor.muted or self._hearing.lag.too_late:
            self._tell(Kind.DROPPED, reason='speech while the robot is to be silent')
        elif (turn := self._ledger.speak(speech)) is not None:
            self._inbox.spoken(speech.attempt_id)
            self._says.match(turn)

    def _interrupt(self) -> None:
        """The frontend gives the floor to the user."""
        if self._ledger.busy and self._ledger.interruptible:
            self._out += self._ledger.flush('interrupted', self._lived_s)
        elif self._ledger.busy:
            self._tell(Kind.DROPPED, reason='flush of a turn that may not be interrupted')

    def _silence(self, reason: str) -> None:
        """Cut the turn from outside: the frontend has to close it, too."""
        if self._ledger.busy:
            self._out += self._ledger.flush(reason, self._lived_s)
        self._out += self._spans.void(reason)
        for note in self._inbox.give_back():
            self._ledger.withdraw(note)
        self._says.hush(reason)
        self._stepper.listen()

    def _end_broken_turn(self) -> None:
        """Where the speaker ended the turn, nothing of it may come after."""
        if self._ledger.broken:
            reason, self._ledger.broken = self._ledger.broken, ''
            self._silence(reason)

    def _watch(self, output: StepOutput) -> None:
        """End a turn that has run dry; give back a note of which nothing was said."""
        dry = self._ledger.dry and not output.speech
        self._dry_units = self._dry_units + 1 if dry else 0
        if self._dry_units * self._unit_s >= DRY_S:
            self._ledger.complete()
            if output.control is Control.SPEAK:
                self._tell(Kind.FAULT, reason='the frontend speaks without sound')
        for note in self._inbox.give_back(self._now_ns):
            self._ledger.withdraw(note)
        if self._stepper.directive is Directive.RESET:
            self._silence('fault')
            self._floor.forget_user()

    # -- what leaves ------------------------------------------------------------------------

    @property
    def floor(self) -> Floor:
        """Who holds the floor; a note that waits for its speech counts as thinking."""
        holder = self._floor.holder(self._now_ns)
        if holder is Floor.FREE and self._inbox.fresh(self._now_ns):
            return Floor.THINKING
        return holder

    def _flow(self) -> None:
        """Send speech that may leave; tell what was heard, and who holds the floor."""
        self._out += self._ledger.send(self._lived_s)
        settled, self._ledger.settled = self._ledger.settled, []
        self._out += [heard_words(self._prompt, turn, self._now_ns) for turn in settled]
        self._out += self._says.progress(settled, self._lived_s)
        self._hand_over()
        self._tell_state()

    def _hand_over(self) -> None:
        """Let the frontend say what others ask for, once it has obeyed all other orders."""
        ready = self._is_open and self._stepper.directive is Directive.NONE
        if ready and (text := self._says.next(self._lived_s)):
            self._frontend.say(text)

    def _tell_state(self) -> None:
        stage = 'late' if self._hearing.lag.late else 'ready'
        state = ConversationState(
            self._session_id,
            self.floor,
            turn_id=self._floor.turn_id,
            intent_epoch=self._floor.intent_epoch,
            muted=self._floor.muted,
            stage='failed' if self._stepper.failed else stage,
        )
        if self._is_open and state != self._state:
            self._state = state
            self._out.append(replace(state, unit=self._k, stamp_ns=self._now_ns))

    @property
    def _session_id(self) -> str:
        return self._prompt.session_id

    def _tell(self, kind: Kind, **fields: Any) -> None:
        """Log an event of this session, or of the one that `fields` names."""
        known = {'session_id': self._session_id, 'unit': self._k}
        known['intent_epoch'] = self._floor.intent_epoch
        self._out.append(self._log.add(kind, self._now_ns, **{**known, **fields}))

    def _take_out(self) -> list[Any]:
        out, self._out = self._out, []
        return out

    _takers: dict[type, Callable[[Session, Any], None]] = {
        AudioChunk: _hear,
        Frame: lambda self, frame: self._hearing.clock.show(frame),
        TypedText: lambda self, text: self._hearing.clock.type(text),
        Playout: _listen_to_speaker,
        AdmitNote: _admit,
        Works: _know_works,
        Capabilities: _know_capabilities,
        Stopped: _stop,
        Say: _say,
        Unsay: _unsay,
    }
