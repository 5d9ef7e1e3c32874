# SPDX-License-Identifier: Apache-2.0
"""Serves `<capability>/delegate` with the skills of one capability, for any robot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from venus_ros.core import messages as m
from venus_ros.core.errors import ConfigError
from venus_ros.harness.planner.embedded import EmbeddedPlanner
from venus_ros.harness.server import CapabilityServer
from venus_ros.harness.skills import load
from venus_ros.nodes import qos
from venus_ros.nodes.delegate_server import DelegateServer
from venus_ros.nodes.lifecycle import WATCH_S, Health, Level, Param, VenusNode
from venus_ros.nodes.process import run
from venus_ros.nodes.robot_clients import RobotClients
from venus_ros.nodes.run_id import run_id

CAPABILITIES_FILE = Param(
    'capabilities_file', '', 'Skills that add to or override the shipped ones; empty = none.'
)


class CapabilityServerNode(VenusNode):
    """Goals of the action Delegate in, the robot's own goals out.

    The harness sends arguments. Others may send words instead: the first such goal loads what
    understanding them takes (2 s, 300 MB).
    """

    PARAMS = (
        Param('capability', '', 'Capability to serve: navigation, manipulation, search, ...'),
        CAPABILITIES_FILE,
    )

    def __init__(self, **node_options: Any) -> None:
        super().__init__('capability_server', **node_options)
        self._robot: RobotClients | None = None

    def setup(self) -> None:
        capability = self.param('capability')
        skills = load(self.param('capabilities_file'))
        if capability not in skills.capabilities():
            known = ', '.join(skills.capabilities())
            raise ConfigError(f'{capability!r} has no skill; there are: {known}', 'capability')
        self.tell(m.Works, f'{capability}/works', qos.LATCHED)
        self.tell(m.Event, 'events', qos.EVENTS)
        self._delegates = DelegateServer(self, f'{capability}/delegate', capability)
        servers = {skill.server: skill.type for skill in skills.of(capability)}
        self._robot = RobotClients(self, servers)
        self.engine = CapabilityServer(
            capability,
            skills,
            source=run_id(capability),
            stamp=self.stamp,
            planner=EmbeddedPlanner(skills),
        )
        self.hear(m.Works, 'works', qos.LATCHED)
        self.hear(m.Stopped, 'stopped', qos.LATCHED)
        self.every(WATCH_S, self._work)

    def _work(self) -> None:
        if self._robot is not None:
            self._robot.poll()
        self.tick()

    def teardown(self) -> None:
        self._robot = None

    def stop(self) -> None:
        self._delegates.cancel_all()

    def leave(self) -> None:
        """Stop the robot; the works stay open for the next run, as after a crash."""
        self.engine = None
        if self._robot is not None:
            self._robot.cancel_open()

    def at_rest(self) -> bool:
        return self._robot is None or not self._robot.open_goals

    def robot_available(self, server: str) -> bool:
        """The robot's action server was seen."""
        return self._robot is not None and self._robot.seen.get(server, (False, ''))[0]

    def diagnose(self) -> Iterator[Health]:
        goals = {'open goals': len(self._delegates.open_goals)}
        yield Health('delegate', Level.OK, 'serving', goals)
        seen = self._robot.seen if self._robot is not None else {}
        for server, (available, reason) in seen.items():
            level = Level.OK if available else Level.ERROR
            message = 'available' if available else reason or 'not on the graph'
            yield Health(f'server {server}', level, message)


def main() -> None:
    """Run the node until a signal."""
    run(CapabilityServerNode)


if __name__ == '__main__':
    main()
