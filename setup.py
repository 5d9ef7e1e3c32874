# SPDX-License-Identifier: Apache-2.0
"""Installs venus_ros as an ament_python package, or as a plain one without ROS' build tools."""

from __future__ import annotations

import os
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))
from venus_ros.bringup.plan import EXECUTABLES  # noqa: E402  (found through the line above)

NAME = 'venus_ros'
manifest = ElementTree.parse(ROOT / 'package.xml').getroot()


def text(tag: str) -> str:
    """Return what `package.xml` says about the package."""
    return (manifest.findtext(tag) or '').strip()


def requirements(group: str) -> list[str]:
    """Return the packages of `requirements/<group>.txt`, without comments."""
    lines = (ROOT / 'requirements' / f'{group}.txt').read_text(encoding='utf-8').splitlines()
    return [word for word in (line.split('#')[0].strip() for line in lines) if word]


def shared(folder: str) -> list[tuple[str, list[str]]]:
    """Return where each file below `folder` is installed, by its own folder."""
    return [
        (os.path.join('share', NAME, base), [os.path.join(base, name) for name in sorted(names)])
        for base, folders, names in os.walk(folder)
        if names and '__pycache__' not in base
    ]


os.chdir(ROOT)
maintainer = manifest.find('maintainer')
setup(
    name=NAME,
    version=text('version'),
    description=text('description'),
    license=text('license'),
    maintainer=text('maintainer'),
    maintainer_email=maintainer.get('email') if maintainer is not None else None,
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_data={
        f'{NAME}.scenes': ['clips/**/*', 'library/**/*'],
        f'{NAME}.evaluation': ['scenes/*', '*.yaml', 'natural_voices.*'],
        f'{NAME}.reflex': ['stop_head.*'],
    },
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        *shared('launch'),
        *shared('config'),
        *shared('models'),
    ],
    zip_safe=False,
    install_requires=['setuptools'],
    extras_require={
        group: requirements(group) for group in ('base', 'voice', 'sim', 'device', 'omni', 'test')
    },
    entry_points={
        'console_scripts': [
            f'venus = {NAME}.bringup.cli:main',
            *(f'{name} = {module}:main' for name, module in EXECUTABLES.items()),
        ]
    },
)
