# SPDX-License-Identifier: Apache-2.0
"""Which skill takes these arguments: for goals that come with arguments instead of words."""

from __future__ import annotations

import json
from typing import Any

from venus_ros.core.errors import Code, VenusError
from venus_ros.harness.skills import Skill, Skills, check_arguments


def choose(
    skills: Skills, capability: str, name: str, arguments_json: str
) -> tuple[Skill, dict[str, Any]]:
    """The named skill, or the first that takes the arguments, which come back checked.

    Args:
        capability: empty = any.
        name: of the skill; empty = any.
        arguments_json: JSON object.

    Raises:
        VenusError: UNKNOWN_CAPABILITY, UNKNOWN_SKILL, MISSING_ARGUMENT or INVALID_ARGUMENT; its
            `message` is fit to be spoken.
    """
    arguments = _decode(arguments_json)
    candidates = skills.of(capability) if capability else tuple(skills)
    if name:
        candidates = tuple(skill for skill in candidates if skill.skill == name)
    if not candidates:
        raise VenusError(f'There is no skill {name!r}.', Code.UNKNOWN_SKILL)
    wrong: VenusError | None = None
    for skill in candidates:
        try:
            return skill, check_arguments(skill, arguments)
        except VenusError as error:
            wrong = wrong or error
    assert wrong is not None
    raise wrong


def check_time_limit(time_limit_s: float) -> None:
    """Raise VenusError INVALID_ARGUMENT for a limit before which nothing can be done."""
    if time_limit_s < 0:
        raise VenusError(
            'The time limit is negative.', Code.INVALID_ARGUMENT, f'time_limit: {time_limit_s:g} s'
        )


def _decode(arguments_json: str) -> dict[str, Any]:
    try:
        arguments = json.loads(arguments_json or '{}')
    except (ValueError, RecursionError) as error:
        raise VenusError(
            f'The arguments are not JSON: {error}.', Code.INVALID_ARGUMENT, 'arguments_json'
        ) from error
    if not isinstance(arguments, dict):
        raise VenusError(
            'The arguments are no JSON object.', Code.INVALID_ARGUMENT, 'arguments_json'
        )
    return arguments
