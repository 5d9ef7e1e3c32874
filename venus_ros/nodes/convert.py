# SPDX-License-Identifier: Apache-2.0
"""Dataclasses of `core.messages` to and from ROS messages, by the names of their fields.

A dataclass field `f` is found in the ROS message as `f`, or, where the unit is in the ROS type:
`stamp_ns` as `header.stamp` or `stamp`, `x_ns` as Time `x` or `x_at`, `x_s` as Duration `x`,
`frame_id` as `header.frame_id`, `pcm` as `data`. Fields that ROS carries elsewhere (a goal's id)
are left out on the way there and given by keyword on the way back.
"""

from __future__ import annotations

import array
import typing
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import IntEnum
from functools import cache
from typing import Any, TypeVar

import numpy as np
from builtin_interfaces.msg import Duration, Time

from venus_ros.core import messages as m
from venus_ros.core.errors import InputError
from venus_ros.nodes.interfaces import action, msg, srv

T = TypeVar('T')

ROS_TYPES: dict[type, type] = {
    m.AudioChunk: msg.AudioChunk,
    m.SpeechChunk: msg.SpeechChunk,
    m.TurnPlayed: msg.TurnPlayed,
    m.Playout: msg.Playout,
    m.DelegateSpan: msg.DelegateSpan,
    m.Event: msg.ConversationEvent,
    m.Transcript: msg.Transcript,
    m.ConversationState: msg.ConversationState,
    m.UnitReport: msg.UnitReport,
    m.Stopped: msg.Stopped,
    m.Work: msg.Work,
    m.Works: msg.WorkArray,
    m.Capability: msg.Capability,
    m.Capabilities: msg.CapabilityArray,
    m.AdmitNote: srv.AdmitNote.Request,
    m.NoteAnswer: srv.AdmitNote.Response,
    m.StopRequest: srv.Stop.Request,
    m.Say: action.Speak.Goal,
    m.DelegateGoal: action.Delegate.Goal,
    m.DelegateFeedback: action.Delegate.Feedback,
}
"""The ROS message that carries each dataclass."""


def to_time(nanoseconds: int) -> Time:
    """ROS Time of integer nanoseconds."""
    seconds, rest = divmod(int(nanoseconds), 1_000_000_000)
    return Time(sec=seconds, nanosec=rest)


def from_time(time: Time | Duration) -> int:
    """Integer nanoseconds of a ROS Time or Duration."""
    return time.sec * 1_000_000_000 + time.nanosec


def to_duration(seconds: float) -> Duration:
    """ROS Duration of seconds, rounded to nanoseconds."""
    whole, rest = divmod(round(seconds * 1e9), 1_000_000_000)
    return Duration(sec=whole, nanosec=rest)


def text_to_ros(text: str) -> str:
    """Text that every receiver can decode: what UTF-8 cannot hold is replaced."""
    return text if text.isascii() else text.encode('utf-8', 'replace').decode()


def to_ros(message: Any, ros_type: Any = None) -> Any:
    """The ROS message for a dataclass; `ros_type` if it is not the one of `ROS_TYPES`."""
    ros_type = ros_type or ROS_TYPES[type(message)]
    out = ros_type()
    cls: Any = type(message)
    for step in _plan(cls, ros_type):
        target = out
        for part in step.path[:-1]:
            target = getattr(target, part)
        setattr(target, step.path[-1], step.encode(getattr(message, step.name)))
    if isinstance(message, m.AudioChunk):
        out.channels = 1 if message.pcm.ndim == 1 else message.pcm.shape[1]
    return out


def from_ros(ros: Any, cls: type[T], **given: Any) -> T:
    """The dataclass `cls` that a ROS message carries; `given` adds what ROS carries elsewhere.

    Raises:
        InputError: a value that the dataclass cannot hold, such as an unknown constant.
    """
    values = dict(given)
    source_type: Any = type(ros)
    target_type: Any = cls
    for step in _plan(target_type, source_type):
        if step.name in values:
            continue
        source = ros
        for part in step.path:
            source = getattr(source, part)
        try:
            values[step.name] = step.decode(source)
        except ValueError as error:
            raise InputError(str(error), f'{cls.__name__}.{step.name}') from None
    if cls is m.AudioChunk:
        values['pcm'] = _channels(values['pcm'], ros.channels)
    return cls(**values)


