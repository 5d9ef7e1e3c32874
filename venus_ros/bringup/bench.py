# SPDX-License-Identifier: Apache-2.0
"""`venus bench`: play live conversations, measure them, and hold them against the budgets."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from venus_ros.bringup.domain import free_domain
from venus_ros.bringup.judging import decide
from venus_ros.bringup.live import play_live
from venus_ros.core.errors import ConfigError
from venus_ros.evaluation import bench as evaluation
from venus_ros.evaluation.bench import Run
from venus_ros.evaluation.meter import Meter
from venus_ros.scenes.format import Scene
from venus_ros.scenes.reading import read_scene
from venus_ros.scenes.report import versions, write_report

SCENES = Path(evaluation.__file__).parent / 'scenes'
IDLE = 'idle'
NAMES = (IDLE, 'talk', 'talk_with_pictures')
WITHOUT_MODELS: Mapping[str, Mapping[str, Any]] = {'reflex': {'ducking': False}}
SETTLED_S = 3.0
"""Sound has begun, and what wakes at the first sound has woken."""
FLOOR_EVERY_S = 1.0
FLOOR_GOALS = 60
COUNTERS = {'sent': ('camera: camera', 'pictures'), 'used': ('frontend: camera', 'pictures used')}
"""Pictures: name → part and value of the diagnostics that count them."""


def bench(names: Sequence[str], folder: Path, *, verbose: bool) -> int:
    """Play and measure. Returns 0 if all budgets and scenes held, else 1.

    Writes `bench.json` into `folder`, and below it each scene's report, sound and picture.

    Args:
        names: some of `NAMES`; empty = all.
        folder: for the report; made if it is not there.
        verbose: show what the nodes print.

    Raises:
        VenusError: there is no such scene, or the robot does not get ready.
    """
    if unknown := sorted(set(names) - set(NAMES)):
        raise ConfigError(f'no such measurement; there are {", ".join(NAMES)}', unknown[0])
    load = os.getloadavg()[0]
    print(f'{os.cpu_count()} cores, load {load:.1f}' + (' — not a quiet machine' * (load > 1)))
    contents: dict[str, Any] = {'machine': _machine(load), 'versions': versions(), 'runs': {}}
    held = True
    for name in names or NAMES:
        run = _play(read_scene(SCENES / f'{name}.yaml'), verbose)
        idle = name == IDLE
        found = [evaluation.idle_verdict(run)] if idle else evaluation.verdicts(run)
        contents['runs'][name] = evaluation.record(run, found)
        held &= run.outcome.passed and all(verdict['held'] is not False for verdict in found)
        _show(run, found)
        write_report([run.outcome], folder / name)
    text = json.dumps(contents, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / 'bench.json').write_text(text + '\n', encoding='utf-8')
    print(f'{"all budgets held" if held else "NOT ALL BUDGETS HELD"}; {folder / "bench.json"}')
    return 0 if held else 1


def _play(scene: Scene, verbose: bool) -> Run:
    print(f'── {scene.name}: {scene.about}', flush=True)
    idle = scene.name == IDLE
    meter, floor = Meter(SETTLED_S), _Floor()

    def attend(
        t_s: float, pids: Mapping[str, int], values: Mapping[str, Mapping[str, str]]
    ) -> None:
        meter.look(t_s, pids)
        for name, (part, key) in COUNTERS.items():
            meter.count(t_s, name, values.get(part, {}).get(key))
        if not idle and t_s >= SETTLED_S:
            floor.start()

    def say(process: str, line: str) -> None:
        if verbose:
            print(f'   {process}: {line}', flush=True)

    try:
        parameters = WITHOUT_MODELS if idle else {}
        log = play_live(scene, say=say, attend=attend, parameters=parameters)
        return Run(decide(scene, log), meter.usage, meter.rates(), floor.taken_ms())
    finally:
        floor.close()


class _Floor:
    """Bare goals from a process to another, beside the scene and on the same loaded machine."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Begin, if it has not begun."""
        if self._process is None:
            command = [sys.executable, '-m', 'venus_ros.nodes.round_trip']
            self._process = subprocess.Popen(
                [*command, f'--goals={FLOOR_GOALS}', f'--every={FLOOR_EVERY_S}'],
                env={**os.environ, 'ROS_DOMAIN_ID': str(free_domain())},
                stdout=subprocess.PIPE,
                text=True,
            )

    def taken_ms(self) -> list[float]:
        """What it measured; empty if it did not begin or could not."""
        if self._process is None:
            return []
        out, _ = self._process.communicate(timeout=2 * FLOOR_GOALS * FLOOR_EVERY_S)
        return [float(value) for value in json.loads(out)] if out else []

    def close(self) -> None:
        """End it."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(5.0)


def _show(run: Run, found: list[dict[str, Any]]) -> None:
    for line in evaluation.table(run, found):
        print(f'   {line}')
    for failure in run.outcome.failures:
        print(f'   ✗ {failure}')
    sys.stdout.flush()


def _machine(load: float) -> dict[str, Any]:
    return {'cores': os.cpu_count(), 'load_before': load, 'processor': platform.machine()}
