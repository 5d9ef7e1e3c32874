# SPDX-License-Identifier: Apache-2.0
"""The few Chinese words by which a listener shows that they listen, or takes the floor.

Recognition here is English; these words reach the floor as typed text, and from frontends that
hear Chinese. Requests in Chinese are not understood.
"""

from __future__ import annotations

import re

MEANINGS = {
    '嗯': 'mm hmm', '嗯哼': 'mm hmm', '唔': 'mm hmm', '哦': 'oh', '噢': 'oh', '喔': 'oh',
    '啊': 'ah', '对': 'right', '对的': 'right', '是': 'yes', '是的': 'yes', '是啊': 'yes',
    '好': 'okay', '好的': 'okay', '好吧': 'okay', '行': 'okay', '可以': 'okay', '没错': 'exactly',
    '知道了': 'i see', '我知道': 'i know', '明白': 'i see', '明白了': 'i see', '原来如此': 'i see',
    '真的': 'really', '真的吗': 'really', '太好了': 'great', '不错': 'good',
    '停': 'stop', '停下': 'stop', '停下来': 'stop', '停止': 'stop', '站住': 'stop',
    '别动': 'freeze',
    '别说了': 'stop talking', '不要说了': 'stop talking', '安静': 'be quiet', '闭嘴': 'be quiet',
    '等等': 'wait', '等一下': 'wait', '等一等': 'wait', '慢着': 'wait', '不': 'no', '不是': 'no',
    '不是的': 'no', '不对': 'no', '不对的': 'no', '不要': 'no',
    '算了': 'never mind', '取消': 'cancel that', '请': 'please', '谢谢': 'thanks',
    '你好': 'hello', '再见': 'goodbye',
}  # fmt: skip
"""Chinese, as it is written without blanks, and English with the same use in a conversation."""

_LONGEST_FIRST = re.compile('|'.join(sorted(MEANINGS, key=len, reverse=True)))


def in_english(word: str) -> str:
    """English of a run of Chinese that is made of these words alone: '好的好的' -> 'okay okay'.

    Anything else comes back as it was.
    """
    found = _LONGEST_FIRST.findall(word)
    return ' '.join(map(MEANINGS.__getitem__, found)) if ''.join(found) == word else word
