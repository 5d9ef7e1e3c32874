# SPDX-License-Identifier: Apache-2.0
"""What is in the tree can be used on any machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = {'.py', '.md', '.rst', '.txt', '.yaml', '.yml', '.toml', '.cfg', '.xml', '.sh', '.msg',
        '.srv', '.action', '.cmake', '.json', '.svg', '.html', '.js', '.css', ''}  # fmt: skip
ELSEWHERE = re.compile(
    r'/(?:work|root)/\w|/home/\w|/tmp/brief|file:///|[\w.-]+\.(?:local|internal|corp|lan)\b(?!_)'
    r'|\b(?:10|192\.168)\.\d+\.\d+(?:\.\d+)?\b(?=[:/])',
)


def tracked(*patterns: str) -> list[Path]:
    """Return the files that belong to the project."""
    done = subprocess.run(
        ['git', 'ls-files', '-co', '--exclude-standard', '--', *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        pytest.skip('not a git checkout')
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def test_nothing_points_at_one_machine() -> None:
    found = []
    for path in tracked():
        if path.suffix not in TEXT or path == Path(__file__).resolve():
            continue
        text = path.read_text(encoding='utf-8', errors='replace')
        for number, line in enumerate(text.splitlines(), start=1):
            hit = ELSEWHERE.search(line)
            if hit:
                found.append(f'{path.relative_to(ROOT)}:{number}: {hit[0]}')
    assert not found, '\n'.join(found)


def test_python_files_name_their_licence() -> None:
    bare = [
        str(path.relative_to(ROOT))
        for path in tracked('*.py')
        if '# SPDX-License-Identifier: Apache-2.0' not in path.read_text(encoding='utf-8')[:200]
    ]
    assert not bare, f'files without a licence line: {bare}'


def test_every_requirement_is_pinned_and_licensed() -> None:
    locks = sorted((ROOT / 'requirements').glob('lock-*.txt'))
    assert len(locks) == 3, f'one lock file for each of three Pythons, found {locks}'
    for lock in locks:
        loose = [
            line
            for line in lock.read_text(encoding='utf-8').splitlines()
            if not line.startswith('#') and not re.fullmatch(r'[a-z0-9._-]+==[\w.+!]+', line)
        ]
        assert not loose, f'{lock.name}: {loose}'
    pinned = {
        line.split('==')[0].replace('.', '-')
        for line in locks[1].read_text(encoding='utf-8').splitlines()
    }
    for group in ('ros', 'build', 'base', 'weights', 'voice', 'speakers', 'sim', 'device', 'test'):
        text = (ROOT / 'requirements' / f'{group}.txt').read_text(encoding='utf-8')
        for name in re.findall(r'^([A-Za-z][\w.-]*)', text, re.MULTILINE):
            assert name.lower().replace('.', '-') in pinned, f'{group}.txt: {name} has no pin'
