# SPDX-License-Identifier: Apache-2.0
"""Arguments of a skill, from how a file describes them to JSON Schema."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import jsonschema

from venus_ros.harness.skill import Effect
from venus_ros.harness.skill_tables import Table, rows_of
from venus_ros.yaml_file import Key, Located


def read_arguments(
    document: Located, path: tuple[str, str], tables: Mapping[str, Table], effect: Effect
) -> tuple[dict[str, Any], dict[str, Table]]:
    """JSON Schema of all arguments of the skill at `path`, and argument -> its rows.

    Raises:
        ConfigError: `file:line: key` and what is wrong there.
    """
    entry = document.at(path)
    properties, used = {}, {}
    for name, raw in entry.get('arguments', {}).items():
        where = (*path, 'arguments', name)
        try:
            rows = rows_of(raw.get('table'), tables)
        except KeyError as missing:
            known = ', '.join(tables)
            message = f'there is no table {missing}; there are {known}'
            raise document.wrong(message, (*where, 'table')) from None
        if rows:
            used[name] = rows
        properties[name] = _property(document, where, raw, rows)
        _check_bounds(document, where, properties[name], effect)
    for key in ('required', 'one_of'):
        for i, name in enumerate(entry.get(key, ())):
            if name not in properties:
                known = ', '.join(properties) or 'none'
                message = f'{name!r} is not an argument; there are {known}'
                raise document.wrong(message, (*path, key, i))
    return _arguments(entry, properties), used


def _property(
    document: Located, where: tuple[Key, ...], raw: Mapping[str, Any], rows: Table
) -> dict[str, Any]:
    """JSON Schema of one argument: a table becomes a list of values with their words."""
    schema = {
        key: value
        for key, value in raw.items()
        if key not in ('table', 'words', 'role', 'ask', 'free', 'unit')
    }
    words = {str(value): list(phrases) for value, phrases in raw.get('words', {}).items()}
    if rows:
        schema['enum'] = list(rows)
    known = list(map(str, schema.get('enum', ())))
    for value in raw.get('words', {}):
        if str(value) not in known:
            message = f'is no value of it; there are {", ".join(known) or "none"}'
            raise document.wrong(message, (*where, 'words', value))
    words = {name: list(row['words']) for name, row in rows.items()} | words
    table = raw.get('table', '')
    role = raw.get('role') or (table if isinstance(table, str) else '')
    spoken = {
        name: row['spoken'] for name, row in rows.items() if row['spoken'] != row['words'][0]
    }
    extras = {
        'x-in': {name: row['in'] for name, row in rows.items() if isinstance(row.get('in'), str)},
        'x-spoken': spoken,
        'x-words': words,
        'x-role': role,
        'x-roles': {} if role else {name: row['table'] for name, row in rows.items()},
        'x-ask': raw.get('ask', ''),
        'x-free': raw.get('free', ''),
        'x-unit': raw.get('unit', ''),
    }
    return schema | {key: value for key, value in extras.items() if value}


def _check_bounds(
    document: Located, where: tuple[Key, ...], schema: Mapping[str, Any], effect: Effect
) -> None:
    """What can be said must be bounded where something moves, and the default must fit."""
    numeric = schema['type'] in ('number', 'integer') and 'enum' not in schema
    minimum, maximum = schema.get('minimum', -math.inf), schema.get('maximum', math.inf)
    if not minimum <= maximum:  # so also for NaN, which would let every number pass
        raise document.wrong('`minimum` must be a number that is not above `maximum`', where)
    if effect is Effect.MOVE and numeric and not {'minimum', 'maximum'} <= set(schema):
        message = 'a number of a skill that moves needs `minimum` and `maximum`'
        raise document.wrong(message, where)
    validator = jsonschema.Draft202012Validator
    try:
        validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise document.wrong(error.message, (*where, *error.absolute_path)) from None
    if 'default' in schema and not validator(schema).is_valid(schema['default']):
        raise document.wrong('is no value of it', (*where, 'default'))


def _arguments(entry: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {
        'type': 'object',
        'properties': properties,
        'required': list(entry.get('required', ())),
        'additionalProperties': False,
    }
    if entry.get('one_of'):
        schema['anyOf'] = [{'required': [name]} for name in entry['one_of']]
    wish = entry.get('say', entry['description'].rstrip('.'))
    schema['x-say'] = [{'say': wish}] if isinstance(wish, str) else wish
    if entry.get('implies'):
        schema['x-implies'] = entry['implies']
    return schema
