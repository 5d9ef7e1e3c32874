# SPDX-License-Identifier: Apache-2.0
"""How English wraps a request: words before it, words after it, wishes that stand for it.

Notation: words are matched as they stand; `(a|b)` is a choice, `(a)?` may be absent, `(a)*` may be
there several times; `<question>` looks ahead for a question word, `<ing>` for a gerund, `<thing>`
takes the rest if it begins like a thing ('the cup', 'my keys'); `,` is a break.
"""

from __future__ import annotations

import re

_LOOKS = {
    '<question>': r'(?=(?:where|what|which|how many|if|whether|who)\b)',
    '<where>': r'(?=where\b)',
    '<ing>': r'(?=\w+ing\b)',
    '<would>': r'(?=it (?:would|will|might) be\b)',
    '<seek>': r'(?=(?:find|look|search|get|bring|carry)\b)',
    '<fetch>': r'(?=(?:find|look|search|get|bring|fetch|grab|pick|take|put|see if)\b)',
    '<wish>': r'(?=(?:i|we) (?:really |also |now |just )?(?:want|need|would like|would love|lost)'
    r'\b)',
    '<order>': r'(?=(?:bring|get|give|go|tell|fetch|find|look|take|put|pick|see|drive|come)'
    r'\b)',
    '<at>': r'(?=(?:in|at|over|back|inside|here|there)\b)',
    '<thing>': r'(?P<thing>(?:the|my|a|an|some|that|this|those|these|your|our|another|one|his|her|'
    r'something|anything)\b.*)',
}
_PART = re.compile(r'<\w+>|\(([^()]*)\)([?*]?)|\S+')


def pattern(notation: str) -> str:
    """Regular expression of the notation; every word is followed by a blank."""

    def part(match: re.Match[str]) -> str:
        if match[0] in _LOOKS:
            return _LOOKS[match[0]]
        if match[1] is None:
            return match[0] + ' '
        return f'(?:(?:{match[1]}) ){match[2]}'

    return ''.join(part(match) for match in _PART.finditer(notation))


_LEADS = (
    'would you mind (please)?',
    'do you mind',
    'do you think (that)? you (can|could|would|might) (be able to)?',
    '(i|we) (would|will)? (really|also)? (like|want|need|love|prefer|ask|wish|expect) you to',
    '(i|we) (would|will) (really)? (appreciate it|love it|like it|be glad|be happy|be grateful|'
    'be pleased|be delighted) if you (can|could|would|will)?',
    '(would|will|is) it (be)? (possible|okay|all right|too much trouble) (for you)? '
    '(to|if you) (could|would)?',
    '(i|we) (think|guess|suppose|believe|feel) (that)? <would>',
    'it (would|will|might) be (really|very|so)? (nice|great|good|lovely|kind|helpful|cool|best|'
    'better|ideal|handy|useful|wonderful|perfect|sweet) if (you|someone|somebody) '
    '(can|could|would)?',
    '(i|we) would (rather|prefer) (it if)? you (would)?',
    '(i|we) (was|were|am|are) hoping (that)? (you|someone|somebody) (can|could|would|might)',
    '(can|could|will|would) not you',
    '(can|could|would|will) (someone|somebody|anyone|anybody) (please)?',
    'mind <ing>',
    'be (a|an) (dear|darling|star|angel|champ|sport|love) (and|,)*',
    'if it is not (too much|any)? (trouble|bother) (,)?',
    '(will|would|could) you be so (kind|good|nice) (as to|and)',
    '(please)? be so (kind|good|nice) (as to|and)',
    'would you be (able|willing|kind enough|so kind as) to',
    'are you (able|willing|free) to',
    '(i|we) (was|were|am|are) (just)? wondering if you (can|could|would|might) (be able to)?',
    '(i|we) wonder if you (can|could|would|might)',
    '(may|can|could|might) (i|we) (please)? (ask|bother|trouble|get) you (to|for)',
    '(i|we) (am|are) asking you to',
    '(i|we) have (got)? a (task|job|favour|favor|request|question) for you',
    '(could you|can you)? do (me|us) a (favour|favor|kindness) (and|,)*',
    '(i|we) need (a favour|a favor|your help|some help|help) (from you)? (to|and|,)*',
    '(could|can) you help (me|us) (to|and|out and)?',
    'help (me|us) (to)? <seek>',
    'you (should|can|could|may|must|have to|need to|ought to|are to|will|might want to|'
    'had better) (now|please|just|also)?',
    'it is time (for you)? to',
    '(i|we) said (that you should|you should)?',
    '(i|we) (already)? (asked|told) you to',
    'your (next|new|first)? (task|job|mission|order|goal) is (to)?',
    '(how about|what about|why not) <ing>',
    'how about (if)? you',
    'why do (not you|you not) (just)?',
    'feel free to',
    'go ahead and',
    'be a (dear|darling|good robot|sweetheart) and',
    '(do not|never) forget to',
    '(please)? (make sure|be sure|remember|try|hurry|get ready|start|begin) (that)? (to|you|and) '
    '(go and)?',
    'if you (can|could|do not mind|have time|have the time|want|like|please|would) (,)?',
    '(when|whenever) you (can|have time|have a moment|have a minute|have a second|have a chance|'
    'are ready|are free|are done) (,)?',
    '(as soon as you can|if possible|if it is possible|if that is okay) (,)?',
    'shall we',
    'let us (now|just)?',
    'the next thing (i|we) (want|need) is (for you)? to',
    'what (i|we) (want|need|would like|would love) (now|from you)? is (,)? (for)? (you to)?',
    '(i|we) (think|guess|suppose|believe|feel like) (that)? <wish>',
    '(go|come|run) (and|over and)? <fetch>',
    '(i|we) (think|guess|suppose|believe) you (should|could|can|need to|have to)',
    'you know what (,)?',
    '(and|good|cut|ken) you (please)? <order>',
    '(can|could|would|will|might|may) you (please|kindly|maybe|possibly|perhaps|just|quickly|'
    'also|then)*',
    '(please|kindly|just|maybe|perhaps|possibly|probably|quickly|quick|now|next|then|also|'
    'first of all|first|firstly|secondly|finally|after that|afterwards|so|well|okay|all right|'
    'right|alright|anyway|oh|ah|um|uh|hmm|eh|hey|hi|hello|yes|yeah|sure|great|fine|good|actually|listen|'
    'look here|excuse me|sorry|pardon me|like|and|but|i mean|basically|you know|immediately|'
    'straight away|dear|robot|buddy|my friend|friend|thanks|thank you) (,)?',
)
LEAD = re.compile('^(?:' + '|'.join(map(pattern, _LEADS)) + r')(?!for \w+ing\b)')
"""One piece of politeness before a request."""

