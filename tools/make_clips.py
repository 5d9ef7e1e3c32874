#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make the users' clips in venus_ros/scenes/clips from the lines in texts.txt there.

A line is `voice: text`, or a text alone for the voice alice. Needs flite. Clips that are there
already stay as they are, so that a scene keeps its sound to the sample.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from venus_ros.scenes import voices


def wanted() -> list[tuple[str, str]]:
    """(voice, text) of each line, each once."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for line in (voices.CLIPS / 'texts.txt').read_text(encoding='utf-8').splitlines():
        if not line.strip() or line.startswith('#'):
            continue
        voice, _, text = line.partition(': ')
        if voice not in voices.SPEAKERS:
            voice, text = voices.DEFAULT_VOICE, line
        found.setdefault((voice, voices.slug(text)), (voice, text.strip()))
    return list(found.values())


def main() -> int:
    """Make what is missing and write index.json."""
    import soundfile

    if not shutil.which('flite'):
        sys.exit('make_clips needs flite: apt-get install flite')
    entries = []
    for voice, text in wanted():
        name = f'{voice}/{voices.slug(text)[:80]}.flac'
        path = voices.CLIPS / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            soundfile.write(path, voices.synthesise(text, voice), voices.RATE_HZ, 'PCM_16')
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        entries.append({'voice': voice, 'text': text, 'file': name, 'sha256': digest})
    text = json.dumps(entries, indent=1, ensure_ascii=False) + '\n'
    (voices.CLIPS / 'index.json').write_text(text, encoding='utf-8')
    print(f'{len(entries)} clips')
    return 0


if __name__ == '__main__':
    sys.exit(main())
