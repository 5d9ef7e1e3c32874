# SPDX-License-Identifier: Apache-2.0
"""Shared memory that processes leave behind when they are killed: 4 MiB each, until a reboot."""

from __future__ import annotations

import fcntl
import os
import re
import time
from contextlib import suppress
from pathlib import Path

FOLDER = Path('/dev/shm')
YOUNG_S = 10.0
"""A segment's owner may not have locked it yet."""

_LOCK = re.compile(r'(fast(?:dds|rtps)_[0-9a-f]{16})_el')
"""Fast DDS' owner of a segment holds a lock on a file beside it, which ends with the process."""


def sweep(folder: Path = FOLDER) -> int:
    """Remove what no living process owns; what belongs to others is left alone.

    Returns:
        How many segments were removed.
    """
    removed = 0
    for path in folder.glob('fast*_el'):
        found = _LOCK.fullmatch(path.name)
        with suppress(OSError):
            if found and path.stat().st_uid == os.getuid() and _abandoned(path):
                (folder / found[1]).unlink(missing_ok=True)
                path.unlink(missing_ok=True)
                removed += 1
    return removed


def _abandoned(lock: Path) -> bool:
    if time.time() - lock.stat().st_mtime < YOUNG_S:
        return False
    file = os.open(lock, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(file)
    return True
