# SPDX-License-Identifier: Apache-2.0
"""A thread of its own for the session, so that no step of a frontend holds up a callback."""

from __future__ import annotations

import queue
import threading
import traceback
from collections.abc import Callable
from typing import Any

from venus_ros.core.errors import VenusError
from venus_ros.core.messages import AudioChunk
from venus_ros.core.session import Session
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.lifecycle import TICK_S

CLOSE_S = 3.0
LOADING_S = 0.2
"""A frontend that is still loading is not waited for."""
SOON_S, LATEST_S = 0.75 * TICK_S, 1.5 * TICK_S
"""A message brings the tick along if it is due soon; without one it comes by itself, later. So
sound, which comes once a tick, wakes the thread once and not twice."""
Order = Callable[[Session], list[Any]]
_STOP = object()


class SessionThread:
    """Opens a session, feeds it in order, closes it.

    Args:
        make: makes the session (and its frontend); runs in the thread, may take long.
        give: takes lists of messages that the session gave; called in the thread.
        opened: called in the thread once the session is open.
        failed: called in the thread with a sentence if it cannot be made or opened.
        stamp: ROS time, ns.

    Attributes:
        missed_s: sound that came before the session was open.
    """

    def __init__(
        self,
        make: Callable[[], Session],
        *,
        give: Callable[[list[Any]], None],
        opened: Callable[[], None],
        failed: Callable[[str], None],
        stamp: Callable[[], int],
    ) -> None:
        self._make, self._give, self._stamp = make, give, stamp
        self._opened, self._failed = opened, failed
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name='session', daemon=True)
        self.is_open = False
        self.missed_s = 0.0
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Messages that wait for the session."""
        return self._queue.qsize()

    def put(self, message: Any) -> None:
        """Feed a message; sound before the session is open is of the past and dropped."""
        if self.is_open or not isinstance(message, AudioChunk):
            self._queue.put(message)
        else:
            self.missed_s += len(message.pcm) / message.sample_rate

    def order(self, order: Order) -> None:
        """Call `order` with the session, between two messages."""
        self._queue.put(order)

    def close(self) -> None:
        """End the session and wait for it, but not for ever."""
        self._queue.put(_STOP)
        self._thread.join(CLOSE_S if self.is_open else LOADING_S)

    def _run(self) -> None:
        try:
            session = self._make()
            self._give(session.open(self._stamp))
            if self.missed_s:
                self._give(session.miss(self.missed_s))
        except VenusError as error:
            self._failed(str(error))
            return
        except Exception as error:
            traceback.print_exc()
            self._failed(f'{type(error).__name__}: {error}')
            return
        self.is_open = True
        self._opened()
        try:
            self._serve(session)
        finally:
            self.is_open = False
            self._give(session.close('deactivated'))

    def _serve(self, session: Session) -> None:
        ticked_s = now_s()
        while True:
            try:
                item = self._queue.get(timeout=max(0.0, ticked_s + LATEST_S - now_s()))
            except queue.Empty:
                item = None
            if item is _STOP:
                return
            try:
                if item is not None:
                    self._give(item(session) if callable(item) else self._feed(session, item))
                if now_s() - ticked_s >= SOON_S:
                    ticked_s = now_s()
                    self._give(session.tick(ticked_s))
            except Exception:
                traceback.print_exc()

    @staticmethod
    def _feed(session: Session, message: Any) -> list[Any]:
        return session.receive(message, now_s())