_TRAILS = (
    'please', 'thanks', 'thank you', 'thank you very much', 'thank you so much', 'will you',
    'would you', 'could you', 'can you', 'right now', 'now', 'right away', 'straight away',
    'immediately', 'at once', 'quickly', 'real quick', 'for a second', 'for a minute',
    'for a moment', 'okay', 'all right', 'if you can', 'if you could', 'if you do not mind',
    'if possible', 'if you please', 'if you would', 'when you can', 'when you have time',
    'when you have the time', 'when you get a chance', 'as soon as possible', 'as soon as you can',
    'as fast as you can', 'as quickly as possible', 'as fast as possible', 'as quickly as you can',
    'my friend', 'buddy', 'dear', r'(?<! a )(?<! the )robot', 'um', 'uh', 'then', 'too',
    'as well', 'or something',
    'you know', 'would you mind', 'for now', 'real fast', 'fast', 'soon', 'next', 'today', 'a bit',
    'asap', 'again', 'instead', 'first', 'quick', 'for me please', 'if it is no trouble',
    'and step on it', 'and hurry', 'if that is okay', 'any time soon',
)  # fmt: skip
TRAIL = re.compile(rf'(?:(?: ,)? (?:{"|".join(_TRAILS)}))+$')
"""All politeness after a request."""

_WISHES = (
    ('(i|we) (can not|could not|do not seem to be able to|am not able to|never) (seem to)? '
     '(find|see|locate|remember where i put|remember where i left) <thing>', r'find \g<thing>'),
    ('(i|we) (have)? (just)? (lost|misplaced|mislaid) <thing>', r'find \g<thing>'),
    ('(i|we) (am|are) (looking|searching) for <thing>', r'find \g<thing>'),
    ('(i|we) (do not|can not) (know|remember|tell) <question>', ''),
    ('(i|we) (have)? (forgot|forgotten) <where>', ''),
    ('(i|we) (really)? (wonder|am wondering|am curious|was wondering|want to know|need to know|'
     'would like to know|would love to know|would really like to know|would like to find out) '
     '(about)? <question>', ''),
    ('(do|would|did|can|could) (you)? (happen to|perhaps)? (know|remember|recall|say|find out|'
     'figure out) <question>', ''),
    ('(any|do you have any) idea <question>', ''),
    ('(i|we) (really|also|now|just|do)* (want|need) (to have|to get|to hold|to use|to drink|'
     'to eat|to read)? <thing>', r'bring me \g<thing>'),
    ('(i|we) (would|will) (really|also|now|just)* (want|need|like|love|have|take) (to have|to get|'
     'to hold|to use|to drink|to eat|to read)? <thing>', r'bring me \g<thing>'),
    ('(i|we) could (really)? (use|do with|go for) <thing>', r'bring me \g<thing>'),
    ('(can|could|may|might) (i|we) (please|just)? (have|get|borrow|see|take) <thing>',
     r'bring me \g<thing>'),
    ('(i|we) (would|will)? (want|need|like|love) you <at>', 'be '),
)  # fmt: skip
WISHES = tuple((re.compile('^' + pattern(notation)), order) for notation, order in _WISHES)
"""Wishes, and the order that each stands for."""
