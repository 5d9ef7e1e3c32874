# SPDX-License-Identifier: Apache-2.0
"""Stop and response latencies from two tracks of sound, by the rule of Full-Duplex-Bench v1.5.

Speech is where Silero hears it. The user's pauses of at most 0.6 s and the model's of at most
0.5 s are bridged; a stop is how long both speak at once, a response is the gap from the user's
end to the model's next beginning. By this rule a robot that never stops has a stop latency too
(the user's length), so the true stop is told beside it: see `outcome.Verdict.stop_s`.
"""

from __future__ import annotations

from collections.abc import Sequence

from venus_ros.core.messages import Pcm
from venus_ros.core.voice import VoiceActivity
from venus_ros.silero import RATE_HZ

USER_GAP_S = 0.6
MODEL_GAP_S = 0.5
SHORTEST_S = 0.25
PAD_S = 0.03
"""Shorter stretches are no speech; those that are get so much on both sides (Silero's own)."""

Span = tuple[float, float]
"""Beginning and end, s."""


def speech(pcm: Pcm, voice: VoiceActivity) -> list[Span]:
    """Where speech is heard in int16 [samples] at 16 kHz. `voice` starts anew."""
    voice.reset()
    spans: list[Span] = []
    begin_s = 0.0
    for edge in voice.push(pcm):
        at_s = edge.sample / RATE_HZ
        if edge.speech:
            begin_s = at_s
        else:
            spans.append((begin_s, at_s))
    if voice.speaking:
        spans.append((begin_s, len(pcm) / RATE_HZ))
    end_s = len(pcm) / RATE_HZ
    return [(max(0.0, b - PAD_S), min(end_s, e + PAD_S)) for b, e in spans if e - b >= SHORTEST_S]


def merged(spans: Sequence[Span], gap_s: float) -> list[Span]:
    """`spans` in their order with gaps of at most `gap_s` bridged."""
    out: list[Span] = []
    for begin_s, end_s in spans:
        if out and begin_s - out[-1][1] <= gap_s:
            out[-1] = (out[-1][0], max(end_s, out[-1][1]))
        else:
            out.append((begin_s, end_s))
    return out


def latencies(user: Sequence[Span], model: Sequence[Span]) -> tuple[list[float], list[float]]:
    """Stop and response latencies of two tracks, s, as the benchmark lists them."""
    user, model = merged(user, USER_GAP_S), merged(model, MODEL_GAP_S)
    both = ((max(u[0], m[0]), min(u[1], m[1])) for u in user for m in model)
    stops = [end_s - begin_s for begin_s, end_s in both if end_s > begin_s]
    answered: dict[float, float] = {}
    for _, end_s in user:
        begins = [begin_s for begin_s, _ in model if begin_s > end_s]
        if begins:
            answered[begins[0]] = max(end_s, answered.get(begins[0], end_s))
    return stops, [begin_s - end_s for begin_s, end_s in sorted(answered.items())]
