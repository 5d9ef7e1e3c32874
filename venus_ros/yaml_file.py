# SPDX-License-Identifier: Apache-2.0
"""YAML whose values know the line they stand on, so that a complaint names file, line and key.

Every file that people write (skills, places, scenes, scripts) is read here. Dates stay text, as
nothing here takes a date; anchors and merge keys hold, but no value may contain itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from venus_ros.core.errors import ConfigError

Key = str | int

MOST_BYTES = 4 * 2**20
MOST_VALUES = 200_000
"""More than any file of people's has; a few lines of anchors can stand for billions."""
LARGEST = 2**63 - 1
"""Whole numbers of messages end here."""

_TAG = 'tag:yaml.org,2002:'
_SCALARS = frozenset(_TAG + kind for kind in ('str', 'int', 'float', 'bool', 'null'))
_MERGE = _TAG + 'merge'


@dataclass(frozen=True, slots=True)
class Located:
    """A YAML document of plain values, or a part of one.

    Attributes:
        file: where it was read from.
        value: the document.
        lines: path of keys -> line (from 1) of that key or item.
        above: path of this part in its document.
    """

    file: str
    value: Any
    lines: dict[tuple[Key, ...], int] = field(default_factory=dict)
    above: str = ''

    def at(self, path: Sequence[Key]) -> Any:
        """The value at `path`, which must exist."""
        value = self.value
        for key in path:
            value = value[key]
        return value

    def where(self, path: Sequence[Key] = ()) -> str:
        """`file:line: key[0].inner` of `path`, at the line of its innermost part that exists."""
        known = tuple(path)
        while known and known not in self.lines:
            known = known[:-1]
        name = dotted(path, self.above)
        place = f'{self.file}:{self.lines.get(known, 1)}'
        return f'{place}: {name}' if name else place

    def wrong(self, message: str, path: Sequence[Key] = ()) -> ConfigError:
        """An error about the value at `path`."""
        return ConfigError(message, self.where(path))

    def part(self, path: Sequence[Key]) -> Located:
        """The part at `path`, which must exist, with the lines of its own."""
        depth = len(path)
        lines = {
            inner[depth:]: line
            for inner, line in self.lines.items()
            if inner[:depth] == tuple(path)
        }
        return Located(self.file, self.at(path), lines, dotted(path, self.above))


def dotted(path: Sequence[Key], above: str = '') -> str:
    """`path` in words: `key.inner[0]`."""
    name = above
    for key in path:
        name += f'[{key}]' if isinstance(key, int) else f'.{key}' if name else key
    return name


def read_yaml(path: Path | str) -> Located:
    """Read one YAML file.

    Raises:
        ConfigError: it is absent, no ordinary file, no UTF-8, empty, no YAML, has a key twice or
            a value that has no place in such a file.
    """
    file = Path(path)
    try:
        if file.exists() and not file.is_file():
            what = 'a folder' if file.is_dir() else 'no ordinary file'
            raise ConfigError(f'is {what}; name a YAML file', str(path))
        if file.stat().st_size > MOST_BYTES:
            raise ConfigError(f'is larger than {MOST_BYTES >> 20} MiB', str(path))
        text = file.read_bytes().decode('utf-8')
    except OSError as error:
        raise ConfigError(f'cannot be read: {error.strerror}', str(path)) from None
    except ValueError as error:
        if not isinstance(error, UnicodeDecodeError):  # of the path: a NUL in it
            raise ConfigError(f'cannot be read: {error}', repr(str(path))) from None
        line = error.object[: error.start].count(b'\n') + 1
        raise ConfigError('is not UTF-8 text; save it as UTF-8', f'{path}:{line}') from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, file: str) -> Located:
    """Parse one YAML document; `file` is its name in errors. Raises as `read_yaml`."""
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        hint = '; indent with spaces' if "'\\t'" in str(error.problem) else ''
        message = f'is no YAML: {error.problem or error.context}{hint}'
        raise ConfigError(message, f'{file}:{mark.line + 1 if mark else 1}') from None
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count('\n') + 1
        message = f'is no text: it has the character U+{error.character:04X}'
        raise ConfigError(message, f'{file}:{line}') from None
    except RecursionError:
        raise ConfigError('is nested too deeply', f'{file}:1') from None
    document = Located(file, None)
    value = None if root is None else _Reader(loader, document).plain(root, ())
    if value is None:
        raise ConfigError('is empty', f'{file}:1')
    return Located(file, value, document.lines)


