# SPDX-License-Identifier: Apache-2.0
"""A run as one picture: user, robot, floor, events and works on one time axis."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from venus_ros.core.messages import Floor, Kind, Pcm, State
from venus_ros.core.work import ended
from venus_ros.scenes.format import Scene
from venus_ros.scenes.log import Log
from venus_ros.scenes.story import Story, WorkStory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, FAINT, GRID = '#24292f', '#7d8590', '#e6e9ed'
USER, ROBOT = '#2f6fb3', '#d9772b'

STATE_COLOURS: dict[State, str] = {
    State.QUEUED: '#c9ced6',
    State.WAITING: '#e3d3a0',
    State.RUNNING: '#4c9a6a',
    State.COMPLETED: '#9bcfae',
    State.DELIVERING: '#f0a868',
    State.CANCELLING: '#c98bb9',
}
"""Colours of the states that last."""

END_COLOURS: dict[State, str] = {
    State.DELIVERED: '#d9772b',
    State.CANCELLED: '#8e4585',
    State.FAILED: '#c0392b',
    State.STALE: '#7d8590',
    State.UNSPOKEN: '#7d8590',
}
"""Colours of the ends, which are marks."""

FLOOR_COLOURS = {Floor.USER: USER, Floor.ROBOT: ROBOT, Floor.THINKING: '#b9a7d6'}

EVENT_COLOURS: dict[Kind, str] = {
    Kind.DUCKED: FAINT,
    Kind.RESTORED: FAINT,
    Kind.BACKCHANNEL: USER,
    Kind.INTERRUPTION: '#c0392b',
    Kind.CORRECTION: '#8e4585',
    Kind.OTHER_DIRECTED: USER,
    Kind.BACKGROUND: FAINT,
    Kind.FLUSHED: '#c0392b',
    Kind.NOTE_ADMITTED: '#4c9a6a',
    Kind.NOTE_HEARD: ROBOT,
    Kind.NOTE_CUT: '#c0392b',
    Kind.CANCEL_ASKED: '#8e4585',
    Kind.LATE: '#c0392b',
    Kind.GAP: '#c0392b',
    Kind.UNDERRUN: '#c0392b',
    Kind.STOPPED: '#c0392b',
    Kind.FAULT: '#c0392b',
}
"""Events that are shown."""

LANES = 5
LETTER_S = 0.0075
"""Width of a letter of the smallest print as a share of the time axis."""


def draw_timeline(scene: Scene, log: Log, story: Story, file: Path) -> None:
    """Draw the run into a PNG file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    end_s = max(log.end_s, log.track.end_s, 1.0)
    works = max(len(story.works), 1)
    heights = [1.75, 1.5, 0.16, 1.05, 0.36 * works + 0.1]
    with mpl.rc_context({'font.family': 'DejaVu Sans', 'font.size': 9, 'text.color': INK}):
        figure = Figure(
            figsize=(float(np.clip(end_s * 0.26, 15, 30)), sum(heights) + 2.0), dpi=110
        )
        axes: list[Axes] = list(
            figure.subplots(
                len(heights),
                1,
                sharex=True,
                gridspec_kw={'height_ratios': heights, 'hspace': 0.12},
            )
        )
        for axis in axes:
            _plain_axis(axis)
        _draw_user(axes[0], log, story)
        _draw_robot(axes[1], log, story)
        _draw_floor(axes[2], story, end_s)
        _draw_events(axes[3], scene, log, story, end_s)
        _draw_works(axes[4], story, end_s)
        _finish(figure, axes, scene, end_s)
        figure.savefig(str(file), facecolor='white', bbox_inches='tight', pad_inches=0.25)


def _plain_axis(axis: Axes) -> None:
    for side in axis.spines.values():
        side.set_visible(False)
    axis.grid(axis='x', color=GRID, linewidth=0.8)
    axis.set_axisbelow(True)
    axis.tick_params(length=0, labelbottom=False, labelleft=False)


def _finish(figure: Any, axes: list[Axes], scene: Scene, end_s: float) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    axes[0].set_title(scene.name, loc='left', fontsize=13, fontweight='bold', pad=10)
    bottom = axes[-1]
    bottom.set_xlim(-0.3, end_s + 0.3)
    bottom.set_xticks(np.arange(0, end_s + 0.1, 5 if end_s > 20 else 1))
    bottom.tick_params(labelbottom=True, labelcolor=FAINT, pad=6)
    bottom.set_xlabel('seconds', color=FAINT, loc='right')
    lasting = [Patch(color=c, label=s.name.lower()) for s, c in STATE_COLOURS.items()]
    ends = [
        Line2D([], [], color=c, marker='D', linestyle='', markersize=6, label=s.name.lower())
        for s, c in END_COLOURS.items()
    ]
    floors = [Patch(color=c, label=f'floor: {f.name.lower()}') for f, c in FLOOR_COLOURS.items()]
    figure.legend(
        handles=[*lasting, *ends, *floors],
        loc='upper center',
        bbox_to_anchor=(0.5, 0.06),
        ncols=7,
        frameon=False,
        fontsize=8.5,
        labelcolor=INK,
    )


# ---- sound -----------------------------------------------------------------------------------


def _draw_user(axis: Axes, log: Log, story: Story) -> None:
    _name(axis, 'user')
    _draw_sound(axis, log.track.pcm, 16_000, USER)
    for stretch in log.track.stretches:
        if stretch.words:
            _words(axis, stretch.start_s, stretch.end_s, f'“{stretch.words}”', 1.0, USER)
    for words in story.heard:
        _words(axis, words.t_s, words.t_s + 3.0, words.text, -1.0, FAINT, 'italic')
    axis.set_ylim(-2.0, 2.1)


