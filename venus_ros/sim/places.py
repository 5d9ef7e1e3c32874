# SPDX-License-Identifier: Apache-2.0
"""Named places of the house, read from `config/places.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from venus_ros.share import share
from venus_ros.yaml_table import Table, read_table


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
    root = read_table(Path(path) if path else share('config/places.yaml'))
    places = {name: _place(name, entry) for name, entry in root.named_tables('places')}
    if not places:
        raise root.wrong('give at least one place', 'places')
    person = root.table('person')
    if person is None:
        raise root.wrong('is missing', 'person')
    return Places(places, Person(_pose(person), _given(person, 'place'), _given(person, 'body')))


def _place(name: str, entry: Table) -> Place:
    room = entry.numbers('room')
    if len(room) != 4:
        raise entry.wrong('give x_min, y_min, x_max, y_max', 'room')
    x_min, y_min, x_max, y_max = room
    return Place(name, _pose(entry), (x_min, y_min, x_max, y_max), _given(entry, 'surface'))


def _pose(entry: Table) -> Pose2:
    for key in ('x', 'y', 'yaw'):
        if key not in entry:
            raise entry.wrong('is missing', key)
    return Pose2(*(entry.number(key) for key in ('x', 'y', 'yaw')))


def _given(entry: Table, key: str) -> str:
    if key not in entry:
        raise entry.wrong('is missing', key)
    return entry.text(key)
