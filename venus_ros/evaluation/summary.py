# SPDX-License-Identifier: Apache-2.0
"""Rates and latencies of many sessions, with how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from venus_ros.evaluation.bench import spread
from venus_ros.evaluation.outcome import Tag
from venus_ros.evaluation.panel import panel
from venus_ros.evaluation.records import WANTED, Record
from venus_ros.evaluation.routing import wilson
from venus_ros.evaluation.sentences import PAUSE, SCENARIOS

PAPER = {
    'user_interruption': 0.75,
    'user_backchannel': 0.97,
    'talking_to_other': 0.88,
    'background_speech': 0.86,
}
"""Published for Realtime-Venus-Audio on Full-Duplex-Bench v1.5: other clips, judged by GPT-4o."""
BEST_PUBLISHED = 0.88
"""The best published share of interruptions that were answered."""
GOALS = {
    'user_interruption': 0.92,
    'user_backchannel': 0.97,
    'talking_to_other': 0.88,
    'background_speech': 0.90,
}


def summarise(records: Sequence[Record]) -> dict[str, Any]:
    """One part of the set: `scenarios`, `latency`, `panel`."""
    found = {name: [r for r in records if r.scenario == name] for name in SCENARIOS}
    return {
        'scenarios': {name: _scenario(name, own) for name, own in found.items() if own},
        'latency': latency(records),
        'panel': panel(records),
    }


def _scenario(name: str, records: Sequence[Record]) -> dict[str, Any]:
    if name == PAUSE:
        tags: dict[str, Any] = {'held': _tagged(records, 'held'), 'wanted': 'held'}
    else:
        tags = {tag.value: _tagged(records, tag.value) for tag in Tag}
        tags['wanted'] = WANTED[name].value
        tags['yielded'] = share([r.yielded for r in records])
        tags['false_stops'] = share([r.false_stop for r in records])
        tags['taken_up'] = share([r.taken_up for r in records])
    return {
        **tags,
        **rate(records),
        'by_engine': _by(records, lambda r: r.engine),
        'by_voice': _by(records, lambda r: r.voice),
        'by_snr': _by(records, lambda r: r.snr),
        'by_about': _by(records, lambda r: r.about or 'all'),
    }


def rate(records: Sequence[Record]) -> dict[str, Any]:
    """{n, rate, ci}: the share of wanted outcomes and its 95 % interval."""
    return share([record.held for record in records])


def latency(records: Sequence[Record]) -> dict[str, Any]:
    """Spreads {n, median, p95, p99, max}, of interruptions unless the name says otherwise."""
    own = [r for r in records if r.scenario == 'user_interruption']

    def of(name: str, among: Sequence[Record] = own) -> dict[str, Any]:
        values = (getattr(record, name) for record in among)
        return spread([value for value in values if value is not None])

    return {
        'true_stop_s': of('stop_s'),
        'response_s': of('response_s'),
        'bench_stop_s': of('bench_stop_s'),
        'bench_response_s': of('bench_response_s'),
        'duck_ms': spread([ms for r in records for ms in r.duck_ms]),
        'flush_ms': spread([ms for r in records for ms in r.flush_ms]),
    }


def table(parts: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Lines for people, of each part that was run."""
    for name, part in parts.items():
        yield f'{name:<20}{"n":>5}{"wanted":>9}{"rate":>7}   95 %{"":>10}' + ''.join(
            f'{tag.value:>11}' for tag in Tag
        )
        for scenario, found in part['scenarios'].items():
            low, high = found['ci']
            tags = ''.join(f'{found[t.value]:>11.3f}' for t in Tag if t.value in found)
            yield (
                f'{scenario:<20}{found["n"]:>5}{found["wanted"]:>9}{found["rate"]:>7.3f}'
                f'   [{low:.3f}, {high:.3f}]{tags}'
            )
            yield f'   by SNR    {_cells(found["by_snr"])}'
            yield f'   by engine {_cells(found["by_engine"])}'
            yield f'   by voice  {_cells(found["by_voice"])}'
        for what, values in part['latency'].items():
            if values['n']:
                yield (
                    f'{what:<20}{values["n"]:>5}   median {values["median"]:g}, '
                    f'p95 {values["p95"]:g}, max {values["max"]:g}'
                )
        shown = ((key, value) for key, value in part['panel'].items())
        yield 'tau-voice panel      ' + ', '.join(
            f'{key} {"-" if value["value"] is None else format(value["value"], ".3g")}'
            f' (n {value["n"]})'
            for key, value in shown
        )


def _cells(found: Mapping[str, Mapping[str, Any]]) -> str:
    return '  '.join(f'{key} {cell["rate"]:.2f} (n {cell["n"]})' for key, cell in found.items())


def _by(records: Sequence[Record], key: Callable[[Record], str]) -> dict[str, Any]:
    names = sorted({key(record) for record in records}, key=_natural)
    return {name: rate([r for r in records if key(r) == name]) for name in names}


def _natural(name: str) -> tuple[float, str]:
    """Ratios by their number, the quiet last; other names by the alphabet."""
    number = name.partition(' ')[0]
    return (float(number), name) if number.isdigit() else (1e9, name)


def _tagged(records: Sequence[Record], tag: str) -> float:
    return round(sum(record.tag == tag for record in records) / len(records), 4)


def share(hits: Sequence[bool]) -> dict[str, Any]:
    """{n, rate, ci} of at least one hit or miss; the interval is Wilson's, 95 %."""
    low, high = wilson(sum(hits), len(hits))
    value = round(sum(hits) / len(hits), 4)
    return {'n': len(hits), 'rate': value, 'ci': [round(low, 4), round(high, 4)]}
