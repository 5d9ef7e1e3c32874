# SPDX-License-Identifier: Apache-2.0
"""A robot double on the graph: serves one action of any type with a chosen behaviour."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from venus_ros.core.errors import ConfigError
from venus_ros.harness.skills import load
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.lifecycle import TICK_S, Health, Level, Param, VenusNode
from venus_ros.nodes.process import run
from venus_ros.nodes.robot_servers import RobotServers
from venus_ros.scenes.format import RESULTS, Double
from venus_ros.sim.double import RobotDouble

NEVER_S = -1.0
LONGEST_S = 1e6


class DoubleNode(VenusNode):
    """One action server that does what its parameters say."""

    PARAMS = (
        Param('server', '', 'Action to serve, e.g. navigate_to_pose.'),
        Param('type', '', 'Its type; empty = the type that a skill gives to this server.'),
        Param('capabilities_file', '', 'Skills that add to the shipped ones; empty = none.'),
        Param(
            'zero_s',
            0.0,
            "Steady time of the scene's t = 0, s; 0 = when this node starts.",
            0.0,
            1e12,
            live=True,
        ),
        Param('result', 'ok', 'How goals end.', choices=RESULTS),
        Param('after_s', 2.0, 'From acceptance to the result, s.', 0.0, LONGEST_S),
        Param('feedback_hz', 2.0, 'Feedback while it works; 0 = none.', 0.0, 100.0),
        Param('accept_after_s', 0.0, 'From the goal to the answer, s.', 0.0, LONGEST_S),
        Param('ignore_cancel', False, 'A cancel is accepted and changes nothing.'),
        Param(
            'die_at_s',
            NEVER_S,
            'Scene time at which the server vanishes; -1 = never.',
            NEVER_S,
            LONGEST_S,
        ),
        Param(
            'unavailable_until_s',
            0.0,
            'Scene time before which it cannot be seen.',
            0.0,
            LONGEST_S,
        ),
        Param('error_code', 0, "The robot's own code of an abort.", 0, 65535),
        Param('error_msg', '', "The robot's own words of an abort."),
    )

    def __init__(self, **node_options: Any) -> None:
        super().__init__('robot_double', **node_options)
        self._double: RobotDouble | None = None
        self._servers: RobotServers | None = None
        self._zero_s = 0.0

    def setup(self) -> None:
        server = self.param('server')
        if not server:
            raise ConfigError('name the action to serve', f'{self.get_name()}: server')
        self._servers = RobotServers(self, {server: self.param('type') or self._type_of(server)})
        values = {field.name: self.param(field.name) for field in dataclasses.fields(Double)}
        if values['die_at_s'] == NEVER_S:
            values['die_at_s'] = None
        self._double = self.engine = RobotDouble(server, Double(**values))
        self.every(TICK_S, self.tick)
        self.every(TICK_S, self._follow_zero)

    def stop(self) -> None:
        if self._servers:
            self._servers.cancel_all()

    def teardown(self) -> None:
        self._double = self._servers = None

    def diagnose(self) -> Iterator[Health]:
        if self._servers is None:
            return
        for server, reason in self._servers.missing.items():
            yield Health(f'server {server}', Level.ERROR, reason)
        goals = {'open goals': self._servers.open_goals}
        visible = bool(self._servers.served)
        yield Health('double', Level.OK, 'serving' if visible else 'hidden as asked', goals)

    def _follow_zero(self) -> None:
        """Take over the scene's t = 0 once somebody has set it."""
        zero_s = self.param('zero_s')
        if self._double and zero_s != self._zero_s:
            self._zero_s = zero_s
            self._double.set_time(now_s() - zero_s, now_s())

    def _type_of(self, server: str) -> str:
        skills = load(self.param('capabilities_file'))
        found = next((skill.type for skill in skills if skill.server == server), '')
        if not found:
            raise ConfigError('no skill uses it; give its type', f'{self.get_name()}: {server}')
        return found


def main() -> None:
    """Run the node until a signal."""
    run(DoubleNode)


if __name__ == '__main__':
    main()
