# SPDX-License-Identifier: Apache-2.0
"""Tells a conversation line by line while it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from venus_ros.core.messages import (
    Event,
    Kind,
    Role,
    State,
    StopRequest,
    Transcript,
    TypedText,
    Work,
    Works,
)

TOLD = {
    Kind.BACKCHANNEL: 'a backchannel: the robot goes on',
    Kind.INTERRUPTION: 'an interruption: the robot yields',
    Kind.CORRECTION: 'a correction: the plan changes',
    Kind.STOPPED: 'stopped',
    Kind.NOTE_CUT: 'the telling was cut',
    Kind.UNDERRUN: 'the speech had a gap',
    Kind.FAULT: 'a fault',
}
COLOURS = {'user': 36, 'robot': 33, 'work': 32, 'event': 35}


class Narrator:
    """Takes the messages of a run and writes what people care about.

    Args:
        write: takes a line.
        coloured: whether the line goes to a terminal that shows colours.
    """

    def __init__(self, write: Callable[[str], None], coloured: bool = False) -> None:
        self._write = write
        self._coloured = coloured
        self._states: dict[str, State] = {}

    def see(self, t_s: float, source: str, message: Any) -> None:
        """Take a message of `source` at scene time `t_s`."""
        if isinstance(message, Transcript) and message.final and message.text.strip():
            who = 'user' if message.role is Role.USER else 'robot'
            self._line(t_s, who, message.text.strip())
        elif isinstance(message, TypedText):
            self._line(t_s, 'user', f'(types) {message.text}')
        elif isinstance(message, StopRequest):
            self._line(t_s, 'user', f'(calls the stop service: {message.scope.name.lower()})')
        elif isinstance(message, Works) and message.source == 'harness':
            for work in message.works:
                self._work(t_s, work)
        elif isinstance(message, Event) and message.kind in TOLD:
            reason = f' ({message.reason})' if message.reason else ''
            self._line(t_s, 'event', TOLD[message.kind] + reason)

    def _work(self, t_s: float, work: Work) -> None:
        if self._states.get(work.work_id) is work.state:
            return
        self._states[work.work_id] = work.state
        told = f': {work.summary}' if work.state in (State.COMPLETED, State.FAILED) else ''
        self._line(t_s, 'work', f'{describe(work)} {work.state.name}{told}')

    def _line(self, t_s: float, who: str, text: str) -> None:
        name = f'{who:>5}'
        if self._coloured:
            name = f'\033[{COLOURS[who]}m{name}\033[0m'
        self._write(f'{t_s:7.1f}  {name}  {text}')


def describe(work: Work) -> str:
    """Capability and arguments in one phrase."""
    try:
        arguments = json.loads(work.arguments_json or '{}')
    except ValueError:
        arguments = {}
    values = ' '.join(str(value) for value in arguments.values())
    return f'{work.capability} [{values}]' if values else work.capability
