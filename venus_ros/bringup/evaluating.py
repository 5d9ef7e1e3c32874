# SPDX-License-Identifier: Apache-2.0
"""`venus eval`: full duplex, measured. Runs the sessions, scores them, writes the report."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from venus_ros.bringup.agreement import compare, repeatable
from venus_ros.bringup.sessions import Sessions
from venus_ros.core.errors import ConfigError
from venus_ros.evaluation import rooms
from venus_ros.evaluation.items import EACH, SEED, Item, draw
from venus_ros.evaluation.picture import draw as draw_picture
from venus_ros.evaluation.records import Record, make_record
from venus_ros.evaluation.routing import wilson
from venus_ros.evaluation.sentences import PARTS, SCENARIOS, read_script
from venus_ros.evaluation.summary import summarise, table
from venus_ros.scenes.report import versions
from venus_ros.silero import open_voice

CLIPS = Path('clips')
PICTURE = 'results.png'
BESIDE = ('stop_words', 'echo_loop', 'live', 'sweep', 'soak')
"""Other measurements that the report takes in, where `<name>.json` is in its folder: written by
`python -m venus_ros.evaluation.stop_words`, `python -m venus_ros.bringup.echo_loop`, and
`venus eval` with --live, --sweep, --soak."""


def evaluate(
    folder: Path,
    parts: Sequence[str] = PARTS,
    only: Sequence[str] = (),
    limit: int = EACH,
    jobs: int = 1,
) -> None:
    """Run and score: the report and a picture go into `folder`, a table to the terminal.

    Args:
        folder: for the report and the clips; made if it is not there.
        parts: some of `PARTS`.
        only: some of `SCENARIOS`; empty = all.
        limit: items of each scenario in each part.
        jobs: processes.

    Raises:
        VenusError: there is no such scenario, or a voice or a model is missing.
    """
    _check(only, SCENARIOS)
    _check(parts, PARTS)
    items = drawn(parts, only or SCENARIOS, limit)
    folder.mkdir(parents=True, exist_ok=True)
    began_s = time.monotonic()
    records: list[Record] = []
    try:
        with (folder / 'items.jsonl').open('w', encoding='utf-8') as lines:
            for record in run(items, folder / CLIPS, jobs):
                records.append(record)
                lines.write(json.dumps(record.as_json(), ensure_ascii=False) + '\n')
                lines.flush()
                _tell(record, len(records), len(items))
    finally:  # also of a run that was interrupted: what it has counts
        if records:
            _conclude(records, folder, time.monotonic() - began_s)


def _check(names: Sequence[str], known: Sequence[str]) -> None:
    if unknown := sorted(set(names) - set(known)):
        raise ConfigError(f'is not known; there are {", ".join(known)}', unknown[0])


def drawn(parts: Sequence[str], names: Sequence[str], limit: int) -> list[Item]:
    """All items; the scenarios take turns, so that every beginning of the list is balanced."""
    script = read_script()
    lists = [draw(script, part, name, limit) for part in parts for name in names]
    return [item for items in zip(*lists, strict=True) for item in items]


def _conclude(records: list[Record], folder: Path, took_s: float) -> None:
    """Write the report, draw the picture, print the table."""
    records.sort(key=lambda record: record.id)
    made = report(records, folder)
    made['seconds_per_item'] = round(took_s / len(records), 2)
    _write(made, folder / 'report.json')
    both = dict(zip(PARTS, (made, made['heldout']), strict=True))
    draw_picture(records, both, folder / PICTURE, made['sweep'])
    parts_run = {'tuning part': made, 'held-out part': made['heldout']}
    for line in table({name: part for name, part in parts_run.items() if part['scenarios']}):
        print(line)
    print(f'{made["seconds_per_item"]} s an item; report in {folder}')


def compare_live(folder: Path, part: str, only: Sequence[str], each: int) -> bool:
    """Run items in counted time and live; returns whether all agree.

    Takes `each` items of every scenario of overlap, or of those in `only`; writes
    `live.json` into `folder`.

    Raises:
        VenusError: a model or a voice is missing, or the live robot does not get ready.
    """
    _check(only, SCENARIOS)
    folder.mkdir(parents=True, exist_ok=True)
    pairs = []
    items = repeatable(read_script(), part, only or SCENARIOS, each)
    for pair in compare(items, each, folder / CLIPS):
        pairs.append(pair)
        print(f'{"·" if pair.agrees else "✗"} {pair}', flush=True)
    agree = sum(pair.agrees for pair in pairs)
    low, high = wilson(agree, len(pairs))
    contents = {
        'n': len(pairs),
        'agree': agree,
        'ci': [round(low, 4), round(high, 4)],
        'pairs': [
            {
                'counted': pair.counted.as_json(),
                'live': pair.live.as_json(),
                'late_s': round(pair.late_s, 3) if pair.late_s == pair.late_s else None,
            }
            for pair in pairs
        ],
    }
    _write(contents, folder / 'live.json')
    print(f'{agree} of {len(pairs)} agree; {folder / "live.json"}')
    return agree == len(pairs)


def report(records: Sequence[Record], folder: Path) -> dict[str, Any]:
    """Contents of report.json: the tuning part at the top, the held-out one under `heldout`."""
    tune, held = (summarise([r for r in records if r.part == part]) for part in PARTS)
    files = {name: folder / f'{name}.json' for name in BESIDE}
    return {
        **tune,
        **{name: _read(file) if file.exists() else None for name, file in files.items()},
        'heldout': held,
        'failures': [record.as_json() for record in records if not record.held],
        'errors': sum(bool(record.errors) for record in records),
        'set': {
            'seed': SEED,
            'babble': 'recordings' if rooms.recordings() else 'synthetic',
            'clips': 'our own, synthetic voices',
        },
        'versions': versions(),
    }


def run(items: Sequence[Item], clips: Path, jobs: int = 1) -> Iterator[Record]:
    """Records in the order in which they are ready."""
    if jobs <= 1:
        worker = _Worker(clips)
        try:
            yield from map(worker.play, items)
        finally:
            worker.close()
        return
    os.environ.setdefault('OMP_NUM_THREADS', '1')
    context = multiprocessing.get_context('spawn')
    with ProcessPoolExecutor(jobs, context, _begin_worker, (clips,)) as pool:
        yield from pool.map(_play, items)


class _Worker:
    """Sessions, and what judges them."""

    def __init__(self, clips: Path) -> None:
        self._sessions = Sessions(clips)
        self._voice = open_voice()

    def play(self, item: Item) -> Record:
        """Run and judge one item."""
        began_s = time.monotonic()
        played = self._sessions.play(item)
        return make_record(item, played, self._voice, time.monotonic() - began_s)

    def close(self) -> None:
        """End the models."""
        self._sessions.close()


_workers: list[_Worker] = []


def _begin_worker(clips: Path) -> None:
    _workers.append(_Worker(clips))


def _play(item: Item) -> Record:
    return _workers[0].play(item)


def _tell(record: Record, done: int, of: int) -> None:
    mark = '·' if record.held else '✗'
    why = '' if record.held else f'  {record.tag}: {"; ".join(record.notes)}'
    why += f'  NODES FAILED: {record.errors[0].splitlines()[-1]}' if record.errors else ''
    print(
        f'{done:>4}/{of} {mark} {record.id:<32}{record.voice:<9}{record.snr:<6}'
        f' {record.say[:44]}{why}',
        flush=True,
    )


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding='utf-8'))


def _write(contents: Any, file: Path) -> None:
    text = json.dumps(contents, indent=1, ensure_ascii=False, allow_nan=False)
    file.write_text(text + '\n', encoding='utf-8')
