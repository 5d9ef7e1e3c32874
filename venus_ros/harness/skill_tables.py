# SPDX-License-Identifier: Apache-2.0
"""Tables of a skill file: rows with the words that people say for them, and fields for goals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from venus_ros.harness.schema_words import check
from venus_ros.harness.skill_schema import TABLE_SCHEMA
from venus_ros.yaml_file import Key, Located, kind, read_yaml

Table = Mapping[str, Mapping[str, Any]]
"""Row -> its fields."""


def read_tables(document: Located, places: Path | str | None) -> dict[str, Table]:
    """Tables that stand in a skill file, or in files that it names.

    Args:
        document: a skill file, held to its schema.
        places: file to use in place of the one that the table `place` names.

    Raises:
        ConfigError: `file:line: key` and what is wrong there.
    """
    result: dict[str, Table] = {}
    for name, content in document.value.get('tables', {}).items():
        source: Located = document
        path: tuple[str, ...] = ('tables', name)
        if set(content) == {'file'} and isinstance(content['file'], str):
            file = Path(document.file).parent / content['file']
            if not file.is_file():
                raise document.wrong(f'no such file: {file}', (*path, 'file'))
            source, path = _in_file(
                read_yaml(places if places and name == 'place' else file), name
            )
        frame = source.value.get('frame_id', 'map')
        if not isinstance(frame, str):
            raise source.wrong(f'must be text, not {kind(frame)}', ('frame_id',))
        result[name] = {
            row: _row(
                source,
                (*path, row),
                {'name': row, 'table': name, 'frame': frame, **(fields or {})},
            )
            for row, fields in source.at(path).items()
        }
    return result


def _in_file(source: Located, name: str) -> tuple[Located, tuple[str, ...]]:
    """A table in a file of its own, and where it stands there: under its plural, or all of it."""
    inside = isinstance(source.value, dict) and f'{name}s' in source.value
    path = (f'{name}s',) if inside else ()
    check(source, TABLE_SCHEMA, path)
    return source, path


def _row(source: Located, path: Sequence[Key], fields: Mapping[str, Any]) -> dict[str, Any]:
    """A record; a `yaw` gets its quaternion (`qz`, `qw`)."""
    plain = fields['name'].replace('_', ' ')
    words = dict.fromkeys([plain, *fields.get('words', ()), *fields.get('words_zh', ())])
    row = {**fields, 'spoken': str(fields.get('spoken') or plain), 'words': list(words)}
    for key, value in fields.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise source.wrong('must be a finite number', (*path, key))
    for key in ('x', 'y', 'yaw'):
        if key in fields:
            if isinstance(fields[key], bool) or not isinstance(fields[key], int | float):
                raise source.wrong(f'must be a number, not {kind(fields[key])}', (*path, key))
            row[key] = float(fields[key])
    if 'x' in row and 'y' in row:
        row.setdefault('yaw', 0.0)
    if 'yaw' in row:
        row |= {'qz': math.sin(row['yaw'] / 2), 'qw': math.cos(row['yaw'] / 2)}
    return row


def rows_of(table: str | list[str] | None, tables: Mapping[str, Table]) -> Table:
    """Rows of one table, or of several together. Raises KeyError for a table that is not there."""
    rows: dict[str, Mapping[str, Any]] = {}
    for name in [table] if isinstance(table, str) else table or ():
        rows |= tables[name]
    return rows
