# SPDX-License-Identifier: Apache-2.0
"""Readies the understanding of words for what can be asked, beside the running conversation."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable

from venus_ros.core.messages import Capabilities


class Learner:
    """Learns the newest capabilities in a thread of its own, one after the other.

    Args:
        warm: makes understanding ready for them; takes seconds.
        give: takes them when it is; called on that thread.

    Attributes:
        known: the newest that were given; none before the first.
    """

    def __init__(
        self, warm: Callable[[Capabilities], None], give: Callable[[Capabilities], None]
    ) -> None:
        self._warm, self._give = warm, give
        self._lock = threading.Lock()
        self._newest: Capabilities | None = None
        self._busy = False
        self.known: Capabilities | None = None

    @property
    def available(self) -> int:
        """How many skills are available in `known`."""
        return sum(c.available for c in self.known.capabilities) if self.known else 0

    def learn(self, known: Capabilities) -> None:
        """Learn `known`; what waits to be learnt and is older by then is passed over."""
        with self._lock:
            self._newest = known
            if self._busy:
                return
            self._busy = True
        threading.Thread(target=self._run, name='learner', daemon=True).start()

    def _run(self) -> None:
        while (known := self._take()) is not None:
            try:
                self._warm(known)
            except Exception:  # understanding goes on with less; what it lacks it says itself
                traceback.print_exc()
            self._give(known)
            self.known = known

    def _take(self) -> Capabilities | None:
        with self._lock:
            known, self._newest = self._newest, None
            self._busy = known is not None
            return known
