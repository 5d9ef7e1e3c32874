# SPDX-License-Identifier: Apache-2.0
"""`venus play` and `venus demo`: play scenes before the user's eyes, judge, and report."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from venus_ros.bringup.judging import decide
from venus_ros.bringup.vetting import vet
from venus_ros.core.errors import ConfigError
from venus_ros.harness.skills import Skills, load
from venus_ros.scenes.format import Scene
from venus_ros.scenes.log import Log, See
from venus_ros.scenes.narrator import Narrator
from venus_ros.scenes.reading import read_scene
from venus_ros.scenes.report import Outcome, report, write_report

LIBRARY = Path(__file__).resolve().parent.parent / 'scenes' / 'library'
DEMO = 'demo'

Play = Callable[[Scene, See], Log]
"""Plays a scene before whoever sees."""


def all_shipped() -> list[Path]:
    """Every shipped scene that must hold, without the demo."""
    return [file for file in sorted(LIBRARY.glob('*.yaml')) if file.stem != DEMO]


def shipped(name: str) -> Path:
    """The file of that name, or the shipped scene. Raises ConfigError if there is neither."""
    file = Path(name)
    if file.is_file():
        return file
    inside = LIBRARY / f'{name}.yaml'
    if not inside.is_file():
        if file.is_dir():
            raise ConfigError('is a folder; give the scenes in it, e.g. with *.yaml', name)
        names = ', '.join(path.stem for path in all_shipped())
        raise ConfigError(f'no such file, and no shipped scene; there are {names}', name)
    return inside


def perform(
    files: Sequence[Path],
    folder: Path | None,
    *,
    live: bool,
    verbose: bool,
    skills_path: str = '',
) -> int:
    """Play `files` one after the other. Returns 0 if all of them held, else 1.

    All files are read, and a folder for the report is there, before the first is played: a mistake
    costs no time.

    Args:
        files: scenes.
        folder: for the report; made if it is not there.
        live: as real processes, in real time.
        verbose: show what the nodes print.
        skills_path: file of skills that adds to or overrides the shipped ones; '' = none.

    Raises:
        VenusError: a scene is wrong, or the robot does not get ready.
    """
    scenes = [read_scene(file) for file in files]
    skills = load(skills_path)
    for scene in scenes:
        vet(scene, skills)
    if folder is not None:
        _make_folder(folder)
    if live:
        path = str(Path(skills_path).resolve()) if skills_path else ''
        run: Play = partial(_play_live, skills_path=path, verbose=verbose)
    else:
        run = partial(_play_counted, skills=skills)
    outcomes = [_perform_one(scene, run) for scene in scenes]
    if folder is not None:
        write_report(outcomes, folder)
    _sum_up(outcomes, folder)
    return 0 if all(outcome.passed for outcome in outcomes) else 1


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f'cannot be a folder for the report: {error.strerror}', str(folder)
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError('cannot be a folder for the report: may not be written', str(folder))


def _perform_one(scene: Scene, run: Play) -> Outcome:
    print(f'── {scene.name}' + (f': {scene.about}' if scene.about else ''), flush=True)
    narrator = Narrator(lambda line: print(line, flush=True), sys.stdout.isatty())
    outcome = decide(scene, run(scene, narrator.see))
    print('   held' if outcome.passed else '   NOT HELD', flush=True)
    for failure in outcome.failures:
        print(f'   ✗ {failure}', flush=True)
    return outcome


def _play_counted(scene: Scene, see: See, skills: Skills) -> Log:
    from venus_ros.bringup.playing import play

    return play(scene, see, skills)


def _play_live(scene: Scene, see: See, skills_path: str, verbose: bool) -> Log:
    from venus_ros.bringup.live import play_live

    tail: list[str] = []

    def say(process: str, line: str) -> None:
        tail.append(f'{process}: {line}')
        del tail[:-60]
        if verbose:
            print(f'         {process}: {line}', flush=True)

    print('   starting the nodes', flush=True)
    try:
        return play_live(scene, see, say, skills_path=skills_path)
    except Exception:
        if not verbose:
            print('\n'.join(f'   {line}' for line in tail), file=sys.stderr)
        raise


def _sum_up(outcomes: Sequence[Outcome], folder: Path | None) -> None:
    held = sum(outcome.passed for outcome in outcomes)
    print(f'{held} of {len(outcomes)} scenes held')
    for name, values in report(outcomes)['latencies_ms'].items():
        if values['n']:
            print(
                f'   {name:<14} n {values["n"]:<5} median {values["median"]:.0f} ms, '
                f'p95 {values["p95"]:.0f} ms'
            )
    if folder is not None:
        print(f'report in {folder}')
