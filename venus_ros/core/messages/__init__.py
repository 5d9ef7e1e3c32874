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

from typing import Any, Protocol

from venus_ros.core.messages.robot import (
    Pose,
    RobotAnswer,
    RobotCancel,
    RobotFeedback,
    RobotGoal,
    RobotResult,
    RobotServer,
)
from venus_ros.core.messages.sound import (
    AudioChunk,
    Frame,
    Pcm,
    Playout,
    PlayoutState,
    SpeechChunk,
    SpeechKind,
    TurnPlayed,
    TypedText,
    Unit,
)
from venus_ros.core.messages.talk import (
    AdmitNote,
    ConversationState,
    DelegateSpan,
    Event,
    Floor,
    Kind,
    NoteAnswer,
    Role,
    Said,
    Say,
    Scope,
    SpanPhase,
    Stopped,
    StopRequest,
    Transcript,
    UnitReport,
    Unsay,
)
from venus_ros.core.messages.works import (
    Capabilities,
    Capability,
    DelegateAnswer,
    DelegateCancel,
    DelegateFeedback,
    DelegateGoal,
    DelegateResult,
    GoalStatus,
    State,
    Work,
    Works,
)


class Engine(Protocol):
    """A part of the graph in counted time. Both calls return quickly and never read a clock."""

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Take one message; messages of no concern are ignored. Returns what to send."""

    def tick(self, now_s: float) -> list[Any]:
        """Let time pass up to `now_s`. Returns what to send."""


__all__ = [
    'AdmitNote',
    'AudioChunk',
    'Capabilities',
    'Capability',
    'ConversationState',
    'DelegateAnswer',
    'DelegateCancel',
    'DelegateFeedback',
    'DelegateGoal',
    'DelegateResult',
    'DelegateSpan',
    'Engine',
    'Event',
    'Floor',
    'Frame',
    'GoalStatus',
    'Kind',
    'NoteAnswer',
    'Pcm',
    'Playout',
    'PlayoutState',
    'Pose',
    'RobotAnswer',
    'RobotCancel',
    'RobotFeedback',
    'RobotGoal',
    'RobotResult',
    'RobotServer',
    'Role',
    'Said',
    'Say',
    'Scope',
    'SpanPhase',
    'SpeechChunk',
    'SpeechKind',
    'State',
    'StopRequest',
    'Stopped',
    'Transcript',
    'TurnPlayed',
    'TypedText',
    'Unit',
    'UnitReport',
    'Unsay',
    'Work',
    'Works',
]
