# SPDX-License-Identifier: Apache-2.0
"""Looks for the parts that only the operating system's package manager can give."""

from __future__ import annotations

import ctypes
import glob
import importlib.util
import os
import shutil
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass


def _program(name: str) -> Callable[[], bool]:
    return lambda: shutil.which(name) is not None


def _library(name: str) -> Callable[[], bool]:
    def loads() -> bool:
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True

    return loads


def _file(*patterns: str) -> Callable[[], bool]:
    return lambda: any(glob.glob(pattern) for pattern in patterns)


def _python_header() -> bool:
    return os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h'))


def _venv_module() -> bool:
    return importlib.util.find_spec('ensurepip') is not None


PURPOSES = ('demo', 'talk', 'test')
"""What can be set up for."""


@dataclass(frozen=True)
class Part:
    """One apt package and how to see that what it gives is there already."""

    package: str
    purpose: str
    is_present: Callable[[], bool]
    needed_for: tuple[str, ...] = PURPOSES


PARTS = (
    Part('python3-venv', 'the virtual environment', _venv_module),
    Part('python3-dev', 'building the message packages', _python_header),
    Part('gcc', 'building the message packages', _program('gcc')),
    Part('g++', 'building the message packages', _program('g++')),
    Part('make', 'the commands', _program('make')),
    Part('libegl1', "the simulation's camera", _library('libEGL.so.1')),
    Part('libegl-mesa0', "the simulation's camera on a CPU", _library('libEGL_mesa.so.0')),
    Part('libgl1-mesa-dri', "the simulation's camera on a CPU",
         _file('/usr/lib/*/dri/swrast_dri.so', '/usr/lib/*/dri/*_dri.so',
               '/usr/lib/*/libgallium*.so*', '/usr/lib/dri/*_dri.so')),
    Part('espeak-ng', 'the fallback voice', _program('espeak-ng'), ('test',)),
    Part('flite', "the users' voices in new scenes", _program('flite'), ('test',)),
    Part('portaudio19-dev', 'microphone and loudspeaker',
         _file('/usr/include/portaudio.h', '/usr/local/include/portaudio.h'), ('talk', 'test')),
    Part('pulseaudio', 'a sound card for tests', _program('pulseaudio'), ('test',)),
    Part('pulseaudio-utils', 'a sound card for tests', _program('pactl'), ('test',)),
    Part('libasound2-plugins', 'a sound card for tests',
         _file('/usr/lib/*/alsa-lib/libasound_module_pcm_pulse.so'), ('test',)),
)  # fmt: skip

ESSENTIAL = frozenset({'python3-venv', 'python3-dev', 'gcc', 'g++'})
"""Without these nothing can be built; without another one only what it is for is missing."""


def missing_parts(purpose: str) -> list[Part]:
    """Return the parts that `purpose`, one of PURPOSES, needs and the machine lacks."""
    return [part for part in PARTS if purpose in part.needed_for and not part.is_present()]


def apt_line(parts: list[Part]) -> str:
    """Return the command that installs `parts` on Debian and Ubuntu."""
    names = ' '.join(sorted(part.package for part in parts))
    return f'sudo apt-get update && sudo apt-get install -y {names}'
