# SPDX-License-Identifier: Apache-2.0
"""Whether a scene speaks of what is there: frontend, nodes, doors, actions, what can be asked.

A scene is read without knowing the robot. A name that nothing has would change nothing, or would
make an expectation that cannot fail; so it is a mistake, told before anything is played.
"""

from __future__ import annotations

from collections.abc import Collection

from venus_ros.bringup.parts import AUDIO
from venus_ros.core.errors import ConfigError, InputError
from venus_ros.frontends.registry import NAMES
from venus_ros.harness.skills import Skills
from venus_ros.scenes.format import Act, ExpectNoWork, ExpectWork, Scene
from venus_ros.scenes.track import read_picture
from venus_ros.sim.world import DOORS
from venus_ros.yaml_table import read_table

BODY = ('microphone', 'speaker', 'reflex', 'frontend', 'harness', AUDIO)


def vet(scene: Scene, skills: Skills) -> None:
    """Raise ConfigError, with file, line and key, for the first name that nothing has."""
    servers = {skill.server for skill in skills}
    doubles = [f'double_{server}' for server in scene.robots]
    sim = ['sim'] if servers - set(scene.robots) else []
    _known(scene, 0, 'frontend', scene.frontend, NAMES, 'frontend')
    for server in scene.robots:
        _known(scene, 0, 'robots', server, servers, 'action that a skill uses')
    for door in scene.blocked:
        _known(scene, 0, 'blocked', door, DOORS, 'door')
    nodes = [*BODY, *skills.capabilities(), *sim, *doubles]
    for fault in scene.faults:
        _known(scene, fault.line, 'faults: node', fault.node, nodes, 'node')
    for act in scene.user:
        if act.image:
            _picture(scene, act)
    for expectation in scene.expect:
        if isinstance(expectation, (ExpectWork, ExpectNoWork)):
            _work(scene, expectation, skills)


def _picture(scene: Scene, act: Act) -> None:
    """A picture that nobody can see would be found missing in mid-scene."""
    assert act.image is not None
    try:
        read_picture(act.image)
    except InputError as error:
        raise ConfigError(str(error), f'{scene.path}:{act.line}: user: image') from None


def _work(scene: Scene, expected: ExpectWork | ExpectNoWork, skills: Skills) -> None:
    capabilities = skills.capabilities()
    if expected.capability:
        line, name = expected.line, expected.capability
        _known(scene, line, 'expect: capability', name, capabilities, 'capability')
    of = [skill for skill in skills if expected.capability in ('', skill.capability)]
    arguments = {name for skill in of for name in skill.arguments.get('properties', {})}
    for name in expected.arguments:
        _known(scene, expected.line, 'expect: arguments', name, arguments, 'argument')


def _known(
    scene: Scene, line: int, key: str, name: str, known: Collection[str], what: str
) -> None:
    """Complain of a `name` that is not `known`; without a line, at the line of `key`."""
    if name not in known:
        line = line or read_table(scene.path).line_of(key)
        raise ConfigError(
            f'no such {what}: {name}; there are {", ".join(sorted(known))}',
            f'{scene.path}:{line}: {key}',
        )
