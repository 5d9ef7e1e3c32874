# SPDX-License-Identifier: Apache-2.0
"""Every interface survives the way to ROS, over CDR, and back."""

from __future__ import annotations

import dataclasses
import math
import typing
from enum import IntEnum
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.serialization import deserialize_message, serialize_message

from venus_ros.core import messages as m
from venus_ros.core.errors import ConfigError, InputError
from venus_ros.nodes.convert import (
    ROS_TYPES,
    from_ros,
    result_from_ros,
    result_to_ros,
    to_ros,
)
from venus_ros.nodes.fields import fill, plain
from venus_ros.nodes.interfaces import find_interface, msg

ELSEWHERE = {'goal_id', 'attempt_id', 'request_id'}


def example(hint: Any, name: str, seed: int) -> Any:
    """A value of the field's type that no default has."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is m.Pcm or origin is np.ndarray:
        return np.arange(-seed, seed * 3, dtype=np.int16)
    if origin is tuple and inner[0] == tuple[m.State, int]:
        return ((m.State.QUEUED, 5), (m.State.RUNNING, 7_000_000_001))
    if origin is tuple:
        return tuple(example(inner[0], name, seed + i) for i in range(2))
    if dataclasses.is_dataclass(hint):
        return made(typing.cast(type, hint), seed)
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return list(hint)[-1]
    if hint is bool:
        return True
    if hint is int:
        return 3_000_000_007 + seed if name.endswith('_ns') else seed + 2
    if hint is float:
        return float(seed + 1)
    return f'wörd {seed} 你好'


def made(cls: type, seed: int = 4) -> Any:
    hints = typing.get_type_hints(cls)
    fields = dataclasses.fields(cls)
    return cls(**{f.name: example(hints[f.name], f.name, seed + i) for i, f in enumerate(fields)})


def assert_same(given: Any, back: Any) -> None:
    for field in dataclasses.fields(given):
        one, two = getattr(given, field.name), getattr(back, field.name)
        if isinstance(one, np.ndarray):
            np.testing.assert_array_equal(one, two, err_msg=field.name)
        else:
            assert one == two, f'{field.name}: {one!r} became {two!r}'


def over_the_wire(message: Any) -> Any:
    return deserialize_message(serialize_message(message), type(message))


@pytest.mark.parametrize('cls', ROS_TYPES, ids=lambda cls: cls.__name__)
def test_every_dataclass_comes_back_as_it_went(cls: type) -> None:
    given = made(cls)
    ros = over_the_wire(to_ros(given))
    names = {f.name for f in dataclasses.fields(cls)}
    absent = {n: getattr(given, n) for n in ELSEWHERE & names if not hasattr(ros, n)}
    assert_same(given, from_ros(ros, cls, **absent))


@pytest.mark.parametrize('cls', ROS_TYPES, ids=lambda cls: cls.__name__)
def test_every_ros_field_has_its_place(cls: type) -> None:
    """A field set on the ROS side is not lost: a default message differs from an example."""
    ros = to_ros(made(cls))
    for name in ros.get_fields_and_field_types():
        assert getattr(ros, name) != getattr(type(ros)(), name), f'{name} is not carried'


def test_defaults_and_nan_survive() -> None:
    work = m.Work('id', 'navigation', m.State.QUEUED)
    back = from_ros(over_the_wire(to_ros(work)), m.Work)
    assert math.isnan(back.progress)
    assert dataclasses.replace(back, progress=0.0) == dataclasses.replace(work, progress=0.0)


def test_stereo_keeps_its_channels_and_cut_frames_are_refused() -> None:
    pcm = np.arange(8, dtype=np.int16).reshape(4, 2)
    ros = to_ros(m.AudioChunk(1, 'mic#1', 0, 48000, pcm))
    assert ros.channels == 2
    np.testing.assert_array_equal(from_ros(ros, m.AudioChunk).pcm, pcm)
    ros.channels = 3
    with pytest.raises(InputError, match='3 channels'):
        from_ros(ros, m.AudioChunk)


def test_an_unknown_constant_is_an_error_that_names_the_field() -> None:
    with pytest.raises(InputError, match='ConversationState.floor'):
        from_ros(msg.ConversationState(floor=99), m.ConversationState)


def test_text_that_utf8_cannot_hold_is_replaced() -> None:
    ros = over_the_wire(to_ros(m.Transcript('s', m.Role.USER, 1, 'a\udcffb')))
    assert ros.text == 'a?b'


def test_numpy_numbers_and_fractions_fit_their_fields() -> None:
    report = m.UnitReport('s', 1, 2, step_ms=np.float32(1.5), speech_ahead_ms=1200.7)  # type: ignore[arg-type]
    ros = over_the_wire(to_ros(report))
    assert (ros.step_ms, ros.speech_ahead_ms) == (1.5, 1201)


def test_a_result_tells_the_work() -> None:
    work = made(m.Work)
    back = result_from_ros(over_the_wire(result_to_ros(work)), work.work_id, work.capability)
    for name in ('state', 'error_code', 'summary', 'data_json', 'observed_ns', 'delivered'):
        assert getattr(back, name) == getattr(work, name), name


def test_goals_of_any_type_are_filled_deeply() -> None:
    goal = find_interface('nav_msgs/msg/Path')()
    pose = {'pose': {'position': {'x': 1, 'y': 2.5}, 'orientation': {'w': 0.5}}}
    fill(goal, {'header': {'frame_id': 'map', 'stamp': {'sec': 3}}, 'poses': [pose, pose]})
    back = plain(over_the_wire(goal))
    assert back['header'] == {'stamp': {'sec': 3, 'nanosec': 0}, 'frame_id': 'map'}
    assert back['poses'][1]['pose']['position'] == {'x': 1.0, 'y': 2.5, 'z': 0.0}


@pytest.mark.parametrize(
    ('values', 'where'),
    [
        ({'nope': 1}, 'goal.nope'),
        ({'header': {'stamp': {'sec': 'x'}}}, 'goal.header.stamp.sec'),
        ({'header': {'stamp': {'sec': 1.5}}}, 'goal.header.stamp.sec'),
        ({'header': {'stamp': {'sec': 2**40}}}, 'goal.header.stamp.sec'),
        ({'header': {'frame_id': 7}}, 'goal.header.frame_id'),
        ({'poses': [{'pose': {'position': {'q': 1}}}]}, r'goal.poses\[0\].pose.position.q'),
        ({'poses': 'abc'}, 'goal.poses'),
    ],
)
def test_a_wrong_goal_names_its_path(values: dict[str, Any], where: str) -> None:
    with pytest.raises(InputError, match=where):
        fill(find_interface('nav_msgs/msg/Path')(), values)


@pytest.mark.parametrize(
    ('name', 'says'),
    [
        ('nix_msgs/action/Go', 'ros-\\$ROS_DISTRO-nix-msgs'),
        ('std_msgs/msg/Nix', 'has no msg Nix'),
        ('String', 'package/msg'),
    ],
)
def test_an_absent_interface_says_what_to_do(name: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        find_interface(name)
