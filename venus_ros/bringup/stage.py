# SPDX-License-Identifier: Apache-2.0
"""One scene before the eyes of a recorder, on nodes that run in real time."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from typing import Any

from venus_ros.bringup.plan import Plan
from venus_ros.bringup.supervisor import Supervisor
from venus_ros.core.errors import BackendError
from venus_ros.core.messages import Capabilities, ConversationState, StopRequest
from venus_ros.scenes.ending import Ending
from venus_ros.scenes.format import Act, Do, Fault, Scene
from venus_ros.scenes.log import Log, See
from venus_ros.scenes.track import Track, read_picture

READY_S = 90.0
"""Longest start of all nodes."""
SPIN_S = 0.02
USER = 'audio_file'
"""Node that plays the user's sound."""
DISCOVERY_S = 2.0
"""Time for those who listen to find it, so that its first samples are heard."""
PICTURE_EVERY_S = 0.5
INSTEAD = {'microphone': (USER,), 'audio': (USER, 'speaker', 'reflex')}
"""Names of the plan of a whole robot → the nodes that stand for them here."""

Values = Mapping[str, Mapping[str, str]]
Attend = Callable[[float, Mapping[str, int], Values], None]
"""(t_s, process → its id, part → newest values of its diagnostics), called every `SPIN_S`."""


class Stage:
    """Runs one scene before the recorder's eyes."""

    def __init__(self, plan: Plan, domain: int) -> None:
        from venus_ros.nodes.recorder import Recorder

        self._plan = plan
        self._arrived: list[tuple[int, str, Any]] = []
        self._ready = False
        self._available = 0
        self._absent: dict[str, str] = {'capabilities': 'not told yet'}
        servers = [p.name for p in plan.processes if p.executable == 'capability_server']
        self._recorder = Recorder(self._see, servers, domain)

    def close(self) -> None:
        """Leave the graph."""
        self._recorder.close()

    def _see(self, source: str, message: Any, arrived_ns: int) -> None:
        self._arrived.append((arrived_ns, source, message))
        if isinstance(message, ConversationState):
            self._ready = message.stage == 'ready'
        elif isinstance(message, Capabilities):
            self._available = sum(c.available for c in message.capabilities)
            self._absent = {
                c.capability: c.reason for c in message.capabilities if not c.available
            }

    def wait_until_ready(self, scene: Scene, supervisor: Supervisor) -> None:
        """All nodes are active, the frontend is ready and the robot's servers are seen.

        Raises:
            BackendError: they are not, after `READY_S`.
            ConfigError: a fault names a node that is not there.
        """
        for fault in scene.faults:
            for node in _nodes_of(fault):
                self._plan.process_of(node)
        nodes = [name for name in self._plan.nodes if name != USER]
        hidden = any(double.unavailable_until_s > 0 for double in scene.robots.values())
        end_s = time.monotonic() + READY_S
        states = dict.fromkeys(nodes, '')
        waiting = list(nodes)
        self._recorder.watch(nodes)
        while time.monotonic() < end_s:
            supervisor.poll()
            self._recorder.spin(SPIN_S)
            states = {name: self._recorder.state_of(name) for name in nodes}
            waiting = [name for name, state in states.items() if state != 'active']
            seen = hidden or not self._absent
            if not waiting and self._ready and seen and self._learnt():
                self._recorder.configure(USER)
                self._recorder.spin(DISCOVERY_S)
                return
            if any(child.given_up for child in supervisor.children.values()):
                break
        missing = [f'{name} is {states[name] or "silent"}' for name in waiting]
        missing += [] if self._ready else ['the frontend is not ready']
        missing += [] if self._learnt() else ['the frontend does not know what can be asked']
        missing += [f'{name}: {reason}' for name, reason in self._absent.items()]
        raise BackendError(f'the robot did not get ready: {"; ".join(missing)}', scene.name)

    def _learnt(self) -> bool:
        """Whether the conversation knows of as many skills as there are."""
        skills = self._recorder.values.get('frontend: skills', {})
        return skills.get('available') == str(self._available)

    def play(
        self, scene: Scene, track: Track, supervisor: Supervisor, see: See, attend: Attend
    ) -> Log:
        """Start the user's sound, which is t = 0, and go on until the scene is over."""
        self._recorder.activate(USER)
        end_s = time.monotonic() + 5.0
        while self._recorder.first_sound_ns is None:
            self._recorder.spin(SPIN_S)
            if time.monotonic() > end_s:
                raise BackendError("the user's sound did not begin", scene.name)
        log = Log(track, self._recorder.first_sound_ns, live=True)
        zero_s = time.monotonic() - log.seconds(self._recorder.now_ns())
        supervisor.give(USER, zero_s=zero_s, autostart=True)
        for server in scene.robots:
            supervisor.give(f'double_{server}', zero_s=zero_s)
            self._recorder.set_number(f'double_{server}', 'zero_s', zero_s)
        self._run(scene, log, Ending(scene, track), supervisor, see, attend)
        log.end_s = log.seconds(self._recorder.now_ns())
        return log

    def _run(
        self,
        scene: Scene,
        log: Log,
        ending: Ending,
        supervisor: Supervisor,
        see: See,
        attend: Attend,
    ) -> None:
        acts = [a for a in scene.user if a.text or a.image or a.stop is not None]
        faults = list(scene.faults)
        picture, next_picture_s = None, 0.0
        while not ending.over(t_s := log.seconds(self._recorder.now_ns())):
            while acts and acts[0].at <= t_s:
                act = acts.pop(0)
                picture = read_picture(act.image) if act.image else picture
                self._do(act)
            if picture is not None and t_s >= next_picture_s:
                self._recorder.show(picture)
                next_picture_s = t_s + PICTURE_EVERY_S
            while faults and faults[0].at <= t_s:
                _inflict(faults[0], scene, supervisor)
                log.faults.append((t_s, faults[0].node, faults.pop(0).do.value))
            supervisor.poll()
            self._recorder.spin(SPIN_S)
            attend(t_s, supervisor.pids, self._recorder.values)
            self._pass_on(log, ending, see)

    def _do(self, act: Act) -> None:
        if act.stop is not None:
            self._recorder.call_stop(StopRequest(f'stop-{act.at:g}', act.stop))
        elif act.text:
            self._recorder.type_text(act.text)

    def _pass_on(self, log: Log, ending: Ending, see: See) -> None:
        arrived, self._arrived = self._arrived, []
        for arrived_ns, source, message in arrived:
            t_s = log.seconds(arrived_ns)
            log.add(t_s, source, message)
            ending.see(t_s, message)
            see(t_s, source, message)


def _nodes_of(fault: Fault) -> tuple[str, ...]:
    return INSTEAD.get(fault.node, (fault.node,))


def _inflict(fault: Fault, scene: Scene, supervisor: Supervisor) -> None:
    for node in _nodes_of(fault):
        if fault.do is Do.KILL:
            supervisor.kill(node, respawn=scene.comes_back(fault))
        elif fault.do is Do.FREEZE:
            supervisor.send(node, signal.SIGSTOP)
        elif fault.do is Do.THAW:
            supervisor.send(node, signal.SIGCONT)
        else:
            supervisor.restart(node)
