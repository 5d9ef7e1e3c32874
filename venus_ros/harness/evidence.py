# SPDX-License-Identifier: Apache-2.0
"""What was known when a request was made: frozen by stamp, however late the request arrives."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from venus_ros.core.messages import Frame, Pose, Role, Transcript

WORDS_NS = 12 * 10**9
PICTURES_NS = 60 * 10**9
PICTURE_PERIOD_NS = 10**9
POSE_PERIOD_NS = 10**8
MOST_PICTURES = 12
MOST_FROZEN = 64


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG, and when it was taken (ROS time)."""

    stamp_ns: int
    jpeg: bytes
    frame_id: str = ''


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was known at `opened_ns`; nothing later is inside.

    Attributes:
        evidence_id: the span's id, or a general goal's.
        opened_ns: end of the unit that opened the request, ROS time.
        unit: that unit.
        transcript: lines `user: …` and `robot: …` of the last 12 s, oldest first.
        pictures: at most 12 of the last 60 s, oldest first.
        pose: the robot's last pose; none if unknown.
    """

    evidence_id: str
    opened_ns: int
    unit: int
    transcript: tuple[str, ...]
    pictures: tuple[Picture, ...]
    pose: Pose | None


def encode_jpeg(frame: Frame) -> bytes:
    """The picture as JPEG, quality 85. Raises ValueError for pixels that are no RGB picture."""
    import cv2

    if frame.pixels.ndim != 3 or frame.pixels.shape[2] != 3 or frame.pixels.dtype != np.uint8:
        raise ValueError(f'not an RGB picture: {frame.pixels.dtype} {frame.pixels.shape}')
    done, data = cv2.imencode(
        '.jpg', np.ascontiguousarray(frame.pixels[:, :, ::-1]), [cv2.IMWRITE_JPEG_QUALITY, 85]
    )
    if not done:
        raise ValueError('the picture cannot be encoded')
    return data.tobytes()


class EvidenceStore:
    """Rings of what came in lately, and what was frozen of it.

    Args:
        encode: makes a JPEG of a raw frame.
    """

    def __init__(self, encode: Callable[[Frame], bytes] = encode_jpeg) -> None:
        self._encode = encode
        self._pictures: deque[Picture] = deque()
        self._words: deque[Transcript] = deque()
        self._poses: deque[Pose] = deque()
        self._frozen: dict[str, Evidence] = {}

    def see(self, frame: Frame | Picture) -> None:
        """Keep a picture, at most one per second of its stamps."""
        if self._pictures and frame.stamp_ns - self._pictures[-1].stamp_ns < PICTURE_PERIOD_NS:
            return
        if isinstance(frame, Frame):
            frame = Picture(frame.stamp_ns, self._encode(frame), frame.frame_id)
        self._pictures.append(frame)
        _drop_before(self._pictures, frame.stamp_ns - 2 * PICTURES_NS)

    def hear(self, transcript: Transcript) -> None:
        """Keep final words."""
        if not transcript.final or not transcript.text:
            return
        self._words.append(transcript)
        _drop_before(self._words, transcript.stamp_ns - 2 * PICTURES_NS)

    def stand(self, pose: Pose) -> None:
        """Keep a pose, at most ten per second of their stamps."""
        if self._poses and pose.stamp_ns - self._poses[-1].stamp_ns < POSE_PERIOD_NS:
            return
        self._poses.append(pose)
        _drop_before(self._poses, pose.stamp_ns - 2 * PICTURES_NS)

    def freeze(self, evidence_id: str, opened_ns: int, unit: int = 0) -> Evidence:
        """Select what had happened by `opened_ns`; the same id gives the first selection."""
        if evidence_id not in self._frozen:
            self._frozen[evidence_id] = Evidence(
                evidence_id,
                opened_ns,
                unit,
                tuple(
                    f'{"robot" if t.role is Role.ROBOT else "user"}: {t.text}'
                    for t in self._words
                    if opened_ns - WORDS_NS <= t.stamp_ns <= opened_ns
                ),
                tuple(
                    p for p in self._pictures if opened_ns - PICTURES_NS <= p.stamp_ns <= opened_ns
                )[-MOST_PICTURES:],
                next((p for p in reversed(self._poses) if p.stamp_ns <= opened_ns), None),
            )
            if len(self._frozen) > MOST_FROZEN:
                del self._frozen[next(iter(self._frozen))]
        return self._frozen[evidence_id]

    def get(self, evidence_id: str) -> Evidence | None:
        """What was frozen under this id; none if never, or if its works have ended."""
        return self._frozen.get(evidence_id)

    def release(self, evidence_id: str) -> None:
        """Forget what was frozen. Idempotent."""
        self._frozen.pop(evidence_id, None)


def _drop_before(ring: deque, stamp_ns: int) -> None:
    while ring and ring[0].stamp_ns < stamp_ns:
        ring.popleft()
