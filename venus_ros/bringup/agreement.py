# SPDX-License-Identifier: Apache-2.0
"""Whether counted time tells the truth: the same sound is played to real processes in real time.

A session is run in counted time first. What the microphone got is then a sound file for the live
graph, and what was typed is typed at the same moment. Only sessions in which the robot answers a
question by itself can be repeated so, as nobody orders it to speak; the items are made to be such.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from venus_ros.bringup.live import play_live
from venus_ros.bringup.sessions import WORKING_S, Sessions
from venus_ros.evaluation.items import Item, draw
from venus_ros.evaluation.records import Played, Record, make_record
from venus_ros.evaluation.sentences import OVERLAPS, Script
from venus_ros.harness.skills import load
from venus_ros.scenes.format import Act, Double, Scene
from venus_ros.scenes.story import tell
from venus_ros.scenes.track import RATE_HZ
from venus_ros.silero import open_voice

LONGEST_OVERLAP_S = 4.0
"""An answer lasts nearly 8 s: what is said over it must leave it time to go on."""
INTO_TURN_S = 2.5
MARGIN_S = 0.5
"""A live turn that begins so much earlier, or any time later, is still the turn that was meant."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The same session in counted time and live.

    Attributes:
        late_s: so much later the robot began to answer live: then the voice came earlier in it.
    """

    counted: Record
    live: Record
    late_s: float

    @property
    def agrees(self) -> bool:
        """Whether both have the same tag."""
        return self.counted.tag == self.live.tag

    def __str__(self) -> str:
        sides = (('counted', self.counted), ('live', self.live))
        told = '; '.join(f'{name} {r.tag}, stop {_told(r.stop_s)}' for name, r in sides)
        told += f' (began {self.late_s:+.2f} s)'
        return f'{self.counted.id:<32}{self.counted.voice:<9}{self.counted.say[:32]:<34}{told}'


def repeatable(script: Script, part: str, names: Sequence[str], each: int) -> list[Item]:
    """Enough items for `each` scenario of overlap in `names`, made to be played live."""
    items = []
    for name in (name for name in OVERLAPS if name in names):
        few = [item for item in draw(script, part, name) if not item.sentence.before]
        items += [
            replace(
                item, robot='', opening='', question=script.questions[0], into_turn_s=INTO_TURN_S
            )
            for item in few[:: max(1, len(few) // (12 * each))]
        ]
    return items


def compare(items: Sequence[Item], each: int, clips: Path) -> Iterator[Pair]:
    """Run both; items whose overlap is too long for an answer are passed over.

    Raises:
        VenusError: a model or voice is missing, or the live robot does not get ready.
    """
    voice = open_voice()
    ran: list[tuple[Item, Played, float]] = []
    sessions = Sessions(clips)
    try:
        for item in items:
            if sum(item.scenario == other.scenario for other, _, _ in ran) < each:
                played, asked_s = sessions.play_timed(item)
                if played.end_s - played.start_s <= LONGEST_OVERLAP_S:
                    ran.append((item, played, asked_s))
    finally:
        sessions.close()
    for item, played, asked_s in ran:
        counted = make_record(item, played, voice, 0.0)
        repeated = _live(item, played, asked_s)
        live = make_record(item, repeated, voice, 0.0)
        yield Pair(counted, live, _begin_s(repeated) - _begin_s(played))


def _begin_s(played: Played) -> float:
    """When the turn began that was spoken over; NaN if there was none."""
    turns = (turn for turn in tell(played.log).turns if turn.turn_id == played.turn_id)
    return next((turn.begin_s for turn in turns), math.nan)


def _live(item: Item, played: Played, asked_s: float) -> Played:
    import soundfile

    robots = {server: Double(after_s=WORKING_S) for server in sorted({s.server for s in load()})}
    with tempfile.TemporaryDirectory(prefix='venus-eval-') as folder:
        wav = Path(folder) / 'user.wav'
        soundfile.write(str(wav), played.log.track.pcm, RATE_HZ)
        acts = (Act(0.0, wav=wav), Act(asked_s, text=item.question))
        scene = Scene(item.id, Path(item.id), user=acts, robots=robots, lasts_s=played.log.end_s)
        log = play_live(scene)
    turns = [
        turn
        for turn in tell(log).turns
        if turn.begin_s < played.start_s < turn.begin_s + INTO_TURN_S + MARGIN_S
    ]
    log.track = played.log.track
    turn_id = turns[0].turn_id if turns else 0
    return replace(played, log=log, turn_id=turn_id)


def _told(seconds: float | None) -> str:
    return 'none' if seconds is None else f'{seconds:.2f} s'
