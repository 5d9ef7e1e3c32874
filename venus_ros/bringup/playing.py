# SPDX-License-Identifier: Apache-2.0
"""Play a scene in counted time: the whole robot in this process, the same every time."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from venus_ros.bringup.parts import Cast
from venus_ros.core.errors import ConfigError
from venus_ros.core.messages import StopRequest, TypedText
from venus_ros.core.step import DuplexFrontend
from venus_ros.harness.planner.embedded import EmbeddedPlanner
from venus_ros.harness.skills import Skills, load
from venus_ros.scenes.devices import Played, assemble
from venus_ros.scenes.ending import Ending
from venus_ros.scenes.format import Act, Do, Fault, Scene
from venus_ros.scenes.graph import ZERO_NS, CountedClock, Graph
from venus_ros.scenes.log import Log, See
from venus_ros.scenes.track import make_track
from venus_ros.scenes.voices import user_audio


def play(
    scene: Scene,
    see: See = lambda t_s, source, message: None,
    skills: Skills | None = None,
) -> Log:
    """Play `scene` and return what happened.

    Args:
        scene: what to play.
        see: takes every message.
        skills: what the robot can be asked for; none = the shipped skills.

    Raises:
        VenusError: the scene asks for something that is not there (a voice, a node, a file).
    """
    track = make_track(scene, user_audio)
    log = Log(track, ZERO_NS)
    clock = CountedClock()
    ending = Ending(scene, track)
    played: Played = []
    with tempfile.TemporaryDirectory(prefix='venus-scene-') as folder:
        known = skills or _shipped()
        planner = _planner(known)
        cast = Cast(scene, track, known, planner, open_frontend, clock, Path(folder), played)
        graph = Graph(cast.parts(), clock, log)
        try:
            _run(scene, graph, clock, log, ending, see)
        finally:
            graph.close()
    log.robot_pcm, log.robot_rate_hz = assemble(played)
    log.end_s = clock.t_s
    return log


def _run(
    scene: Scene, graph: Graph, clock: CountedClock, log: Log, ending: Ending, see: See
) -> None:
    acts = [act for act in scene.user if act.text or act.stop is not None]
    faults = list(scene.faults)
    for fault in faults:
        graph.check(fault.node)
    seen = 0
    while not ending.over(clock.t_s):
        while acts and acts[0].at <= clock.t_s:
            _do(acts.pop(0), graph, clock)
        while faults and faults[0].at <= clock.t_s:
            log.faults.append((clock.t_s, faults[0].node, faults[0].do.value))
            _inflict(faults.pop(0), scene, graph)
        graph.step()
        for entry in log.entries[seen:]:
            ending.see(entry.t_s, entry.message)
            see(entry.t_s, entry.source, entry.message)
        seen = len(log.entries)


def _do(act: Act, graph: Graph, clock: CountedClock) -> None:
    if act.stop is not None:
        graph.post('user', StopRequest(f'stop-{act.at:g}', act.stop))
    else:
        graph.post('user', TypedText(clock.stamp(), act.text))


def _inflict(fault: Fault, scene: Scene, graph: Graph) -> None:
    if fault.do is Do.KILL:
        graph.kill(fault.node, respawn=scene.comes_back(fault))
    elif fault.do is Do.FREEZE:
        graph.freeze(fault.node)
    elif fault.do is Do.THAW:
        graph.thaw(fault.node)
    else:
        graph.restart(fault.node)


def open_frontend(scene: Scene) -> DuplexFrontend:
    """The scene's frontend in counted mode. Raises ConfigError where counted time cannot be."""
    if scene.frontend == 'embedded':
        from venus_ros.frontends.embedded.frontend import EmbeddedFrontend

        return EmbeddedFrontend(counted=True)
    if scene.frontend == 'scripted':
        from venus_ros.frontends.scripted import script
        from venus_ros.frontends.scripted.frontend import ScriptedFrontend

        assert scene.script is not None
        return ScriptedFrontend(script.parse(scene.script))
    raise ConfigError(
        'is not to be had in counted time; play it with --live',
        f'{scene.path}: frontend: {scene.frontend}',
    )


@cache
def _shipped() -> Skills:
    return load()


@cache
def _planner(skills: Skills) -> EmbeddedPlanner:
    return EmbeddedPlanner(skills)
