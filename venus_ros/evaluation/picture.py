# SPDX-License-Identifier: Apache-2.0
"""The results as one picture: rates with their intervals, and how quickly the robot stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from venus_ros.evaluation.records import Record
from venus_ros.evaluation.sentences import OVERLAPS
from venus_ros.evaluation.summary import BEST_PUBLISHED, GOALS, PAPER
from venus_ros.scenes.timeline import FAINT, GRID, INK, ROBOT, USER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLES = {
    'user_interruption': 'interruption\nanswered',
    'user_backchannel': 'backchannel\nignored',
    'talking_to_other': 'side talk\nignored',
    'background_speech': 'background\nignored',
}
PART_COLOURS = {'tune': '#9db7d3', 'held': USER}
TEXT_COLOURS = {'tune': INK, 'held': 'white'}
PART_NAMES = {'tune': 'tuning part', 'held': 'held-out part'}
MARGINS_S = (0.0, 3.0)


def draw(
    records: Sequence[Record],
    parts: Mapping[str, Mapping[str, Any]],
    file: Path,
    sweep: Mapping[str, Any] | None = None,
) -> None:
    """Draw into a PNG file; nothing, where nobody spoke over the robot.

    Args:
        records: all sessions.
        parts: part → what `summarise` found.
        sweep: what `venus eval --sweep` found, if it ran.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    if not any(record.scenario in OVERLAPS for record in records):
        return
    with mpl.rc_context({'font.family': 'DejaVu Sans', 'font.size': 9, 'text.color': INK}):
        figure = Figure(figsize=(13, 4.6), dpi=110, layout='constrained')
        rates, snrs, stops = figure.subplots(1, 3, width_ratios=[1.5, 1.1, 1.0])
        _draw_rates(rates, parts)
        _draw_ratios(snrs, parts)
        if sweep:
            _draw_sweep(stops, sweep)
        else:
            _draw_stops(stops, records)
        for axis in (rates, snrs, stops):
            for side in ('top', 'right'):
                axis.spines[side].set_visible(False)
            axis.grid(axis='y', color=GRID)
            axis.set_axisbelow(True)
            axis.tick_params(colors=INK, length=0)
        figure.savefig(str(file), facecolor='white')


def _draw_rates(axis: Axes, parts: Mapping[str, Mapping[str, Any]]) -> None:
    shown = [name for name in parts if parts[name]['scenarios']]
    width = 0.7 / max(1, len(shown))
    for number, part in enumerate(shown):
        found = parts[part]['scenarios']
        places = [i for i, name in enumerate(OVERLAPS) if name in found]
        values = [found[OVERLAPS[i]] for i in places]
        x = np.array(places) + (number - (len(shown) - 1) / 2) * width
        rates = [value['rate'] for value in values]
        errors = np.array(
            [[v['rate'] - v['ci'][0], v['ci'][1] - v['rate']] for v in values]
        ).T.clip(0)
        axis.bar(x, rates, width * 0.92, color=PART_COLOURS[part], label=PART_NAMES[part])
        axis.errorbar(x, rates, errors, fmt='none', ecolor=INK, elinewidth=1, capsize=3)
        for at, value in zip(x, values, strict=True):
            text = f'{value["rate"]:.2f}\nn {value["n"]}'
            axis.text(at, 0.03, text, ha='center', fontsize=7.5, color=TEXT_COLOURS[part])
    for i, name in enumerate(OVERLAPS):
        over = (i - 0.42, i + 0.42)
        label = '' if i else 'published'
        axis.hlines(PAPER[name], *over, label=label, colors=ROBOT, linewidth=2.2)
        axis.hlines(GOALS[name], *over, label='' if i else 'goal', colors=FAINT, linestyle=':')
    best = f'best published {BEST_PUBLISHED:.2f}'
    axis.hlines(BEST_PUBLISHED, -0.42, 0.42, colors=ROBOT, linestyle='--', label=best)
    axis.set_xticks(range(len(OVERLAPS)), [TITLES[name] for name in OVERLAPS])
    axis.set_ylim(0, 1.02)
    axis.set_title('wanted outcome, 95 % interval', loc='left', fontweight='bold', pad=34)
    axis.legend(
        loc='lower left', bbox_to_anchor=(0, 1.0), ncols=5, frameon=False, fontsize=7.5,
        columnspacing=1.2, handlelength=1.6,
    )  # fmt: skip


