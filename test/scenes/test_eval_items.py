# SPDX-License-Identifier: Apache-2.0
"""The set of the evaluation: drawn the same everywhere, balanced, and cut in two clean parts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from venus_ros.core.errors import ConfigError, InputError
from venus_ros.evaluation.items import EACH, SNRS_DB, draw, make_sounds
from venus_ros.evaluation.rooms import Place, heard_from, surroundings
from venus_ros.evaluation.sentences import PARTS, SCENARIOS, SHIPPED, Speaker, read_script
from venus_ros.evaluation.speakers import speak
from venus_ros.evaluation.stop_voices import NATURAL_HELD
from venus_ros.scenes.noise import ORDINARY_SPEECH, speech_level
from venus_ros.scenes.track import RATE_HZ

SCRIPT = read_script()


def test_the_parts_share_no_voice_and_no_sentence() -> None:
    tune, held = (SCRIPT.parts[name] for name in PARTS)
    voices = [{(v.engine, v.voice) for v in part.speakers} for part in (tune, held)]
    assert not voices[0] & voices[1], voices[0] & voices[1]
    natural = {voice for engine, voice in voices[1] if engine == 'natural'}
    assert natural <= set(NATURAL_HELD), 'voices that the stop words were trained on'
    said = [
        {s.say.lower().strip('?.! ') for own in part.scenarios.values() for s in own}
        for part in (tune, held)
    ]
    assert not said[0] & said[1], said[0] & said[1]


@pytest.mark.parametrize('part', PARTS)
@pytest.mark.parametrize('scenario', SCENARIOS)
def test_every_list_is_long_enough_and_balanced(part: str, scenario: str) -> None:
    items = draw(SCRIPT, part, scenario)
    assert len(items) == EACH >= 100
    assert items[:24] == draw(SCRIPT, part, scenario, 24), 'a short list is no beginning'
    assert len({item.id for item in items}) == EACH
    for count, what in ((24, items[:24]), (EACH, items)):
        voices = Counter(item.speaker.name for item in what)
        assert max(voices.values()) - min(voices.values()) <= 2, (count, voices)
        ratios = Counter(item.snr_db for item in what)
        assert len(ratios) == len(SNRS_DB) and len(set(ratios.values())) == 1, ratios
    met = {(item.speaker.name, item.snr_db) for item in items}
    assert len(met) == len(SNRS_DB) * len(SCRIPT.parts[part].speakers), 'voices miss ratios'
    assert all(item.speaker != item.user for item in items) == (scenario == 'background_speech')


def test_an_item_sounds_the_same_every_time(tmp_path: Path) -> None:
    items = [draw(SCRIPT, 'tune', name, 3)[-1] for name in SCENARIOS]
    for item in items:
        first, again = (make_sounds(item, tmp_path / name) for name in ('a', 'b'))
        for side in ('opening', 'over', 'steady', 'around'):
            same = np.array_equal(getattr(first, side), getattr(again, side))
            assert same, f'{item.id}: {side} differs'
        assert 0.1 < first.over_s <= len(first.over) / RATE_HZ
        assert (first.rest_s > 0) == (item.pause_s > 0)


def test_levels_and_distance() -> None:
    rng = np.random.default_rng(1)
    clip = rng.standard_normal(RATE_HZ)
    clip /= speech_level(clip, RATE_HZ)
    near, far, away = (
        heard_from(place, clip, np.random.default_rng(2))
        for place in (Place(), Place(-12.0, 0.4, 0.0), Place(turned=True))
    )
    level = speech_level(near, RATE_HZ)
    assert level == pytest.approx(ORDINARY_SPEECH, rel=0.02)
    assert len(far) > len(near) and speech_level(far, RATE_HZ) < level / 2
    high = [
        np.abs(np.fft.rfft(s))[4000:].mean() / np.abs(np.fft.rfft(s)).mean() for s in (near, away)
    ]
    assert high[1] < 0.6 * high[0], f'turned away is as bright: {high}'
    noise = surroundings('pink', -10.0, 4 * RATE_HZ, rng)
    below_db = -20 * np.log10(np.sqrt(np.mean(noise**2)) / ORDINARY_SPEECH)
    assert below_db == pytest.approx(10.0, abs=0.2)


@pytest.mark.parametrize(
    ('old', 'new', 'message'),
    [
        ('{say: uh huh}', '{say: uh huh, wants: silence}', 'asks for nothing'),
        ('{say: stop, wants: silence, about: stop}', '{say: stop}', 'needs answer or wants'),
        ('go to the | kitchen', 'go to the kitchen', 'stands for the pause'),
        ('engine: flite, voice: slt}', 'engine: festival, voice: slt}', 'must be one of'),
    ],
)
def test_a_wrong_file_names_the_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = SHIPPED.read_text(encoding='utf-8')
    assert old in text
    file = tmp_path / 'wrong.yaml'
    file.write_text(text.replace(old, new, 1), encoding='utf-8')
    with pytest.raises(ConfigError, match=message) as raised:
        read_script(file)
    assert f'{file}:' in raised.value.where


def test_a_voice_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='no_such_voice|failed|makes no sound'):
        speak(Speaker('x', 'espeak', 'no_such_voice'), 'hello', tmp_path)
