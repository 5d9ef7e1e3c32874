# SPDX-License-Identifier: Apache-2.0
"""Every shipped scene holds, and every twin fails for the reason that it names."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from venus_ros.bringup.judging import decide, fails_as_meant
from venus_ros.bringup.show import LIBRARY, all_shipped
from venus_ros.scenes.format import Scene
from venus_ros.scenes.log import Log
from venus_ros.scenes.reading import read_scene

HOLD = [read_scene(file) for file in all_shipped()]
FAIL = [read_scene(file) for file in sorted((LIBRARY / 'wrong').glob('*.yaml'))]
NEEDED = ('faster_whisper', 'onnxruntime', 'mujoco')

pytestmark = pytest.mark.skipif(
    any(find_spec(name) is None for name in NEEDED), reason=f'needs {", ".join(NEEDED)}'
)


def events_only(scene: Scene) -> Scene:
    """The scene without what does not change the run, so that twins share one."""
    return replace(scene, name='', about='', path=Path(), expect=(), fails='')


def without_cancelling(scene: Scene) -> Scene:
    """The scene as if nobody cancelled the echo: twins may do without that, too."""
    return replace(scene, room=scene.room and replace(scene.room, echo='none'))


@lru_cache(maxsize=4)
def played(scene_key: str) -> Log:
    """The run of a scene, by its text; twins come right after the scene that they are like."""
    from venus_ros.bringup.playing import play

    return play(RUNS[scene_key])


def key(scene: Scene) -> str:
    """Equal for scenes that run alike."""
    return str(events_only(scene))


RUNS = {key(scene): scene for scene in [*FAIL, *HOLD]}
CASES = sorted([*HOLD, *FAIL], key=lambda scene: (key(scene), bool(scene.fails)))


def test_there_are_enough() -> None:
    assert len(HOLD) >= 20 and len(FAIL) >= 20
    assert {key(without_cancelling(s)) for s in FAIL} <= {key(without_cancelling(s)) for s in HOLD}


@pytest.mark.parametrize('scene', CASES, ids=[scene.name for scene in CASES])
def test_scene(scene: Scene) -> None:
    outcome = decide(scene, played(key(scene)))
    if scene.fails:
        assert fails_as_meant(outcome) == ''
    else:
        assert [str(failure) for failure in outcome.failures] == []
