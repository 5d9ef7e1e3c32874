# SPDX-License-Identifier: Apache-2.0
"""Named places of the house, read from `config/places.yaml`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from venus_ros.core.errors import ConfigError
from venus_ros.share import share


@dataclass(frozen=True, slots=True)
class Pose2:
    """A pose on the floor, map frame: metres and radians."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere to drive to. `room` is x_min, y_min, x_max, y_max; `surface` takes things."""

    name: str
    pose: Pose2
    room: tuple[float, float, float, float]
    surface: str

    def holds(self, x: float, y: float) -> bool:
        """Whether the point lies in the place's room."""
        x_min, y_min, x_max, y_max = self.room
        return x_min <= x <= x_max and y_min <= y <= y_max


@dataclass(frozen=True, slots=True)
class Person:
    """Whom to serve: where to stand, in which place, and the body that takes what is handed."""

    pose: Pose2
    place: str
    body: str


@dataclass(frozen=True, slots=True)
class Places:
    """All places of a house."""

    by_name: Mapping[str, Place]
    person: Person

    def get(self, name: str) -> Place | None:
        """The place of that name, if there is one."""
        return self.by_name.get(name)

    def at(self, x: float, y: float) -> str:
        """Name of the place whose room holds the point; '' outside of all."""
        return next((p.name for p in self.by_name.values() if p.holds(x, y)), '')


def load_places(path: Path | str = '') -> Places:
    """Read places from a YAML file; '' is the shipped one.

    Raises:
        ConfigError: the file cannot be read, or a value in it is missing or no number.
    """
    file = Path(path) if path else share('config/places.yaml')
    try:
        root = yaml.safe_load(file.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f'cannot be read: {error}', str(file)) from error
    entries = _get(root, 'places', f'{file}')
    if not isinstance(entries, dict) or not entries:
        raise ConfigError('give at least one place', f'{file}: places')
    places = {
        name: _place(name, entry, f'{file}: places.{name}') for name, entry in entries.items()
    }
    person = _get(root, 'person', f'{file}')
    where = f'{file}: person'
    return Places(
        places,
        Person(
            _pose(person, where),
            str(_get(person, 'place', where)),
            str(_get(person, 'body', where)),
        ),
    )


def _place(name: str, entry: Any, where: str) -> Place:
    room = _get(entry, 'room', where)
    if not isinstance(room, list) or len(room) != 4:
        raise ConfigError('give x_min, y_min, x_max, y_max', f'{where}.room')
    x_min, y_min, x_max, y_max = (_number(value, f'{where}.room') for value in room)
    return Place(
        name, _pose(entry, where), (x_min, y_min, x_max, y_max), str(_get(entry, 'surface', where))
    )


def _pose(entry: Any, where: str) -> Pose2:
    return Pose2(
        *(_number(_get(entry, key, where), f'{where}.{key}') for key in ('x', 'y', 'yaw'))
    )


def _get(entry: Any, key: str, where: str) -> Any:
    if not isinstance(entry, dict) or key not in entry:
        raise ConfigError('is missing', f'{where}.{key}')
    return entry[key]


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ConfigError(f'must be a finite number, not {value!r}', where)
    return float(value)
