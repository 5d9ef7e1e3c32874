# SPDX-License-Identifier: Apache-2.0
"""Any ROS message to and from nested plain values: goals, feedback and results of robots."""

from __future__ import annotations

import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from venus_ros.core.errors import InputError
from venus_ros.nodes.interfaces import find_interface

MAX_PLAIN_ITEMS = 4096
"""Longer arrays (pictures, clouds) are left out of what goes to the engines."""


def fill(message: Any, values: Mapping[str, Any], where: str = 'goal') -> Any:
    """Set the fields that `values` names, deeply; returns `message`.

    Raises:
        InputError: unknown field or a value that the field cannot hold, with its full path.
    """
    known = message.get_fields_and_field_types()
    if hasattr(message, '_check_fields'):  # newer messages check their fields only when told to
        message._check_fields = True
    for name, value in values.items():
        path = f'{where}.{name}'
        if name not in known:
            raise InputError(f'no such field; there are: {", ".join(known)}', path)
        old = getattr(message, name)
        if isinstance(value, Mapping):
            fill(_message(old, path), value, path)
            continue
        try:
            setattr(message, name, _value(message, name, old, value, path))
        except (AssertionError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f'{value!r} does not fit {known[name]} ({error})', path) from None
    return message


def plain(message: Any) -> dict[str, Any]:
    """The message as nested dicts and lists of plain values."""
    return {name: _plain(getattr(message, name)) for name in message.get_fields_and_field_types()}


def _message(value: Any, path: str) -> Any:
    if not hasattr(value, 'get_fields_and_field_types'):
        raise InputError('a plain value was expected here, not a mapping', path)
    return value


def _value(message: Any, name: str, old: Any, value: Any, path: str) -> Any:
    """`value` as the Python type that the field wants."""
    if isinstance(old, bool):
        if not isinstance(value, bool):
            raise TypeError('true or false is expected')
        return value
    if isinstance(old, bytes):
        return bytes(value)
    if isinstance(old, int | float):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError('a number is expected')
        if isinstance(old, int) and value != int(value):
            raise ValueError('a whole number is expected')
        return type(old)(value)
    if isinstance(old, array.array):
        return array.array(old.typecode, value)
    if isinstance(old, np.ndarray):
        return np.asarray(value, old.dtype)
    if isinstance(old, list) and isinstance(value, Sequence) and not isinstance(value, str):
        return [_item(message, name, item, f'{path}[{i}]') for i, item in enumerate(value)]
    return value


def _item(message: Any, name: str, item: Any, path: str) -> Any:
    if not isinstance(item, Mapping):
        return item
    slots = type(message).get_fields_and_field_types()
    position = list(slots).index(name)
    element = type(message).SLOT_TYPES[position].value_type
    return fill(find_interface('/'.join((*element.namespaces, element.name)))(), item, path)


def _plain(value: Any) -> Any:
    if hasattr(value, 'get_fields_and_field_types'):
        return plain(value)
    if isinstance(value, array.array | np.ndarray):
        return value.tolist() if len(value) <= MAX_PLAIN_ITEMS else []
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value[:MAX_PLAIN_ITEMS]]
    if isinstance(value, bytes):
        return list(value)
    return value
