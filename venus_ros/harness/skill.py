# SPDX-License-Identifier: Apache-2.0
"""One skill: a request that can be made, and the ROS action that answers it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import jsonschema

from venus_ros.core.errors import Code, VenusError


class Effect(Enum):
    """What a skill does to the world."""

    READ = 'read'
    SPEAK = 'speak'
    MOVE = 'move'


@dataclass(frozen=True, slots=True)
class Limits:
    """How long things may take, s of steady time."""

    accept_s: float = 5.0
    feedback_gap_s: float = 15.0
    total_s: float = 180.0
    cancel_s: float = 5.0


Case = Mapping[str, Any]
"""`say` (template) or `report`, and `when` it holds; see `template.choose`."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the robot's feedback and result are read.

    Attributes:
        done: field of the feedback with the share done, 0 to 1; empty if there is none.
        remains: field of the feedback with what remains, counted down from its first value.
        phases: words for feedback.
        ends: words for a result that ended well.
        failures: words for one that did not.
        code: field of the result with the robot's own error code; not 0 = not well.
        message: field of the result with the robot's own reason.
        reasons: robot's error code -> words for it.
    """

    done: str = ''
    remains: str = ''
    phases: tuple[Case, ...] = ()
    ends: tuple[Case, ...] = ()
    failures: tuple[Case, ...] = ()
    code: str = 'error_code'
    message: str = 'error_msg'
    reasons: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skill:
    """One entry of `capabilities.yaml`.

    Attributes:
        capability: server that runs it, `<capability>/delegate`.
        server: the robot's action, relative name.
        type: its type, e.g. `nav2_msgs/action/NavigateToPose`.
        arguments: JSON Schema (object). Of a property: `x-role` what kind of thing it names,
            `x-words` value -> phrases that mean it, `x-ask` the question when it is missing.
            Of the object: `x-say` cases with the request in the robot's words; `x-implies`
            argument -> value -> values that a step before it may have, and then is part of it.
        goal: how arguments fill the robot's goal; see `template`.
        resource: what one running work holds; empty if nothing.
        confirmation: never, risky or always.
        cancel_on: what cancels it: stop, correction, silence.
        tables: argument -> value -> record (`name`, `spoken` and the table's own fields).
    """

    capability: str
    skill: str
    server: str
    type: str
    description: str
    effect: Effect
    arguments: Mapping[str, Any]
    goal: Mapping[str, Any]
    description_zh: str = ''
    examples: tuple[str, ...] = ()
    examples_zh: tuple[str, ...] = ()
    resource: str = ''
    confirmation: str = 'risky'
    cancel_on: tuple[str, ...] = ('stop', 'correction')
    limits: Limits = field(default_factory=Limits)
    outcome: Outcome = field(default_factory=Outcome)
    tables: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)

    def scope(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments as templates see them: a listed value stands for its record."""
        return {
            name: self.tables.get(name, {}).get(value, value) if isinstance(value, str) else value
            for name, value in arguments.items()
        }


def check_arguments(skill: Skill, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments checked against the schema (bounds, lists, finite numbers), defaults filled in.

    Raises:
        VenusError: MISSING_ARGUMENT or INVALID_ARGUMENT; its `message` is fit to be spoken.
    """
    if not isinstance(arguments, Mapping):
        raise _invalid(skill, 'the arguments must be a JSON object')
    properties: Mapping[str, Any] = skill.arguments.get('properties', {})
    checked = {
        name: schema['default'] for name, schema in properties.items() if 'default' in schema
    }
    checked |= {name: value for name, value in arguments.items() if value is not None}
    for name in skill.arguments.get('required', ()):
        if name not in checked or checked[name] == '':
            ask = properties.get(name, {}).get('x-ask') or f'Which {_plain(name)}?'
            raise VenusError(ask, Code.MISSING_ARGUMENT, f'{skill.skill}.{name}')
    _refuse_infinite(skill, checked, '')
    error = next(jsonschema.Draft202012Validator(skill.arguments).iter_errors(checked), None)
    if error is not None:
        raise _invalid(skill, _reason(error), '.'.join(map(str, error.absolute_path)))
    return checked


def _reason(error: jsonschema.ValidationError) -> str:
    name = _plain(str(error.absolute_path[-1])) if error.absolute_path else 'arguments'
    value = error.instance
    if error.validator == 'enum':
        return f"I don't know a {name} called {_plain(str(value))}."
    if error.validator in ('minimum', 'exclusiveMinimum'):
        return f'{value} is too small for {name}; the least is {error.validator_value}.'
    if error.validator in ('maximum', 'exclusiveMaximum'):
        return f'{value} is too large for {name}; the most is {error.validator_value}.'
    if error.validator == 'additionalProperties':
        return f'There is something that I cannot use: {error.message}.'
    if error.validator == 'type':
        return f'For {name} I need {_plain_type(error.validator_value)}.'
    return f'That does not fit {name}: {error.message}.'


def _refuse_infinite(skill: Skill, value: Any, path: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise _invalid(skill, f'{_plain(path)} is not a finite number', path)
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _refuse_infinite(skill, inner, f'{path}.{key}'.strip('.'))
    if isinstance(value, (list, tuple)):
        for inner in value:
            _refuse_infinite(skill, inner, path)


def _invalid(skill: Skill, message: str, path: str = '') -> VenusError:
    where = f'{skill.skill}.{path}' if path else skill.skill
    return VenusError(message, Code.INVALID_ARGUMENT, where)


def _plain(name: str) -> str:
    return name.replace('_', ' ')


def _plain_type(name: Any) -> str:
    return {'string': 'words', 'number': 'a number', 'integer': 'a whole number'}.get(
        name, str(name)
    )
