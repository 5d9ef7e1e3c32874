# SPDX-License-Identifier: Apache-2.0
"""Decides where ROS 2 comes from: the environment that was sourced, or wheels."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

WHEEL_PYTHONS = ((3, 11), (3, 12), (3, 10))
"""Interpreters that the ROS 2 wheels exist for, the best tested first."""

_PROBE = (
    'import json, sys, numpy, rclpy; '
    'print(json.dumps([list(sys.version_info[:2]), numpy.__version__, rclpy.__file__]))'
)


@dataclass(frozen=True)
class RosSource:
    """Where rclpy comes from, and the interpreter that goes with it."""

    python: str
    version: tuple[int, int]
    is_sourced: bool
    distro: str = ''
    numpy: str = ''  # version of the sourced environment's NumPy; empty on wheels
    prefixes: tuple[str, ...] = ()  # AMENT_PREFIX_PATH of the sourced environment

    def describe(self) -> str:
        """Return one line for the user."""
        python = '.'.join(map(str, self.version))
        if self.is_sourced:
            return f'ROS 2 {self.distro or "(sourced)"}, Python {python}, NumPy {self.numpy}'
        return f'ROS 2 Kilted from wheels, Python {python}'


class NoUsablePython(RuntimeError):
    """No interpreter here can carry the project."""


def find_ros(venv: Path, python: str | None = None) -> RosSource:
    """Return the sourced ROS 2 environment if rclpy imports from it, else the wheels.

    Args:
        venv: The environment to set up; its own prefix does not count as sourced.
        python: Interpreter that the user asked for, or None to choose.

    Raises:
        NoUsablePython: There is no sourced ROS 2 and no CPython 3.10 to 3.12.
    """
    prefixes = tuple(
        entry
        for entry in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
        if entry and Path(entry).resolve() != venv.resolve()
    )
    if prefixes or (os.environ.get('ROS_DISTRO') and 'VENUS_PREFIX' not in os.environ):
        source = _sourced(prefixes, python)
        if source is not None:
            return source
        print(
            'A ROS 2 environment is sourced, but no Python here imports rclpy from it: going on '
            'with the wheels. Say `make PYTHON=/usr/bin/python3 …` to name the interpreter.'
        )
    return _wheels(python)


def _sourced(prefixes: tuple[str, ...], python: str | None) -> RosSource | None:
    for candidate in [python] if python else [_base_interpreter(), '/usr/bin/python3']:
        if candidate is None or shutil.which(candidate) is None:
            continue
        probe = subprocess.run([candidate, '-c', _PROBE], capture_output=True, text=True)
        if probe.returncode == 0:
            version, numpy, _ = json.loads(probe.stdout.splitlines()[-1])
            return RosSource(
                candidate,
                (version[0], version[1]),
                is_sourced=True,
                distro=os.environ.get('ROS_DISTRO', ''),
                numpy=numpy,
                prefixes=prefixes,
            )
    return None


def _wheels(python: str | None) -> RosSource:
    names = [python] if python else [_base_interpreter()]
    if not python:
        names += [f'python{major}.{minor}' for major, minor in WHEEL_PYTHONS]
    found = []
    for name in names:
        path = shutil.which(name)
        version = _version(path) if path else None
        if path and version in WHEEL_PYTHONS:
            return RosSource(path, version, is_sourced=False)
        if version:
            found.append(f'{name} is {version[0]}.{version[1]}')
    raise NoUsablePython(
        'The ROS 2 wheels need CPython 3.10, 3.11 or 3.12'
        + (f' ({"; ".join(found)})' if found else '')
        + ': install one (apt-get install python3.12 python3.12-venv python3.12-dev) and say '
        '`make PYTHON=python3.12 …`, or source a ROS 2 environment first.'
    )


def _base_interpreter() -> str:
    """Return the running interpreter, or the one beneath it if it is a virtual environment's."""
    return getattr(sys, '_base_executable', sys.executable) or sys.executable


def _version(python: str) -> tuple[int, int] | None:
    code = 'import sys; print(*sys.version_info[:2])'
    probe = subprocess.run([python, '-c', code], capture_output=True, text=True)
    if probe.returncode != 0:
        return None
    major, minor = probe.stdout.split()
    return int(major), int(minor)
