# SPDX-License-Identifier: Apache-2.0
"""Steps of a set-up: said while done, and done again only when their inputs change."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

PATIENCE_S = 1.0
"""A command that was interrupted gets so long to clean up."""


class StepFailed(RuntimeError):
    """A step could not be done; the message says what to look at."""


@dataclass(frozen=True)
class Step:
    """One step: its result depends on `inputs` alone.

    Attributes:
        name: Short name, unique; also the name of its stamp.
        title: What the user sees.
        inputs: Files, folders (all files below) and plain words that the result depends on.
        act: Does it; called with the log that commands write to.
    """

    name: str
    title: str
    inputs: Sequence[Path | str]
    act: Callable[[CommandLog], None]

    def digest(self) -> str:
        """Return a hash of all inputs."""
        total = hashlib.sha256()
        for item in self.inputs:
            for part in _contents(item):
                total.update(hashlib.sha256(part).digest())
        return total.hexdigest()


def _contents(item: Path | str) -> Iterable[bytes]:
    if isinstance(item, str):
        yield item.encode()
    elif item.is_dir():
        for path in sorted(item.rglob('*')):
            if path.is_file() and '__pycache__' not in path.parts:
                yield str(path.relative_to(item)).encode()
                yield path.read_bytes()
    else:
        yield item.read_bytes()


@dataclass
class CommandLog:
    """Runs commands, keeps what they print in one file, and shows its end if one fails."""

    path: Path
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def run(self, command: Sequence[str | Path], attempts: int = 1) -> None:
        """Run `command`; try again up to `attempts` times with growing pauses.

        Raises:
            StepFailed: The last attempt failed; the message ends with the command's last lines.
        """
        words = [str(word) for word in command]
        for attempt in range(1, attempts + 1):
            with self.path.open('a', encoding='utf-8') as log:
                start = log.tell()
                log.write(f'\n$ {" ".join(words)}\n')
                log.flush()
                status = self._run_once(words, log)
            if status == 0:
                return
            if attempt < attempts:
                time.sleep(5.0 * attempt)
        tail = ''.join(_last_lines(self.path, start, 15))
        raise StepFailed(f'`{" ".join(words[:6])} …` failed:\n{tail}\nThe whole log: {self.path}')

    def _run_once(self, words: Sequence[str], log: IO[str]) -> int:
        """Return the exit status; whatever interrupts us ends the command with all it started."""
        process = subprocess.Popen(
            words,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=dict(self.environment),
            start_new_session=True,
        )
        try:
            return process.wait()
        except BaseException:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE_S)
            raise


def _last_lines(path: Path, start: int, count: int) -> list[str]:
    with path.open(encoding='utf-8', errors='replace') as log:
        log.seek(start)
        return [f'    {line}' for line in log.readlines()[-count:]]


def run_steps(steps: Sequence[Step], stamps: Path, log: CommandLog) -> None:
    """Do every step whose inputs differ from those that it was last done with.

    Prints one line a step. A stamp is written only after its step ended well, so that the next
    call goes on where this one broke off.

    Raises:
        StepFailed: From the step that failed; the steps before it stay done.
    """
    for number, step in enumerate(steps, start=1):
        digest = step.digest()
        stamp = stamps / step.name
        label = f'[{number}/{len(steps)}] {step.title}'
        if stamp.exists() and stamp.read_text() == digest:
            continue
        stamp.unlink(missing_ok=True)
        with _Progress(label):
            step.act(log)
        stamps.mkdir(parents=True, exist_ok=True)  # a new virtual environment starts without
        stamp.write_text(digest)


class _Progress:
    """Shows a label at once, the seconds while they pass on a terminal, and the sum at the end."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._ended = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> _Progress:
        self._start_s = time.monotonic()
        print(f'{self._label} …', end='', flush=True)
        if sys.stdout.isatty():
            self._ticker.start()
        return self

    def _tick(self) -> None:
        while not self._ended.wait(1.0):
            print(f'\r{self._label} … {self._elapsed_s():3.0f} s', end='', flush=True)

    def _elapsed_s(self) -> float:
        return time.monotonic() - self._start_s

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._ended.set()
        if self._ticker.is_alive():
            self._ticker.join()
        start = f'\r{self._label} …' if sys.stdout.isatty() else ''
        print(f'{start} {"failed after " if kind else ""}{self._elapsed_s():3.0f} s', flush=True)