def _draw_robot(axis: Axes, log: Log, story: Story) -> None:
    _name(axis, 'robot')
    _draw_sound(axis, log.robot_pcm, log.robot_rate_hz, ROBOT)
    for turn in story.turns:
        colour = ROBOT if turn.finished and turn.played_s >= turn.made_s - 0.05 else '#a33b1e'
        axis.axvspan(turn.begin_s, turn.end_s, 0, 0.58, color=ROBOT, alpha=0.08, linewidth=0)
        _words(axis, turn.begin_s, turn.end_s, turn.text, 1.0, colour)
    axis.set_ylim(-1.0, 2.3)


def _draw_sound(axis: Axes, pcm: Pcm, rate_hz: int, colour: str) -> None:
    axis.axhline(0, color=GRID, linewidth=0.8)
    size = rate_hz // 50
    pieces = np.abs(pcm[: len(pcm) // size * size].astype(np.float64)).reshape(-1, size)
    if not len(pieces):
        return
    loud = pieces.max(axis=1) / max(float(pieces.max()), 1.0) * 0.85
    seconds = (np.arange(len(loud)) + 0.5) * size / rate_hz
    axis.fill_between(seconds, -loud, loud, color=colour, linewidth=0, alpha=0.9)


def _words(
    axis: Axes,
    start_s: float,
    end_s: float,
    text: str,
    y: float,
    colour: str,
    style: str = 'normal',
) -> None:
    width = max(12, int((end_s - start_s) * 6.5))
    lines = textwrap.wrap(text, width)[:4]
    axis.text(
        start_s,
        y,
        '\n'.join(lines),
        fontsize=7.5,
        color=colour,
        va='bottom' if y > 0 else 'top',
        style=style,
        linespacing=1.05,
        clip_on=False,
        bbox={'facecolor': 'white', 'alpha': 0.75, 'pad': 0.6, 'edgecolor': 'none'},
    )


# ---- floor and events ------------------------------------------------------------------------


def _draw_floor(axis: Axes, story: Story, end_s: float) -> None:
    _name(axis, 'floor')
    axis.set_ylim(0, 1)
    ends = [t_s for t_s, _ in story.floors[1:]] + [end_s]
    for (t_s, floor), until_s in zip(story.floors, ends, strict=True):
        if floor in FLOOR_COLOURS:
            axis.broken_barh([(t_s, until_s - t_s)], (0.1, 0.8), color=FLOOR_COLOURS[floor])


def _draw_events(axis: Axes, scene: Scene, log: Log, story: Story, end_s: float) -> None:
    """Marks with their names, each in the first lane that is free at that moment."""
    _name(axis, 'events')
    axis.set_ylim(LANES, 0)
    free_s = [-1.0] * LANES
    for t_s, label, colour in sorted(_marks(scene, log, story)):
        lane = next((i for i in range(LANES) if free_s[i] <= t_s), free_s.index(min(free_s)))
        free_s[lane] = t_s + (len(label) + 3) * LETTER_S * max(end_s, 40) * 0.62
        axis.plot([t_s], [lane + 0.5], marker='o', markersize=4.5, color=colour)
        axis.text(t_s + end_s * 0.003, lane + 0.5, label, fontsize=7, color=colour, va='center')


def _marks(scene: Scene, log: Log, story: Story) -> Iterable[tuple[float, str, str]]:
    for t_s, event in story.events:
        if event.kind in EVENT_COLOURS and t_s >= -0.5:
            label = event.kind.name.lower().replace('_', ' ')
            yield t_s, label, EVENT_COLOURS[event.kind]
    for act in scene.user:
        if act.stop is not None:
            yield act.at, 'stop service called', INK
        elif act.text:
            yield act.at, f'typed “{act.text[:24]}”', USER
    for t_s, node, what in log.faults:
        yield t_s, f'{what} {node}', INK


# ---- works -----------------------------------------------------------------------------------


def _draw_works(axis: Axes, story: Story, end_s: float) -> None:
    _name(axis, 'works')
    axis.set_ylim(max(len(story.works), 1), 0)
    for row, work in enumerate(story.works):
        _draw_work(axis, row, work, end_s)


def _draw_work(axis: Axes, row: int, work: WorkStory, end_s: float) -> None:
    ends = [t_s for _, t_s in work.states[1:]]
    last_s = work.states[-1][1] if work.states and ended(work.work) else end_s
    for (state, t_s), until_s in zip(work.states, [*ends, last_s], strict=True):
        if state in STATE_COLOURS:
            bar = (t_s, max(until_s - t_s, 0.02))
            axis.broken_barh([bar], (row + 0.3, 0.52), color=STATE_COLOURS[state])
        elif state in END_COLOURS:
            axis.plot(
                [t_s],
                [row + 0.56],
                marker='D',
                markersize=7,
                color=END_COLOURS[state],
                markeredgecolor='white',
            )
    values = ' '.join(str(value) for value in work.arguments.values())
    label = f'{work.work.capability}: {values}'[:60]
    axis.text(
        work.queued_s, row + 0.26, label, fontsize=7.5, color=INK, va='bottom', clip_on=False
    )


def _name(axis: Axes, name: str) -> None:
    axis.text(
        -0.008,
        0.5,
        name,
        transform=axis.transAxes,
        ha='right',
        va='center',
        fontsize=10,
        color=FAINT,
        fontweight='bold',
    )