def _draw_ratios(axis: Axes, parts: Mapping[str, Mapping[str, Any]]) -> None:
    """The wanted outcome by signal-to-noise ratio, of the last part that was run."""
    part = [name for name in parts if parts[name]['scenarios']][-1]
    found = parts[part]['scenarios']
    colours = dict(zip(OVERLAPS, ('#c0392b', USER, '#8e4585', '#4c9a6a'), strict=True))
    for name in (name for name in OVERLAPS if name in found):
        cells = found[name]['by_snr']
        rates = [cell['rate'] for cell in cells.values()]
        label = TITLES[name].replace('\n', ' ')
        axis.plot(list(cells), rates, 'o-', markersize=4, color=colours[name], label=label)
    axis.set_ylim(0, 1.02)
    axis.set_xlabel('noise below the user')
    axis.set_title(f'by noise, {PART_NAMES[part]}', loc='left', fontweight='bold', pad=34)
    axis.legend(loc='lower right', frameon=False, fontsize=7.5)


def _draw_stops(axis: Axes, records: Sequence[Record]) -> None:
    """Share of voices at which the robot has fallen silent, by the time since they began."""
    wanted = [r for r in records if r.scenario == 'user_interruption']
    others = [r for r in records if r.scenario in OVERLAPS[1:]]
    for label, colour, own in (
        ('interruptions', '#c0392b', wanted),
        ('everything else: false stops', FAINT, others),
    ):
        times = sorted(r.stop_s for r in own if r.stop_s is not None)
        if own:
            shares = np.arange(len(times) + 1) / len(own)
            x = [0.0, *times, max(MARGINS_S[1], *times, 0.0)]
            y = [*shares, shares[-1]]
            axis.step(x, y, where='post', color=colour, label=f'{label} (n {len(own)})')
    axis.axvline(0.9, color=GRID, linewidth=1, zorder=0)
    axis.set_xlim(*MARGINS_S)
    axis.set_ylim(0, 1.02)
    axis.set_xlabel('seconds since the voice began')
    axis.set_title('the robot has stopped', loc='left', fontweight='bold', pad=34)
    axis.legend(loc='upper left', bbox_to_anchor=(0, 1.12), frameon=False, fontsize=7.5)


def _draw_sweep(axis: Axes, sweep: Mapping[str, Any]) -> None:
    """Stop latency against false stops, a point for each willingness to give the floor."""
    points = [point for point in sweep['points'] if point['true_stop_s']['n']]
    x = [point['false_stops']['rate'] for point in points]
    for what, style in (('p95', 's--'), ('median', 'o-')):
        y = [point['true_stop_s'][what] for point in points]
        axis.plot(x, y, style, markersize=4, color='#c0392b', label=what)
    for point, at in zip(points, x, strict=True):
        text = f'{point["shift"]:+g}\n{point["stopped"]["rate"]:.0%}'
        where = (at, point['true_stop_s']['p95'])
        axis.annotate(text, where, (0, 6), textcoords='offset points', ha='center', fontsize=7)
    axis.set_ylim(0, max([1.5, *(point['true_stop_s']['p95'] for point in points)]) * 1.2)
    axis.set_xlim(left=0)
    axis.set_xlabel('false stops (share of all other voices)')
    axis.set_title('seconds to the true stop', loc='left', fontweight='bold', pad=34)
    label = f'log odds shifted, interruptions stopped; {PART_NAMES[sweep["part"]]}'
    axis.legend(
        loc='lower left', bbox_to_anchor=(0, 1.0), ncols=2, frameon=False, fontsize=7.5,
        title=label, title_fontsize=7.5, alignment='left',
    )  # fmt: skip
