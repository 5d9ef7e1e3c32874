# SPDX-License-Identifier: Apache-2.0
"""Writes `.venv/venus.sh`, which a shell sources to use what was set up."""

from __future__ import annotations

from pathlib import Path

from tools.environment.ros_source import RosSource

_HEAD = """\
# Written by the set-up; `. .venv/venus.sh` makes this environment the shell's own.
export VENUS_PREFIX='{venv}'
export VIRTUAL_ENV="$VENUS_PREFIX"
case ":$PATH:" in *":$VENUS_PREFIX/bin:"*) ;; *) export PATH="$VENUS_PREFIX/bin:$PATH" ;; esac
export OMP_NUM_THREADS="${{OMP_NUM_THREADS:-1}}"
export HF_HUB_OFFLINE=1
export MUJOCO_GL="${{MUJOCO_GL:-egl}}"
"""

# The wheels' own start-up hook looks for shared libraries by running Python a second time; with
# the variables already set it does nothing, and the order of the folders is always the same.
_WHEELS = """\
export AMENT_PREFIX_PATH="$VENUS_PREFIX"
export CMAKE_PREFIX_PATH="$VENUS_PREFIX"
export LD_LIBRARY_PATH='{libraries}'
export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1
export RMW_IMPLEMENTATION=rmw_fastrtps_cpp
# Fast DDS loses many pictures over best effort with its default transports.
if [ -z "${{FASTDDS_BUILTIN_TRANSPORTS:-}}${{FASTDDS_DEFAULT_PROFILES_FILE:-}}" ]; then
  export FASTDDS_DEFAULT_PROFILES_FILE='{root}/config/fastdds.xml'
fi
unset PYTHONPATH PYTHONHOME
"""

_SOURCED = """\
_venus_prepend() {{
  eval "_venus_old=\\${{$1:-}}"
  case ":$_venus_old:" in *":$2:"*) ;; *) export "$1=$2${{_venus_old:+:$_venus_old}}" ;; esac
}}
_venus_prepend AMENT_PREFIX_PATH "$VENUS_PREFIX"
_venus_prepend CMAKE_PREFIX_PATH "$VENUS_PREFIX"
_venus_prepend LD_LIBRARY_PATH "$VENUS_PREFIX/lib"
_venus_prepend PYTHONPATH "$VENUS_PREFIX/{site_packages}"
unset -f _venus_prepend
unset _venus_old
"""


def environment_text(venv: Path, ros: RosSource) -> str:
    """Return the text of `venus.sh` for this environment and this source of ROS 2."""
    site_packages = f'lib/python{ros.version[0]}.{ros.version[1]}/site-packages'
    if ros.is_sourced:
        tail = _SOURCED.format(site_packages=site_packages)
    else:
        folders = [venv / 'lib', *sorted((venv / site_packages).glob('ros_*.libs'))]
        tail = _WHEELS.format(libraries=':'.join(map(str, folders)), root=venv.parent)
    return _HEAD.format(venv=venv) + tail
