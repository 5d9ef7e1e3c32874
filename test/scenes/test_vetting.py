# SPDX-License-Identifier: Apache-2.0
"""Names that nothing has are told with file, line and key, before anything is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from venus_ros.bringup.cli import main
from venus_ros.bringup.show import LIBRARY
from venus_ros.bringup.vetting import vet
from venus_ros.core.errors import ConfigError
from venus_ros.harness.skills import load
from venus_ros.scenes.reading import read_scene

SCENE = """\
frontend: embedded
user: [{at: 1.0, say: "go to the kitchen"}]
robots:
  navigate_to_pose: {after_s: 3}
blocked: [kitchen_door]
faults:
  - {at: 4.0, node: harness, do: kill}
expect:
  - work: {capability: navigation, arguments: {place: hall}}
  - no_work: {capability: search, arguments: {question: cup}}
"""


@pytest.mark.parametrize(
    ('old', 'new', 'words'),
    [
        ('embedded', 'omni', '1: frontend: no such frontend: omni'),
        ('navigate_to_pose', 'navigate_to_poze', '3: robots: no such action'),
        ('kitchen_door', 'moon_door', '5: blocked: no such door: moon_door'),
        ('harness', 'toaster', '7: faults: node: no such node: toaster'),
        ('harness', 'double_look', '7: faults: node: no such node: double_look'),
        ('navigation', 'cooking', '9: expect: capability: no such capability: cooking'),
        ('place: hall', 'plaice: hall', '9: expect: arguments: no such argument: plaice'),
        ('search', 'serach', '10: expect: capability: no such capability: serach'),
    ],
)
def test_a_name_that_nothing_has_is_a_mistake(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    file = tmp_path / 'scene.yaml'
    file.write_text(SCENE, encoding='utf-8')
    skills = load()
    vet(read_scene(file), skills)
    file.write_text(SCENE.replace(old, new, 1), encoding='utf-8')
    with pytest.raises(ConfigError) as caught:
        vet(read_scene(file), skills)
    assert f'scene.yaml:{words}' in str(caught.value)


def test_every_shipped_scene_speaks_of_what_is_there() -> None:
    skills = load()
    for file in LIBRARY.rglob('*.yaml'):
        vet(read_scene(file), skills)


def test_a_report_that_cannot_be_written_is_told_before_the_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / 'taken'
    file.touch()
    assert main(['play', 'greeting', '--report', str(file)]) == 2
    assert main(['play', str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert 'cannot be a folder for the report' in said.err and 'is a folder' in said.err
    assert not said.out, said.out


def test_a_picture_that_cannot_be_read_is_told_before_the_scene_is_played(tmp_path: Path) -> None:
    (tmp_path / 'no.png').write_bytes(b'no picture')
    file = tmp_path / 'scene.yaml'
    file.write_text('user:\n  - {at: 1.0, image: no.png}\n')
    with pytest.raises(ConfigError, match='scene.yaml:2: user: image: .*no.png'):
        vet(read_scene(file), load())
