# SPDX-License-Identifier: Apache-2.0
"""Time for deadlines: steady time without the stalls of our own process."""

from __future__ import annotations

_LONGEST_STEP_S = 1.0


class Watch:
    """Counts steady time, but at most 1 s between two looks.

    A process that was stopped for a while finds its clock far ahead and its mail unread. Time in
    which it could not listen is nobody else's silence, so that no deadline may expire in it.
    """

    def __init__(self) -> None:
        self._last_s: float | None = None
        self.now_s = 0.0

    def look(self, now_s: float) -> float:
        """Let the watch follow the steady time `now_s`; gives the watch's own time, s."""
        if self._last_s is not None:
            self.now_s += min(max(now_s - self._last_s, 0.0), _LONGEST_STEP_S)
        self._last_s = now_s
        return self.now_s
