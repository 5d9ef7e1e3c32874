# SPDX-License-Identifier: Apache-2.0
"""docs/cases.md names only tests and scenes that there are, and a twin for each case."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / 'venus_ros' / 'scenes' / 'library'


def rows() -> list[list[str]]:
    lines = (ROOT / 'docs' / 'cases.md').read_text(encoding='utf-8').splitlines()
    table = [line.strip('|').split('|') for line in lines if line.startswith('|')]
    return [[cell.strip() for cell in row] for row in table[2:]]


def names(cell: str) -> list[str]:
    return [name for name in re.split(r',\s*', cell) if not name.startswith('`')]


def existing() -> tuple[set[str], set[str], set[str]]:
    sources = (path.read_text(encoding='utf-8') for path in (ROOT / 'test').rglob('test_*.py'))
    tests = {name for text in sources for name in re.findall(r'^def (test_\w+)', text, re.M)}
    scenes = {path.stem for path in LIBRARY.glob('*.yaml')}
    return tests, scenes, {path.stem for path in (LIBRARY / 'wrong').glob('*.yaml')}


def test_every_case_is_held_by_something_that_exists_and_has_a_twin():
    tests, scenes, twins = existing()
    assert len(rows()) > 30
    for wrong, right, held, twin in rows():
        assert right and names(held) and names(twin), wrong
        unknown = set(names(held)) - tests - scenes | set(names(twin)) - tests - twins
        assert not unknown, f'{wrong}: {sorted(unknown)}'


def test_every_wrong_twin_stands_in_the_table():
    listed = {name for row in rows() for name in names(row[3])}
    assert not existing()[2] - listed, sorted(existing()[2] - listed)
