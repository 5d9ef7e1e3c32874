# SPDX-License-Identifier: Apache-2.0
"""Words as they are said: one spelling for what recognisers and typists write in many."""

from __future__ import annotations

import re
import unicodedata

from venus_ros.language.chinese import in_english

_CONTRACTIONS = {
    "can't": 'can not', 'cannot': 'can not', "won't": 'will not', "shan't": 'shall not',
    "ain't": 'is not', "let's": 'let us', 'lets': 'let us', 'gimme': 'give me',
    'lemme': 'let me', 'gonna': 'going to', 'wanna': 'want to', 'gotta': 'have to',
    'outta': 'out of', 'kinda': 'kind of', 'dunno': 'do not know', "y'all": 'you all',
    "ma'am": 'madam', "o'clock": 'o clock', "'cause": 'because', "'em": 'them', 'ya': 'you',
    'dont': 'do not', 'cant': 'can not', 'wont': 'will not', 'didnt': 'did not',
    'doesnt': 'does not', 'isnt': 'is not', 'im': 'i am', 'ive': 'i have', 'youre': 'you are',
    'whats': 'what is', 'thats': 'that is', 'theres': 'there is',
    'anymore': 'any more', 'wheres': 'where is', 'hiya': 'hi',
    'hows': 'how is', 'whos': 'who is', 'couldnt': 'could not', 'wouldnt': 'would not',
}  # fmt: skip
_SPELLINGS = {
    'color': 'colour', 'colored': 'coloured', 'gray': 'grey', 'ok': 'okay', 'okey': 'okay',
    'k': 'okay', 'pls': 'please', 'plz': 'please', 'u': 'you', 'r': 'are', 'thx': 'thanks',
    'ty': 'thanks', 'hallo': 'hello', 'helo': 'hello', 'mom': 'mum', 'whilst': 'while',
    'alright': 'all right', 'cuz': 'because', 'til': 'until', 'till': 'until', 'tv': 'tv',
    'mhm': 'mm hmm', 'mmhmm': 'mm hmm', 'mm-hm': 'mm hmm', 'mm-hmm': 'mm hmm',
    'hm': 'hmm', 'hmmm': 'hmm', 'umm': 'um', 'uhm': 'um', 'erm': 'um', 'ehm': 'um', 'er': 'um',
    'uhh': 'uh', 'ahem': 'um', 'uh-huh': 'uh huh', 'uhhuh': 'uh huh', 'yea': 'yeah',
    'yep': 'yes', 'yup': 'yes', 'nope': 'no', 'nah': 'no',
}  # fmt: skip
_AFTER_IS = frozenset(
    ('the', 'a', 'an', 'my', 'mine', 'yours', 'in', 'on', 'at', 'under', 'not', 'gone', 'lost',
     'here', 'there', 'still', 'already', 'always', 'never', 'empty', 'full', 'broken', 'been',
     'so', 'too', 'very', 'really', 'over', 'where', 'for', 'off', 'just', 'nice')
)  # fmt: skip
"""Words before which 's stands for 'is': 'dad's in the kitchen', not 'dad's kitchen'."""
_ENDINGS = (
    (re.compile(r"n't\b"), ' not'),
    (re.compile(r"'re\b"), ' are'),
    (re.compile(r"'ve\b"), ' have'),
    (re.compile(r"'ll\b"), ' will'),
    (re.compile(r"'d\b"), ' would'),
    (re.compile(r"'m\b"), ' am'),
    (
        re.compile(
            r'\b(it|that|what|where|who|how|there|here|he|she|when|why|which|name|everyone|'
            r"everybody|someone|somebody|nobody)'s\b"
        ),
        r'\1 is',
    ),
)
_BREAK = re.compile(r'[.!?;:…。！？；：]+|,|，|\s[-–—]+\s')
_WORD = re.compile(r"[^\W_]+(?:[.'][^\W_]+)*|[,.?]")

COMMA, STOP, ASK = ',', '.', '?'
MARKS = frozenset((COMMA, STOP, ASK))
"""Tokens that are no words: a comma, the end of a sentence, the end of a question."""

FILLERS = frozenset(('um', 'uh', 'ah', 'hmm', 'eh', 'oh', 'mm'))
"""Sounds that carry no meaning inside a request."""


