# SPDX-License-Identifier: Apache-2.0
"""Reads skill files: tables, skills, and whether everything that they refer to exists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema

from venus_ros.core.errors import ConfigError
from venus_ros.harness.located_yaml import Located, read_yaml
from venus_ros.harness.skill import Effect, Limits, Outcome, Skill
from venus_ros.harness.skill_schema import SCHEMA, TABLE_SCHEMA
from venus_ros.language import template

_RESULT_NAMES = ('result', 'feedback', 'reason')

Table = Mapping[str, Mapping[str, Any]]


def read_skills(paths: Sequence[Path], places: Path | str | None = None) -> list[Skill]:
    """Skills of all files; a later file adds to or overrides an earlier one.

    Args:
        places: table of places to use instead of the files' own.

    Raises:
        ConfigError: `file:line: key` and what is wrong there.
    """
    documents = [read_yaml(path) for path in paths]
    tables: dict[str, dict[str, Mapping[str, Any]]] = {}
    for document in documents:
        _check(document, SCHEMA)
        for name, rows in _tables(document, places).items():
            tables.setdefault(name, {}).update(rows)
    skills: dict[str, Skill] = {}
    for document in documents:
        for name in document.value['skills']:
            skills[name] = _skill(document, name, tables)
    return list(skills.values())


def _check(document: Located, schema: Mapping[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    errors = list(validator.iter_errors(document.value))
    if not errors:
        return
    unknown_keys = (error for error in errors if error.validator == 'additionalProperties')
    error = next(unknown_keys, None) or jsonschema.exceptions.best_match(errors)
    path: tuple[str | int, ...] = tuple(error.absolute_path)
    message = error.message
    if error.validator == 'additionalProperties' and isinstance(error.instance, Mapping):
        known = error.schema.get('properties', {})
        unknown = next((key for key in error.instance if key not in known), None)
        if unknown is not None:
            path = (*path, unknown)
            message = f'unknown key; known here: {", ".join(known)}'
    raise ConfigError(message, document.where(path))


def _tables(document: Located, places: Path | str | None) -> dict[str, dict[str, dict[str, Any]]]:
    result = {}
    for name, content in (document.value.get('tables') or {}).items():
        source = document
        path: tuple[str, ...] = ('tables', name)
        if set(content) == {'file'} and isinstance(content['file'], str):
            file = Path(document.file).parent / content['file']
            source, path = read_yaml(places if places and name == 'place' else file), ()
            content = source.value or {}
            if isinstance(content, Mapping) and f'{name}s' in content:
                path, content = (f'{name}s',), content[f'{name}s']
            _check_table(source, path, content)
        frame = source.value.get('frame_id', 'map')
        result[name] = {
            row: _row(
                source,
                (*path, row),
                {'name': row, 'table': name, 'frame': frame, **(fields or {})},
            )
            for row, fields in content.items()
        }
    return result


def _check_table(source: Located, path: Sequence[str | int], content: Any) -> None:
    error = next(jsonschema.Draft202012Validator(TABLE_SCHEMA).iter_errors(content), None)
    if error is not None:
        raise ConfigError(error.message, source.where((*path, *error.absolute_path)))


def _row(
    source: Located, path: tuple[str | int, ...], fields: Mapping[str, Any]
) -> dict[str, Any]:
    """A record; a `yaw` gets its quaternion (`qz`, `qw`)."""
    plain = fields['name'].replace('_', ' ')
    words = dict.fromkeys([plain, *fields.get('words', ()), *fields.get('words_zh', ())])
    row = {**fields, 'spoken': str(fields.get('spoken') or plain), 'words': list(words)}
    for key, value in fields.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError('must be a finite number', source.where((*path, key)))
    for key in {'x', 'y', 'yaw'} & set(fields):
        if isinstance(fields[key], bool) or not isinstance(fields[key], (int, float)):
            raise ConfigError('must be a number', source.where((*path, key)))
        row[key] = float(fields[key])
    if 'x' in row and 'y' in row:
        row.setdefault('yaw', 0.0)
    if 'yaw' in row:
        row |= {'qz': math.sin(row['yaw'] / 2), 'qw': math.cos(row['yaw'] / 2)}
    return row


def _skill(document: Located, name: str, tables: Mapping[str, Table]) -> Skill:
    entry = document.value['skills'][name]
    path = ('skills', name)
    effect = Effect(entry['effect'])
    properties, used = {}, {}
    for argument, raw in (entry.get('arguments') or {}).items():
        where = document.where((*path, 'arguments', argument))
        rows = _rows(raw.get('table'), tables, where)
        if rows:
            used[argument] = rows
        properties[argument] = _property(raw, rows, effect, where)
    arguments = _arguments(entry, properties)
    for key in ('required', 'one_of'):
        for i, argument in enumerate(entry.get(key, ())):
            if argument not in properties:
                raise ConfigError(
                    f'{argument!r} is not an argument', document.where((*path, key, i))
                )
    _check_references(document, path, entry, properties, used)
    result, feedback = entry.get('result', {}), entry.get('feedback', {})
    return Skill(
        capability=entry['capability'],
        skill=name,
        server=entry['server'],
        type=entry['type'],
        description=entry['description'],
        description_zh=entry.get('description_zh', ''),
        examples=tuple(entry.get('examples', ())),
        examples_zh=tuple(entry.get('examples_zh', ())),
        effect=effect,
        arguments=arguments,
        goal=entry['goal'],
        resource=entry.get('resource', ''),
        confirmation=entry.get('confirmation', 'risky'),
        cancel_on=tuple(entry.get('cancel_on', ('stop', 'correction'))),
        limits=Limits(**entry.get('limits', {})),
        outcome=Outcome(
            done=feedback.get('done', ''),
            remains=feedback.get('remains', ''),
            phases=tuple(feedback.get('say', ())),
            ends=tuple(result.get('say', ())),
            failures=tuple(result.get('failed', ())),
            code=result.get('code', 'error_code'),
            message=result.get('message', 'error_msg'),
            reasons={int(code): words for code, words in result.get('reasons', {}).items()},
        ),
        tables=used,
    )


def _rows(table: str | list[str] | None, tables: Mapping[str, Table], where: str) -> Table:
    rows: dict[str, Mapping[str, Any]] = {}
    for name in [table] if isinstance(table, str) else table or ():
        if name not in tables:
            raise ConfigError(f'there is no table {name!r}; there are: {", ".join(tables)}', where)
        rows |= tables[name]
    return rows


def _property(raw: Mapping[str, Any], rows: Table, effect: Effect, where: str) -> dict[str, Any]:
    """JSON Schema of one argument: a table becomes a list of values with their words."""
    schema = {
        key: value
        for key, value in raw.items()
        if key not in ('table', 'words', 'role', 'ask', 'free', 'unit')
    }
    words = {str(value): list(phrases) for value, phrases in raw.get('words', {}).items()}
    if rows:
        schema['enum'] = list(rows)
        words = {name: list(row['words']) for name, row in rows.items()} | words
    for value in words:
        if value not in map(str, schema.get('enum', ())):
            raise ConfigError(f'words for {value!r}, which is no value of it', where)
    table = raw.get('table', '')
    role = raw.get('role') or (table if isinstance(table, str) else '')
    spoken = {
        name: row['spoken'] for name, row in rows.items() if row['spoken'] != row['words'][0]
    }
    extras = {
        'x-spoken': spoken,
        'x-words': words,
        'x-role': role,
        'x-roles': {} if role else {name: row['table'] for name, row in rows.items()},
        'x-ask': raw.get('ask', ''),
        'x-free': raw.get('free', ''),
        'x-unit': raw.get('unit', ''),
    }
    schema |= {key: value for key, value in extras.items() if value}
    numeric = raw['type'] in ('number', 'integer') and 'enum' not in schema
    if not _are_bounds(schema.get('minimum', -math.inf), schema.get('maximum', math.inf)):
        raise ConfigError('`minimum` must be a number that is not above `maximum`', where)
    if effect is Effect.MOVE and numeric and not {'minimum', 'maximum'} <= set(schema):
        raise ConfigError('a number of a skill that moves needs `minimum` and `maximum`', where)
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise ConfigError(error.message, where) from error
    return schema


def _are_bounds(minimum: float, maximum: float) -> bool:
    """Whether the two bound anything; a NaN would let every number pass."""
    return not math.isnan(minimum) and not math.isnan(maximum) and minimum <= maximum


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


def _templates(cases: str | Sequence[Mapping[str, Any]]) -> list[str]:
    return [cases] if isinstance(cases, str) else [case.get('say', '') for case in cases]


def _check_references(
    document: Located,
    path: tuple[str, str],
    entry: Mapping[str, Any],
    properties: Mapping[str, Any],
    used: Mapping[str, Table],
) -> None:
    """Every name in a template must be an argument, and every part a field of its table."""
    result, feedback = entry.get('result', {}), entry.get('feedback', {})
    spoken = {
        ('say',): _templates(entry.get('say', ())),
        ('feedback', 'say'): _templates(feedback.get('say', ())),
        ('result', 'say'): _templates(result.get('say', ())),
        ('result', 'failed'): _templates(result.get('failed', ())),
    }
    for key, templates in {('goal',): entry['goal'], **spoken}.items():
        where = document.where((*path, *key))
        for name in template.references(templates):
            head, _, part = name.partition('.')
            if head in _RESULT_NAMES and key != ('goal',):
                continue
            if head not in properties:
                raise ConfigError(f'{{{name}}} is not an argument', where)
            rows = used.get(head, {})
            if part and rows and not all(part.split('.')[0] in row for row in rows.values()):
                raise ConfigError(f'{{{name}}}: not every {head} has {part!r}', where)
        for text in templates if isinstance(templates, list) else [templates]:
            unknown = template.styles(text) - set(template.STYLES) if isinstance(text, str) else ()
            if unknown:
                known = ', '.join(template.STYLES)
                raise ConfigError(f'no style {sorted(unknown)[0]!r}; there are: {known}', where)
