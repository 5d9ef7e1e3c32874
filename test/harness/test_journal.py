# SPDX-License-Identifier: Apache-2.0
"""What is on disk after a crash, and what happens when the disk is the problem."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from venus_ros.core.messages import State, Work
from venus_ros.harness.journal import KEEP_NS, Entry, Journal


def entry(number: int = 1, state: State = State.RUNNING, ns: int = 5) -> Entry:
    states = ((State.QUEUED, 1), (state, ns))
    return Entry(
        Work(f'w{number}', 'navigation', state, states, arguments_json='{"place": "küche"}'),
        sent=True,
        attempts=2,
    )


def test_an_entry_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / 'deep' / 'journal.sqlite'
    kept = entry()
    Journal(path).save(kept)
    (back,) = Journal(path).load(10)
    assert repr(back) == repr(kept)  # repr, as an unknown progress is NaN


def test_a_later_save_replaces_an_earlier_one(tmp_path: Path) -> None:
    journal = Journal(tmp_path / 'j')
    journal.save(entry())
    journal.save(entry(state=State.COMPLETED))
    assert [e.work.state for e in journal.load(10)] == [State.COMPLETED]


def test_open_works_and_the_last_ended_ones_are_loaded_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path / 'j')
    journal.save(entry(0))
    for number in range(1, 80):
        journal.save(entry(number, State.DELIVERED))
    ids = [e.work.work_id for e in journal.load(10)]
    assert ids == ['w0', *(f'w{n}' for n in range(30, 80))]


def test_what_ended_long_ago_is_forgotten_but_nothing_open(tmp_path: Path) -> None:
    journal = Journal(tmp_path / 'j')
    journal.save(entry(1, State.DELIVERED))
    journal.save(entry(2, State.RUNNING))
    journal.save(entry(3, State.FAILED))
    ids = [e.work.work_id for e in journal.load(KEEP_NS + 10)]
    assert ids == ['w2', 'w3'], 'an untold failure is not over'


def test_a_damaged_file_is_moved_aside(tmp_path: Path) -> None:
    path = tmp_path / 'j'
    path.write_bytes(b'this is no database, but it is long enough to look like a file' * 40)
    journal = Journal(path)
    journal.save(entry())
    (fault,) = journal.faults()
    assert 'damaged' in fault and 'j.damaged-1' in fault
    assert (tmp_path / 'j.damaged-1').exists() and len(Journal(path).load(10)) == 1


def test_a_path_that_cannot_be_written_is_told_and_survived(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('x')
    journal = Journal(tmp_path / 'file' / 'j')
    journal.save(entry())
    (fault,) = journal.faults()
    assert 'memory' in fault and len(journal.load(10)) == 1


def test_a_full_disk_is_told_once_and_made_up_for_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / 'j')

    class Full:
        def __init__(self, inner: sqlite3.Connection) -> None:
            self.inner = inner

        def __enter__(self) -> None:
            raise sqlite3.OperationalError('database or disk is full')

        def __exit__(self, *_: object) -> None: ...

    disk = journal._database
    monkeypatch.setattr(journal, '_database', Full(disk))
    journal.save(entry(1))
    journal.save(entry(2))
    assert len(journal.faults()) == 1 and not journal.faults()
    monkeypatch.setattr(journal, '_database', disk)
    journal.save(entry(3))
    assert [e.work.work_id for e in Journal(tmp_path / 'j').load(10)] == ['w1', 'w2', 'w3']


def test_an_unreadable_record_does_not_hide_the_others(tmp_path: Path) -> None:
    path = tmp_path / 'j'
    journal = Journal(path)
    journal.save(entry(1))
    journal.save(entry(2))
    with sqlite3.connect(path) as database:
        database.execute("UPDATE works SET record = '{}' WHERE work_id = 'w1'")
    back = Journal(path)
    assert [e.work.work_id for e in back.load(10)] == ['w2'] and len(back.faults()) == 1


def test_memory_keeps_nothing(tmp_path: Path) -> None:
    Journal(':memory:').save(entry())
    assert Journal(':memory:').load(10) == []
