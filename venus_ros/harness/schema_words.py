# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a file by its JSON Schema, in words for those who wrote it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import jsonschema

from venus_ros.yaml_file import Key, Located, kind

_TYPES = {
    'string': 'text',
    'number': 'a number',
    'integer': 'a whole number',
    'boolean': 'true or false',
    'array': 'a list',
    'object': 'a table',
    'null': 'nothing',
}

Error: TypeAlias = jsonschema.ValidationError


def check(document: Located, schema: Mapping[str, Any], path: tuple[Key, ...] = ()) -> None:
    """Hold what stands at `path` to `schema`. Raises ConfigError for the first mistake.

    Unknown keys come first: one that is misspelt is the cause of another that is missing.
    """
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document.at(path)))
    if not errors:
        return
    unknown = (error for error in errors if error.validator == 'additionalProperties')
    error = next(unknown, None) or jsonschema.exceptions.best_match(errors)
    inner, words = _explain(error)
    raise document.wrong(words, (*path, *error.absolute_path, *inner))


def _explain(error: Error) -> tuple[tuple[Key, ...], str]:
    """Keys below the error's own path, and what is wrong there."""
    if error.validator == 'additionalProperties':
        known = error.schema.get('properties', {})
        name = next(key for key in error.instance if key not in known)
        return (name,), f'unknown key; known here: {", ".join(known)}'
    if error.validator == 'required':
        name = next(key for key in error.validator_value if key not in error.instance)
        return (name,), 'is missing'
    if 'propertyNames' in error.absolute_schema_path:
        return (error.instance,), _must_be(error)
    say = _SENTENCES.get(str(error.validator), _must_be)
    return (), say(error)


def _must_be(error: Error) -> str:
    types = error.validator_value if error.validator == 'type' else []
    types = [types] if isinstance(types, str) else types
    wanted = error.schema.get('description') or ' or '.join(_TYPES[name] for name in types)
    if not wanted:
        return str(error.message)
    return f'must be {wanted}, not {kind(error.instance)}'


_SENTENCES: dict[str, Callable[[Error], str]] = {
    'enum': lambda e: (
        f'must be one of {", ".join(map(str, e.validator_value))}, not {kind(e.instance)}'
    ),
    'const': lambda e: f'must be {e.validator_value}, not {kind(e.instance)}',
    'minLength': lambda e: 'must not be empty',
    'minItems': lambda e: 'must not be empty',
    'maxLength': lambda e: f'is longer than {e.validator_value} characters',
    'minimum': lambda e: f'must be at least {e.validator_value}, not {e.instance}',
    'maximum': lambda e: f'must be at most {e.validator_value}, not {e.instance}',
    'exclusiveMinimum': lambda e: f'must be above {e.validator_value}, not {e.instance}',
}
