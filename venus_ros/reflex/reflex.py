# SPDX-License-Identifier: Apache-2.0
"""The fast loop: stops without asking the model, and lowers the robot's level for the user.

It knows nothing of conversation or works, so that it acts when everything else is hung or dead.
Which words mean what is the frontend's business, but for the few that stop everything; any other
voice makes the robot quieter, no more.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from venus_ros.core.log import EventLog
from venus_ros.core.messages import (
    AudioChunk,
    Event,
    Kind,
    Pcm,
    Playout,
    PlayoutState,
    RobotCancel,
    Scope,
    Stopped,
    StopRequest,
)
from venus_ros.core.voice import VoiceActivity
from venus_ros.reflex.stop_words import Spotted

RESTORE_S = 0.5
"""So long after the voice has ended the level comes back."""
REMEMBERED = 256

_SOUNDING = (PlayoutState.PLAYING, PlayoutState.DUCKED)
_HARMLESS = (Kind.BACKCHANNEL, Kind.BACKGROUND, Kind.OTHER_DIRECTED)


class Spotter(Protocol):
    """Hears stop words in a stream of sound, see `StopWords`."""

    def push(self, pcm: Pcm) -> list[Spotted]:
        """Take the next sound, int16 [samples] at 16 kHz."""

    def reset(self) -> None:
        """Forget all sound."""


class Reflex:
    """Engine of the reflex.

    Takes StopRequest, AudioChunk (16 kHz mono), Playout, Event. Gives RobotCancel, Stopped,
    Event (STOPPED, DUCKED, RESTORED).

    Args:
        moves: the robot's action servers that move something.
        voice: detector of voice; None: the level is never lowered.
        source: node and its run, for events.
        stamp: gives ROS (or counted) time, ns.
        stop_words: hears them; None: none are known.
    """

    def __init__(
        self,
        moves: Iterable[str],
        voice: VoiceActivity | None,
        *,
        source: str,
        stamp: Callable[[], int],
        stop_words: Spotter | None = None,
    ) -> None:
        self._moves = tuple(moves)
        self._voice = voice
        self._stop_words = stop_words
        self._next_sample = ('', 0)
        self._stamp = stamp
        self._log = EventLog(source)
        self._stops: OrderedDict[str, Stopped] = OrderedDict()
        self._unnamed = 0
        self._playing = ('', 0)
        self._sounding = False
        self._ducked = False
        self._excused = False  # this voice was found to be of no concern
        self._voice_s = float('-inf')

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Take one message; those of no concern are ignored."""
        if isinstance(message, StopRequest):
            return self.stop(message)
        if isinstance(message, AudioChunk):
            return [*self._spot(message), *self._listen(message, now_s)]
        if isinstance(message, Playout):
            return self._watch(message)
        if isinstance(message, Event) and message.kind in _HARMLESS:
            self._excused = self._voice is not None and self._voice.speaking
            return self._restore(message.kind.name.lower())
        return []

    def tick(self, now_s: float) -> list[Any]:
        """Restore the level when the voice has been gone long enough."""
        if self._ducked and now_s - self._voice_s >= RESTORE_S:
            return self._restore('voice ended')
        return []

    def stop(self, request: StopRequest, spotted: Spotted | None = None) -> list[Any]:
        """Stop what is in the request's scope; a request that was obeyed is answered again.

        Args:
            request: what to stop.
            spotted: the word that asked for it; the event tells it, with its confidence.

        Returns:
            The cancels of all moves first, then Stopped and the event.
        """
        known = self._stops.get(request.request_id)
        if known is not None:
            return [known]
        self._unnamed += 0 if request.request_id else 1
        request_id = request.request_id or f'{self._log.source}/{self._unnamed}'
        scope = Scope.ALL if request.scope is Scope.UNKNOWN else request.scope
        stopped = Stopped(request_id, self._stamp(), scope)
        self._stops[request_id] = stopped
        if len(self._stops) > REMEMBERED:
            self._stops.popitem(last=False)
        cancels = [RobotCancel(server) for server in self._moves] if scope.motion else []
        reason = scope.name.lower() + (f', for the word "{spotted.word}"' if spotted else '')
        confidence = spotted.confidence if spotted else float('nan')
        return [*cancels, stopped, self._event(Kind.STOPPED, reason, confidence)]

    def _spot(self, chunk: AudioChunk) -> list[Any]:
        """Stop everything for each stop word. It listens always: a silent robot may be moving."""
        if self._stop_words is None:
            return []
        if self._next_sample != (chunk.source_id, chunk.first_sample):
            self._stop_words.reset()
        self._next_sample = (chunk.source_id, chunk.first_sample + len(chunk.pcm))
        out: list[Any] = []
        for spotted in self._stop_words.push(chunk.pcm):
            out += self.stop(StopRequest('', Scope.ALL), spotted)
        return out

    def _listen(self, chunk: AudioChunk, now_s: float) -> list[Any]:
        """Listen while there is something to lower: otherwise the detector costs nothing."""
        if self._voice is None or not (self._sounding or self._ducked):
            return []
        self._voice.push(chunk.pcm)
        if not self._voice.speaking:
            self._excused = False
            return self.tick(now_s)
        self._voice_s = now_s
        if self._ducked or self._excused:
            return []
        self._ducked = True
        return [self._event(Kind.DUCKED, 'voice')]

    def _watch(self, playout: Playout) -> list[Any]:
        self._playing = (playout.session_id, playout.turn_id)
        sounding = playout.state in _SOUNDING
        if sounding and not self._sounding and self._voice is not None:
            self._voice.reset()
            self._excused = False
        self._sounding = sounding
        return [] if sounding else self._restore('nothing is played')

    def _restore(self, reason: str) -> list[Any]:
        if not self._ducked:
            return []
        self._ducked = False
        return [self._event(Kind.RESTORED, reason)]

    def _event(self, kind: Kind, reason: str, confidence: float = float('nan')) -> Event:
        session_id, turn_id = self._playing
        return self._log.add(
            kind,
            self._stamp(),
            session_id,
            turn_id=turn_id,
            reason=reason,
            confidence=confidence,
        )
