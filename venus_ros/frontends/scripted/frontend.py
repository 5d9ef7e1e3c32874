# SPDX-License-Identifier: Apache-2.0
"""Plays a script through the frontend protocol."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from venus_ros.core.errors import BackendError, InputError
from venus_ros.core.messages import Kind, Role, Transcript, Unit
from venus_ros.core.split import Public, Splitter
from venus_ros.frontends.protocol import (
    Context,
    Control,
    Decision,
    Directive,
    FrontendSpec,
    Heard,
    Note,
    Prompt,
    Speech,
    StepOutput,
)
from venus_ros.frontends.scripted.script import Entry
from venus_ros.frontends.scripted.tone import RATE_HZ, tones

UNIT_S = 0.1
VOICE_RMS = 300
QUIET_UNITS = 5


class ScriptedFrontend:
    """Does what its script says, when it says so; each entry once.

    Args:
        script: see `venus_ros.frontends.scripted.script`.
        restate: answer each note that no entry takes by its own words.
    """

    def __init__(self, script: Sequence[Entry] = (), restate: bool = True) -> None:
        self._script, self._restate = tuple(script), restate
        self._is_open = False
        self.spec = FrontendSpec(
            name='scripted',
            unit_s=UNIT_S,
            audio_rate_hz=RATE_HZ,
            speech_rate_hz=RATE_HZ,
            picture_size=None,
            delegates=True,
            licence='Apache-2.0',
            revision='1',
        )

    def open(self, prompt: Prompt) -> None:
        """Start a session at the script's beginning."""
        self._session_id = prompt.session_id
        self._is_open = True
        self._rewind()

    def close(self) -> None:
        """End the session. Idempotent."""
        self._is_open = False

    def say(self, text: str) -> None:
        """Speak `text` as a turn of its own in the next step."""
        self._orders.append(text)

    def step(
        self,
        unit: Unit,
        notes: tuple[Note, ...],
        heard: Heard,
        directive: Directive,
        context: Context,
    ) -> StepOutput:
        """Advance by one unit; see `DuplexFrontend`."""
        if not self._is_open:
            raise BackendError('the frontend is not open: call open(prompt) first')
        if unit.pcm.ndim != 1 or unit.pcm.dtype != np.int16:
            raise InputError(f'unit sound must be int16 [samples], not {unit.pcm.dtype}', 'audio')
        if directive is Directive.RESET:
            self._rewind()
        if directive is not Directive.NONE:
            self._orders.clear()
        out = StepOutput()
        self._hear(unit, out)
        for entry in self._due(unit):
            self._do(entry, out)
        for note in notes:
            self._tell(note, out)
        for text in self._orders:
            out.speech.append(Speech(tones(text), text))
        self._orders.clear()
        self._units += 1
        out.control = Control.END_TURN if out.speech else Control.LISTEN
        return out

    def _rewind(self) -> None:
        self._left = list(self._script)
        self._orders: list[str] = []
        self._units = 0
        self._voices = 0
        self._quiet = 0
        self._voice = False

    def _hear(self, unit: Unit, out: StepOutput) -> None:
        """Tell voice from silence by loudness, and pass typed words on."""
        sound = unit.pcm.astype(np.float32)
        loud = len(sound) > 0 and float(np.sqrt(np.mean(sound**2))) > VOICE_RMS
        self._quiet = 0 if loud else self._quiet + 1
        if loud and not self._voice:
            self._voice = True
            out.decisions.append(Decision(Kind.USER_STARTED, 'loud'))
        elif self._voice and self._quiet >= QUIET_UNITS:
            self._voice = False
            self._voices += 1
            out.decisions.append(Decision(Kind.USER_ENDED, 'quiet'))
        for text in unit.typed:
            out.heard_user.append(
                Transcript(self._session_id, Role.USER, 0, text, stamp_ns=unit.end_ns)
            )

    def _due(self, unit: Unit) -> list[Entry]:
        typed = ' '.join(unit.typed).lower()
        met = {
            'at': lambda v: self._units * UNIT_S >= v - 1e-9,
            'unit': lambda v: self._units >= v,
            'typed': lambda v: bool(typed) and v in typed,
            'voice': lambda v: self._voices >= v,
            'note': lambda v: False,
        }
        due = [e for e in self._left if met[e.cue](e.value)]
        self._left = [e for e in self._left if not any(e is d for d in due)]
        return due

    def _tell(self, note: Note, out: StepOutput) -> None:
        for entry in self._left:
            if entry.cue == 'note' and (entry.value == 'any' or entry.value in note.text.lower()):
                self._left.remove(entry)
                self._do(entry, out, note)
                return
        if self._restate:
            self._speak(note.text, note, out)

    def _do(self, entry: Entry, out: StepOutput, note: Note | None = None) -> None:
        out.flush |= entry.flush
        out.cancel += entry.cancel
        if entry.decide:
            out.decisions.append(Decision(entry.decide, 'script'))
        if entry.delegate:
            out.text += f'<delegate>{entry.delegate}</delegate>'
            out.corrects = entry.corrects or out.corrects
        if entry.say:
            self._speak(entry.say.replace('{note}', note.text if note else ''), note, out)

    def _speak(self, text: str, note: Note | None, out: StepOutput) -> None:
        text = ' '.join(p.text for p in Splitter().feed(text) if isinstance(p, Public))
        ids, attempt = (note.work_ids, note.attempt_id) if note else ((), '')
        out.speech.append(Speech(tones(text), text, ids, attempt))
