# SPDX-License-Identifier: Apache-2.0
"""The life of a work as a table: what may follow what, and who may say so.

`TABLE[state][event]` is the state that follows; a pair that is absent is an error. Two parts of
the graph write into a work: the capability server up to the robot's end, the harness afterwards.
`python -m venus_ros.core.work` prints the table as markdown.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Any

from venus_ros.core.errors import Code, VenusError
from venus_ros.core.messages import State, Work


class WorkEvent(Enum):
    """What can happen to a work; the value says when."""

    ACCEPT = 'the delegation was accepted'
    WAIT = 'an answer, a resource or an earlier step is missing'
    RESUME = 'what was missing is there'
    START = 'the robot accepted the goal'
    COMPLETE = 'the robot ended well'
    FAIL = 'refused, aborted, timed out or lost'
    ASK_CANCEL = 'somebody asked to cancel'
    CONFIRM_CANCEL = 'nothing runs any more'
    ADMIT = 'the result went into the private context'
    HEAR = 'speech that restates it was played to its end'
    GIVE_UP = 'not told in time, or the telling was withdrawn'
    OUTDATE = 'intent, age or evidence no longer holds'


_S, _E = State, WorkEvent
_BEFORE_THE_END = {
    _E.FAIL: _S.FAILED,
    _E.ASK_CANCEL: _S.CANCELLING,
    _E.CONFIRM_CANCEL: _S.CANCELLED,
}

TABLE: dict[State, dict[WorkEvent, State]] = {
    _S.UNKNOWN: {_E.ACCEPT: _S.QUEUED},
    _S.QUEUED: {
        _E.WAIT: _S.WAITING,
        _E.START: _S.RUNNING,
        _E.OUTDATE: _S.STALE,
        **_BEFORE_THE_END,
    },
    _S.WAITING: {
        _E.RESUME: _S.QUEUED,
        _E.START: _S.RUNNING,
        _E.OUTDATE: _S.STALE,
        **_BEFORE_THE_END,
    },
    _S.RUNNING: {_E.COMPLETE: _S.COMPLETED, **_BEFORE_THE_END},
    _S.CANCELLING: {_E.COMPLETE: _S.COMPLETED, **_BEFORE_THE_END},
    _S.COMPLETED: {_E.ADMIT: _S.DELIVERING, _E.GIVE_UP: _S.UNSPOKEN, _E.OUTDATE: _S.STALE},
    _S.DELIVERING: {
        _E.ADMIT: _S.DELIVERING,
        _E.HEAR: _S.DELIVERED,
        _E.GIVE_UP: _S.UNSPOKEN,
        _E.OUTDATE: _S.STALE,
    },
    _S.DELIVERED: {},
    _S.CANCELLED: {},
    _S.FAILED: {},
    _S.STALE: {},
    _S.UNSPOKEN: {},
}

ENDED = frozenset(state for state, row in TABLE.items() if not row)
"""States that nothing follows."""

RELEASED = ENDED | {State.COMPLETED, State.DELIVERING}
"""States in which the robot has let go: a work in them holds no resource."""

OWNER: dict[WorkEvent, str] = {
    event: 'harness' if event in (_E.ADMIT, _E.HEAR, _E.GIVE_UP, _E.OUTDATE) else 'server'
    for event in WorkEvent
}
"""Whose record is the truth about an event: the capability server's or the harness'.

Before its goal was sent to a server, the harness alone knows a work and stands for the server.
"""


class TransitionError(VenusError):
    """The table has no such step."""

    def __init__(self, work: Work, event: WorkEvent) -> None:
        allowed = ', '.join(e.name for e in TABLE[work.state]) or 'nothing: it has ended'
        super().__init__(
            f'{event.name} cannot happen in {work.state.name}; possible: {allowed}',
            Code.INTERNAL,
            f'work {work.work_id}',
        )


def following(state: State, event: WorkEvent) -> State | None:
    """Return the state that follows, or None if `event` cannot happen in `state`."""
    return TABLE[state].get(event)


def advance(work: Work, event: WorkEvent, ns: int, **fields: Any) -> Work:
    """Return the work after `event` at `ns` (ROS time), with `fields` set.

    `revision` grows by one. The state reached is appended to `states`, whose stamps never go
    back; an event that leaves the state as it is appends nothing.

    Raises:
        TransitionError: the table has no such step.
    """
    state = following(work.state, event)
    if state is None:
        raise TransitionError(work, event)
    states = work.states
    if state is not work.state:
        last_ns = states[-1][1] if states else ns
        states = (*states, (state, max(ns, last_ns)))
    if event is WorkEvent.HEAR:
        fields.setdefault('delivered', True)
    return replace(work, state=state, states=states, revision=work.revision + 1, **fields)


def revise(work: Work, **fields: Any) -> Work:
    """Return the work with `fields` set (progress, text …) in its state; `revision` grows."""
    assert not fields.keys() & {'state', 'states', 'revision'}, fields
    return replace(work, revision=work.revision + 1, **fields)


def ended(work: Work) -> bool:
    """Whether nothing follows any more; without delivery a work ends when it is completed."""
    return work.state in ENDED or (work.state is State.COMPLETED and not work.deliver)


def legal(walk: tuple[State, ...]) -> bool:
    """Whether the table allows this sequence of states, from the first one on."""
    return all(b in TABLE[a].values() for a, b in zip(walk, walk[1:], strict=False))


def as_markdown() -> str:
    """Return the table for the documentation: a row for each state, a column for each event."""
    lines = [
        '| state | ' + ' | '.join(event.name for event in WorkEvent) + ' |',
        '| --- ' * (len(WorkEvent) + 1) + '|',
    ]
    for state, row in TABLE.items():
        if state is State.UNKNOWN:
            continue
        cells = (row[event].name if event in row else '·' for event in WorkEvent)
        lines.append(f'| **{state.name}** | ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines)


if __name__ == '__main__':
    print(as_markdown())
