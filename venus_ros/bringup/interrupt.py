# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM in the middle of a command: it lets go of what it holds, and ends."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible() -> Iterator[None]:
    """Either signal raises KeyboardInterrupt in here, so that every `finally` on the way runs.

    An error that comes of it in a library that turns one exception into another counts as the
    interrupt that it was. Outside, a program of ours ends silently at either signal.
    """
    asked = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked = True
        raise KeyboardInterrupt

    before = {n: signal.signal(n, interrupt) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except Exception:
        if asked:
            raise KeyboardInterrupt from None
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
