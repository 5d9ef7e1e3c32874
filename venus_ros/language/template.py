# SPDX-License-Identifier: Apache-2.0
"""Templates of words and goals: data that is looked up, never code that is run.

`{place}` looks a name up, `{place.x}` a part of it, `{result.items|list}` writes it in a
style; a part in [brackets] is left out when something in it is missing or empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_REFERENCE = re.compile(r'\{([A-Za-z_][\w.]*)(?:\|(\w+))?\}')
_OPTION = re.compile(r'\[([^\[\]]*)\]')


class Missing(Exception):
    """A template refers to something that is not there."""


def as_order(promise: str) -> str:
    """The robot's own words for a request as an order: 'bring you the cup' -> 'bring me ...'."""
    return re.sub(r'\byou\b', 'me', promise)


def references(template: Any) -> set[str]:
    """Names that a template, or a nest of templates, refers to."""
    if isinstance(template, str):
        return {match[1] for match in _REFERENCE.finditer(template)}
    if isinstance(template, Mapping):
        return set().union(*(references(value) for value in template.values()))
    if isinstance(template, (list, tuple)):
        return set().union(*(references(value) for value in template))
    return set()


def styles(template: str) -> set[str]:
    """Names of the styles that a template uses."""
    return {match[2] for match in _REFERENCE.finditer(template) if match[2]}


def look_up(scope: Mapping[str, Any], name: str) -> Any:
    """Value of a dotted name. Raises `Missing`."""
    value: Any = scope
    for part in name.split('.'):
        if not isinstance(value, Mapping) or part not in value:
            raise Missing(name)
        value = value[part]
    return value


def say(template: str, scope: Mapping[str, Any]) -> str:
    """Spoken words; what is missing reads as nothing, names lose their underscores.

    A part in brackets is also left out if what it names was said already: on the kitchen table
    [in the kitchen].
    """
    text, end = '', 0
    for match in _OPTION.finditer(template):
        text += _written(template[end : match.start()], scope)
        named = [_spoken(scope, name, None) for name in references(match[1])]
        if all(named) and not (named and all(_says(text, name) for name in named)):
            text += _written(match[1], scope)
        end = match.end()
    text += _written(template[end:], scope)
    return re.sub(r'\s+([.,;:!?])', r'\1', re.sub(r'\s{2,}', ' ', text)).strip()


def _written(template: str, scope: Mapping[str, Any]) -> str:
    return _REFERENCE.sub(lambda match: _spoken(scope, match[1], match[2]), template)


def _says(text: str, name: str) -> bool:
    return re.search(rf'\b{re.escape(name)}\b', text) is not None


def choose(cases: Iterable[Mapping[str, Any]], scope: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first case whose every `when` holds (dotted name -> value, or list of values); {}."""
    return next((case for case in cases if _holds(case.get('when', {}), scope)), {})


def _holds(conditions: Mapping[str, Any], scope: Mapping[str, Any]) -> bool:
    for name, wanted in conditions.items():
        try:
            value = _raw(look_up(scope, name))
        except Missing:
            value = None
        if value not in (wanted if isinstance(wanted, list) else [wanted]):
            return False
    return True


def fill(template: Any, scope: Mapping[str, Any]) -> Any:
    """Plain values for a goal: a lone reference keeps its type, a missing one drops its key."""
    if isinstance(template, Mapping):
        filled = {}
        for key, value in template.items():
            try:
                filled[key] = fill(value, scope)
            except Missing:
                continue
        return filled
    if isinstance(template, (list, tuple)):
        return [fill(value, scope) for value in template]
    if not isinstance(template, str):
        return template
    if alone := _REFERENCE.fullmatch(template):
        return _raw(look_up(scope, alone[1]))
    return _REFERENCE.sub(lambda match: str(_raw(look_up(scope, match[1]))), template)


def _raw(value: Any) -> Any:
    return value['name'] if isinstance(value, Mapping) and 'name' in value else value


def _spoken(scope: Mapping[str, Any], name: str, style: str | None) -> str:
    try:
        value = look_up(scope, name)
    except Missing:
        return ''
    if isinstance(value, Mapping) and 'name' in value:
        value = value.get('spoken') or value['name']
    return STYLES[style or 'plain'](value)


def listed(names: list[str]) -> str:
    """'a, b and c'."""
    return ' and '.join([', '.join(names[:-1]), names[-1]] if len(names) > 1 else names)


def either(names: list[str]) -> str:
    """'a, b or c'."""
    return ' or '.join([', '.join(names[:-1]), names[-1]] if len(names) > 1 else names)


def with_article(name: str) -> str:
    """'a red cup', 'an orange', 'keys' (no article for what is spoken of in the plural)."""
    plain = name.replace('_', ' ')
    if plain.endswith('s') and not plain.endswith('ss'):
        return plain
    return f'{"an" if plain[:1] in "aeiou" else "a"} {plain}'


def _plain(value: Any) -> str:
    if value is None:
        return ''
    if isinstance(value, float):
        return f'{value:.1f}'.removesuffix('.0')
    if isinstance(value, (list, tuple)):
        return listed([_plain(item) for item in value])
    return str(value).replace('_', ' ')


def _seconds(value: Any) -> str:
    """Seconds from a number or from a ROS Duration as a dict."""
    if isinstance(value, Mapping):
        value = value.get('sec', 0) + value.get('nanosec', 0) * 1e-9
    count = round(float(value))
    return f'{count} second{"" if count == 1 else "s"}'


def _metres(value: Any) -> str:
    count = round(float(value), 1)
    return f'{_plain(count)} metre{"" if count == 1 else "s"}'


_PLACED = r'(?:on|in|at|under|near|by|inside|there|here|left|lying|standing)'
_TOLD = tuple(
    (re.compile(question), told)
    for question, told in (
        (r'^what is there$', 'what I see'),
        (rf'^(?:what|which \w+|who|how many \w+)(?: else)? (?:is|are) {_PLACED}\b.*$', r'\g<0>'),
        (r'^(is|are) there (.+)$', r'whether there \1 \2'),
        (rf'^(is|are) ((?:the|my|your|any|a|an)(?: \w+)+?) ({_PLACED}\b.*)$', r'whether \2 \1 \3'),
        (r'^what (?:do|can) you (?:see|notice|find)\b(.*)$', r'what I see\1'),
        (r'^(?:do|can) you see (.+)$', r'whether I see \1'),
    )
)


def _told(question: Any) -> str:
    """'tell you whether your keys are on the desk'; 'look around' if that gives no sentence."""
    for pattern, told in _TOLD:
        changed, count = pattern.subn(told, str(question))
        if count:
            return 'tell you ' + re.sub(r'\bmy\b', 'your', changed)
    return 'look around'


STYLES: dict[str, Callable[[Any], str]] = {
    'plain': _plain,
    'list': lambda value: listed([with_article(str(item)) for item in value]),
    'a': lambda value: with_article(str(value)),
    'count': lambda value: str(len(value)),
    'metres': _metres,
    'seconds': _seconds,
    'told': _told,
    'percent': lambda value: f'{round(100 * float(value))} percent',
}
"""How a value can be written: `{feedback.distance_remaining|metres}`."""
