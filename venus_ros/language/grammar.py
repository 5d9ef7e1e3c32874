# SPDX-License-Identifier: Apache-2.0
"""The shape of what was said, without its sense.

What is politeness around a request, where one clause ends and the next begins, where the speaker
took something back, whether the sentence is complete. Works on tokens joined by blanks, with the
marks of `text.tokens`; knows English, no skills.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from venus_ros.language.politeness import LEAD, TRAIL, WISHES

_REPAIR = re.compile(
    r'(?:,|\.|\b)? ?(?:(?:oh |um |uh |ah )*'
    r'(?:no(?: ,)? (?:wait|sorry|i mean|i meant|actually|not that|make that|hang on|hold on)'
    r'(?: ,)?|'
    r'wait(?: ,)? (?:no|i mean|actually|make it|make that|not)?|'
    r'(?:sorry|pardon|oops|whoops)(?: ,)?(?: i (?:mean|meant)(?: to say)?)?|'
    r'i mean(?:t)?(?: to say)?|or rather|rather|scratch that|strike that|correction|'
    r'make (?:that|it)|on second thoughts?|hang on|hold on|change (?:that|it) to|let us make it|'
    r'let us say|actually|no)'
    r'(?: ,)?(?: (?:no|um|uh|sorry|actually|make it|make that|i mean|i meant))*(?: ,)?) '
)
_SURE_REPAIR = re.compile(
    r'\b(?:no(?: ,)? (?:wait|sorry|i mean|i meant|make)|wait|sorry|oops|i mean|i meant|or rather|'
    r'scratch|strike|correction|make (?:that|it)|on second|hang on|hold on|change)\b'
)
_JOINT = re.compile(
    r'(?: ,)? (?:and(?: then| after that| afterwards| also| finally| please| now| next)?(?: ,)?|'
    r'then|after that|afterwards) |(?: ,)? before (?:that|you) | [.?] | , (?:but )?|(?: ,)? but '
)
_THEN = re.compile(r'\b(?:then|after|afterwards|finally|next)\b')
_RUN_ON = re.compile(
    r'^(?P<left>\w+ \w+ \w+.*?) (?P<right>(?:(?:can|could|would|will) you|please) .+)$|'
    r'^(?P<feeling>(?:i|we) (?:am|are) (?:so |very |really )?(?!\w+ing\b)\w+) (?P<order>.+)$'
)
_HELD = re.compile(
    r'(?:no |okay |oh )?(?:wait(?: a (?:second|moment|minute))?|hang on|hold on|'
    r'one (?:moment|second)|just a (?:moment|second))|'
    r'(?:please )?(?:can|could|would|will) you(?: please)?|'
    r'i mean|i would like|i want|i need|could i'
)
_ASKS = re.compile(
    r'\b(?:what|where|which|who|whose|how|if|whether|is it|are you|did you)\b|\?\s*$'
)
_OPEN_END = frozenset(
    ('the', 'a', 'an', 'my', 'your', 'to', 'into', 'in', 'on', 'at', 'from', 'of', 'for', 'with',
     'and', 'or', 'but', 'then', 'could', 'would', 'can', 'will', 'because', 'if', 'is', 'are',
     'bring', 'fetch', 'give', 'tell', 'put', 'take', 'grab', 'under', 'near', 'red', 'blue',
     'green', 'i', 'we', 'so', 'which', 'some', 'get', 'pick', 'hand', 'also', 'um', 'uh')
)  # fmt: skip
_QUESTION_END = frozenset(
    ('is', 'are', 'take', 'for', 'to', 'of', 'in', 'on', 'from', 'with', 'at', 'will', 'can', 'i',
     'we', 'get', 'put', 'bring', 'give', 'so', 'red', 'blue', 'green', 'grab', 'fetch', 'also')
)  # fmt: skip
_WHOLE = frozenset(('red', 'blue', 'green'))
_PASTS = {
    'went': 'go', 'brought': 'bring', 'got': 'get', 'took': 'take', 'gave': 'give',
    'drove': 'drive', 'came': 'come', 'found': 'find', 'told': 'tell', 'left': 'leave',
    'made': 'make', 'laid': 'lay', 'saw': 'see', 'carried': 'carry', 'held': 'hold', 'ran': 'run',
}  # fmt: skip


def core(text: str, name: str = '') -> str:
    """`text` without greeting, name, politeness and fillers around it.

    Args:
        text: tokens joined by blanks.
        name: the robot's, in plain words.
    """
    plain = re.sub(r'\b(?:um|uh|ah|eh|hmm|mm)\b(?: ,)? ?', '', text).strip(' ,.?')
    plain = re.sub(r'\b(?!no\b|bye\b|yes\b|very\b)(\w+)(?: \1\b)+', r'\1', plain)
    if name:
        own = re.escape(name)
        plain = re.sub(rf'^(?:(?:hey|hi|hello|okay|oh|dear) )?{own}\b[ ,]*', '', plain)
        plain = re.sub(rf'[ ,]+(?:hey )?{own}$', '', plain)
    while True:
        shorter = LEAD.sub('', plain).strip(' ,.?')
        shorter = TRAIL.sub('', shorter).strip(' ,.?')
        if name:
            shorter = re.sub(rf'^{own}\b[ ,]*', '', shorter)
        if not shorter or shorter == plain:
            return plain
        plain = shorter


def as_order(text: str, name: str = '') -> str:
    """`core` of a text, with a wish turned into the order that it stands for."""
    return core(wish_as_order(core(text, name)), name)


def wish_as_order(clause: str) -> str:
    """'i need the cup' -> 'bring me the cup', 'i lost my keys' -> 'find my keys', ..."""
    for wish, order in WISHES:
        changed = wish.sub(order, clause, count=1)
        if changed != clause:
            return changed
    return clause


def bare_verb(clause: str, known: Callable[[str], bool]) -> str:
    """'going to the hall', 'went to the hall' -> 'go to the hall', if that is a `known` verb."""
    first, _, rest = clause.partition(' ')
    if not first or known(first):
        return clause
    if first.endswith('ing'):
        stems = (first[:-3], first[:-3] + 'e', first[:-4])
    else:
        stems = (_PASTS.get(first, ''), first.removesuffix('ed'), first.removesuffix('d'))
    verb = next((stem for stem in stems if stem not in ('', first) and known(stem)), '')
    return f'{verb} {rest}'.strip() if verb else clause


def clauses(
    text: str,
    begins: Callable[[str], bool],
    names: Callable[[str], bool] = lambda _: False,
) -> list[str]:
    """`text` cut at those joints after which something new `begins`.

    Args:
        names: whether words begin with the name of something: 'the hall' after 'and then'.
    """
    result, start = [], 0
    for match in _JOINT.finditer(text):
        rest = text[match.end() :]
        follows = begins(rest) or (_THEN.search(match[0]) is not None and names(rest))
        if match.start() > start and follows:
            result.append(text[start : match.start()])
            start = match.end()
    result.append(text[start:])
    return [part.strip(' ,.?') for part in result if part.strip(' ,.?')]


def run_on(clause: str) -> tuple[str, str] | None:
    """A statement and the order that follows it without a break; none if there is none.

    'my keys are in the hall can you get them', 'i am hungry bring me a banana'
    """
    match = _RUN_ON.match(clause)
    if match is None:
        return None
    return match['left'] or match['feeling'], match['right'] or match['order']


def is_past(verb: str) -> bool:
    """Whether a verb tells what was: 'went', 'moved'."""
    return verb in _PASTS or (verb.endswith('ed') and len(verb) > 4)


def repair(text: str) -> tuple[str, str, bool] | None:
    """What was said before and after the speaker took something back; none if nothing was.

    The third value tells whether the words leave no doubt ('i mean', 'no wait'); 'no' and
    'actually' alone may mean something else.
    """
    text = re.sub(r'(?: ,)? i mean(?:t)?[ .,]*$', '', text)
    matches = [match for match in _REPAIR.finditer(text) if match.end() < len(text)]
    if not matches:
        return None
    last = matches[-1]
    sure = bool(_SURE_REPAIR.search(last[0])) or ',' in last[0]
    return text[: last.start()].strip(' ,.'), text[last.end() :].strip(' ,.?'), sure


def unfinished(text: str) -> bool:
    """Whether an utterance breaks off in the middle."""
    spoken = [word for word in text.split() if word not in (',', '.', '?')]
    if not spoken:
        return False
    if _HELD.fullmatch(' '.join(spoken)):
        return True
    if len(spoken) == 1:
        return spoken[0] in _OPEN_END - _WHOLE
    if spoken[-1] in _WHOLE and spoken[-2] not in ('the', 'a', 'my', 'that', 'this', 'me'):
        return False
    asks = bool(_ASKS.search(text))
    return spoken[-1] in _OPEN_END and not (asks and spoken[-1] in _QUESTION_END)
