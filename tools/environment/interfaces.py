# SPDX-License-Identifier: Apache-2.0
"""Builds interface packages into the virtual environment, which is a ROS prefix of its own."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from tools.environment.ros_source import RosSource
from tools.environment.steps import CommandLog

_PATHS = """
import json, numpy, sysconfig
print(json.dumps([sysconfig.get_path('include'), numpy.get_include()]))
"""

_WHEEL_NUMPY = re.compile(r'/opt/python/[^;"\s]*?/numpy/_?core/include')
_WHEEL_PYTHON = re.compile(r'/opt/python/[^;"\s]*?/include/python3\.\d+')


def mend_wheel_paths(venv: Path, log: CommandLog) -> None:
    """Point the wheels' CMake files at this machine's headers instead of their builder's."""
    python = venv / 'bin' / 'python'
    probe = subprocess.run(
        [python, '-c', _PATHS], check=True, capture_output=True, text=True, env=log.environment
    )
    python_include, numpy_include = json.loads(probe.stdout)
    for path in venv.glob('share/*/cmake/*.cmake'):
        text = path.read_text(encoding='utf-8')
        mended = _WHEEL_NUMPY.sub(numpy_include, text)
        mended = _WHEEL_PYTHON.sub(python_include, mended)
        if mended != text:
            path.write_text(mended, encoding='utf-8')


def build_interfaces(package: Path, venv: Path, ros: RosSource, log: CommandLog) -> None:
    """Generate, compile and install the interface package in folder `package`.

    On wheels only what rclpy loads is made, unoptimised: a conversion of small
    messages gains nothing from more. On a sourced ROS 2 all generators run, for every middleware.
    """
    build = venv / 'build' / package.name
    _remove_installed(build)
    version = '.'.join(map(str, ros.version))
    options = {
        'CMAKE_INSTALL_PREFIX': venv,
        'BUILD_TESTING': 'OFF',
        'Python3_EXECUTABLE': venv / 'bin' / 'python',
        'PYTHON_INSTALL_DIR': f'lib/python{version}/site-packages',
    }
    if not ros.is_sourced:
        options |= {
            'RCLPY_ONLY': 'ON',
            'CMAKE_BUILD_TYPE': 'None',
            'CMAKE_C_FLAGS': '-O0 -w',
            'CMAKE_CXX_FLAGS': '-O0 -w',
        }
    defines = [f'-D{name}={value}' for name, value in options.items()]
    log.run(['cmake', '-S', package, '-B', build, '-G', 'Ninja', *defines])
    log.run(['cmake', '--build', build, '--target', 'install'])


def _remove_installed(build: Path) -> None:
    """Remove what an earlier build installed, so that no interface outlives its definition."""
    manifest = build / 'install_manifest.txt'
    if manifest.exists():
        for line in manifest.read_text(encoding='utf-8').splitlines():
            Path(line).unlink(missing_ok=True)
        manifest.unlink()