def kind(value: object) -> str:
    """What `value` is, in words for people: `a number (5)`."""
    if value is None:
        return 'nothing'
    if isinstance(value, dict):
        return 'a table'
    if isinstance(value, list):
        return 'a list'
    names = {bool: 'true or false', int: 'a number', float: 'a number', str: 'text'}
    shown = str(value)
    shown = shown.lower() if isinstance(value, bool) else shown
    return f'{names.get(type(value), "a value")} ({shown[:40]}{"…" * (len(shown) > 40)})'


class _Loader(yaml.SafeLoader):
    """YAML 1.1 as ROS' own files are written in, without dates."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _TAG + 'timestamp']
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Reader:
    """Makes plain values of the nodes of one document, and notes their lines."""

    def __init__(self, loader: _Loader, document: Located) -> None:
        self._loader = loader
        self._document = document
        self._within: list[yaml.Node] = []
        self._count = 0

    def plain(self, node: yaml.Node, path: tuple[Key, ...]) -> Any:
        """The value of `node`, which stands at `path`."""
        self._document.lines.setdefault(path, node.start_mark.line + 1)
        self._count += 1
        if self._count > MOST_VALUES:
            raise self._wrong('stands for too many values', node, path)
        if any(node is outer for outer in self._within):
            raise self._wrong('contains itself', node, path)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        if node.tag not in (_TAG + 'map', _TAG + 'seq'):
            raise self._wrong(f'has a tag without meaning here: {node.tag}', node, path)
        self._within.append(node)
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, path)
            return [self.plain(item, (*path, i)) for i, item in enumerate(node.value)]
        finally:
            self._within.pop()

    def _scalar(self, node: yaml.ScalarNode, path: tuple[Key, ...]) -> Any:
        if node.tag not in _SCALARS:
            raise self._wrong(f'has a tag without meaning here: {node.tag}', node, path)
        try:
            value = self._loader.construct_object(node)
        except (ValueError, yaml.YAMLError):
            raise self._wrong(f'cannot be read: {node.value[:40]}', node, path) from None
        if isinstance(value, int) and abs(value) > LARGEST:
            raise self._wrong('is too large a number', node, path)
        if isinstance(value, str) and any(c == '\0' or '\ud800' <= c <= '\udfff' for c in value):
            raise self._wrong('has a character that is no text', node, path)
        return value

    def _mapping(self, node: yaml.MappingNode, path: tuple[Key, ...]) -> dict[Key, Any]:
        result: dict[Key, Any] = {}
        for merged in self._merged(node, path):
            result |= self.plain(merged, path)
        own: dict[Key, int] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _MERGE:
                continue
            key, line = self._key(key_node, path), key_node.start_mark.line + 1
            inner = (*path, key)
            if key in own:
                again = f'is given twice, first in line {own[key]}; remove one'
                raise self._wrong(again, key_node, inner)
            own[key] = self._document.lines[inner] = line
            result[key] = self.plain(value_node, inner)
        return result

    def _key(self, node: yaml.Node, path: tuple[Key, ...]) -> Key:
        key = self._scalar(node, path) if isinstance(node, yaml.ScalarNode) else None
        if isinstance(key, bool) or not isinstance(key, str | int):
            shown = node.value if isinstance(node, yaml.ScalarNode) else kind(node.value)
            raise self._wrong(f'a key must be a word, not {shown}; put it in quotes', node, path)
        return key

    def _merged(self, node: yaml.MappingNode, path: tuple[Key, ...]) -> Iterator[yaml.Node]:
        """The mappings under `<<`, those that win last."""
        for key_node, value in node.value:
            if key_node.tag == _MERGE:
                listed = value.value if isinstance(value, yaml.SequenceNode) else [value]
                for item in reversed(listed):
                    if not isinstance(item, yaml.MappingNode):
                        raise self._wrong('can only merge tables', key_node, (*path, '<<'))
                    yield item

    def _wrong(self, message: str, node: yaml.Node, path: Sequence[Key]) -> ConfigError:
        place = f'{self._document.file}:{node.start_mark.line + 1}'
        return ConfigError(message, f'{place}: {dotted(path)}' if path else place)
