# SPDX-License-Identifier: Apache-2.0
"""YAML that knows where it stands: every complaint names file, line and key."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

import yaml

from venus_ros.core.errors import ConfigError

E = TypeVar('E', bound=Enum)


class Table:
    """A YAML mapping that is read key by key; `done` complains about keys that nobody took."""

    def __init__(self, node: yaml.Node, file: Path, key: str = '') -> None:
        self.file = file
        self.key = key
        self.node = node
        self.line: int = node.start_mark.line + 1
        if not isinstance(node, yaml.MappingNode):
            raise self.wrong(f'must be a table of keys, not {_kind(node)}')
        self._open: dict[str, yaml.Node] = {}
        for name_node, value in node.value:
            name = str(getattr(name_node, 'value', '?'))
            if name in self._open:
                raise self.wrong('is given twice', name, name_node)
            self._open[name] = value
        self._lines = {str(getattr(k, 'value', '?')): k for k, _ in node.value}
        self._taken: list[str] = []

    def wrong(self, message: str, key: str = '', node: yaml.Node | None = None) -> ConfigError:
        """An error about this table, or one of its keys."""
        line = (node or self.node).start_mark.line + 1
        name = '.'.join(part for part in (self.key, key) if part)
        return ConfigError(message, f'{self.file}:{line}' + (f': {name}' if name else ''))

    def __contains__(self, key: str) -> bool:
        return key in self._lines

    def line_of(self, key: str) -> int:
        """Line of `key`; of the table where it has none."""
        return int(self._lines.get(key, self.node).start_mark.line) + 1

    def done(self, known: Iterable[str] = ()) -> None:
        """Complain about the first key that nobody took; `known` are named besides the taken."""
        for name in self._open:
            known = ', '.join(dict.fromkeys((*self._taken, *known)))
            raise self.wrong(f'unknown key; known here: {known}', name, self._lines[name])

    def any(self, key: str, default: Any = None) -> Any:
        """Plain value of `key`, whatever it is."""
        node = self._take(key)
        return default if node is None else _plain(node)

    def text(self, key: str, default: str = '', choices: Sequence[str] = ()) -> str:
        """Words; one of `choices` if there are any."""
        node = self._take(key)
        if node is None:
            return default
        value = _plain(node)
        if not isinstance(value, str):
            raise self.wrong(f'must be text, not {_kind(node)}; put it in quotes', key, node)
        if choices and value not in choices:
            raise self.wrong(f'must be one of {", ".join(choices)}, not {value}', key, node)
        return value

    def pattern(self, key: str) -> str:
        """A regular expression."""
        node = self._lines.get(key)
        value = self.text(key)
        try:
            re.compile(value)
        except re.error as error:
            raise self.wrong(f'is no regular expression: {error}', key, node) from None
        return value

    def number(
        self,
        key: str,
        default: Any = None,
        least: float = -math.inf,
        most: float = math.inf,
    ) -> Any:
        """A finite number, least <= number <= most."""
        node = self._take(key)
        if node is None:
            return default
        value = _plain(node)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.wrong(f'must be a number, not {_kind(node)}', key, node)
        if not math.isfinite(value) or not least <= value <= most:
            raise self.wrong(f'must lie in {least:g} to {most:g}, not {value:g}', key, node)
        return float(value)

    def count(self, key: str, default: Any = None) -> Any:
        """A whole number from 0."""
        node = self._lines.get(key)
        value = self.number(key, default, least=0)
        if value is not default and value != int(value):
            raise self.wrong(f'must be a whole number, not {value:g}', key, node)
        return value if value is default else int(value)

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        node = self._take(key)
        if node is None:
            return default
        value = _plain(node)
        if not isinstance(value, bool):
            raise self.wrong(f'must be true or false, not {_kind(node)}', key, node)
        return value

    def enum(self, key: str, kinds: type[E], default: Any = None) -> Any:
        """A member of `kinds` by its name, or its value where that is text."""
        node = self._take(key)
        return default if node is None else self._member(node, key, kinds)

    def enums(self, key: str, kinds: type[E]) -> tuple[E, ...]:
        """A list of members of `kinds`."""
        return tuple(self._member(node, key, kinds) for node in self._nodes(key))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of words."""
        values = [(_plain(node), node) for node in self._nodes(key)]
        for value, node in values:
            if not isinstance(value, str):
                raise self.wrong('must be a list of words', key, node)
        return tuple(value for value, _ in values)

    def values(self, key: str) -> dict[str, Any]:
        """A table of plain values."""
        node = self._take(key)
        if node is None:
            return {}
        if not isinstance(node, yaml.MappingNode):
            raise self.wrong(f'must be a table, not {_kind(node)}', key, node)
        return {str(name): value for name, value in _plain(node).items()}

    def table(self, key: str) -> Table | None:
        """The table under `key`."""
        node = self._take(key)
        return None if node is None else Table(node, self.file, self._name(key))

    def tables(self, key: str) -> Iterator[Table]:
        """The tables in the list under `key`."""
        for index, node in enumerate(self._nodes(key)):
            yield Table(node, self.file, f'{self._name(key)}[{index}]')

    def named_tables(self, key: str) -> Iterator[tuple[str, Table]]:
        """The tables under the names under `key`."""
        inner = self.table(key)
        if inner is not None:
            for name in list(inner._open):
                yield name, Table(inner._open[name], self.file, f'{self._name(key)}.{name}')

    def _name(self, key: str) -> str:
        return f'{self.key}.{key}' if self.key else key

    def _take(self, key: str) -> yaml.Node | None:
        self._taken.append(key)
        return self._open.pop(key, None)

    def _nodes(self, key: str) -> list[yaml.Node]:
        node = self._take(key)
        if node is None:
            return []
        if not isinstance(node, yaml.SequenceNode):
            raise self.wrong(f'must be a list, not {_kind(node)}', key, node)
        return list(node.value)

    def _member(self, node: yaml.Node, key: str, kinds: type[E]) -> E:
        word = str(_plain(node))
        for member in kinds:
            if word == member.name or word == member.value:
                return member
            if word == member.name.lower() and isinstance(member.value, int):
                return member
        names = ', '.join(str(m.value) if isinstance(m.value, str) else m.name for m in kinds)
        raise self.wrong(f'must be one of {names}, not {word}', key, node)


def read_table(file: Path) -> Table:
    """The table in a YAML file. Raises ConfigError with file and line."""
    try:
        text = file.read_text(encoding='utf-8')
    except OSError as error:
        raise ConfigError(f'cannot be read: {error.strerror}', str(file)) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b'\n') + 1
        raise ConfigError('is not UTF-8 text', f'{file}:{line}') from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f'is no YAML: {error.problem}', f'{file}:{line}') from None
    except yaml.YAMLError as error:
        raise ConfigError(f'is no YAML: {error}', f'{file}:1') from None
    if node is None:
        raise ConfigError('is empty', f'{file}:1')
    return Table(node, file)


def _plain(node: yaml.Node) -> Any:
    """The value that `node` stands for."""
    loader = yaml.SafeLoader('')
    try:
        return loader.construct_object(node, deep=True)
    finally:
        loader.dispose()


def _kind(node: yaml.Node) -> str:
    names = {'map': 'a table', 'seq': 'a list', 'null': 'nothing', 'str': 'text'}
    tag = str(node.tag).rsplit(':', 1)[-1]
    shown = f' ({node.value})' if isinstance(node, yaml.ScalarNode) and tag != 'null' else ''
    names |= {'int': 'a number', 'float': 'a number', 'bool': 'true or false'}
    return names.get(tag, tag) + shown
