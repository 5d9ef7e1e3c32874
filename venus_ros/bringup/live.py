# SPDX-License-Identifier: Apache-2.0
"""Play a scene live: real processes, real DDS on a domain of its own, real time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import yaml

from venus_ros.bringup.domain import free_domain
from venus_ros.bringup.plan import Options, Plan, make_plan
from venus_ros.bringup.stage import Attend, Stage
from venus_ros.bringup.supervisor import Say, Supervisor
from venus_ros.bringup.wire import wire
from venus_ros.core.errors import ConfigError
from venus_ros.harness.skills import Skills, load
from venus_ros.scenes.format import Camera, Scene
from venus_ros.scenes.log import Log, See
from venus_ros.scenes.sound import read_wav, spoken
from venus_ros.scenes.track import RATE_HZ, Track, make_track
from venus_ros.scenes.voices import user_audio


def play_live(
    scene: Scene,
    see: See = lambda t_s, source, message: None,
    say: Say = lambda process, line: None,
    attend: Attend = lambda t_s, pids, values: None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    skills_path: str = '',
) -> Log:
    """Play `scene` and return what happened.

    Args:
        scene: what to play.
        see: takes every message.
        say: takes what the processes print.
        attend: looks at the processes while the scene runs.
        parameters: node → parameters that win over the plan's.
        skills_path: file of skills that adds to or overrides the shipped ones; '' = none.

    Raises:
        VenusError: a node does not become ready, or the scene asks for what is not there.
    """
    if scene.room:
        message = 'is to be had in counted time alone; play it without --live, or take it out'
        raise ConfigError(message, f'{scene.path}: room')
    track = make_track(scene, user_audio)
    with tempfile.TemporaryDirectory(prefix='venus-live-') as name:
        folder = Path(name)
        options = _options(scene, track, folder, load(skills_path))
        options = replace(options, skills_path=skills_path, parameters=parameters or {})
        plan = make_plan(options)
        with _running(plan, say) as (supervisor, stage):
            stage.wait_until_ready(scene, supervisor)
            log = stage.play(scene, track, supervisor, see, attend)
        _add_sound(scene, log, folder / 'robot.wav')
    return log


def _options(scene: Scene, track: Track, folder: Path, skills: Skills) -> Options:
    import soundfile

    soundfile.write(str(folder / 'user.wav'), track.pcm, RATE_HZ)
    return Options(
        frontend=scene.frontend,
        capabilities=skills.capabilities(),
        script=_script_file(scene, folder),
        microphone='file',
        user_wav=str(folder / 'user.wav'),
        user_waits=True,
        speaker='file',
        robot_wav=str(folder / 'robot.wav'),
        sim=bool({skill.server for skill in skills} - set(scene.robots)),
        camera=_camera(scene.camera),
        closed_doors=scene.blocked,
        doubles={
            server: {k: v for k, v in asdict(double).items() if v is not None}
            for server, double in scene.robots.items()
        },
        journal=str(folder / 'journal.sqlite'),
    )


def _camera(camera: Camera | None) -> dict[str, Any]:
    if camera is None:
        return {}
    return {'hz': float(camera.hz), 'width': camera.width, 'height': camera.height}


def _script_file(scene: Scene, folder: Path) -> str:
    if scene.script is None:
        return ''
    file = folder / 'script.yaml'
    file.write_text(yaml.safe_dump(scene.script.value), encoding='utf-8')
    return str(file)


@contextmanager
def _running(plan: Plan, say: Say) -> Iterator[tuple[Supervisor, Stage]]:
    """The processes of `plan` on a domain of their own, and their audience."""
    domain = free_domain()
    supervisor = Supervisor(plan, say, {'ROS_DOMAIN_ID': str(domain)})
    os.environ.update(wire(os.environ))
    stage = Stage(plan, domain)
    try:
        supervisor.start()
        yield supervisor, stage
    finally:
        supervisor.end()
        stage.close()


def _add_sound(scene: Scene, log: Log, file: Path) -> None:
    """The robot's side: as the speaker wrote it, or, if it was restarted, from its reports."""
    restarted = any(fault.node in ('speaker', 'audio') for fault in scene.faults)
    found = None if restarted else read_wav(file, log.zero_ns)
    log.robot_pcm, log.robot_rate_hz = found or spoken(log)
