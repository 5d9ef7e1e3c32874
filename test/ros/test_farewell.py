# SPDX-License-Identifier: Apache-2.0
"""The last timer of a process ends it, also while a library keeps the interpreter."""

from __future__ import annotations

import subprocess
import sys

import pytest

HANGS = """
import ctypes
from venus_ros.nodes.farewell import exit_after
exit_after(0.2, {status})
ctypes.PyDLL(None).sleep(30)
print('woke up')
"""


@pytest.mark.parametrize('status', [0, 2])
def test_a_call_that_keeps_the_interpreter_does_not_hold_the_end_up(status):
    command = [sys.executable, '-c', HANGS.format(status=status)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=20)
    assert (ended.returncode, ended.stdout) == (status, ''), ended
