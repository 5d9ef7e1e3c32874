# SPDX-License-Identifier: Apache-2.0
"""The graph of nodes inside one process, in counted time.

Parts exchange the same messages as real nodes, by a queue; a run repeats exactly. A part can be
killed, frozen, thawed and made again: a dead one loses what is sent to it, a frozen one finds it
later, as far as the depth of its topics reaches, and a new one is given what is latched. Who
sends a goal or a call to a dead one is told that nobody is there, and who watches its servers
sees them go.
"""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from venus_ros.core.errors import ConfigError
from venus_ros.core.messages import (
    AdmitNote,
    AudioChunk,
    Capabilities,
    ConversationState,
    DelegateAnswer,
    DelegateGoal,
    DelegateSpan,
    Engine,
    Frame,
    NoteAnswer,
    Playout,
    RobotAnswer,
    RobotGoal,
    RobotServer,
    Stopped,
    Works,
)
from venus_ros.scenes.log import Log

STEP_S = 0.02
PREROLL_S = 1.0
"""Counted time before t = 0, in which the parts get to know each other."""
RESPAWN_S = 3.0
"""A killed part is made again after so long: what a supervisor and a start take."""
ZERO_NS = 1_000_000_000_000
"""Counted ROS time of t = 0."""
DEPTH: dict[type, int] = {AudioChunk: 50, Frame: 1}
"""Messages of a kind that wait for a frozen part; unlimited where nothing stands."""
LATCHED = (Works, Capabilities, Playout, ConversationState, Stopped, RobotServer, DelegateSpan)
"""Kinds whose newest message a new part is given: of each sender, server and span."""
UNLOGGED = (AudioChunk, Frame)


class CountedClock:
    """Counted time. `t_s` scene time, `now_s` steady time from 0, `stamp()` ROS time in ns."""

    def __init__(self) -> None:
        self.steps = -round(PREROLL_S / STEP_S)

    @property
    def t_s(self) -> float:
        """Scene time, s."""
        return self.steps * STEP_S

    @property
    def now_s(self) -> float:
        """Steady time, s."""
        return self.t_s + PREROLL_S

    def stamp(self) -> int:
        """Counted ROS time, ns."""
        return ZERO_NS + round(self.steps * STEP_S * 1e9)


@dataclass(frozen=True, slots=True)
class Part:
    """One node of the graph.

    Attributes:
        name: its name in the plan.
        make: gives its engine; called again after each kill.
        takes: types of the messages that it subscribes to.
        hears: which of them, where the type alone does not tell the topic.
        close: releases what the engine holds; called at a kill and at the end.
        within: name of the process that it shares with others; '' = its own.
        serves: action servers that are seen while it runs; others it announces itself.
    """

    name: str
    make: Callable[[], Engine]
    takes: tuple[type, ...]
    hears: Callable[[Any], bool] = lambda message: True
    close: Callable[[Engine], None] = lambda engine: None
    within: str = ''
    serves: tuple[str, ...] = ()

    def listens(self, source: str, message: Any) -> bool:
        """Whether a message of `source` reaches it."""
        return source != self.name and isinstance(message, self.takes) and self.hears(message)


class Life(Enum):
    """Whether a part runs."""

    DOWN = 'down'
    UP = 'up'
    FROZEN = 'frozen'


@dataclass(slots=True)
class _Seat:
    """A part and its present engine."""

    part: Part
    engine: Engine | None = None
    life: Life = Life.DOWN
    held: deque[Any] = field(default_factory=deque)
    respawn_s: float | None = None


