# SPDX-License-Identifier: Apache-2.0
"""Reads skill files: tables, skills, and whether everything that they refer to exists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from venus_ros.harness.schema_words import check
from venus_ros.harness.skill import Effect, Limits, Outcome, Skill
from venus_ros.harness.skill_arguments import read_arguments
from venus_ros.harness.skill_schema import SCHEMA
from venus_ros.harness.skill_tables import Table, read_tables
from venus_ros.language import template
from venus_ros.yaml_file import Key, Located, read_yaml

_RESULT_NAMES = ('result', 'feedback', 'reason')


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
        check(document, SCHEMA)
        for name, rows in read_tables(document, places).items():
            tables.setdefault(name, {}).update(rows)
    skills: dict[str, Skill] = {}
    for document in documents:
        for name in document.value['skills']:
            skills[name] = _skill(document, name, tables)
            _check_type(document, skills[name], skills.values())
    return list(skills.values())


def _check_type(document: Located, skill: Skill, others: Iterable[Skill]) -> None:
    """An action has one type, whichever skill uses it."""
    for other in others:
        if other.server == skill.server and other.type != skill.type:
            words = f'{skill.server} is a {other.type} for the skill {other.skill}'
            raise document.wrong(words, ('skills', skill.skill, 'type'))


def _skill(document: Located, name: str, tables: Mapping[str, Table]) -> Skill:
    path = ('skills', name)
    entry = document.at(path)
    effect = Effect(entry['effect'])
    arguments, used = read_arguments(document, path, tables, effect)
    _check_references(document, path, arguments['properties'], used)
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


def _templates(entry: Mapping[str, Any]) -> Iterator[tuple[tuple[Key, ...], str]]:
    """Every template of words, and where it stands in the entry."""
    for path in (('say',), ('feedback', 'say'), ('result', 'say'), ('result', 'failed')):
        cases: Any = entry
        for key in path:
            cases = cases.get(key, {})
        if isinstance(cases, str):
            yield path, cases
        for i, case in enumerate(cases if isinstance(cases, list) else ()):
            yield (*path, i, 'say'), case.get('say', '')


def _check_references(
    document: Located,
    path: tuple[str, str],
    properties: Mapping[str, Any],
    used: Mapping[str, Table],
) -> None:
    """Every name in a template must be an argument, and every part a field of its table."""
    entry = document.at(path)
    _check_names(document, (*path, 'goal'), entry['goal'], properties, used)
    for key, words in _templates(entry):
        _check_names(document, (*path, *key), words, properties, used, _RESULT_NAMES)
        unknown = template.styles(words) - set(template.STYLES)
        if unknown:
            known = ', '.join(template.STYLES)
            message = f'there is no style {min(unknown)!r}; there are {known}'
            raise document.wrong(message, (*path, *key))


def _check_names(
    document: Located,
    path: tuple[Key, ...],
    templates: Any,
    properties: Mapping[str, Any],
    used: Mapping[str, Table],
    besides: Sequence[str] = (),
) -> None:
    for name in sorted(template.references(templates)):
        head, _, part = name.partition('.')
        if head in besides:
            continue
        if head not in properties:
            known = ', '.join((*properties, *besides)) or 'none'
            raise document.wrong(f'{{{name}}} is not an argument; there are {known}', path)
        rows = used.get(head, {})
        if part and rows and not all(part.split('.')[0] in row for row in rows.values()):
            raise document.wrong(f'{{{name}}}: not every {head} has {part!r}', path)
