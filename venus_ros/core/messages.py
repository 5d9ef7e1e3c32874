# SPDX-License-Identifier: Apache-2.0
"""The words that the rooms exchange: one dataclass for each interface of `venus_msgs`.

Engines (session, reflex, harness, capability server, robot, speaker) are pure: they take these in
`receive(message, now_s)` and `tick(now_s)` and give a list of them back. The nodes carry them over
ROS topics, services and actions; the in-process graph of the scenes carries them by a queue.
Field names equal those of the ROS interfaces, whose comments give meaning, unit, range and empty
value. Here stamps are integer nanoseconds of ROS time (of counted time in scenes), `now_s` is
steady time in seconds, and sound is an int16 array.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Pcm = NDArray[np.int16]


class Engine(Protocol):
    """A part of the graph in counted time. Both calls return quickly and never read a clock."""

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Take one message; messages of no concern are ignored. Returns what to send."""

    def tick(self, now_s: float) -> list[Any]:
        """Let time pass up to `now_s`. Returns what to send."""


# ---- sound, pictures, typed words ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """Microphone sound. `pcm` int16 [samples] (mono) or [samples, channels]."""

    stamp_ns: int
    source_id: str
    first_sample: int
    sample_rate: int
    pcm: Pcm
    frame_id: str = ''


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture. `pixels` uint8 [height, width, 3] RGB; optical frame of the camera (REP 103)."""

    stamp_ns: int
    pixels: NDArray[np.uint8]
    frame_id: str = ''


@dataclass(frozen=True, slots=True)
class TypedText:
    """Words that the user typed."""

    stamp_ns: int
    text: str


@dataclass(frozen=True, slots=True)
class Unit:
    """Everything that is known before the end of unit `k`: samples [k*N, (k+1)*N) and no later."""

    k: int
    pcm: Pcm
    end_ns: int
    frame: Frame | None = None
    typed: tuple[str, ...] = ()
    gap_samples: int = 0


class SpeechKind(IntEnum):
    UNKNOWN = 0
    AUDIO = 1
    END = 2
    FLUSH = 3


@dataclass(frozen=True, slots=True)
class SpeechChunk:
    """Robot speech on its way to the speaker. `pcm` int16 [samples], empty unless AUDIO."""

    session_id: str
    turn_id: int
    chunk_seq: int
    kind: SpeechKind
    first_sample: int
    sample_rate: int
    pcm: Pcm = field(default_factory=lambda: np.zeros(0, np.int16))
    text: str = ''
    work_ids: tuple[str, ...] = ()


class PlayoutState(IntEnum):
    UNKNOWN = 0
    IDLE = 1
    PLAYING = 2
    DUCKED = 3
    MUTED = 4


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """How much of one robot turn was heard."""

    session_id: str
    turn_id: int
    work_ids: tuple[str, ...]
    played: int
    discarded: int
    finished: bool
    began_ns: int = 0


@dataclass(frozen=True, slots=True)
class Playout:
    """What the speaker really played."""

    stamp_ns: int
    session_id: str
    turn_id: int
    work_ids: tuple[str, ...]
    played: int
    queued: int
    discarded: int
    state: PlayoutState
    latency_s: float = 0.0
    underruns: int = 0
    recent: tuple[TurnPlayed, ...] = ()


# ---- conversation ----------------------------------------------------------------------------


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
class Said:
    """Progress or end of a `Say`."""

    request_id: str
    turn_id: int
    played: int
    heard: str
    done: bool
    completed: bool = False
    error: str = ''


# ---- stop ------------------------------------------------------------------------------------


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


# ---- works -----------------------------------------------------------------------------------


class State(IntEnum):
    """States of a work; DESIGN: from QUEUED to DELIVERED."""

    UNKNOWN = 0
    QUEUED = 1
    WAITING = 2
    RUNNING = 3
    COMPLETED = 4
    DELIVERING = 5
    DELIVERED = 6
    CANCELLING = 7
    CANCELLED = 8
    FAILED = 9
    STALE = 10
    UNSPOKEN = 11


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of delegated work; a new record for every change (`dataclasses.replace`)."""

    work_id: str
    capability: str
    state: State
    states: tuple[tuple[State, int], ...] = ()
    request_id: str = ''
    session_id: str = ''
    skill: str = ''
    arguments_json: str = '{}'
    after_work_id: str = ''
    intent_epoch: int = 0
    priority: int = 0
    deliver: bool = True
    progress: float = float('nan')
    text: str = ''
    revision: int = 0
    error_code: int = 0
    error_msg: str = ''
    cause_code: int = 0
    summary: str = ''
    data_json: str = '{}'
    observed_ns: int = 0
    delivered: bool = False
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class Works:
    """All works that `source` knows: the harness, or one capability server."""

    source: str
    works: tuple[Work, ...]
    stamp_ns: int = 0


