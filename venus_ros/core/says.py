# SPDX-License-Identifier: Apache-2.0
"""Sentences that others ask the robot to say, and what became of them.

A frontend speaks them as turns of their own without saying which is which; a turn is recognised
by its first words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from venus_ros.core.messages import Said, Say
from venus_ros.core.turn import Turn

WAIT_S = 30.0
_SAME = 0.6


@dataclass(slots=True)
class _Pending:
    say: Say
    since_s: float
    turn: Turn | None = None
    told: int = -1


def _words(text: str) -> list[str]:
    return re.findall(r'\w+', text.lower())


class Says:
    """Follows `Say` requests from the asking to the last sample heard."""

    def __init__(self) -> None:
        self._pending: list[_Pending] = []

    def follows(self, request_id: str) -> bool:
        """Whether the request is on its way already."""
        return any(pending.say.request_id == request_id for pending in self._pending)

    def ask(self, say: Say, now_s: float, muted: bool) -> Said | None:
        """Return why it cannot be said; None: it is to be said, and followed from now on."""
        error = 'the robot is muted' if muted else ''
        error = error if _words(say.text) else 'there is nothing to say'
        if error:
            return Said(say.request_id, 0, 0, '', True, error=error)
        self._pending.append(_Pending(say, now_s))
        return None

    def match(self, turn: Turn) -> None:
        """A turn has begun or grown: if it is what was asked for, follow it."""
        if any(p.turn is turn for p in self._pending) or turn.tellings:
            return
        made = _words(turn.text())
        for pending in self._pending:
            asked = _words(pending.say.text)[: len(made)]
            same = sum(a == b for a, b in zip(made, asked, strict=False))
            if pending.turn is None and made and same >= _SAME * len(made):
                pending.turn = turn
                turn.interruptible = pending.say.allow_barge_in
                return

    def progress(self, settled: list[Turn], now_s: float) -> list[Said]:
        """Return what is new: samples heard, turns that were settled, requests never spoken."""
        said = []
        for pending in tuple(self._pending):
            turn, request_id = pending.turn, pending.say.request_id
            if turn is None:
                done = now_s - pending.since_s > WAIT_S
                if done:
                    error = 'it was not spoken in time'
                    said.append(Said(request_id, 0, 0, '', True, error=error))
            else:
                done = any(turn is other for other in settled)
                if done or turn.played != pending.told:
                    pending.told = turn.played
                    whole = done and turn.outcome == 'done'
                    error = '' if whole or not done else f'the turn ended: {turn.outcome}'
                    said.append(
                        Said(
                            request_id, turn.turn_id, turn.played, turn.heard(), done, whole, error
                        )
                    )
            if done:
                self._pending.remove(pending)
        return said
