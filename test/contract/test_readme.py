# SPDX-License-Identifier: Apache-2.0
"""What the README tells people to type is there."""

from __future__ import annotations

import re
from pathlib import Path

from venus_ros.bringup.cli import _parser

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / 'README.md').read_text(encoding='utf-8')


def typed(program: str) -> set[str]:
    """Return the words that follow `program` in code, on a line of their own or quoted."""
    return set(re.findall(rf'(?:^|`|&& ){program} ([a-z][\w-]*)', README, re.MULTILINE))


def test_make_targets_exist() -> None:
    makefile = (ROOT / 'Makefile').read_text(encoding='utf-8')
    targets = set(re.findall(r'^([a-z]+):', makefile, re.MULTILINE))
    assert {'demo', 'test'} <= typed('make'), 'the two commands are not in the README'
    assert typed('make') <= targets, f'no such target: {typed("make") - targets}'


def test_commands_exist() -> None:
    usage = _parser().format_help()
    commands = set(re.findall(r'^    ([a-z]+) ', usage, re.MULTILINE))
    assert commands, usage
    assert typed('venus') <= commands, f'no such command: {typed("venus") - commands}'


def test_first_screen_builds_a_workspace() -> None:
    """A crawl stops at the outer package: both paths must be named."""
    screen = '\n'.join(README.splitlines()[:40])
    assert '--base-paths src/venus_ros src/venus_ros/venus_msgs' in screen


def test_links_lead_somewhere() -> None:
    links = re.findall(r'\]\(([^)#]+)(?:#[^)]*)?\)', README)
    dead = [link for link in links if '://' not in link and not (ROOT / link).exists()]
    assert not dead, f'the README points to what is not there: {dead}'
