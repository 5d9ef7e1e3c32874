# SPDX-License-Identifier: Apache-2.0
"""Parameters: described, typed, checked, and written down as they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.parameter import Parameter

from venus_ros.core.errors import ConfigError
from venus_ros.nodes.audio_file import AudioFile
from venus_ros.nodes.capability_server import CapabilityServerNode
from venus_ros.nodes.frontend import FrontendNode
from venus_ros.nodes.harness import HarnessNode
from venus_ros.nodes.lifecycle import AUTOSTART, Param, VenusNode
from venus_ros.nodes.microphone import Microphone
from venus_ros.nodes.reflex import ReflexNode
from venus_ros.nodes.speaker import SpeakerNode

ROOT = Path(__file__).parents[2]
NODES: dict[str, type[VenusNode]] = {
    'microphone': Microphone,
    'audio_file': AudioFile,
    'speaker': SpeakerNode,
    'reflex': ReflexNode,
    'frontend': FrontendNode,
    'harness': HarnessNode,
    'capability_server': CapabilityServerNode,
}


def table(node: str) -> tuple[Param, ...]:
    return AUTOSTART, *NODES[node].PARAMS


def test_the_parameter_file_holds_every_parameter_with_its_default() -> None:
    written = yaml.safe_load((ROOT / 'config' / 'venus.yaml').read_text())
    expected = {
        f'/**/{node}': {'ros__parameters': {p.name: p.default for p in table(node)}}
        for node in NODES
    }
    assert written == expected


@pytest.mark.parametrize('node', NODES)
def test_every_parameter_is_described_and_its_default_allowed(node: str) -> None:
    for param in table(node):
        assert param.descriptor().description.endswith('.'), param.name
        assert not param.check(param.default), param.name
        if isinstance(param.default, float):
            assert re.search(r'_(s|hz|ms|db)$|threshold$', param.name), f'{param.name} has no unit'


class Tuned(VenusNode):
    PARAMS = (
        Param('gain', 1.0, 'Gain.', 0.0, 2.0, live=True),
        Param('mode', 'a', 'Mode.', choices=('a', 'b'), live=True),
        Param('fixed', 3, 'Read once.', 0, 9),
    )

    def __init__(self, **node_options: Any) -> None:
        super().__init__('tuned', **node_options)


def test_changes_are_checked_and_refused_with_a_reason(world: Any) -> None:
    node = world.add(Tuned())
    (good,) = node.set_parameters([Parameter('mode', value='b')])
    assert good.successful and node.param('mode') == 'b'
    for name, value in (('mode', 'c'), ('gain', 5.0), ('gain', 'loud'), ('fixed', 4)):
        (answer,) = node.set_parameters([Parameter(name, value=value)])
        assert not answer.successful and answer.reason, f'{name} = {value!r} was taken'


@pytest.mark.parametrize(('name', 'value'), [('mode', 'z'), ('gain', 9.0), ('fixed', 'x')])
def test_wrong_values_at_the_start_name_node_and_parameter(
    world: Any, name: str, value: Any
) -> None:
    with pytest.raises(ConfigError, match=f'/tuned: {name}'):
        Tuned(parameter_overrides=[Parameter(name, value=value)])
