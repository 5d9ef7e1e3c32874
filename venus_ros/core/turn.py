# SPDX-License-Identifier: Apache-2.0
"""One robot turn: its sound, where its words lie in the sound, and whose results it tells."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from venus_ros.core.messages import Pcm
from venus_ros.core.step import Speech


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its samples [start, end) in the turn."""

    text: str
    start: int
    end: int


@dataclass(slots=True)
class Telling:
    """The part of a turn that restates one note: its sample ranges, and whether it is over."""

    attempt_id: str
    work_ids: tuple[str, ...]
    ranges: list[tuple[int, int]] = field(default_factory=list)
    over: bool = False
    told: bool = False

    def heard(self, played: int) -> bool:
        """Whether all of it is within the first `played` samples; without sound none is heard."""
        return self.over and played >= self.ranges[-1][1] > self.ranges[0][0]

    def share(self, played: int) -> float:
        """Return how much of what was made was within the first `played` samples, 0 to 1."""
        made = sum(end - start for start, end in self.ranges)
        heard = sum(max(0, min(end, played) - start) for start, end in self.ranges)
        return heard / made if made else 0.0


def spread(text: str, start: int, samples: int) -> list[Word]:
    """Return the words of `text`, spread over its samples in proportion to their length.

    Error: a word's true place differs by what the voice stretches, typically under 0.2 s.
    """
    texts = text.split()
    ends = np.cumsum([len(word) + 1 for word in texts], dtype=np.int64)
    places = [0, *(int(end) * samples // int(ends[-1]) for end in ends)]
    return [Word(word, start + places[i], start + places[i + 1]) for i, word in enumerate(texts)]


@dataclass(slots=True)
class Turn:
    """A turn in the making. Counts are samples of the turn, at the speech's rate.

    Attributes:
        made, sent: by the frontend, to the speaker.
        played, gone: heard and dropped, as the speaker reports.
        complete: nothing more will be made.
        end_sent: the speaker knows that it is complete, or was told to drop it.
        ended: TURN_ENDED was said, with the reason `outcome`.
        reported: the speaker has spoken of it.
        sent_s: steady time of the last sending or progress.
        began_ns: when its first sample was played, ROS time; 0 if none was.
    """

    turn_id: int
    made: int = 0
    sent: int = 0
    played: int = 0
    gone: int = 0
    complete: bool = False
    end_sent: bool = False
    ended: bool = False
    outcome: str = ''
    reported: bool = False
    interruptible: bool = True
    sent_s: float = 0.0
    began_ns: int = 0
    words: list[Word] = field(default_factory=list)
    tellings: dict[str, Telling] = field(default_factory=dict)
    works: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)
    pcm: Pcm = field(default_factory=lambda: np.zeros(0, np.int16))  # not yet sent

    def add(self, speech: Speech) -> None:
        """Append a piece of speech."""
        start, end = self.made, self.made + len(speech.pcm)
        self.pcm = np.concatenate([self.pcm, speech.pcm])
        if len(speech.pcm):  # words without sound can be heard by nobody
            self.words += spread(speech.text, start, len(speech.pcm))
        self.made = end
        if speech.work_ids:
            self.works.append((start, end, speech.work_ids))
        for telling in self.tellings.values():
            telling.over = telling.over or telling.attempt_id != speech.attempt_id
        if speech.attempt_id:
            telling = self.tellings.setdefault(
                speech.attempt_id, Telling(speech.attempt_id, speech.work_ids)
            )
            telling.ranges.append((start, end))

    def take(self, samples: int) -> tuple[int, Pcm, str, tuple[str, ...]]:
        """Return (first sample, sound, words that start in it, works it restates) to be sent."""
        first, pcm = self.sent, self.pcm[:samples]
        self.pcm, self.sent = self.pcm[samples:], first + len(pcm)
        text = ' '.join(w.text for w in self.words if first <= w.start < self.sent)
        ids = [w for start, end, ws in self.works if start < self.sent and end > first for w in ws]
        return first, pcm, text, tuple(dict.fromkeys(ids))

    def heard(self) -> str:
        """Return the words whose sound was played to their end."""
        return ' '.join(word.text for word in self.words if word.end <= self.played)

    def text(self) -> str:
        """Return all words made."""
        return ' '.join(word.text for word in self.words)

    @property
    def work_ids(self) -> tuple[str, ...]:
        """Works that any of its pieces restate."""
        return tuple(dict.fromkeys(w for _, _, ws in self.works for w in ws))

    @property
    def owed(self) -> bool:
        """Whether the speaker has something to report."""
        return self.ahead > 0 or self.end_sent

    @property
    def ahead(self) -> int:
        """Samples sent that are neither played nor dropped as far as is known."""
        return max(0, self.sent - self.played - self.gone)
