# SPDX-License-Identifier: Apache-2.0
"""Numbers events, so that a reader sees that none is missing."""

from __future__ import annotations

from typing import Any

from venus_ros.core.messages import Event, Kind


class EventLog:
    """Makes the events of one source: `seq` without gaps per session, stamps that never go back.

    Args:
        source: node and its run, e.g. `frontend#3f2a`.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._next_seq: dict[str, int] = {}
        self._last_ns = 0

    def add(self, kind: Kind, stamp_ns: int, session_id: str = '', **fields: Any) -> Event:
        """Return the next event; `fields` are those of `Event`."""
        seq = self._next_seq.get(session_id, 0)
        self._next_seq[session_id] = seq + 1
        self._last_ns = max(self._last_ns, stamp_ns)
        return Event(
            kind,
            session_id=session_id,
            source=self.source,
            seq=seq,
            stamp_ns=self._last_ns,
            **fields,
        )
