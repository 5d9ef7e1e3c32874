# SPDX-License-Identifier: Apache-2.0
"""What killed processes left in shared memory is removed, and nothing else."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

import pytest

pytest.importorskip('fcntl', reason='needs file locks')

from venus_ros.bringup.shared_memory import sweep


def segment(folder: Path, name: str, age_s: float = 60.0) -> Path:
    """A segment with its lock's file, made so long ago."""
    for suffix in ('', '_el'):
        (folder / f'{name}{suffix}').write_bytes(b'')
        then = time.time() - age_s
        os.utime(folder / f'{name}{suffix}', (then, then))
    return folder / name


def test_what_nobody_owns_is_removed(tmp_path: Path) -> None:
    for name in ('fastdds_0123456789abcdef', 'fastrtps_fedcba9876543210'):
        segment(tmp_path, name)
    assert sweep(tmp_path) == 2 and not list(tmp_path.iterdir())
    assert sweep(tmp_path) == 0


def test_what_is_owned_young_or_of_another_kind_stays(tmp_path: Path) -> None:
    owned = segment(tmp_path, 'fastdds_00000000000000aa')
    segment(tmp_path, 'fastdds_00000000000000bb', age_s=1.0)
    segment(tmp_path, 'fastdds_port7411')
    segment(tmp_path, 'somebody_00000000000000cc')
    before = sorted(tmp_path.iterdir())
    with (tmp_path / f'{owned.name}_el').open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert sweep(tmp_path) == 0
    assert sorted(tmp_path.iterdir()) == before


def test_a_machine_without_shared_memory_is_no_error(tmp_path: Path) -> None:
    assert sweep(tmp_path / 'none') == 0