def tokens(text: str) -> list[str]:
    """Words in one spelling, with marks (see `MARKS`) where the speaker made a break."""
    plain = unicodedata.normalize('NFKC', text).lower()
    plain = plain.translate({0x2019: "'", 0x2018: "'", 0x60: "'", 0x201C: ' ', 0x201D: ' '})
    plain = re.sub(r'\b(mm|uh)-(hm+|huh)\b', r'\1 \2', plain)
    plain = plain.replace('%', ' percent ').replace('°', ' degrees ').replace('&', ' and ')
    plain = re.sub(r'(\d),(\d{3})\b', r'\1\2', plain)
    plain = _BREAK.sub(_mark, plain)
    result: list[str] = []
    for match in _WORD.finditer(plain):
        word = match[0]
        if word in MARKS:
            if result and result[-1] not in MARKS:
                result.append(word)
            continue
        result += _expand(word).split()
    return [_copula(result, i) for i in range(len(result))]


def _copula(spoken: list[str], i: int) -> str:
    """Word `i`, with the s of 'the keys are here, the remote's gone' as the verb that it is."""
    if spoken[i] != 's' or not i:
        return spoken[i]
    after = spoken[i + 1] if i + 1 < len(spoken) else ''
    return 'is' if after in _AFTER_IS or after.endswith(('ing', 'ed')) else 's'


def _mark(match: re.Match[str]) -> str:
    found = match[0].strip()
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    if found == '.' and before.isdigit() and after.isdigit():
        return found
    if found[:1] in ',，…' or found[:2] == '..' or set(found) <= set('-–—'):
        return f' {COMMA} '
    return f' {ASK} ' if '?' in found or '？' in found else f' {STOP} '


def _expand(word: str) -> str:
    word = in_english(_CONTRACTIONS.get(word, word))
    for pattern, plain in _ENDINGS:
        word = pattern.sub(plain, word)
    return ' '.join(_SPELLINGS.get(part, part) for part in word.replace("'s", ' s').split())


def words(text: str) -> list[str]:
    """`tokens` without the marks."""
    return [token for token in tokens(text) if token not in MARKS]


def normalise(text: str) -> str:
    """Plain words in one spelling, single blanks, no punctuation: "What's up?" -> 'what is up'."""
    return ' '.join(words(text))


_UNITS = {
    'zero': 0, 'one': 1, 'two': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6, 'seven': 7,
    'eight': 8, 'nine': 9, 'ten': 10, 'eleven': 11, 'twelve': 12, 'thirteen': 13,
    'fourteen': 14, 'fifteen': 15, 'sixteen': 16, 'seventeen': 17, 'eighteen': 18,
    'nineteen': 19, 'a': 1, 'an': 1,
}  # fmt: skip
_TENS = {
    'twenty': 20, 'thirty': 30, 'forty': 40, 'fifty': 50, 'sixty': 60, 'seventy': 70,
    'eighty': 80, 'ninety': 90,
}  # fmt: skip


def number_at(spoken: list[str], start: int) -> tuple[float, int] | None:
    """Number that begins at word `start` and the index after it; none if no number is there.

    Digits, 'minus two', 'two point five', 'one hundred and twenty', 'half a', 'a half',
    'two and a half'. A lone 'a' is no number.
    """
    i, sign = start, 1.0
    if i < len(spoken) and spoken[i] in ('minus', 'negative'):
        i, sign = i + 1, -1.0
    if i < len(spoken) and spoken[i] == 'half':
        return sign * 0.5, i + (2 if spoken[i + 1 : i + 2] in (['a'], ['an']) else 1)
    value, end = _count(spoken, i)
    if end == i:
        return None
    if spoken[end : end + 1] == ['point']:
        digits, j = '', end + 1
        while j < len(spoken) and _UNITS.get(spoken[j], 10) < 10 and spoken[j] not in ('a', 'an'):
            digits, j = digits + str(_UNITS[spoken[j]]), j + 1
        if digits:
            value, end = value + float(f'0.{digits}'), j
    if spoken[end : end + 3] == ['and', 'a', 'half']:
        value, end = value + 0.5, end + 3
    return sign * value, end


def _count(spoken: list[str], start: int) -> tuple[float, int]:
    total, i = 0.0, start
    while i < len(spoken):
        word = spoken[i]
        if re.fullmatch(r'\d+(?:\.\d+)?', word):
            total, i = total + float(word), i + 1
        elif word in ('a', 'an') and spoken[i + 1 : i + 2] not in (['hundred'], ['thousand']):
            break
        elif word in _UNITS:
            total, i = total + _UNITS[word], i + 1
        elif word in _TENS:
            total, i = total + _TENS[word], i + 1
        elif word in ('hundred', 'thousand') and i > start:
            total, i = total * (100 if word == 'hundred' else 1000), i + 1
        elif word == 'and' and i > start and spoken[i - 1] in ('hundred', 'thousand'):
            i += 1
        else:
            break
    return total, i
