# SPDX-License-Identifier: Apache-2.0
"""Settings for all levels of tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

LEVELS = (
    'contract', 'core', 'language', 'frontends', 'reflex', 'harness', 'scenes', 'ros', 'devices',
)  # fmt: skip
HERE = Path(__file__).resolve().parent


def pytest_configure() -> None:
    """Let children hear Ctrl-C, also where a shell runs the tests in the background.

    Such a shell ignores SIGINT, and what it starts inherits that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests by level, the quickest first, and refuse a file outside every level."""
    for item in items:
        if _level(item) not in LEVELS:
            raise pytest.UsageError(f'{item.path}: move it below test/<level>/, one of {LEVELS}')
    items.sort(key=lambda item: LEVELS.index(_level(item)))


def _level(item: pytest.Item) -> str:
    return item.path.relative_to(HERE).parts[0]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail on skipped tests where everything is expected to be there (`VENUS_FORBID_SKIPS=1`)."""
    reporter = session.config.pluginmanager.get_plugin('terminalreporter')
    skipped = len(reporter.stats.get('skipped', [])) if reporter else 0
    if skipped and os.environ.get('VENUS_FORBID_SKIPS') == '1' and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter.write_line(f'{skipped} skipped, and here none may be.', red=True)