def _channels(pcm: m.Pcm, channels: int) -> m.Pcm:
    if channels == 0 or len(pcm) % channels:
        raise InputError(
            f'{len(pcm)} samples do not divide into {channels} channels', 'AudioChunk'
        )
    return pcm if channels == 1 else pcm.reshape(-1, channels)


@dataclass(frozen=True, slots=True)
class _Step:
    """How one field is carried: its name, its path in the ROS message, both directions."""

    name: str
    path: tuple[str, ...]
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


@cache
def _plan(cls: Any, ros_type: Any) -> tuple[_Step, ...]:
    hints = typing.get_type_hints(cls)
    ros_fields = ros_type.get_fields_and_field_types()
    steps = []
    codec: tuple[Callable[[Any], Any], Callable[[Any], Any]]
    for field in fields(cls):
        path = _path(field.name, ros_fields)
        if path is None:
            continue
        if field.name.endswith('_ns') and path[-1] != field.name:
            codec = to_time, from_time
        elif field.name.endswith('_s') and path[-1] != field.name:
            codec = to_duration, _to_seconds
        elif hints[field.name] is float and 'int' in ros_fields.get(path[-1], ''):
            codec = round, float
        else:
            codec = _codec(hints[field.name])
        steps.append(_Step(field.name, path, *codec))
    return tuple(steps)


def _path(name: str, ros_fields: dict[str, str]) -> tuple[str, ...] | None:
    if name in ros_fields:
        return (name,)
    if name in ('stamp_ns', 'frame_id') and 'header' in ros_fields:
        return ('header', name.removesuffix('_ns'))
    base = name.removesuffix('_ns').removesuffix('_s')
    for candidate in (base, f'{base}_at'):
        if base != name and candidate in ros_fields:
            return (candidate,)
    return ('data',) if name == 'pcm' and 'data' in ros_fields else None


def _codec(hint: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is m.Pcm or origin is np.ndarray:
        return _to_int16_array, _from_int16_array
    if origin is tuple and inner[0] == tuple[m.State, int]:
        return _to_states, _from_states
    if origin is tuple:
        encode, decode = _codec(inner[0])
        return (lambda values: [encode(v) for v in values]), (
            lambda values: tuple(decode(v) for v in values)
        )
    if isinstance(hint, type) and is_dataclass(hint):
        return to_ros, lambda ros: from_ros(ros, hint)
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return int, hint
    if hint is str:
        return text_to_ros, str
    if hint is int:
        return int, int
    return hint, hint


def _to_seconds(duration: Duration) -> float:
    return duration.sec + duration.nanosec * 1e-9


def _to_int16_array(pcm: m.Pcm) -> array.array[int]:
    return array.array('h', np.ascontiguousarray(pcm, np.int16).tobytes())


def _from_int16_array(values: Any) -> m.Pcm:
    return np.array(values, np.int16)


def _to_states(states: tuple[tuple[m.State, int], ...]) -> list[Any]:
    return [msg.WorkState(state=int(state), stamp=to_time(ns)) for state, ns in states]


def _from_states(states: list[Any]) -> tuple[tuple[m.State, int], ...]:
    return tuple((m.State(s.state), from_time(s.stamp)) for s in states)


# ---- services and actions whose parts do not map one to one -----------------------------------


RESULT_FIELDS = [
    'error_code',
    'error_msg',
    'cause_code',
    'summary',
    'arguments_json',
    'data_json',
    'delivered',
]


def result_to_ros(work: m.Work) -> Any:
    """Result of the action Delegate for a work as it ended."""
    out = action.Delegate.Result(state=int(work.state), observed_at=to_time(work.observed_ns))
    for name in RESULT_FIELDS:
        value = getattr(work, name)
        setattr(out, name, text_to_ros(value) if isinstance(value, str) else value)
    return out


def result_from_ros(result: Any, work_id: str, capability: str) -> m.Work:
    """The work, as far as a Delegate result tells it."""
    return m.Work(
        work_id,
        capability,
        m.State(result.state),
        observed_ns=from_time(result.observed_at),
        **{name: getattr(result, name) for name in RESULT_FIELDS},
    )


def said_to_ros(said: m.Said) -> Any:
    """Feedback, or the result once `done`, of the action Speak."""
    if not said.done:
        return action.Speak.Feedback(
            turn_id=said.turn_id, played=said.played, heard=text_to_ros(said.heard)
        )
    return action.Speak.Result(
        heard=text_to_ros(said.heard),
        completed=said.completed,
        error_msg=text_to_ros(said.error),
    )
