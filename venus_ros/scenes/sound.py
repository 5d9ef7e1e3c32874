# SPDX-License-Identifier: Apache-2.0
"""The robot's side of a live run as sound on the scene's clock."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from venus_ros.core.messages import Pcm, SpeechChunk
from venus_ros.scenes.log import Log
from venus_ros.scenes.story import tell
from venus_ros.scenes.track import RATE_HZ


def read_wav(file: Path, zero_ns: int) -> tuple[Pcm, int] | None:
    """What a speaker wrote, from t = 0 on, and its rate; none if it wrote nothing.

    `<file>.json` beside it tells the ROS time of sample 0.
    """
    import soundfile

    beside = file.with_name(file.name + '.json')
    if not file.is_file() or not beside.is_file():
        return None
    pcm, rate_hz = soundfile.read(str(file), dtype='int16')
    stamp_ns = json.loads(beside.read_text(encoding='utf-8'))['stamp_ns']
    shift = round((stamp_ns - zero_ns) * rate_hz / 1e9)
    if shift >= 0:
        return np.concatenate([np.zeros(shift, np.int16), pcm]), rate_hz
    return pcm[-shift:], rate_hz


def spoken(log: Log) -> tuple[Pcm, int]:
    """What was heard, put together from the speech and the speaker's reports."""
    chunks = [chunk for _, _, chunk in log.of(SpeechChunk) if len(chunk.pcm)]
    rate_hz = chunks[0].sample_rate if chunks else RATE_HZ
    turns = {(turn.session_id, turn.turn_id): turn for turn in tell(log).turns}
    length = max((turn.end_s for turn in turns.values()), default=0.0)
    out = np.zeros(max(0, round(length * rate_hz)) + 1, np.int16)
    for chunk in chunks:
        turn = turns.get((chunk.session_id, chunk.turn_id))
        if turn is None:
            continue
        heard = chunk.pcm[: max(0, round(turn.played_s * rate_hz) - chunk.first_sample)]
        first = round(turn.begin_s * rate_hz) + chunk.first_sample
        heard = heard[: max(0, len(out) - first)] if first >= 0 else heard[:0]
        out[first : first + len(heard)] = heard
    return out, rate_hz
