# SPDX-License-Identifier: Apache-2.0
"""The life of a work: which change may follow which state.

The robot's side of a life (up to COMPLETED, FAILED, CANCELLED) is decided by the capability
server, the telling (from DELIVERING on) by the harness; both change records through `advance`.
`python -m venus_ros.core.work` prints the table for the documentation.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Any

from venus_ros.core.errors import Code, VenusError
from venus_ros.core.messages import State, Work


class Change(Enum):
    """What can happen to a work."""

    WAIT = 'wait'
    """A resource, an answer or an earlier step is missing."""
    START = 'start'
    """The robot's server accepted the goal."""
    COMPLETE = 'complete'
    """The robot's server ended it well."""
    FAIL = 'fail'
    """Refused, rejected, aborted, timed out or lost."""
    ASK_CANCEL = 'ask_cancel'
    """Cancel was asked of whoever executes it."""
    CONFIRM_CANCEL = 'confirm_cancel'
    """Nothing executes it any more, because of a cancel."""
    ADMIT = 'admit'
    """Its result went into the frontend's private context."""
    CUT = 'cut'
    """The telling was flushed before its end."""
    HEAR = 'hear'
    """The telling was played to its end."""
    WITHDRAW = 'withdraw'
    """The result will not be told: withdrawn, or its time is over."""
    OUTDATE = 'outdate'
    """Its intent, age or evidence holds no longer."""


_ENDABLE = {
    Change.FAIL: State.FAILED,
    Change.ASK_CANCEL: State.CANCELLING,
    Change.CONFIRM_CANCEL: State.CANCELLED,
}

TABLE: dict[State, dict[Change, State]] = {
    State.QUEUED: {
        Change.WAIT: State.WAITING,
        Change.START: State.RUNNING,
        Change.OUTDATE: State.STALE,
        **_ENDABLE,
    },
    State.WAITING: {
        Change.START: State.RUNNING,
        Change.OUTDATE: State.STALE,
        **_ENDABLE,
    },
    State.RUNNING: {Change.COMPLETE: State.COMPLETED, **_ENDABLE},
    State.CANCELLING: {
        Change.COMPLETE: State.COMPLETED,
        Change.FAIL: State.FAILED,
        Change.CONFIRM_CANCEL: State.CANCELLED,
    },
    State.COMPLETED: {
        Change.ADMIT: State.DELIVERING,
        Change.WITHDRAW: State.UNSPOKEN,
        Change.OUTDATE: State.STALE,
    },
    State.DELIVERING: {
        Change.ADMIT: State.DELIVERING,
        Change.CUT: State.DELIVERING,
        Change.HEAR: State.DELIVERED,
        Change.WITHDRAW: State.UNSPOKEN,
        Change.OUTDATE: State.STALE,
    },
    State.DELIVERED: {},
    State.CANCELLED: {},
    State.FAILED: {},
    State.STALE: {},
    State.UNSPOKEN: {},
}
"""State -> change -> next state. What is absent is an error."""

EXECUTING = frozenset({State.QUEUED, State.WAITING, State.RUNNING, State.CANCELLING})
"""States in which something may still happen to the world."""

TELLING = frozenset({State.COMPLETED, State.DELIVERING})
"""States in which the result waits for its telling."""

TERMINAL = frozenset(state for state, changes in TABLE.items() if not changes)
"""States that are never left."""


def allows(state: State, change: Change) -> bool:
    """Whether `change` may happen in `state`."""
    return change in TABLE.get(state, {})


def is_open(work: Work) -> bool:
    """Whether anything is still to come: `deliver = False` ends with COMPLETED."""
    if work.state in TELLING:
        return work.deliver
    return work.state not in TERMINAL


def advance(work: Work, change: Change, stamp_ns: int, **fields: Any) -> Work:
    """The record after `change`: next state appended to `states`, revision raised by one.

    Args:
        work: record before.
        change: what happened.
        stamp_ns: when, ns; stamps within a record never go back.
        fields: other fields of the record to set.

    Raises:
        VenusError: INTERNAL, if `change` may not happen in the work's state.
    """
    state = TABLE.get(work.state, {}).get(change)
    if state is None:
        raise VenusError(
            f'work {work.work_id}: {change.name} cannot happen in {work.state.name}',
            Code.INTERNAL,
        )
    states = work.states
    if state is not work.state:
        stamp_ns = max(stamp_ns, states[-1][1] if states else stamp_ns)
        states = (*states, (state, stamp_ns))
    if state is State.DELIVERED:
        fields.setdefault('delivered', True)
    return replace(work, state=state, states=states, revision=work.revision + 1, **fields)


def create(work: Work, stamp_ns: int) -> Work:
    """`work` as it enters the table: QUEUED at `stamp_ns`, revision 1."""
    return replace(work, state=State.QUEUED, states=((State.QUEUED, stamp_ns),), revision=1)


def table_markdown() -> str:
    """The table as Markdown: one row per state, one column per change."""
    head = ['state', *(change.value for change in Change)]
    rows = [head, ['---'] * len(head)]
    for state, changes in TABLE.items():
        cells = (changes[c].name if c in changes else '' for c in Change)
        rows.append([f'**{state.name}**', *cells])
    return '\n'.join('| ' + ' | '.join(row) + ' |' for row in rows)


if __name__ == '__main__':
    print(table_markdown())
