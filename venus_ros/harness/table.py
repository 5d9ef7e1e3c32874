# SPDX-License-Identifier: Apache-2.0
"""The only table of works: what changes is journalled before anybody hears of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from venus_ros.core import work as life
from venus_ros.core.errors import Code
from venus_ros.core.log import EventLog
from venus_ros.core.messages import Event, Kind, State, Work, Works
from venus_ros.core.work import WorkEvent
from venus_ros.harness.journal import Entry, Journal

KEEP_ENDED = 50

_BY_SERVER = {
    State.WAITING: WorkEvent.WAIT,
    State.RUNNING: WorkEvent.START,
    State.COMPLETED: WorkEvent.COMPLETE,
    State.FAILED: WorkEvent.FAIL,
    State.CANCELLING: WorkEvent.ASK_CANCEL,
    State.CANCELLED: WorkEvent.CONFIRM_CANCEL,
    State.UNSPOKEN: WorkEvent.GIVE_UP,
}
"""What a capability server's record may say. UNSPOKEN: its client withdrew the telling."""


class WorkTable:
    """Entries in the order of their making.

    Args:
        journal: written before anything is announced or sent.
        events: numbers the events.
        stamp: gives ROS (or counted) time, ns.
    """

    def __init__(self, journal: Journal, events: EventLog, stamp: Callable[[], int]) -> None:
        self.journal = journal
        self._events = events
        self._stamp = stamp
        self._entries: dict[str, Entry] = {}
        self._changed: dict[str, Entry] = {}
        self._unsaved: dict[str, Entry] = {}
        self._announced: list[Event] = []
        self._news = True
        for entry in journal.load(stamp()):
            self._entries[entry.work.work_id] = entry

    def __iter__(self) -> Iterator[Entry]:
        return iter(list(self._entries.values()))

    def get(self, work_id: str) -> Entry | None:
        """The entry with this id, if there is one."""
        return self._entries.get(work_id)

    def of_request(self, request_id: str) -> list[Entry]:
        """All works that a request led to, oldest first."""
        return [
            entry
            for entry in self._entries.values()
            if entry.work.request_id == request_id or request_id in entry.also_asked
        ]

    def followers(self, entry: Entry) -> list[Entry]:
        """Works that wait, or waited, for this one."""
        work_id = entry.work.work_id
        return [e for e in self._entries.values() if e.work.after_work_id == work_id]

    # ---- changing ----------------------------------------------------------------------------

    def add(self, work: Work) -> Entry:
        """Enter a new work: QUEUED."""
        entry = Entry(life.advance(work, WorkEvent.ACCEPT, self._stamp()))
        self._entries[work.work_id] = entry
        self._record(entry, entry.work)
        return entry

    def adopt(self, work: Work) -> Entry:
        """Enter a work that a server runs for somebody else, as the server tells it."""
        entry = Entry(work, sent=True)
        self._entries[work.work_id] = entry
        self._record(entry, work)
        return entry

    def change(self, entry: Entry, event: WorkEvent, **fields: Any) -> None:
        """Let `event` happen to a work. Raises TransitionError if it cannot."""
        if 'error_code' in fields:
            fields['error_code'] = int(fields['error_code'])
        before = entry.work
        entry.work = life.advance(before, event, self._stamp(), **fields)
        self._record(entry, entry.work if entry.work.state is not before.state else None)

    def revise(self, entry: Entry, **fields: Any) -> None:
        """Set fields of a work in its state."""
        entry.work = life.revise(entry.work, **fields)
        self._record(entry)

    def touch(self, entry: Entry) -> None:
        """Note that something beside the record changed."""
        self._unsaved[entry.work.work_id] = entry

    def merge(self, told: Work) -> bool:
        """Take over what a server tells about a work of the table; True if that was anything new.

        What the table does not allow any more (the server is late, or was restarted) is passed
        over: states are only ever added to a record.
        """
        entry = self._entries[told.work_id]
        old = entry.work
        for state, ns in told.states or ((told.state, self._stamp()),):
            event = _BY_SERVER.get(state)
            if event is None or (state, ns) in entry.work.states or state is entry.work.state:
                continue
            if life.following(entry.work.state, event) is None:
                continue
            fields = _ends(told) if state in _ENDS else {}
            if state is State.CANCELLED and entry.work.error_code:
                del fields['error_code']
            entry.work = life.advance(entry.work, event, ns, **fields)
            self._record(entry, entry.work)
            if state is State.COMPLETED and entry.outdated:
                self.change(entry, WorkEvent.OUTDATE, error_code=Code.STALE)
        if entry.work.state not in life.RELEASED and told.state is entry.work.state:
            self._merge_progress(entry, told)
        return entry.work is not old

    def _merge_progress(self, entry: Entry, told: Work) -> None:
        """Progress is not worth a line in the journal."""
        if _moving(told) != _moving(entry.work):
            entry.work = life.revise(
                entry.work, skill=told.skill, text=told.text, progress=told.progress
            )
            self._changed[told.work_id] = entry
            self._news = True

    def _record(self, entry: Entry, reached: Work | None = None) -> None:
        self.touch(entry)
        self._changed[entry.work.work_id] = entry
        self._news = True
        if reached is None:
            return
        self.say(Kind.WORK_CHANGED, entry.work, reached.state.name)
        if reached.state is State.FAILED and entry.outdated:
            self.silence(entry, 'stale: a correction replaced it, so that its failure is not told')

    def silence(self, entry: Entry, reason: str) -> None:
        """Drop an untold failure; its record stays."""
        if untold(entry):
            entry.silent = True
            self.touch(entry)
            self.say(Kind.DROPPED, entry.work, reason)

    def say(self, kind: Kind, work: Work | None, reason: str) -> None:
        """Announce an event, about `work` if given."""
        about = {}
        if work is not None:
            about = {'work_ids': (work.work_id,), 'intent_epoch': work.intent_epoch}
        session_id = work.session_id if work else ''
        self._announced.append(
            self._events.add(kind, self._stamp(), session_id, reason=reason, **about)
        )

    # ---- announcing --------------------------------------------------------------------------

    def changed(self) -> list[Entry]:
        """Entries that changed since the last call."""
        changed, self._changed = list(self._changed.values()), {}
        return changed

    def announce(self) -> list[Any]:
        """Events since the last call, and `works` if anything changed; all that is on disk now."""
        self.journal.save(*self._unsaved.values())
        self._unsaved.clear()
        for fault in self.journal.faults():
            self.say(Kind.FAULT, None, fault)
        out: list[Any] = list(self._announced)
        self._announced.clear()
        if self._news:
            self._forget()
            works = tuple(e.work for e in self._entries.values())
            out.append(Works('harness', works, self._stamp()))
            self._news = False
        return out

    def _forget(self) -> None:
        """Keep open and untold works, and the last ended ones."""
        awaited = {e.work.after_work_id for e in self if not life.ended(e.work)}
        done = [
            work_id
            for work_id, entry in self._entries.items()
            if life.ended(entry.work) and not untold(entry) and work_id not in awaited
        ]
        for work_id in done[:-KEEP_ENDED]:
            del self._entries[work_id]


_ENDS = frozenset({State.COMPLETED, State.FAILED, State.CANCELLED})


def untold(entry: Entry) -> bool:
    """Whether the user is still to hear about it."""
    work = entry.work
    if entry.silent or work.delivered or not work.deliver:
        return False
    return work.state in (State.COMPLETED, State.DELIVERING, State.FAILED)


def arguments_of(work: Work) -> dict[str, Any]:
    """A work's arguments; empty if they are no JSON object."""
    try:
        arguments = json.loads(work.arguments_json or '{}')
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def _moving(work: Work) -> tuple[Any, ...]:
    """What changes while a work runs, comparable (NaN is not)."""
    unknown = work.progress != work.progress
    return work.skill, work.text, None if unknown else work.progress


def _ends(told: Work) -> dict[str, Any]:
    """Fields that come with an end on the robot."""
    return {
        'summary': told.summary,
        'data_json': told.data_json,
        'observed_ns': told.observed_ns,
        'error_code': told.error_code,
        'error_msg': told.error_msg,
        'cause_code': told.cause_code,
        'arguments_json': told.arguments_json,
        'skill': told.skill,
        'progress': told.progress,
    }
