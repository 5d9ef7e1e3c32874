# SPDX-License-Identifier: Apache-2.0
"""Imports point one way, and `core` stays pure."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / 'venus_ros'

ROOMS = {
    'core': set(),
    'language': {'core'},
    'frontends': {'core', 'language'},
    'reflex': {'core', 'language'},
    'harness': {'core', 'language'},
    'memory': {'core', 'language'},
    'scenes': {'core', 'language', 'frontends', 'reflex', 'harness', 'memory'},
    'nodes': {'core', 'language', 'frontends', 'reflex', 'harness', 'memory', 'scenes'},
    'dashboard': {'core', 'language', 'frontends', 'reflex', 'harness', 'memory', 'scenes'},
    'evaluation': {'core', 'language', 'frontends', 'reflex', 'harness', 'memory', 'scenes'},
    'sim': {'core', 'language', 'harness', 'scenes', 'nodes'},
    'bringup': {
        'core', 'language', 'frontends', 'reflex', 'harness', 'memory', 'scenes', 'nodes',
        'dashboard', 'evaluation', 'sim',
    },
}  # fmt: skip
"""Room → the rooms that it may import, beside itself and the modules beside the rooms."""

IMPURE = {
    'asyncio', 'ctypes', 'datetime', 'io', 'logging', 'multiprocessing', 'os', 'pathlib', 'queue',
    'random', 'select', 'shutil', 'signal', 'socket', 'sqlite3', 'subprocess', 'tempfile',
    'threading', 'time', 'urllib', 'wave',
}  # fmt: skip
"""Modules of the standard library that read clocks, start threads, or touch the world."""

ROS = {
    'action_msgs', 'builtin_interfaces', 'cv_bridge', 'diagnostic_msgs', 'geometry_msgs', 'launch',
    'launch_ros', 'lifecycle_msgs', 'nav2_msgs', 'nav_msgs', 'rcl_interfaces', 'rclpy',
    'sensor_msgs', 'std_msgs', 'std_srvs', 'tf2_ros', 'unique_identifier_msgs', 'venus_msgs',
}  # fmt: skip

MODULES = sorted(PACKAGE.rglob('*.py'))


def imported(path: Path) -> list[tuple[int, str]]:
    """Return (line, dotted name) of everything that a module imports, also inside functions."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'), str(path))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path}:{node.lineno}: imports are written in full'
            found.append((node.lineno, node.module or ''))
            found += [(node.lineno, f'{node.module}.{alias.name}') for alias in node.names]
    return found


def room_of(path: Path) -> str:
    """Return the room that a module lies in; empty for a module beside the rooms."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ''


def test_every_folder_is_a_room() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if (path / '__init__.py').exists()}
    assert folders <= set(ROOMS), f'rooms without a rule: {sorted(folders - set(ROOMS))}'


@pytest.mark.parametrize('room', sorted(ROOMS))
def test_imports_point_one_way(room: str) -> None:
    wrong = []
    for path in MODULES:
        if room_of(path) != room:
            continue
        for line, name in imported(path):
            parts = name.split('.')
            other = parts[1] if parts[0] == 'venus_ros' and len(parts) > 1 else ''
            if other in ROOMS and other != room and other not in ROOMS[room]:
                wrong.append(f'{path.relative_to(ROOT)}:{line}: {room} imports {name}')
    assert not wrong, '\n'.join(wrong)


def test_modules_beside_the_rooms_import_only_core_and_each_other() -> None:
    allowed = {'core', *(path.stem for path in PACKAGE.glob('*.py'))}
    wrong = [
        f'{path.relative_to(ROOT)}:{line}: {name}'
        for path in MODULES
        if room_of(path) == ''
        for line, name in imported(path)
        if name.startswith('venus_ros.') and name.split('.')[1] not in allowed
    ]
    assert not wrong, '\n'.join(wrong)


def test_core_is_pure() -> None:
    allowed = (set(sys.stdlib_module_names) - IMPURE) | {'numpy', 'venus_ros'}
    wrong = [
        f'{path.relative_to(ROOT)}:{line}: core imports {name}'
        for path in MODULES
        if room_of(path) == 'core'
        for line, name in imported(path)
        if name.split('.')[0] not in allowed
    ]
    assert not wrong, '\n'.join(wrong)


def test_only_nodes_import_ros() -> None:
    def may(path: Path) -> bool:
        room = room_of(path)
        return room == 'nodes' or (room == 'sim' and 'node' in path.stem)

    wrong = [
        f'{path.relative_to(ROOT)}:{line}: {name}'
        for path in MODULES
        if not may(path)
        for line, name in imported(path)
        if name.split('.')[0] in ROS
    ]
    assert not wrong, '\n'.join(wrong)


def test_only_one_module_imports_the_interfaces() -> None:
    holders = {
        str(path.relative_to(PACKAGE))
        for path in MODULES
        for _, name in imported(path)
        if name.split('.')[0] == 'venus_msgs'
    }
    assert holders == {'nodes/interfaces.py'}, f'import them from nodes/interfaces.py: {holders}'
