# SPDX-License-Identifier: Apache-2.0
"""Sets up what a command needs: `python3 -m tools.environment demo`."""

from __future__ import annotations

import argparse
import fcntl
import signal
import sys
import time
from pathlib import Path

from tools.environment.plan import Setup, command_environment
from tools.environment.ros_source import NoUsablePython, find_ros
from tools.environment.steps import CommandLog, StepFailed, run_steps
from tools.environment.system_parts import ESSENTIAL, PURPOSES, apt_line, missing_parts

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Set up for one purpose; return the exit code."""
    parser = argparse.ArgumentParser(prog='python3 -m tools.environment', description=__doc__)
    parser.add_argument('purpose', choices=PURPOSES)
    parser.add_argument('--python', help='interpreter to use (default: chosen)')
    parser.add_argument('--apt', action='store_true', help='only name missing apt packages')
    options = parser.parse_args()

    missing = missing_parts(options.purpose)
    if options.apt:
        print(*sorted(part.package for part in missing))
        return 0
    if missing:
        _tell_missing(options.purpose)
        if any(part.package in ESSENTIAL for part in missing):
            return 1
    start_s = time.monotonic()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        _set_up(options.purpose, options.python or None)
    except (NoUsablePython, StepFailed) as error:
        print(f'\nSet-up stopped: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\nSet-up interrupted; the next call goes on from here.', file=sys.stderr)
        return 130
    seconds = time.monotonic() - start_s
    if seconds > 3.0:
        print(f'Set up in {seconds:.0f} s. For a shell of your own: . .venv/venus.sh')
    return 0


def _tell_missing(purpose: str) -> None:
    missing = missing_parts(purpose)
    print(f'Missing on this machine for `make {purpose}`:')
    for part in missing:
        print(f'  {part.package:20} {part.purpose}')
    print(f'Install them with:\n  {apt_line(missing)}', flush=True)
    if not any(part.package in ESSENTIAL for part in missing):
        print('Going on without: what needs them is left out.', flush=True)


def _set_up(purpose: str, python: str | None) -> None:
    venv = ROOT / '.venv'
    ros = find_ros(venv, python)
    has_portaudio = 'portaudio19-dev' not in {part.package for part in missing_parts('test')}
    setup = Setup(ROOT, venv, ros, purpose, has_portaudio)
    venv.mkdir(exist_ok=True)
    with open(ROOT / '.setup.lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two set-ups at once: the second waits
        print(f'Environment: {ros.describe()}', flush=True)
        log = CommandLog(venv.parent / '.setup.log', command_environment(venv, ros))
        run_steps(setup.steps(), venv / 'stamps', log)


if __name__ == '__main__':
    sys.exit(main())