@dataclass(frozen=True, slots=True)
class Capability:
    """One skill that can be asked for."""

    capability: str
    skill: str
    description: str
    examples: tuple[str, ...] = ()
    arguments_json: str = '{}'
    effect: int = 0  # 0 unknown, 1 read, 2 speak, 3 move
    resource: str = ''
    available: bool = True
    reason: str = ''
    description_zh: str = ''
    examples_zh: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Everything that can be delegated now."""

    capabilities: tuple[Capability, ...]
    stamp_ns: int = 0


@dataclass(frozen=True, slots=True)
class DelegateGoal:
    """Goal of the action Delegate; `goal_id` is the work's id (the request's at the harness)."""

    goal_id: str
    capability: str
    task: str = ''
    arguments_json: str = ''
    request_id: str = ''
    session_id: str = ''
    skill: str = ''
    evidence_id: str = ''
    intent_epoch: int = 0
    priority: int = 0
    time_limit_s: float = 0.0
    deliver: bool = True


@dataclass(frozen=True, slots=True)
class DelegateAnswer:
    """Whether a goal was accepted."""

    goal_id: str
    accepted: bool
    reason: str = ''


@dataclass(frozen=True, slots=True)
class DelegateCancel:
    """Please cancel this goal."""

    goal_id: str
    capability: str


@dataclass(frozen=True, slots=True)
class DelegateFeedback:
    """Feedback of a Delegate goal."""

    goal_id: str
    work_id: str
    state: State
    progress: float = float('nan')
    text: str = ''
    revision: int = 0
    elapsed_s: float = 0.0


class GoalStatus(IntEnum):
    """Numbers of action_msgs/GoalStatus."""

    UNKNOWN = 0
    ACCEPTED = 1
    EXECUTING = 2
    CANCELING = 3
    SUCCEEDED = 4
    CANCELED = 5
    ABORTED = 6


@dataclass(frozen=True, slots=True)
class DelegateResult:
    """End of a Delegate goal: its ROS status, and the work as it ended."""

    goal_id: str
    status: GoalStatus
    work: Work


# ---- the robot's own actions -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RobotGoal:
    """A goal for one of the robot's action servers.

    Attributes:
        goal_id: UUID text, uuid5(work_id, step, attempt).
        server: action name, relative, e.g. `navigate_to_pose`.
        type: action type, e.g. `nav2_msgs/action/NavigateToPose`.
        goal: the goal's fields as nested dicts and lists of plain values; absent = default.
    """

    goal_id: str
    server: str
    type: str
    goal: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RobotAnswer:
    """Whether the robot's server accepted a goal (`reason` tells absent from refused)."""

    goal_id: str
    accepted: bool
    reason: str = ''


@dataclass(frozen=True, slots=True)
class RobotCancel:
    """Cancel one goal, or all goals of `server` if `goal_id` is empty."""

    server: str
    goal_id: str = ''


@dataclass(frozen=True, slots=True)
class RobotFeedback:
    """Feedback of a robot's goal as a nested dict."""

    goal_id: str
    feedback: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RobotResult:
    """Terminal state of a robot's goal and its result as a nested dict."""

    goal_id: str
    status: GoalStatus
    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RobotServer:
    """Whether a robot's action server can be seen on the graph."""

    server: str
    available: bool
    reason: str = ''


@dataclass(frozen=True, slots=True)
class Pose:
    """The robot's pose. Metres and radians, `frame_id` map (REP 105)."""

    stamp_ns: int
    x: float
    y: float
    yaw: float
    frame_id: str = 'map'
