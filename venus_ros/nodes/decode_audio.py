# SPDX-License-Identifier: Apache-2.0
"""Sound out of any audio message, known by the shape of its fields and not by its package.

Understood are this package's AudioChunk and what other projects publish: one array of samples
(int8, int16, int32, float32, float64, or bytes of 16 bit little endian), at any depth, with rate,
channels and stamp where the type has them.
"""

from __future__ import annotations

import array
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from venus_ros.core.errors import InputError
from venus_ros.core.messages import Pcm
from venus_ros.nodes.convert import from_time

RATE_NAMES = ('sample_rate', 'rate', 'sampling_frequency', 'frequency')
CHANNEL_NAMES = ('channels', 'channel_count')
CODING_NAMES = ('coding_format', 'format', 'sample_format', 'encoding')
COMPRESSED = ('mp3', 'ogg', 'opus', 'flac', 'aac')
RATES_HZ = (8_000, 192_000)


@dataclass(frozen=True, slots=True)
class Sound:
    """One message's worth of sound.

    Attributes:
        pcm: int16 [samples, channels].
        rate_hz: as the message says, or as told for types that do not.
        source_id: empty if the type has none.
        first_sample: index since the source's start; -1 if the type has none.
        stamp_ns: ROS time of the first sample; 0 if the type has none.
        bad_samples: samples that were not finite and became silence.
    """

    pcm: Pcm
    rate_hz: int
    source_id: str = ''
    first_sample: int = -1
    stamp_ns: int = 0
    bad_samples: int = 0


def decode(message: Any, default_rate_hz: int = 16_000, default_channels: int = 1) -> Sound:
    """The sound in `message`.

    Raises:
        InputError: no samples, cut samples, an unknown coding, impossible rate or channels.
    """
    shape = _shape_of(message)
    coding = str(_read(message, shape.coding, '')).lower()
    if any(word in coding for word in COMPRESSED):
        raise InputError(f'{coding} sound is not understood; publish raw samples (wave)', 'audio')
    samples, bad = _samples([read(message) for read in shape.arrays])
    rate_hz = int(_read(message, shape.rate, 0) or default_rate_hz)
    channels = int(_read(message, shape.channels, 0) or default_channels)
    if not RATES_HZ[0] <= rate_hz <= RATES_HZ[1]:
        raise InputError(f'a rate of {rate_hz} Hz is not possible', 'audio')
    if len(samples) % channels:
        raise InputError(f'{len(samples)} samples do not divide into {channels} channels', 'audio')
    stamp = _read(message, shape.stamp, None)
    return Sound(
        pcm=samples.reshape(-1, channels),
        rate_hz=rate_hz,
        source_id=str(_read(message, shape.source_id, '')),
        first_sample=int(_read(message, shape.first_sample, -1)),
        stamp_ns=0 if stamp is None else from_time(stamp),
        bad_samples=bad,
    )


def looks_like_audio(message_class: Any) -> bool:
    """Whether messages of this class can hold samples."""
    return any(_is_array(value) for _, value in _leaves(message_class()))


Read = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class _Shape:
    """How to read the fields of one class of messages; none where it has no such field."""

    arrays: tuple[Read, ...]
    rate: Read | None
    channels: Read | None
    coding: Read | None
    source_id: Read | None
    first_sample: Read | None
    stamp: Read | None


_SHAPES: dict[tuple[Any, ...], _Shape] = {}


def _shape_of(message: Any) -> _Shape:
    """Found once for each type: chunks come fifty times a second."""
    key = type(message), *message.get_fields_and_field_types()
    if key not in _SHAPES:
        _SHAPES[key] = _find_shape(dict(_leaves(message)))
    return _SHAPES[key]


def _find_shape(fields: dict[str, Any]) -> _Shape:
    plain = [path for path, value in fields.items() if not _is_array(value)]

    def one_of(names: Iterable[str]) -> Read | None:
        found = (path for name in names for path in plain if path.split('.')[-1] == name)
        return next((attrgetter(path) for path in found), None)

    def exactly(path: str) -> Read | None:
        return attrgetter(path) if path in fields else None

    arrays = [path for path in fields if path not in plain and 'map' not in path]
    return _Shape(
        arrays=tuple(attrgetter(path) for path in arrays),
        rate=one_of(RATE_NAMES),
        channels=one_of(CHANNEL_NAMES),
        coding=one_of(CODING_NAMES),
        source_id=exactly('source_id'),
        first_sample=exactly('first_sample'),
        stamp=exactly('header.stamp'),
    )


def _leaves(message: Any, path: str = '') -> Iterator[tuple[str, Any]]:
    """Dotted path and value of every plain field; stamps are left whole."""
    for name in message.get_fields_and_field_types():
        value = getattr(message, name)
        where = f'{path}.{name}' if path else name
        if hasattr(value, 'get_fields_and_field_types') and name != 'stamp':
            yield from _leaves(value, where)
        else:
            yield where, value


def _read(message: Any, read: Read | None, default: Any) -> Any:
    return default if read is None else read(message)


def _is_array(value: Any) -> bool:
    if isinstance(value, array.array | np.ndarray):
        return True
    return isinstance(value, list) and all(isinstance(item, bytes) for item in value)


def _samples(values: Iterable[Any]) -> tuple[Pcm, int]:
    """The longest array as int16, and how many of its values were not finite."""
    longest = max(filter(_is_array, values), key=len, default=())
    if not len(longest):
        raise InputError('the message holds no samples', 'audio')
    if isinstance(longest, list):
        return _bytes(b''.join(longest)), 0
    pcm = np.asarray(longest)
    if pcm.dtype == np.uint8:
        return _bytes(pcm.tobytes()), 0
    if pcm.dtype == np.int16:
        return pcm, 0
    if pcm.dtype == np.int8:
        return pcm.astype(np.int16) << 8, 0
    if pcm.dtype == np.int32:
        return (pcm >> 16).astype(np.int16), 0
    if pcm.dtype.kind == 'f':
        return _floats(pcm)
    raise InputError(f'samples of type {pcm.dtype} are not understood', 'audio')


def _bytes(raw: bytes) -> Pcm:
    if len(raw) % 2:
        raise InputError(f'{len(raw)} bytes are no whole 16 bit samples', 'audio')
    values = np.frombuffer(raw, '<i2')
    return values if sys.byteorder == 'little' else values.astype(np.int16)


def _floats(values: Any) -> tuple[Pcm, int]:
    finite = np.isfinite(values)
    clean = np.where(finite, values, 0.0)
    pcm = np.clip(np.round(clean * 32767.0), -32768, 32767).astype(np.int16)
    return pcm, int(len(values) - np.count_nonzero(finite))
