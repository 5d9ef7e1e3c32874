# SPDX-License-Identifier: Apache-2.0
"""Writes requirements/lock-3.X.txt anew: `python3.X -m tools.lock`, once for each interpreter.

What is locked stays as it is, unless `--upgrade` names it; what is new gets the newest release
that fits, and what nothing needs any more goes.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tools.environment.plan import PIP

REQUIREMENTS = Path(__file__).resolve().parent.parent / 'requirements'
GROUPS = ('ros', 'build', 'base', 'voice', 'sim', 'device', 'test')
ALONE = ('weights', 'speakers')  # installed without their dependencies
HEAD = '# Every package that set-up installs, for this Python; used as a constraint.'


def main() -> None:
    """Resolve all groups in an empty environment and write the lock file."""
    parser = argparse.ArgumentParser(prog='python3.X -m tools.lock', description=__doc__)
    parser.add_argument('--upgrade', nargs='*', default=[], metavar='PACKAGE')
    upgrade = {_plain(name) for name in parser.parse_args().upgrade}
    lock = REQUIREMENTS / f'lock-{sys.version_info[0]}.{sys.version_info[1]}.txt'
    old = lock.read_text(encoding='utf-8').splitlines() if lock.exists() else []
    kept = [line for line in old if _plain(line.split('==')[0]) not in upgrade]
    with tempfile.TemporaryDirectory() as folder:
        venv = Path(folder) / 'venv'
        python = venv / 'bin' / 'python'
        subprocess.run([sys.executable, '-m', 'venv', venv], check=True)
        subprocess.run([python, '-m', 'pip', 'install', '-q', PIP], check=True)
        constraint = Path(folder) / 'kept.txt'
        constraint.write_text('\n'.join(kept), encoding='utf-8')
        found = _resolve(python, constraint, GROUPS, [])
        found |= _resolve(python, constraint, ALONE, ['--no-deps'])
    lines = [HEAD, *(f'{name}=={version}' for name, version in sorted(found.items()))]
    lock.write_text('\n'.join(lines) + '\n', encoding='utf-8')
    print(f'{lock.name}: {len(found)} packages')


def _resolve(
    python: Path, constraint: Path, groups: Iterable[str], options: list[str]
) -> dict[str, str]:
    """Return package → version of everything that `groups` would install."""
    report = constraint.with_suffix('.json')
    words = [f'-r{REQUIREMENTS / group}.txt' for group in groups]
    command: list[str | Path] = [python, '-m', 'pip', 'install', '-q', '--dry-run']
    command += ['--ignore-installed', f'-c{constraint}', '--report', report, *options, *words]
    subprocess.run(command, check=True)
    installs = json.loads(report.read_text(encoding='utf-8'))['install']
    return {_plain(item['metadata']['name']): item['metadata']['version'] for item in installs}


def _plain(name: str) -> str:
    return re.sub(r'[-_.]+', '-', name.strip()).lower()


if __name__ == '__main__':
    main()
