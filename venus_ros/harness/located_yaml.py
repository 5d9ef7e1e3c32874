# SPDX-License-Identifier: Apache-2.0
"""YAML whose values know the line they stand on, so that an error can name it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from venus_ros.core.errors import ConfigError

Key = str | int


@dataclass(frozen=True, slots=True)
class Located:
    """A YAML document of plain values.

    Attributes:
        file: where it was read from.
        value: the document.
        lines: path of keys -> line (from 1) of that key or item.
    """

    file: str
    value: Any
    lines: dict[tuple[Key, ...], int] = field(default_factory=dict)

    def where(self, path: Sequence[Key]) -> str:
        """`file:line: key.path` of the innermost part of `path` that exists."""
        known = tuple(path)
        while known and known not in self.lines:
            known = known[:-1]
        dotted = '.'.join(str(key) for key in path)
        place = f'{self.file}:{self.lines.get(known, 1)}'
        return f'{place}: {dotted}' if dotted else place


def read_yaml(path: Path | str) -> Located:
    """Read one YAML file.

    Raises:
        ConfigError: it is absent, is no UTF-8, has a syntax error or a key twice.
    """
    try:
        text = Path(path).read_text(encoding='utf-8')
    except OSError as error:
        raise ConfigError(f'cannot be read ({error.strerror})', str(path)) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f'is not UTF-8 at byte {error.start}', str(path)) from error
    return parse_yaml(text, str(path))


def parse_yaml(text: str, file: str) -> Located:
    """Parse one YAML document; `file` is its name in errors. Raises as `read_yaml`."""
    loader = yaml.SafeLoader(text)
    located = Located(file, None)
    try:
        root = loader.get_single_node()
        value = _plain(loader, root, (), located) if root is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise ConfigError(f'not valid YAML: {error.problem}', f'{file}:{line}') from error
    except yaml.YAMLError as error:
        raise ConfigError(f'not valid YAML: {error}', file) from error
    finally:
        loader.dispose()
    return Located(file, value, located.lines)


def _plain(loader: yaml.SafeLoader, node: yaml.Node, path: tuple[Key, ...], into: Located) -> Any:
    into.lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(loader, item, (*path, i), into) for i, item in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return loader.construct_object(node)
    loader.flatten_mapping(node)
    result: dict[Key, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node)
        line = key_node.start_mark.line + 1
        if not isinstance(key, (str, int)):
            raise ConfigError(f'a key must be a word, not {key!r}', f'{into.file}:{line}')
        below = (*path, key)
        if key in result:
            raise ConfigError('this key stands here twice', f'{into.file}:{line}: {key}')
        into.lines[below] = line
        result[key] = _plain(loader, value_node, below, into)
    return result
