# SPDX-License-Identifier: Apache-2.0
"""Sound, pictures and typed words that come in; speech that goes out, and what was heard of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Pcm = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """Microphone sound. `pcm` int16 [samples] (mono) or [samples, channels]."""

    stamp_ns: int
    source_id: str
    first_sample: int
    sample_rate: int
    pcm: Pcm
    frame_id: str = ''


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture. `pixels` uint8 [height, width, 3] RGB; optical frame of the camera (REP 103)."""

    stamp_ns: int
    pixels: NDArray[np.uint8]
    frame_id: str = ''


@dataclass(frozen=True, slots=True)
class TypedText:
    """Words that the user typed."""

    stamp_ns: int
    text: str


@dataclass(frozen=True, slots=True)
class Unit:
    """Everything that is known before the end of unit `k`: samples [k*N, (k+1)*N) and no later."""

    k: int
    pcm: Pcm
    end_ns: int
    frame: Frame | None = None
    typed: tuple[str, ...] = ()
    gap_samples: int = 0


class SpeechKind(IntEnum):
    UNKNOWN = 0
    AUDIO = 1
    END = 2
    FLUSH = 3


@dataclass(frozen=True, slots=True)
class SpeechChunk:
    """Robot speech on its way to the speaker. `pcm` int16 [samples], empty unless AUDIO."""

    session_id: str
    turn_id: int
    chunk_seq: int
    kind: SpeechKind
    first_sample: int
    sample_rate: int
    pcm: Pcm = field(default_factory=lambda: np.zeros(0, np.int16))
    text: str = ''
    work_ids: tuple[str, ...] = ()


class PlayoutState(IntEnum):
    UNKNOWN = 0
    IDLE = 1
    PLAYING = 2
    DUCKED = 3
    MUTED = 4


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """How much of one robot turn was heard."""

    session_id: str
    turn_id: int
    work_ids: tuple[str, ...]
    played: int
    discarded: int
    finished: bool
    began_ns: int = 0


@dataclass(frozen=True, slots=True)
class Playout:
    """What the speaker really played."""

    stamp_ns: int
    session_id: str
    turn_id: int
    work_ids: tuple[str, ...]
    played: int
    queued: int
    discarded: int
    state: PlayoutState
    latency_s: float = 0.0
    underruns: int = 0
    recent: tuple[TurnPlayed, ...] = ()
