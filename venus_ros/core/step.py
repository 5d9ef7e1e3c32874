# SPDX-License-Identifier: Apache-2.0
"""What every frontend promises: one unit in, one step out, private and public told apart.

Formally, per unit k: `(s', O) = F(s, x, b)` with x = (sound, picture or none), b = the notes
admitted at k, O = (control, text, delegate, speech). State s lives in the frontend.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from venus_ros.core.messages import Capability, Kind, Pcm, Transcript, Unit, Work


@dataclass(frozen=True, slots=True)
class FrontendSpec:
    """What a frontend needs and gives.

    Attributes:
        name: its name in the parameter `frontend`.
        unit_s: length of a unit, s.
        audio_rate_hz: rate of `Unit.pcm`.
        speech_rate_hz: rate of all its speech.
        picture_size: (width, height) in pixels, or none if it sees nothing.
        delegates: whether it can write delegate spans.
        licence: of code and weights, SPDX.
        revision: of the weights, for reports.
    """

    name: str
    unit_s: float
    audio_rate_hz: int
    speech_rate_hz: int
    picture_size: tuple[int, int] | None
    delegates: bool
    licence: str
    revision: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a session starts with; `robot_name` is what the user may call it by."""

    session_id: str
    robot_name: str = 'Venus'
    instructions: str = ''
    language: str = 'en'


@dataclass(frozen=True, slots=True)
class Note:
    """A result in the private context: restate it; the speech made from it names `work_ids`."""

    attempt_id: str
    work_ids: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Heard:
    """What was played since the last step.

    Attributes:
        turn_id: current or last robot turn.
        text: words of that turn that were heard so far.
        speaking: the speaker still plays or holds sound of the turn.
        finished: the turn ended (played to its end, or flushed) since the last step.
        ducked: it plays at a reduced level.
    """

    turn_id: int = 0
    text: str = ''
    speaking: bool = False
    finished: bool = False
    ducked: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What the world looks like now, for truthful answers: newest records, may be empty."""

    works: tuple[Work, ...] = ()
    capabilities: tuple[Capability, ...] = ()


class Directive(Enum):
    """An order of the runtime that the frontend obeys in this step."""

    NONE = 'none'
    FORCE_LISTEN = 'force_listen'
    """The turn was cut from outside (stop, mute): close it and listen."""
    RESET = 'reset'
    """Forget the conversation."""


class Control(Enum):
    """The frontend's decision for this unit."""

    LISTEN = 'listen'
    SPEAK = 'speak'
    END_TURN = 'end_turn'
    """The current turn is complete with this step's speech."""


@dataclass(frozen=True, slots=True)
class Speech:
    """Sound of the current turn, in order. `pcm` int16 [samples] at `spec.speech_rate_hz`.

    Attributes:
        text: the words of this piece; never private text.
        work_ids: works whose note this piece restates; empty for ordinary talk.
        attempt_id: the note's; empty for ordinary talk.
    """

    pcm: Pcm
    text: str
    work_ids: tuple[str, ...] = ()
    attempt_id: str = ''


@dataclass(frozen=True, slots=True)
class Decision:
    """A floor decision and its reason (kinds BACKCHANNEL … PAUSE, USER_STARTED, USER_ENDED)."""

    kind: Kind
    reason: str = ''
    confidence: float = float('nan')


@dataclass(slots=True)
class StepOutput:
    """What a step gives.

    Attributes:
        control: see `Control`.
        text: raw pieces of text, in order; may hold `<delegate>…</delegate>`, cut anywhere. For
            public words the speech's own `text` counts; this is what `core.split` reads.
        speech: sound made in this step; a piece begins a turn if none is open.
        flush: stop the current turn now: what was not played is dropped.
        corrects: ordinal (from 1, counted over the session's spans) of the earlier span that the
            span opened in this step replaces; 0 = none. It raises the intent epoch.
        cancel: the user withdrew what was asked: ordinals of the spans; (0,) = everything.
        thinking: an answer is being prepared (floor THINKING).
        heard_user: what the user said (role USER), partial or final.
        decisions: floor decisions, in order.
        tokens: tokens decoded in this unit.
        timings_ms: stage name → ms, for the unit report.
        faults: sentences about things that failed inside and were survived.
    """

    control: Control = Control.LISTEN
    text: str = ''
    speech: list[Speech] = field(default_factory=list)
    flush: bool = False
    corrects: int = 0
    cancel: tuple[int, ...] = ()
    thinking: bool = False
    heard_user: list[Transcript] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    tokens: int = 0
    timings_ms: dict[str, float] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


class DuplexFrontend(Protocol):
    """Hears and speaks at the same time, one unit after the other."""

    spec: FrontendSpec

    def open(self, prompt: Prompt) -> None:
        """Load, warm up and start a session. May take long; raises `VenusError` if it can't."""

    def step(
        self,
        unit: Unit,
        notes: tuple[Note, ...],
        heard: Heard,
        directive: Directive,
        context: Context,
    ) -> StepOutput:
        """Advance by one unit.

        Live, it returns before the unit's length has passed; in counted mode it waits for its own
        workers, so that a run repeats exactly.
        """

    def say(self, text: str) -> None:
        """Speak `text` as a turn of its own at the next chance (action Speak)."""

    def close(self) -> None:
        """End the session and every worker. Idempotent."""


__all__ = [
    'Context',
    'Control',
    'Decision',
    'Directive',
    'DuplexFrontend',
    'FrontendSpec',
    'Heard',
    'Note',
    'Prompt',
    'Speech',
    'StepOutput',
]
