# SPDX-License-Identifier: Apache-2.0
"""A table of a YAML file that is read key by key, each as what it must be."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from venus_ros.core.errors import ConfigError
from venus_ros.yaml_file import Key, Located, kind, read_yaml

E = TypeVar('E', bound=Enum)


class Table:
    """A mapping that is read key by key; `done` complains about keys that nobody took.

    Args:
        document: the file, or a part of it.
        path: where the table stands in it.
    """

    def __init__(self, document: Located, path: tuple[Key, ...] = ()) -> None:
        self.file = Path(document.file)
        self.line = document.lines.get(path, 1)
        self._document = document
        self._path = path
        value = document.at(path)
        if not isinstance(value, dict):
            raise self.wrong(f'must be a table of keys, not {kind(value)}')
        self._all: dict[str, Any] = {str(name): inner for name, inner in value.items()}
        self._keys = {str(name): name for name in value}
        self._taken: list[str] = []

    def wrong(self, message: str, key: str = '', index: int | None = None) -> ConfigError:
        """An error about this table, one of its keys, or an item of the list under it."""
        inner: tuple[Key, ...] = (self._keys.get(key, key),) if key else ()
        inner += () if index is None else (index,)
        return self._document.wrong(message, (*self._path, *inner))

    def __contains__(self, key: str) -> bool:
        return key in self._all

    def line_of(self, key: str) -> int:
        """Line of `key`; of the table where it has none."""
        return self._document.lines.get((*self._path, self._keys.get(key, key)), self.line)

    def done(self, known: Iterable[str] = ()) -> None:
        """Complain about the first key that nobody took; `known` are named besides the taken."""
        for name in self._all:
            if name not in self._taken:
                known = ', '.join(filter(None, dict.fromkeys((*self._taken, *known))))
                raise self.wrong(f'unknown key; known here: {known}', name)

    def any(self, key: str, default: Any = None) -> Any:
        """Plain value of `key`, whatever it is."""
        return self._all[key] if self._take(key) else default

    def part(self, key: str) -> Located:
        """What stands under `key`, which must be there, with its lines."""
        self._take(key)
        return self._document.part((*self._path, self._keys[key]))

    def text(self, key: str, default: str = '', choices: Sequence[str] = ()) -> str:
        """Words; one of `choices` if there are any."""
        if not self._take(key):
            return default
        value = self._all[key]
        if not isinstance(value, str):
            raise self.wrong(f'must be text, not {kind(value)}; put it in quotes', key)
        if choices and value not in choices:
            raise self.wrong(f'must be one of {", ".join(choices)}, not {value}', key)
        return value

    def pattern(self, key: str) -> str:
        """A regular expression."""
        value = self.text(key)
        try:
            re.compile(value)
        except (re.error, RecursionError, OverflowError) as error:
            raise self.wrong(f'is no regular expression: {error}', key) from None
        return value

    def number(
        self,
        key: str,
        default: Any = None,
        least: float = -math.inf,
        most: float = math.inf,
    ) -> Any:
        """A finite number, least <= number <= most."""
        if not self._take(key):
            return default
        self._check_number(self._all[key], least, most, key)
        return float(self._all[key])

    def count(self, key: str, default: Any = None) -> Any:
        """A whole number from 0."""
        value = self.number(key, default, least=0)
        if value is not default and value != int(value):
            raise self.wrong(f'must be a whole number, not {value:g}', key)
        return value if value is default else int(value)

    def counts(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers from 0, or one of them."""
        if key in self and not isinstance(self._all[key], list):
            return (self.count(key),)
        return tuple(int(value) for value in self.numbers(key, least=0, whole=True))

    def numbers(
        self, key: str, least: float = -math.inf, whole: bool = False
    ) -> tuple[float, ...]:
        """A list of finite numbers, all >= least."""
        values = self._list(key)
        for index, value in enumerate(values):
            self._check_number(value, least, math.inf, key, index)
            if whole and value != int(value):
                raise self.wrong(f'must be a whole number, not {value:g}', key, index)
        return tuple(float(value) for value in values)

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        if not self._take(key):
            return default
        value = self._all[key]
        if not isinstance(value, bool):
            raise self.wrong(f'must be true or false, not {kind(value)}', key)
        return value

    def enum(self, key: str, kinds: type[E], default: Any = None) -> Any:
        """A member of `kinds` by its name, or its value where that is text."""
        if not self._take(key):
            return default
        return self._member(self._all[key], kinds, key)

    def enums(self, key: str, kinds: type[E]) -> tuple[E, ...]:
        """A list of members of `kinds`."""
        return tuple(self._member(item, kinds, key, i) for i, item in enumerate(self._list(key)))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of words."""
        values = self._list(key)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                raise self.wrong(f'must be a list of words, not {kind(value)}', key, index)
        return tuple(values)

    def values(self, key: str) -> dict[str, Any]:
        """A table of plain values."""
        inner = self.table(key)
        return {} if inner is None else inner._all

    def table(self, key: str) -> Table | None:
        """The table under `key`."""
        if not self._take(key):
            return None
        return Table(self._document, (*self._path, self._keys[key]))

    def tables(self, key: str) -> Iterator[Table]:
        """The tables in the list under `key`."""
        for index in range(len(self._list(key))):
            yield Table(self._document, (*self._path, self._keys[key], index))

    def named_tables(self, key: str) -> Iterator[tuple[str, Table]]:
        """The tables under the names under `key`."""
        inner = self.table(key)
        if inner is not None:
            for name, own in inner._keys.items():
                yield name, Table(self._document, (*inner._path, own))

    def _take(self, key: str) -> bool:
        """Whether `key` is there; it counts as known from now on."""
        self._taken.append(key)
        return key in self._all

    def _list(self, key: str) -> list[Any]:
        value = self._all[key] if self._take(key) else []
        if not isinstance(value, list):
            raise self.wrong(f'must be a list, not {kind(value)}', key)
        return value

    def _check_number(
        self, value: Any, least: float, most: float, key: str, index: int | None = None
    ) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(f'must be a number, not {kind(value)}', key, index)
        if not math.isfinite(value) or not least <= value <= most:
            raise self.wrong(f'must {_bounds(least, most)}, not {value:g}', key, index)

    def _member(self, value: Any, kinds: type[E], key: str, index: int | None = None) -> E:
        word = str(value)
        for member in kinds:
            if word == member.name or word == member.value:
                return member
            if word == member.name.lower() and isinstance(member.value, int):
                return member
        names = ', '.join(str(m.value) if isinstance(m.value, str) else m.name for m in kinds)
        raise self.wrong(f'must be one of {names}, not {word}', key, index)


def read_table(file: Path) -> Table:
    """The table in a YAML file. Raises ConfigError with file and line."""
    return Table(read_yaml(file))


def _bounds(least: float, most: float) -> str:
    if math.isinf(most):
        return 'be a finite number' if math.isinf(least) else f'be a finite number from {least:g}'
    return f'lie in {least:g} to {most:g}'
