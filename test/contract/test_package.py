# SPDX-License-Identifier: Apache-2.0
"""The two packages are what ROS' tools take them for."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from venus_ros.bringup.plan import EXECUTABLES
from venus_ros.core.errors import Code

ROOT = Path(__file__).resolve().parents[2]
TYPES = {('venus_ros', 'ros.ament_python'), ('venus_msgs', 'ros.ament_cmake')}
MANIFESTS = (ROOT / 'package.xml', ROOT / 'venus_msgs' / 'package.xml')


def colcon_list(folder: Path, *arguments: str) -> set[tuple[str, str]]:
    """Return (name, type) of the packages that colcon finds."""
    colcon = Path(sys.executable).with_name('colcon')
    program = str(colcon) if colcon.exists() else shutil.which('colcon')
    if program is None:
        pytest.skip('colcon is not installed')
    done = subprocess.run(
        [program, 'list', *arguments], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return {
        (line.split('\t')[0], line.split('\t')[2].strip('()')) for line in done.stdout.splitlines()
    }


def test_colcon_finds_both_packages_here() -> None:
    assert colcon_list(ROOT) == TYPES


def test_colcon_finds_both_packages_in_a_workspace(tmp_path: Path) -> None:
    (tmp_path / 'src').mkdir()
    (tmp_path / 'src' / 'venus_ros').symlink_to(ROOT)
    base = 'src/venus_ros'
    assert colcon_list(tmp_path, '--base-paths', base, f'{base}/venus_msgs') == TYPES


def test_versions_agree() -> None:
    said = subprocess.run(
        [sys.executable, 'setup.py', '--version'], cwd=ROOT, capture_output=True, text=True
    )
    versions = {ElementTree.parse(path).findtext('version') for path in MANIFESTS}
    versions.add(said.stdout.strip().splitlines()[-1] if said.stdout else said.stderr)
    assert len(versions) == 1, f'setup.py and the manifests say {versions}'


def test_every_file_of_the_package_is_installed(tmp_path: Path) -> None:
    built = tmp_path / 'built'
    done = subprocess.run(
        [sys.executable, 'setup.py', '-q', 'build', '-b', tmp_path / 'b', '--build-lib', built],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    source = ROOT / 'venus_ros'
    missing = [
        str(path.relative_to(ROOT))
        for path in source.rglob('*')
        if path.is_file()
        and '__pycache__' not in path.parts
        and not (built / path.relative_to(ROOT)).exists()
    ]
    assert not missing, f'setup.py leaves behind {len(missing)} files: {missing[:5]}'


@pytest.mark.parametrize('path', MANIFESTS, ids=lambda path: path.parent.name)
def test_maintainer_address_is_valid(path: Path) -> None:
    """An invalid one makes colcon take a ROS package for a plain one, without a word."""
    for maintainer in ElementTree.parse(path).iter('maintainer'):
        address = maintainer.get('email', '')
        assert re.fullmatch(r'[\w.+-]+@[\w-]+(\.[\w-]+)+', address), address


def test_executables_exist() -> None:
    missing = []
    for name, module in EXECUTABLES.items():
        path = ROOT / Path(*module.split('.')).with_suffix('.py')
        tree = ast.parse(path.read_text(encoding='utf-8')) if path.exists() else None
        if tree is None or not any(
            isinstance(node, ast.FunctionDef) and node.name == 'main' for node in tree.body
        ):
            missing.append(f'{name}: {module}.main')
    assert not missing, f'the plan names executables that are not there: {missing}'


def test_error_codes_lie_in_our_block() -> None:
    values = [code.value for code in Code.__members__.values()]
    assert len(set(values)) == len(Code.__members__), 'two names share a code'
    outside = [code for code in Code if code.value > 2 and not 20000 <= code.value <= 20999]
    assert not outside, f'codes outside 20000 to 20999: {outside}'


def test_interface_packages_need_no_plain_dependency_of_tests() -> None:
    """A missing dependency makes a workspace's build fail far from its cause."""
    needed = {
        name
        for path in (ROOT / 'venus_msgs').glob('*/*.*')
        for name in re.findall(
            r'^([a-z]\w*)/[A-Z]', path.read_text(encoding='utf-8'), re.MULTILINE
        )
    }
    declared = {element.text for element in ElementTree.parse(MANIFESTS[1]).iter('depend')}
    assert needed <= declared, f'venus_msgs/package.xml lacks {sorted(needed - declared)}'
