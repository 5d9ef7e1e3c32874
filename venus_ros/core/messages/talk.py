# SPDX-License-Identifier: Apache-2.0
"""The conversation: private requests, notes, events, words, who holds the floor; and stops."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class SpanPhase(IntEnum):
    UNKNOWN = 0
    OPENED = 1
    CLOSED = 2
    VOID = 3


@dataclass(frozen=True, slots=True)
class DelegateSpan:
    """A private request of the conversation to the harness."""

    session_id: str
    span_id: str
    phase: SpanPhase
    unit: int
    intent_epoch: int
    opened_ns: int
    task: str = ''
    corrects: str = ''


@dataclass(frozen=True, slots=True)
class AdmitNote:
    """Harness to frontend: please take this result into the private context."""

    session_id: str
    attempt_id: str
    work_ids: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class NoteAnswer:
    """Frontend to harness: the answer to `AdmitNote`."""

    attempt_id: str
    accepted: bool
    reason: str = ''


class Kind(IntEnum):
    """Kinds of `Event`; comments in ConversationEvent.msg."""

    UNKNOWN = 0
    SESSION_OPENED = 1
    SESSION_CLOSED = 2
    USER_STARTED = 3
    USER_ENDED = 4
    TURN_STARTED = 5
    TURN_ENDED = 6
    FLUSHED = 7
    DUCKED = 8
    RESTORED = 9
    BACKCHANNEL = 10
    INTERRUPTION = 11
    CORRECTION = 12
    OTHER_DIRECTED = 13
    BACKGROUND = 14
    PAUSE = 15
    NOTE_ADMITTED = 16
    NOTE_HEARD = 17
    NOTE_CUT = 18
    CANCEL_ASKED = 19
    WORK_CHANGED = 20
    LATE = 21
    DROPPED = 22
    GAP = 23
    UNDERRUN = 24
    STOPPED = 25
    MUTED = 26
    FAULT = 27


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `seq` and `stamp_ns` are set by whoever sends (see `core.log`)."""

    kind: Kind
    session_id: str = ''
    source: str = ''
    seq: int = 0
    stamp_ns: int = 0
    unit: int = 0
    turn_id: int = 0
    intent_epoch: int = 0
    work_ids: tuple[str, ...] = ()
    reason: str = ''
    confidence: float = float('nan')


class Role(IntEnum):
    UNKNOWN = 0
    USER = 1
    ROBOT = 2


@dataclass(frozen=True, slots=True)
class Transcript:
    """Words of the conversation; for the robot the words that were heard."""

    session_id: str
    role: Role
    turn_id: int
    text: str
    final: bool = True
    stamp_ns: int = 0
    start_ns: int = 0
    end_ns: int = 0
    language: str = ''


class Floor(IntEnum):
    UNKNOWN = 0
    FREE = 1
    USER = 2
    ROBOT = 3
    THINKING = 4


@dataclass(frozen=True, slots=True)
class ConversationState:
    """Who holds the floor."""

    session_id: str
    floor: Floor
    unit: int = 0
    turn_id: int = 0
    intent_epoch: int = 0
    muted: bool = False
    stage: str = 'ready'
    stage_s: float = 0.0
    stamp_ns: int = 0


@dataclass(frozen=True, slots=True)
class UnitReport:
    """How one unit went."""

    session_id: str
    unit: int
    stamp_ns: int
    step_ms: float = 0.0
    core_ms: float = 0.0
    mic_to_unit_ms: float = 0.0
    lag_ms: float = 0.0
    gap_samples: int = 0
    tokens: int = 0
    notes_waiting: int = 0
    speech_ahead_ms: float = 0.0
    stages: tuple[str, ...] = ()
    stages_ms: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Say:
    """Say this as a robot turn (action Speak)."""

    request_id: str
    text: str
    priority: int = 0
    allow_barge_in: bool = True


@dataclass(frozen=True, slots=True)
class Unsay:
    """Do not say it, or not to its end (a cancel of the action Speak)."""

    request_id: str


@dataclass(frozen=True, slots=True)
class Said:
    """Progress or end of a `Say`."""

    request_id: str
    turn_id: int
    played: int
    heard: str
    done: bool
    completed: bool = False
    error: str = ''


class Scope(IntEnum):
    UNKNOWN = 0
    SPEECH = 1
    MOTION = 2
    ALL = 3

    @property
    def speech(self) -> bool:
        """Whether the robot's speech is concerned (UNKNOWN counts as ALL)."""
        return self is not Scope.MOTION

    @property
    def motion(self) -> bool:
        """Whether moves are concerned (UNKNOWN counts as ALL)."""
        return self is not Scope.SPEECH


@dataclass(frozen=True, slots=True)
class StopRequest:
    """Stop now."""

    request_id: str
    scope: Scope = Scope.ALL


@dataclass(frozen=True, slots=True)
class Stopped:
    """What was stopped; latched."""

    request_id: str
    stamp_ns: int
    scope: Scope
