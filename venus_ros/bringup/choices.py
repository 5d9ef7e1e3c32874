# SPDX-License-Identifier: Apache-2.0
"""What a user can choose about a robot: one table for `venus up` and for the launch file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venus_ros.bringup.plan import MICROPHONES, SPEAKERS, Options, Plan, make_plan
from venus_ros.core.errors import ConfigError
from venus_ros.frontends.registry import NAMES
from venus_ros.harness.skills import load
from venus_ros.yaml_file import read_yaml

_TRUTH = {'true': True, '1': True, 'yes': True, 'false': False, '0': False, 'no': False}


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose.

    Attributes:
        name: an argument of the launch file; with dashes, an option of `venus up`.
        default: text, or true or false.
        about: what it does.
        values: what can be chosen; empty = any text.
    """

    name: str
    default: str | bool
    about: str
    values: tuple[str, ...] = ()

    @property
    def written(self) -> str:
        """The default as text."""
        return str(self.default).lower() if isinstance(self.default, bool) else self.default


CHOICES = (
    Choice('frontend', 'embedded', 'what hears and answers', tuple(sorted(NAMES))),
    Choice('script', '', 'file of what is said and done, with the frontend scripted'),
    Choice('sim', True, 'run the simulated robot; without it a real robot is there'),
    Choice('skills', '', 'file of skills that adds to or overrides the shipped ones'),
    Choice('microphone', 'device', 'none: typed words only; file: user_wav', MICROPHONES),
    Choice('user_wav', '', 'sound file that is the user, with the microphone file'),
    Choice('speaker', 'pyaudio', 'none: silent; file: into robot_wav', SPEAKERS),
    Choice('robot_wav', '', 'file that receives the speech, with the speaker file'),
    Choice('journal', '', "SQLite file of works; empty = the user's own"),
    Choice('namespace', '', 'namespace of all nodes; makes a second robot'),
    Choice('params_file', '', 'ROS parameter file; what it says wins'),
    Choice('use_sim_time', False, 'take ROS time from /clock'),
    Choice('autostart', True, 'nodes configure and activate by themselves'),
    Choice('log_level', '', 'debug, info, warn, error or fatal, as --log-level takes it'),
)
"""In the order in which they are shown."""


def chosen_plan(chosen: Mapping[str, Any]) -> Plan:
    """The plan for a value of each of `CHOICES`; true and false may be written out.

    Raises:
        ConfigError: a value does not exist, or a file that is named is not there or wrong.
    """
    values = {choice.name: _value(choice, chosen[choice.name]) for choice in CHOICES}
    for name in ('script', 'skills', 'user_wav', 'params_file'):
        values[name] = _file(name, values[name])
    if values['params_file']:
        read_yaml(values['params_file'])
    skills = load(values['skills'])
    path = values.pop('skills')
    return make_plan(Options(capabilities=skills.capabilities(), skills_path=path, **values))


def _value(choice: Choice, given: Any) -> Any:
    if not isinstance(choice.default, bool) or isinstance(given, bool):
        return given
    if str(given).lower() not in _TRUTH:
        raise ConfigError(f'must be true or false, not {given}', choice.name)
    return _TRUTH[str(given).lower()]


def _file(name: str, given: str) -> str:
    """Absolute path of a file that nodes read; '' for none."""
    if given and not Path(given).is_file():
        raise ConfigError(f'no such file: {given}', name)
    return str(Path(given).resolve()) if given else ''