class Graph:
    """All parts, started. Messages flow in the order in which they were sent."""

    def __init__(self, parts: Iterable[Part], clock: CountedClock, log: Log) -> None:
        self.clock = clock
        self._log = log
        self._seats = {part.name: _Seat(part) for part in parts}
        self._queue: deque[tuple[str, Any]] = deque()
        self._latched: dict[Hashable, tuple[str, Any]] = {}
        for seat in self._seats.values():
            self._start(seat)

    def step(self) -> None:
        """Let `STEP_S` pass for every part and carry all that they send."""
        self.clock.steps += 1
        for seat in self._seats.values():
            if seat.respawn_s is not None and self.clock.t_s >= seat.respawn_s:
                self._start(seat)
            if seat.life is Life.UP:
                self._call(seat, 'tick')
        while self._queue:
            source, message = self._queue.popleft()
            self._carry(source, message)

    def post(self, source: str, message: Any) -> None:
        """Send `message` to all parts that take it, within the next step."""
        self._queue.append((source, message))

    def check(self, name: str) -> None:
        """Raise ConfigError if no part, and no process of parts, has this name."""
        self._find(name)

    def kill(self, name: str, respawn: bool = True) -> None:
        """End parts without a farewell; they are made again after `RESPAWN_S`."""
        for seat in self._find(name):
            self._end(seat)
            seat.respawn_s = self.clock.t_s + RESPAWN_S if respawn else None

    def restart(self, name: str) -> None:
        """End parts, if they run, and make them again at once."""
        for seat in self._find(name):
            self._end(seat)
            self._start(seat)

    def freeze(self, name: str) -> None:
        """Let parts stand still; what is sent to them waits."""
        for seat in self._find(name):
            if seat.life is Life.UP:
                seat.life = Life.FROZEN

    def thaw(self, name: str) -> None:
        """Let parts go on with what has waited."""
        for seat in self._find(name):
            if seat.life is Life.FROZEN:
                seat.life = Life.UP
                held, seat.held = seat.held, deque()
                for message in held:
                    self._call(seat, 'receive', message)

    def close(self) -> None:
        """End all parts."""
        for seat in self._seats.values():
            self._end(seat)

    def _find(self, name: str) -> list[_Seat]:
        found = [s for s in self._seats.values() if name in (s.part.name, s.part.within)]
        if not found:
            known = ', '.join(sorted(self._seats))
            raise ConfigError(f'no such node; there are {known}', name)
        return found

    def _start(self, seat: _Seat) -> None:
        seat.engine, seat.life, seat.respawn_s = seat.part.make(), Life.UP, None
        seat.held.clear()
        for name in seat.part.serves:
            self.post(seat.part.name, RobotServer(name, True))
        for source, message in list(self._latched.values()):
            if seat.part.listens(source, message):
                self._call(seat, 'receive', message)

    def _end(self, seat: _Seat) -> None:
        engine, seat.engine, seat.life = seat.engine, None, Life.DOWN
        name = seat.part.name
        if engine is not None:
            seat.part.close(engine)
        left = [message for source, message in self._latched.values() if source == name]
        self._latched = {key: kept for key, kept in self._latched.items() if kept[0] != name}
        for message in left:
            if isinstance(message, RobotServer) and message.available:
                self.post(name, replace(message, available=False, reason='no such server is seen'))

    def _carry(self, source: str, message: Any) -> None:
        hearers = [seat for seat in self._seats.values() if seat.part.listens(source, message)]
        answer = _answer_of_nobody(message)
        if answer is not None and not any(seat.engine for seat in hearers):
            self._queue.append(('nobody', answer))
            return
        if not isinstance(message, UNLOGGED):
            self._log.add(self.clock.t_s, source, message)
        if isinstance(message, LATCHED):
            which = getattr(message, 'server', '') or getattr(message, 'span_id', '')
            self._latched[type(message), source, which] = (source, message)
        for seat in hearers:
            if seat.life is Life.UP:
                self._call(seat, 'receive', message)
            elif seat.life is Life.FROZEN:
                self._hold(seat, message)

    def _hold(self, seat: _Seat, message: Any) -> None:
        depth = DEPTH.get(type(message))
        same = [held for held in seat.held if type(held) is type(message)] if depth else []
        if depth and len(same) >= depth:
            seat.held = deque(held for held in seat.held if held is not same[0])
        seat.held.append(message)

    def _call(self, seat: _Seat, what: str, *arguments: Any) -> None:
        """Call an engine; an error of its is recorded and the part goes on, as a node does."""
        assert seat.engine is not None
        try:
            out = getattr(seat.engine, what)(*arguments, self.clock.now_s)
        except Exception:
            self._log.errors.append(f'{seat.part.name}: {traceback.format_exc()}')
            return
        self._queue.extend((seat.part.name, message) for message in out)


def _answer_of_nobody(message: Any) -> Any:
    """What the sender of a goal or call is told if no server is there; none for other messages."""
    match message:
        case DelegateGoal():
            return DelegateAnswer(message.goal_id, False, 'absent')
        case RobotGoal():
            return RobotAnswer(message.goal_id, False, 'absent')
        case AdmitNote():
            return NoteAnswer(message.attempt_id, False, 'absent')
    return None
