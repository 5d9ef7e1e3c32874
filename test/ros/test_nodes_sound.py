# SPDX-License-Identifier: Apache-2.0
"""Sound of any type, rate and quality becomes one clean stream, or a clear complaint."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from std_msgs.msg import (
    ByteMultiArray,
    Float32MultiArray,
    Header,
    Int16MultiArray,
    String,
    UInt8MultiArray,
)

from venus_ros.core.errors import InputError
from venus_ros.nodes.decode_audio import Sound, decode, looks_like_audio
from venus_ros.nodes.diagnostics import Level
from venus_ros.nodes.interfaces import msg
from venus_ros.nodes.sound_stream import SoundStream

TONE_HZ = 440.0


def tone(rate_hz: int, seconds: float = 1.0, channels: int = 1) -> Any:
    t = np.arange(round(rate_hz * seconds)) / rate_hz
    one = np.round(8000 * np.sin(2 * np.pi * TONE_HZ * t)).astype(np.int16)
    return np.repeat(one[:, None], channels, axis=1)


def push_all(
    stream: SoundStream, pcm: Any, rate_hz: int, now_s: float = 0.0, source: str = 'mic#1'
) -> list[Any]:
    """Feed `pcm` in 20 ms chunks in real time; returns the chunks that came out."""
    size, out = rate_hz // 50, []
    for first in range(0, len(pcm), size):
        sound = Sound(
            pcm[first : first + size], rate_hz, source, first, 1 + first * 10**9 // rate_hz
        )
        out += stream.push(sound, now_s + first / rate_hz)
    return out


def pitch_hz(pcm: Any) -> float:
    spectrum = np.abs(np.fft.rfft(pcm[2000:].astype(float)))
    return float(np.argmax(spectrum) * 16000 / (len(pcm) - 2000))


@pytest.mark.parametrize('rate_hz', [8000, 11025, 16000, 22050, 32000, 44100, 48000, 96000])
@pytest.mark.parametrize('channels', [1, 2, 4])
def test_a_tone_keeps_its_pitch_level_and_place(rate_hz: int, channels: int) -> None:
    out = push_all(SoundStream(), tone(rate_hz, 2.0, channels), rate_hz)
    pcm = np.concatenate([chunk.pcm for chunk in out])
    assert abs(pitch_hz(pcm) - TONE_HZ) < 2, f'the tone came out at {pitch_hz(pcm):.1f} Hz'
    assert 0.9 < np.abs(pcm[4000:-4000]).max() / 8000 < 1.1
    firsts = [chunk.first_sample for chunk in out]
    lengths = [len(chunk.pcm) for chunk in out]
    assert firsts == [sum(lengths[:i]) for i in range(len(lengths))], 'chunks do not join'
    assert sum(lengths) > 2 * 16000 * 0.95
    for chunk in out:
        assert abs(chunk.stamp_ns - 1 - chunk.first_sample * 62_500) < 200_000, 'stamps run away'


def test_a_loss_is_a_jump_of_the_index_and_is_counted() -> None:
    stream, pcm = SoundStream(), tone(16000)
    out = push_all(stream, pcm[:3200], 16000)
    gap = Sound(pcm[4800:5120], 16000, 'mic#1', 4800, 1)
    out += stream.push(gap, 0.3)
    assert out[-1].first_sample == 4800
    assert stream.counts['lost samples'] == 1600


def test_doubled_and_late_chunks_are_cut() -> None:
    stream, pcm = SoundStream(), tone(16000)
    push_all(stream, pcm[:640], 16000)
    assert stream.push(Sound(pcm[:320], 16000, 'mic#1', 0, 1), 0.1) == []
    (rest,) = stream.push(Sound(pcm[480:800], 16000, 'mic#1', 480, 1), 0.1)
    assert (rest.first_sample, len(rest.pcm)) == (640, 160)
    np.testing.assert_array_equal(rest.pcm, pcm[640:800, 0])


def test_a_source_that_does_not_count_is_heard_and_told() -> None:
    stream, pcm, out = SoundStream(), tone(16000), []
    for k in range(50):
        piece = pcm[k * 320 : (k + 1) * 320]
        out += stream.push(Sound(piece, 16000, 'naive', 0, 1 + k * 20_000_000), k * 0.02)
    assert sum(len(chunk.pcm) for chunk in out) >= 46 * 320
    firsts = [chunk.first_sample for chunk in out]
    assert firsts == sorted(set(firsts)), 'the index goes back'
    (health,) = stream.health(1.0)
    assert health.level is Level.WARN and 'first_sample' in health.message


def test_a_lying_rate_is_found_by_counting() -> None:
    stream, pcm = SoundStream(), tone(16000, 8.0)
    for k in range(0, len(pcm), 320):  # 320 samples come every 10 ms: 32 kHz in truth
        stream.push(Sound(pcm[k : k + 320], 16000, 'mic#1', k, 1), k / 32000)
    (health,) = stream.health(4.0)
    assert health.level is Level.ERROR
    assert '16000 Hz are stated' in health.message and '32' in health.message, health.message


def test_an_honest_rate_is_believed() -> None:
    stream = SoundStream()
    push_all(stream, tone(44100, 8.0), 44100)
    (health,) = stream.health(8.0)
    assert (health.level, health.message) == (Level.OK, 'hearing')


def test_the_second_source_is_ignored_and_named() -> None:
    stream, pcm = SoundStream(), tone(16000)
    push_all(stream, pcm[:640], 16000)
    assert stream.push(Sound(pcm[:320], 16000, 'other#2', 0, 1), 0.05) == []
    (health,) = stream.health(0.1)
    assert health.level is Level.ERROR
    assert 'mic#1' in health.message and 'other#2' in health.message


def test_another_source_takes_over_when_the_first_is_gone() -> None:
    stream, pcm = SoundStream(), tone(16000)
    push_all(stream, pcm[:640], 16000)
    (chunk,) = stream.push(Sound(pcm[:320], 16000, 'other#2', 0, 1), 5.0)
    assert (chunk.source_id, chunk.first_sample) == ('other#2', 0)


@pytest.mark.parametrize(
    ('pcm', 'says'), [(np.zeros((320, 1)), 'silence'), (np.full((320, 1), 32767), 'clipped')]
)
def test_silence_and_clipping_are_told(pcm: Any, says: str) -> None:
    stream = SoundStream()
    for k in range(400):
        stream.push(Sound(pcm.astype(np.int16), 16000, 'm', k * 320, 1), k * 0.02)
    (health,) = stream.health(8.0)
    assert health.level is Level.WARN and says in health.message, health.message


def test_samples_that_are_no_numbers_are_told() -> None:
    stream = SoundStream()
    stream.push(Sound(tone(16000, 0.02), 16000, 'm', 0, 1, bad_samples=7), 0.0)
    (health,) = stream.health(0.1)
    assert health.level is Level.WARN and 'no numbers' in health.message
    assert health.values['not finite'] == 7


def test_nothing_heard_and_no_longer_heard_are_told() -> None:
    stream = SoundStream()
    assert next(stream.health(0.0)).message == 'no sound has arrived'
    push_all(stream, tone(16000, 0.1), 16000)
    assert next(stream.health(9.0)).level is Level.ERROR


VALUES = np.array([0, 1000, -1000, 32767], np.int16)


@pytest.mark.parametrize(
    ('message', 'expected'),
    [
        (Int16MultiArray(data=VALUES.tolist()), VALUES),
        (UInt8MultiArray(data=array.array('B', VALUES.tobytes())), VALUES),
        (ByteMultiArray(data=[bytes([b]) for b in VALUES.tobytes()]), VALUES),
        (Float32MultiArray(data=[0.0, 0.5, -1.0, 2.0]), [0, 16384, -32767, 32767]),
        (msg.AudioChunk(data=array.array('h', VALUES), sample_rate=16000, channels=1), VALUES),
    ],
    ids=['int16', 'uint8', 'byte', 'float32', 'own'],
)
def test_samples_are_known_by_shape(message: Any, expected: Any) -> None:
    sound = decode(message)
    np.testing.assert_array_equal(sound.pcm[:, 0], expected)
    assert sound.rate_hz == 16000


def test_values_that_are_no_numbers_become_silence_and_are_counted() -> None:
    sound = decode(Float32MultiArray(data=[float('nan'), float('inf'), 0.5, -0.5]))
    assert sound.bad_samples == 2
    np.testing.assert_array_equal(sound.pcm[:, 0], [0, 0, 16384, -16384])


@pytest.mark.parametrize(
    ('message', 'says'),
    [
        (UInt8MultiArray(data=array.array('B', b'abc')), '3 bytes are no whole'),
        (Int16MultiArray(), 'no samples'),
        (
            msg.AudioChunk(data=array.array('h', [1, 2, 3]), sample_rate=16000, channels=2),
            '2 channels',
        ),
        (msg.AudioChunk(data=array.array('h', [1]), sample_rate=7, channels=1), '7 Hz'),
    ],
    ids=['odd', 'empty', 'cut', 'rate'],
)
def test_bad_sound_is_refused_with_a_reason(message: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        decode(message)


class Foreign:
    """A message of another project, by its fields."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def get_fields_and_field_types(self) -> dict[str, str]:
        return dict.fromkeys(self.__dict__, '')


def test_nested_stamped_sound_of_other_projects() -> None:
    data = Foreign(
        float32_data=array.array('f'),
        int16_data=array.array('h', VALUES),
        uint8_data=array.array('B'),
    )
    info = Foreign(format=8, channels=2, rate=44100, chunk=2)
    message = Foreign(header=Header(), audio=Foreign(audio_data=data, info=info))
    sound = decode(message)
    assert (sound.rate_hz, sound.pcm.shape) == (44100, (2, 2))


def test_compressed_sound_is_refused_by_name() -> None:
    message = Foreign(coding_format='mp3', data=array.array('B', b'abcd'))
    with pytest.raises(InputError, match='mp3'):
        decode(message)


def test_types_without_samples_are_recognised() -> None:
    assert looks_like_audio(msg.AudioChunk) and not looks_like_audio(String)
