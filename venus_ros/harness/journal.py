# SPDX-License-Identifier: Apache-2.0
"""What survives a crash: every change of every work, on disk before it is acted on.

Kept are ids, states, arguments and summaries; no speech, no pictures, no task text.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from venus_ros.core.messages import State, Work
from venus_ros.core.work import ended

KEEP_NS = 24 * 3600 * 10**9
KEEP_ENDED = 50
_SCHEMA = """
CREATE TABLE IF NOT EXISTS works (
    ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
    work_id TEXT UNIQUE NOT NULL,
    ended INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL,
    record TEXT NOT NULL
);
"""
_UPSERT = """
INSERT INTO works (work_id, ended, changed_ns, record) VALUES (?, ?, ?, ?)
ON CONFLICT (work_id) DO UPDATE SET
    ended = excluded.ended, changed_ns = excluded.changed_ns, record = excluded.record
"""


@dataclass(slots=True)
class Entry:
    """A work, and what the harness knows about it besides.

    Attributes:
        work: the newest record.
        sent: its goal was (about to be) sent to the capability server.
        outdated: a correction replaced it: what it still brings is STALE.
        silent: it is not told (any more).
        attempts: notes that the frontend admitted for it.
        restored: it had ended before the harness was restarted.
        also_asked: earlier requests for the same, which led to this work too.
    """

    work: Work
    sent: bool = False
    outdated: bool = False
    silent: bool = False
    attempts: int = 0
    restored: bool = False
    also_asked: list[str] = field(default_factory=list)


class Journal:
    """The table of works on disk. It never raises: what goes wrong is told by `faults`.

    A damaged file is moved aside. While writing fails (disk full), entries wait in memory and
    are written with the next ones that succeed.

    Args:
        path: SQLite file, made with its folder if absent; `:memory:` keeps nothing.

    Attributes:
        complete: whatever an earlier run has done is in it; false in memory, or after damage.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = str(path)
        self._faults: list[str] = []
        self._unsaved: dict[str, Entry] = {}
        self._failing = False
        self.complete = self._path != ':memory:'
        self._database = self._open()

    def load(self, now_ns: int) -> list[Entry]:
        """Open works and the last ended ones, oldest first; forgets those of long ago."""
        self.purge(now_ns)
        try:
            rows = self._database.execute(
                'SELECT record FROM works WHERE NOT ended OR ordinal IN'
                ' (SELECT ordinal FROM works WHERE ended ORDER BY ordinal DESC LIMIT ?)'
                ' ORDER BY ordinal',
                (KEEP_ENDED,),
            ).fetchall()
        except sqlite3.Error as error:
            self._fail(f'cannot read the journal {self._path}: {error}')
            return []
        entries = []
        for (record,) in rows:
            try:
                entries.append(_decode(record))
            except (ValueError, KeyError, TypeError) as error:
                self._faults.append(f'journal {self._path}: a record is unreadable: {error!r}')
        return entries

    def save(self, *entries: Entry) -> None:
        """Write entries in one go; returns when they are in the file."""
        self._unsaved |= {entry.work.work_id: entry for entry in entries}
        if not self._unsaved:
            return
        try:
            with self._database:
                self._database.executemany(_UPSERT, map(_row, self._unsaved.values()))
        except sqlite3.Error as error:
            self._fail(f'cannot write the journal {self._path}: {error}; works stay in memory')
        else:
            self._unsaved.clear()
            self._failing = False

    def purge(self, now_ns: int) -> None:
        """Forget what ended more than 24 h ago."""
        try:
            with self._database:
                self._database.execute(
                    'DELETE FROM works WHERE ended AND changed_ns < ?', (now_ns - KEEP_NS,)
                )
        except sqlite3.Error as error:
            self._fail(f'cannot clean the journal {self._path}: {error}')

    def faults(self) -> list[str]:
        """Sentences about what went wrong since the last call."""
        faults, self._faults = self._faults, []
        return faults

    def close(self) -> None:
        """Close the file. Idempotent."""
        self._database.close()

    def _fail(self, sentence: str) -> None:
        if not self._failing:
            self._faults.append(sentence)
        self._failing = True

    def _open(self) -> sqlite3.Connection:
        """The database; a damaged file is moved aside, an impossible one replaced by memory."""
        try:
            if self._path != ':memory:':
                Path(self._path).parent.mkdir(parents=True, exist_ok=True)
            try:
                return _connect(self._path)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                self.complete = False
                aside = _free_name(Path(self._path))
                Path(self._path).rename(aside)
                for suffix in ('-wal', '-shm'):
                    Path(self._path + suffix).unlink(missing_ok=True)
                self._faults.append(
                    f'the journal {self._path} is damaged ({error}); moved to {aside}'
                )
                return _connect(self._path)
        except (OSError, sqlite3.Error) as error:
            self.complete = False
            self._faults.append(
                f'cannot open the journal {self._path}: {error}; works are kept in memory only'
            )
            return _connect(':memory:')


def _connect(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=0.2)
    try:
        (answer,) = database.execute('PRAGMA quick_check').fetchone()
        if answer != 'ok':
            raise sqlite3.DatabaseError(answer)
        database.execute('PRAGMA journal_mode=WAL')
        database.execute('PRAGMA synchronous=NORMAL')
        database.executescript(_SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _free_name(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f'{path.name}.damaged-{number}')).exists():
        number += 1
    return aside


def _row(entry: Entry) -> tuple[str, int, int, str]:
    work = entry.work
    told = entry.silent or work.delivered or not work.deliver
    is_ended = ended(work) and (work.state is not State.FAILED or told)
    return work.work_id, is_ended, work.states[-1][1], _encode(entry)


def _encode(entry: Entry) -> str:
    record = {f.name: getattr(entry, f.name) for f in fields(entry) if f.name != 'work'}
    return json.dumps({**record, 'work': asdict(entry.work)})


def _decode(record: str) -> Entry:
    values: dict[str, Any] = json.loads(record)
    work = values.pop('work')
    work['state'] = State(work['state'])
    work['states'] = tuple((State(state), int(ns)) for state, ns in work['states'])
    return Entry(Work(**work), **values)
