# SPDX-License-Identifier: Apache-2.0
"""From arguments to the robot's goal, and from the robot's answers back to words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from venus_ros.harness.sightings import sightings
from venus_ros.harness.skill import Skill
from venus_ros.language import template

_SENTENCE = re.compile(r'[^.!?]+[.!?]*(?=\s|$)')


def fill_goal(skill: Skill, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The robot's goal for checked `arguments`, as nested plain values.

    Keys whose argument was not given are left out: the message's default holds.
    """
    return template.fill(skill.goal, skill.scope(arguments))


def progress(
    skill: Skill, feedback: Mapping[str, Any], first: Mapping[str, Any] | None = None
) -> tuple[float, str]:
    """Share done (0 to 1, NaN unknown) and words for the robot's feedback.

    Args:
        first: the goal's first feedback, for skills that report what remains.
    """
    scope = {'feedback': feedback}
    spoken = template.say(template.choose(skill.outcome.phases, scope).get('say', ''), scope)
    if skill.outcome.done:
        return _share(_number(feedback, skill.outcome.done)), spoken
    if skill.outcome.remains and first:
        whole = _number(first, skill.outcome.remains)
        left = _number(feedback, skill.outcome.remains)
        return (_share(1 - left / whole) if whole > 0 else math.nan), spoken
    return math.nan, spoken


def summary(
    skill: Skill, arguments: Mapping[str, Any], result: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """At most three spoken sentences for a result that ended well, and its data."""
    scope = skill.scope(arguments) | {'result': result}
    case = template.choose(skill.outcome.ends, scope)
    if case.get('report') == 'sightings':
        text, data = sightings(arguments, result, skill.tables.get('object', {}))
    else:
        data = {key: value for key, value in result.items() if key not in _codes(skill)}
        text = template.say(case.get('say', ''), scope) or 'Done.'
    return _sentences(text, 3), data


def failure(
    skill: Skill, arguments: Mapping[str, Any], result: Mapping[str, Any], reason: str = ''
) -> str:
    """Spoken words for an end that was not well.

    The reason told is the skill's own for the robot's code, else the robot's message, else
    `reason`.
    """
    told = skill.outcome.reasons.get(cause_code(skill, result), '')
    scope = skill.scope(arguments) | {'result': result}
    told = template.say(told, scope) if told else ''
    told = told or str(result.get(skill.outcome.message) or '') or reason
    scope['reason'] = _as_clause(told)
    case = template.choose(skill.outcome.failures, scope)
    if case:
        return _sentences(template.say(case['say'], scope), 3)
    wish = promise(skill, arguments)
    start = f'I could not {wish}' if wish else 'That did not work'
    return _sentences(f'{start}: {scope["reason"]}.' if told else f'{start}.', 3)


def cause_code(skill: Skill, result: Mapping[str, Any]) -> int:
    """The robot's own error code in `result`; 0 if none."""
    code = result.get(skill.outcome.code, 0)
    return int(code) if isinstance(code, (int, float)) and math.isfinite(code) else 0


def promise(skill: Skill, arguments: Mapping[str, Any]) -> str:
    """The request in the robot's words, after "I will": 'go to the kitchen'."""
    scope = skill.scope(arguments)
    return template.say(template.choose(skill.arguments['x-say'], scope).get('say', ''), scope)


def _number(record: Mapping[str, Any], name: str) -> float:
    try:
        value = template.look_up(record, name)
    except template.Missing:
        return math.nan
    return float(value) if isinstance(value, (int, float)) else math.nan


def _share(value: float) -> float:
    return math.nan if math.isnan(value) else min(1.0, max(0.0, value))


def _codes(skill: Skill) -> tuple[str, str]:
    return skill.outcome.code, skill.outcome.message


def _as_clause(sentence: str) -> str:
    """A robot's message as the end of a sentence: no final stop, no capital at the start."""
    clause = sentence.strip().rstrip('.!')
    first = clause.split(' ', 1)[0]
    keep = first == 'I' or first.startswith("I'") or first.isupper()
    return clause if keep else clause[:1].lower() + clause[1:]


def _sentences(text: str, most: int) -> str:
    return ' '.join(part.strip() for part in _SENTENCE.findall(text)[:most])
