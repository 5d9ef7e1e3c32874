# SPDX-License-Identifier: Apache-2.0
"""What can be chosen about a robot, and that a domain and namespace hold one robot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from venus_ros.bringup.choices import CHOICES, chosen_plan
from venus_ros.bringup.claim import claim
from venus_ros.bringup.cli import main
from venus_ros.core.errors import BackendError, ConfigError

SKILL = """\
skills:
  turn:
    capability: {capability}
    server: spin
    type: nav2_msgs/action/Spin
    description: Turns on the spot.
    effect: read
    goal: {{}}
"""


def given(**chosen: Any) -> dict[str, Any]:
    """Every choice as a launch file gives it: as text."""
    return {choice.name: choice.written for choice in CHOICES} | chosen


def test_choices_reach_the_nodes(tmp_path: Path) -> None:
    skills, own = tmp_path / 'skills.yaml', tmp_path / 'own.yaml'
    skills.write_text(SKILL.format(capability='motion'))
    own.write_text('/**/frontend: {ros__parameters: {robot_name: Robbie}}\n')
    plan = chosen_plan(
        given(
            skills=str(skills), params_file=str(own), namespace='/robot1/', log_level='warn',
            use_sim_time='True', autostart='false', sim='no', microphone='none', speaker='none',
        )
    )  # fmt: skip
    assert 'motion' in plan.nodes and 'sim' not in plan.nodes and 'microphone' not in plan.nodes
    for node, entry in plan.parameters().items():
        values = entry['ros__parameters']
        assert values['use_sim_time'] is True and values['autostart'] is False, node
    assert plan.ros_arguments(plan.process_of('motion'), 'plan.yaml') == [
        '--params-file', 'plan.yaml', '--params-file', str(own),
        '-r', '__node:=motion', '-r', '__ns:=/robot1', '--log-level', 'warn',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ('chosen', 'words'),
    [
        ({'sim': 'perhaps'}, 'sim: must be true or false, not perhaps'),
        ({'microphone': 'ear'}, 'microphone: must be one of device, file, none, not ear'),
        ({'microphone': 'file'}, 'user_wav: is missing'),
        ({'speaker': 'file'}, 'robot_wav: is missing'),
        ({'namespace': 'a b'}, 'namespace: must be words of letters'),
        ({'namespace': '1a'}, 'namespace: must be words of letters'),
        ({'skills': 'none.yaml'}, 'skills: no such file: none.yaml'),
        ({'params_file': 'none.yaml'}, 'params_file: no such file: none.yaml'),
    ],
)
def test_wrong_choices_are_told(chosen: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        chosen_plan(given(**chosen))
    assert words in str(caught.value)


def test_a_capability_does_not_take_a_nodes_name(tmp_path: Path) -> None:
    file = tmp_path / 'skills.yaml'
    file.write_text(SKILL.format(capability='frontend'))
    with pytest.raises(ConfigError, match='frontend: is the name of another node'):
        chosen_plan(given(skills=str(file)))


def test_one_robot_for_each_domain_and_namespace() -> None:
    here = {'ROS_DOMAIN_ID': '231'}
    first = claim('robot1', here)
    with pytest.raises(BackendError, match=r'already up on domain 231, namespace /robot1 \(proc'):
        claim('/robot1/', here)
    for other in (claim('robot2', here), claim('robot1', {'ROS_DOMAIN_ID': '230'})):
        other.close()
    first.close()
    claim('robot1', here).close()


@pytest.mark.parametrize('domain', ['x', '233', '-1', '1.5'])
def test_a_domain_that_is_none_is_told(
    domain: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv('ROS_DOMAIN_ID', domain)
    assert main(['works']) == 2
    assert f'ROS_DOMAIN_ID: must be a whole number from 0 to 232, not {domain}' in (
        capsys.readouterr().err
    )


def test_scenes_are_played_with_skills_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene, skills = tmp_path / 'scene.yaml', tmp_path / 'skills.yaml'
    scene.write_text('user: []\nlasts_s: 0.1\nexpect: [no_work: {capability: motion}]\n')
    skills.write_text(SKILL.format(capability='motion'))
    assert main(['play', str(scene)]) == 2
    assert 'no such capability: motion' in capsys.readouterr().err
    assert main(['play', str(scene), '--skills', str(skills)]) == 0
