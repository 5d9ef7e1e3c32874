# SPDX-License-Identifier: Apache-2.0
"""Sentences that others ask the robot to say, and what became of them.

The frontend is given one at a time, the most urgent first, and speaks it as a turn of its own
without saying which is which; a turn is recognised by its first words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from venus_ros.core.messages import Said, Say
from venus_ros.core.turn import Turn

WAIT_S = 30.0
"""A sentence that the frontend was given and has not begun after so long is given up."""
FINAL = frozenset({'stopped', 'muted', 'reset'})
"""Reasons for silence after which nobody wants to hear what was asked for before."""
_SAME = 0.6


@dataclass(slots=True)
class _Given:
    """The sentence that the frontend has, since `since_s`, and the turn that says it."""

    say: Say
    since_s: float
    turn: Turn | None = None
    told: int = -1


def _words(text: str) -> list[str]:
    return re.findall(r'\w+', text.lower())


class Says:
    """Follows `Say` requests from the asking to the last sample heard."""

    def __init__(self) -> None:
        self._waiting: list[Say] = []
        self._given: _Given | None = None
        self._news: list[Said] = []

    def follows(self, request_id: str) -> bool:
        """Whether the request is on its way already."""
        given = [self._given.say] if self._given else []
        return any(say.request_id == request_id for say in given + self._waiting)

    def ask(self, say: Say, muted: bool) -> None:
        """Take a request; one that cannot be said ends at once."""
        if not _words(say.text):
            self._end(say, 'there is nothing to say')
        elif muted:
            self._end(say, 'the robot is muted')
        else:
            self._waiting.append(say)

    def next(self, now_s: float) -> str:
        """Return what the frontend is to say now; empty if nothing, or while it is at one."""
        if self._given or not self._waiting:
            return ''
        say = max(self._waiting, key=lambda waiting: waiting.priority)
        self._waiting.remove(say)
        self._given = _Given(say, now_s)
        return say.text

    def withdraw(self, request_id: str) -> bool:
        """Take a request back.

        Returns:
            Whether the frontend has it: then it has to be silenced.
        """
        given = self._given
        if given and given.say.request_id == request_id:
            if given.turn is None:
                self._end(given.say, 'it was withdrawn')
                self._given = None
            return True
        for say in self._waiting:
            if say.request_id == request_id:
                self._waiting.remove(say)
                self._end(say, 'it was withdrawn')
                break
        return False

    def hush(self, reason: str) -> None:
        """The frontend was silenced, and forgets what it has not begun to say."""
        if self._given and self._given.turn is None:
            self._waiting.insert(0, self._given.say)
            self._given = None
        if reason in FINAL:
            for say in self._waiting:
                self._end(say, f'the robot was {reason}')
            self._waiting.clear()

    def match(self, turn: Turn) -> None:
        """A turn has begun or grown: if it is what was asked for, follow it."""
        given = self._given
        if given is None or given.turn is not None or turn.tellings:
            return
        made = _words(turn.text())
        asked = _words(given.say.text)[: len(made)]
        same = sum(a == b for a, b in zip(made, asked, strict=False))
        if made and same >= _SAME * len(made):
            given.turn = turn
            turn.interruptible = given.say.allow_barge_in

    def progress(self, settled: list[Turn], now_s: float) -> list[Said]:
        """Return what is new: samples heard, turns that were settled, requests never spoken."""
        given = self._given
        if given is not None and given.turn is not None:
            self._follow(given, given.turn, settled)
        elif given is not None and now_s - given.since_s > WAIT_S:
            self._end(given.say, 'it was not spoken in time')
            self._given = None
        said, self._news = self._news, []
        return said

    def _follow(self, given: _Given, turn: Turn, settled: list[Turn]) -> None:
        done = any(turn is other for other in settled)
        if not done and turn.played == given.told:
            return
        given.told = turn.played
        whole = done and turn.outcome == 'done'
        error = '' if whole or not done else f'the turn ended: {turn.outcome}'
        asked = given.say.request_id
        self._news.append(Said(asked, turn.turn_id, turn.played, turn.heard(), done, whole, error))
        if done:
            self._given = None

    def _end(self, say: Say, error: str) -> None:
        self._news.append(Said(say.request_id, 0, 0, '', True, error=error))
