# SPDX-License-Identifier: Apache-2.0
"""The panel of tau-voice: latency, responsiveness and selectivity of a full-duplex agent.

L_R   mean seconds from a user's end to the agent's beginning
L_Y   mean seconds from an interruption's beginning to the agent's stop
R_R   share of user turns that are answered
R_Y   share of interruptions at which the agent stopped within 2.0 s
I_A   agent turns that began while the user spoke, per user turn
S_BC, S_ND   share of backchannels, and of speech meant for others, that are handled right: the
      agent does not stop between their beginning and 1.0 s after their end

Vocal tics (S_VT) are not part of the set. Rates of fewer than ten events are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from venus_ros.evaluation.records import Record
from venus_ros.evaluation.routing import wilson

YIELD_S = 2.0
HOLD_S = 1.0
FEWEST = 10


def panel(records: Sequence[Record]) -> dict[str, Any]:
    """Name → {n, value} and, of rates, `ci`; value none where there are too few events."""
    interruptions = [r for r in records if r.scenario == 'user_interruption']
    asking = [r for r in interruptions if not r.wants_silence]
    answers = [r.response_s for r in asking if r.response_s is not None]
    stops = [r.stop_s for r in interruptions if r.stop_s is not None]
    others = ('talking_to_other', 'background_speech')
    return {
        'L_R': _mean(answers),
        'L_Y': _mean(stops),
        'R_R': _rate([r.response_s is not None for r in asking]),
        'R_Y': _rate([r.stop_s is not None and r.stop_s <= YIELD_S for r in interruptions]),
        'I_A': _mean([float(r.talked_into) for r in interruptions]),
        'S_BC': _rate([_held(r) for r in records if r.scenario == 'user_backchannel']),
        'S_ND': _rate([_held(r) for r in records if r.scenario in others]),
    }


def _held(record: Record) -> bool:
    """Whether the agent did not stop for what is not meant for it."""
    return record.stop_s is None or record.stop_s > record.end_s - record.start_s + HOLD_S


def _mean(values: Sequence[float]) -> dict[str, Any]:
    few = len(values) < FEWEST
    return {'n': len(values), 'value': None if few else round(sum(values) / len(values), 3)}


def _rate(hits: Sequence[bool]) -> dict[str, Any]:
    if len(hits) < FEWEST:
        return {'n': len(hits), 'value': None, 'ci': None}
    low, high = wilson(sum(hits), len(hits))
    return {
        'n': len(hits),
        'value': round(sum(hits) / len(hits), 4),
        'ci': [round(low, 4), round(high, 4)],
    }
