# SPDX-License-Identifier: Apache-2.0
"""Every field of every interface says what it means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for package in ('venus_msgs', 'test/nav2_msgs')
    for kind in ('msg', 'srv', 'action')
    for path in (ROOT / package).glob(f'{kind}/*.{kind}')
)
FIELD = re.compile(r'^([A-Za-z][\w/]*(\[\d*\])?)\s+([A-Za-z]\w*)\s*(=\s*\S+)?')


def fields(path: Path) -> list[tuple[int, str, bool, str]]:
    """Return (line, name, is a constant, comment beside it) of every field and constant."""
    found = []
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), start=1):
        code, _, comment = line.partition('#')
        match = FIELD.match(code.strip())
        if match:
            found.append((number, match[3], match[4] is not None, comment.strip()))
    return found


def test_there_are_interfaces() -> None:
    assert len(FILES) >= 20, f'found only {[path.name for path in FILES]}'


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_every_field_is_commented(path: Path) -> None:
    bare = [
        f'{path.name}:{line}: {name}'
        for line, name, is_constant, comment in fields(path)
        if not is_constant and not comment
    ]
    assert not bare, 'say meaning, unit, range and empty value of: ' + ', '.join(bare)


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_enums_start_at_nothing(path: Path) -> None:
    """The value that an unset field has must not be a meaningful one."""
    text = path.read_text(encoding='utf-8')
    zeros = re.findall(r'^\w+\s+([A-Z]\w*)\s*=\s*0\b', text, re.MULTILINE)
    assert set(zeros) <= {'UNKNOWN', 'NONE'}, f'{path.name}: {zeros} have the value 0'
