# SPDX-License-Identifier: Apache-2.0
"""The shape of what was said: what is politeness around it, what is no request at all, where one
clause ends and the next begins, where the speaker took something back.

Works on words joined by blanks, with the marks of `text.tokens`; knows English, no skills.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum

_PERSON = r"(?:i|he|she|we|they|you|it|this|that|there|somebody|someone|everybody|everyone|people|nobody|who)"
_OTHERS = r'(?:him|her|them|my \w+|your \w+|the (?:man|woman|boy|girl|children|kids|dog|others?))'

_ASK_YOU = r'(?:can|could|would|will|might|may) you'
_LEADS = [
    r'would you mind(?: please)? ',
    r'do you mind ',
    r'do you think (?:that )?you (?:can|could|would|might) (?:be able to )?',
    r'(?:i|we) (?:would|will)? ?(?:really |also )?(?:like|want|need|love|prefer|ask|wish|expect) you to ',
    r'(?:i|we) (?:would|will) (?:really )?(?:appreciate it|(?:love|like) it|be (?:glad|happy|grateful|pleased|delighted)) if you (?:can |could |would |will )?',
    r'(?:would|will|is) it (?:be )?(?:possible|okay|all right|too much trouble)(?: for you)? (?:to |if you (?:could |would )?)',
    r'it would be (?:really |very )?(?:nice|great|good|lovely|kind|helpful|cool) if you (?:can |could |would )?',
    r'would it be (?:nice|great|good|helpful) if you ',
    r'(?:will|would|could) you be so (?:kind|good|nice) (?:as to|and) ',
    r'(?:please )?be so (?:kind|good|nice) (?:as to|and) ',
    r'would you be (?:able|willing|kind enough|so kind as) to ',
    r'are you (?:able|willing|free) to ',
    r'(?:i|we) (?:was|were|am|are) (?:just )?wondering if you (?:can |could |would |might )(?:be able to )?',
    r'(?:i|we) wonder if you (?:can |could |would |might )',
    r'(?:may|can|could|might) (?:i|we) (?:please )?(?:ask|bother|trouble|get) you (?:to|for) ',
    r'(?:i|we) (?:am|are) asking you to ',
    r'(?:i|we) (?:have|have got) a (?:task|job|favour|favor|request|question) for you ',
    r'(?:do|could you do|can you do) (?:me|us) a (?:favou?r|kindness)(?: and| ,)? ',
    r'(?:i|we) need (?:a favou?r|your help|some help|help)(?: from you)?(?: to| and| ,)* ',
    r'(?:could|can) you help (?:me|us)(?: to| and| out and)? ',
    r'help (?:me|us) (?:to )?(?=find|look|search|get|bring|carry)',
    r'you (?:should|can|could|may|must|have to|need to|ought to|are to|will|might want to|had better)(?: now| please| just| also)? ',
    r'it is time (?:for you )?to ',
    r'your (?:next |new |first )?(?:task|job|mission|order|goal) is (?:to )?',
    r'(?:how about|what about|why not) (?=\w+ing\b)',
    r'how about (?:if )?you ',
    r'why do(?: not you| you not) (?:just )?',
    r'feel free to ',
    r'go ahead and ',
    r'be a (?:dear|darling|good robot|sweetheart) and ',
    r'(?:do not|never) forget to ',
    r'(?:please )?(?:make sure|be sure|remember|try|hurry|get ready|start|begin)(?: that)? (?:to|you|and) (?:go and )?',
    r'(?:if you (?:can|could|do not mind|have (?:the )?time|want|like|please|would)|when(?:ever)? you (?:can|have (?:a |the )?(?:time|moment|minute|second|chance)|are (?:ready|free|done))|as soon as you can|if (?:it is )?possible|if that is okay)(?: ,)? ',
    r'shall we ', r'let us (?:now |just )?',
    r'(?:the next thing (?:i|we) (?:want|need) is (?:for you )?to|what (?:i|we) (?:want|need)(?: now)? is (?:for )?(?:you to)?) ',
    r'(?:i|we) (?:think|guess|suppose|believe) you (?:should|could|can|need to|have to) ',
    r'you know what(?: ,)? ',
    rf'{_ASK_YOU} (?:please |kindly |maybe |possibly |perhaps |just |quickly |also |then )*',
    r'(?:please|kindly|just|maybe|perhaps|possibly|quickly|quick|now|next|then|also|first(?: of all)?|firstly|secondly|finally|after that|afterwards|so|well|okay|all right|right|alright|anyway|oh|ah|um|uh|hmm|eh|hey|hi|hello|yes|yeah|sure|great|fine|good|actually|listen|look here|excuse me|sorry|pardon me|like|and|but|i mean|basically|you know|immediately|straight away|dear|robot|buddy|my friend|friend|thanks|thank you)(?: ,)? ',
]  # fmt: skip
_LEAD = re.compile(r'^(?:' + '|'.join(_LEADS) + ')')
_TRAIL = re.compile(
    r'(?:(?: ,)? (?:please|thanks|thank you(?: very much| so much)?|will you|would you|could you|'
    r'can you|right now|now|right away|straight away|immediately|at once|quickly|real quick|'
    r'for a (?:second|minute|moment)|okay|all right|if you can|if you could|if you do not mind|'
    r'if possible|if you please|if you would|when you (?:can|have (?:the )?time|get a chance)|'
    r'as (?:soon|fast|quickly) as (?:possible|you can)|my friend|buddy|dear|robot|um|uh|then|'
    r'too|as well|or something|you know|would you mind|for now|real fast|fast|soon|next|today|'
    r'a bit|asap|again|instead))+$'
)


class Mood(Enum):
    """What kind of sentence a clause is."""

    ORDER = 'order'  # imperative, or a wish turned into one
    ASK = 'ask'  # a question
    STATE = 'state'  # a statement, a report: asks for nothing
    FORBID = 'forbid'  # a negated order
    SUPPOSE = 'suppose'  # a condition or a fantasy


_QUESTION = re.compile(
    r'^(?:what|where|which|who|whose|when|why|how|is|are|was|were|am|do|does|did|have|has|had|'
    r'can|could|would|will|should|shall|may|might|any)\b'
)
_FORBID = re.compile(
    r'^(?:do not|never|stop (?!by|at|in|over|off)|quit|no need to|there is no need to|you (?:do not|must not|should not|'
    r'can not|may not|need not|are not) (?:have to |need to |allowed to |supposed to )?|'
    r'(?:i|we) (?:do not|would not|will not) (?:want|need|like) (?:you )?(?:to )?|not )\b'
)
_SUPPOSE = re.compile(
    r'^(?:if (?!there|the |any|my|you see|you find|you can see)|imagine|suppose|what if|pretend|'
    r'in case|when (?:i|he|she|we|they|you) |unless|assuming|let us say|once (?:i|he|she|we|they) )'
)
_REPORT = re.compile(
    rf'^(?:tell|ask|remind|call|inform|show|teach|invite|thank|greet|warn|send) {_OTHERS}\b|'
    r'^(?:tell|ask|remind|warn|order) (?!me\b|us\b|what|where|if|whether|how|which)\w+ (?:to|that|about)\b|'
    r'\bmyself\b|'
    rf'\b(?:told|asked|ordered|made|let|got|had|wants?|wanted|needs?|asking|telling) {_OTHERS} (?:to )?\w+|'
    r'^(?:the (?:sign|book|man|woman|note|letter|song|film|movie|doctor|teacher|sentence) (?:says?|said|reads?|told|is called))\b|'
    r'\b(?:he|she|they|somebody|someone|people) (?:said|says|say|told|asked|asks|wanted|wants|went|goes|took|takes|brought|brings)\b|'
    r'^(?:say|repeat|spell|translate|write|pronounce|what does|how do you (?:say|spell)|the word|sing)\b'
)  # fmt: skip
_STATE = re.compile(
    rf"^(?:{_PERSON}|my \w+|his \w+|her \w+|our \w+|their \w+|the \w+(?: \w+)?|(?:a|an) \w+(?: \w+)?|[a-z]+ and i)"
    r"(?: \w+ly| also| just| never| always| still| already| once| really| sometimes| usually| often| will| would| can| could| must| should| do| did| does| might| may| only| not)* "
    r'(?:am|is|are|was|were|be|been|have|has|had|do|does|did|said|says|told|tell|tells|went|go|goes|going|come|comes|came|'
    r'like|likes|liked|love|loves|loved|hate|hates|think|thinks|thought|know|knows|knew|guess|believe|feel|feels|felt|'
    r'want|wants|wanted|need|needs|needed|use|uses|used|bought|buy|put|puts|left|saw|see|sees|seen|heard|hear|took|take|takes|'
    r'brought|bring|brings|got|get|gets|made|make|makes|found|find|finds|lost|dropped|broke|forgot|forget|remember|remembers|hope|hoped|wish|'
    r'prefer|enjoy|enjoyed|live|lives|lived|work|works|worked|sleep|slept|stay|stayed|walk|walked|run|ran|eat|ate|drink|drank|'
    r'painted|cleaned|cooked|sat|stood|gave|give|gives|keeps?|kept|looks?|looked|smells?|tastes?|seems?|belongs?|asked|asks|'
    r'tried|try|tries|started|moved|move|moves|drove|drive|drives|will|would|can|could|must|should|might|may|agree|wonder|met|meet|told)\b'
)  # fmt: skip
_PAST = re.compile(r'\b(?:yesterday|last (?:night|week|year|time|month|summer)|years? ago|long ago)\b')

_THING = r'((?:the|my|a|an|some|that|this|those|these|your|our|another|one|his|her)\b.*|(?:something|anything)\b.*)'
_WISHES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), to)
    for pattern, to in (
        (r'^(?:i|we) (?:can not|could not|do not seem to be able to|am not able to|never) (?:seem to )?(?:find|see|locate|remember where i (?:put|left)) ' + _THING, r'find \1'),
        (r'^(?:i|we) (?:have )?(?:just )?(?:lost|misplaced|mislaid) ' + _THING, r'find \1'),
        (r'^(?:i|we) (?:am|are) (?:looking|searching) for ' + _THING, r'find \1'),
        (r'^(?:i|we) (?:do not|can not) (?:know|remember|tell) (?=where|what|which|how many|if|whether)', ''),
        (r'^(?:i|we) (?:have )?(?:forgot|forgotten) (?=where)', ''),
        (r'^(?:i|we) (?:really )?(?:wonder|am wondering|am curious|was wondering|want to know|need to know|would (?:really )?(?:like|love) to know|would like to find out)(?: about)? (?=where|what|which|how many|if|whether|who)', ''),
        (r'^(?:do|would|did|can|could)(?: you)? (?:happen to |perhaps )?(?:know|remember|recall|say|find out|figure out) (?=where|what|which|how many|if|whether|who)', ''),
        (r'^(?:any|do you have any) idea (?=where|what|which|how many|who)', ''),
        (r'^(?:i|we) (?:really |also |now |just |do )*(?:want|need)(?: to (?:have|get|hold|use|drink|eat|read))? ' + _THING, r'bring me \1'),
        (r'^(?:i|we) (?:would|will)(?: really| also| now| just)* (?:want|need|like|love|have|take)(?: to (?:have|get|hold|use|drink|eat|read))? ' + _THING, r'bring me \1'),
        (r'^(?:i|we) could (?:really )?(?:use|do with|go for) ' + _THING, r'bring me \1'),
        (r'^(?:can|could|may|might) (?:i|we) (?:please |just )?(?:have|get|borrow|see|take) ' + _THING, r'bring me \1'),
        (r'^(?:i|we) (?:would |will )?(?:want|need|like) you (?=(?:in|at|over|back|inside|here|there)\b)', r'be '),
    )
)  # fmt: skip
_REPAIRS = re.compile(
    r'(?:,|\.|\b)? ?(?:(?:oh |um |uh |ah )*'
    r'(?:no(?: ,)? (?:wait|sorry|i mean|i meant|actually|not that|make that|hang on|hold on)(?: ,)?|wait(?: ,)? (?:no|i mean|actually|make it|make that|not)?|'
    r'(?:sorry|pardon|oops|whoops)(?: ,)?(?: i (?:mean|meant)(?: to say)?)?|i mean(?:t)?(?: to say)?|'
    r'or rather|rather|scratch that|strike that|correction|make (?:that|it)|on second thoughts?|hang on|hold on|'
    r'change that to|change it to|let us make it|let us say|actually|no)'
    r'(?: ,)?(?: (?:no|um|uh|sorry|actually|make it|make that|i mean|i meant))*(?: ,)?) '
)
_HARD_REPAIR = re.compile(
    r'\b(?:no(?: ,)? (?:wait|sorry|i mean|i meant|make)|wait|sorry|oops|i mean|i meant|or rather|scratch|'
    r'strike|correction|make (?:that|it)|on second|hang on|hold on|change)\b'
)
_JOINTS = re.compile(
    r'(?: ,)? (?:and(?: then| after that| afterwards| also| finally| please| now| next)?(?: ,)?|then|after that|afterwards) '
    r'|(?: ,)? (?:before (?:that|you)) | [.?] | , (?:but )?|(?: ,)? but '
)
_OPEN_END = frozenset(
    ('the', 'a', 'an', 'my', 'your', 'to', 'into', 'in', 'on', 'at', 'from', 'of', 'for', 'with',
     'and', 'or', 'but', 'then', 'could', 'would', 'can', 'will', 'because', 'if', 'is', 'are',
     'bring', 'fetch', 'give', 'tell', 'put', 'take', 'grab', 'under', 'near', 'red', 'blue',
     'green', 'i', 'we', 'so', 'which', 'some', 'get', 'pick', 'hand', 'also', 'um', 'uh')
)  # fmt: skip


def core(text: str, name: str = '') -> str:
    """`text` without greeting, name, politeness and fillers around it.

    Args:
        text: tokens joined by blanks.
        name: the robot's, in plain words.
    """
    plain = re.sub(r'\b(?:um|uh|ah|eh|hmm|mm)\b(?: ,)? ?', '', text).strip(' ,.?')
    if name:
        plain = re.sub(rf'^(?:(?:hey|hi|hello|okay|oh|dear) )?{re.escape(name)}\b[ ,]*', '', plain)
        plain = re.sub(rf'[ ,]+(?:hey )?{re.escape(name)}$', '', plain)
    while True:
        shorter = _LEAD.sub('', plain).strip(' ,.?')
        shorter = _TRAIL.sub('', shorter).strip(' ,.?') if shorter else shorter
        if name:
            shorter = re.sub(rf'^{re.escape(name)}\b[ ,]*', '', shorter)
        if not shorter or shorter == plain:
            return plain
        plain = shorter


def wish_as_order(clause: str) -> str:
    """'i need the cup' -> 'bring me the cup', 'i lost my keys' -> 'find my keys', ..."""
    for pattern, to in _WISHES:
        changed = pattern.sub(to, clause, count=1)
        if changed != clause:
            return changed
    return clause


def bare_verb(clause: str, known: Callable[[str], bool]) -> str:
    """'going to the kitchen' -> 'go to the kitchen', if that gives a verb that is `known`."""
    first, _, rest = clause.partition(' ')
    if known(first) or not first:
        return clause
    if first.endswith('ing'):
        stems = (first[:-3], first[:-3] + 'e', first[:-4])
    else:
        stems = (_PASTS.get(first, ''), first.removesuffix('ed'), first.removesuffix('d'))
    verb = next((stem for stem in stems if stem != first and stem and known(stem)), '')
    return f'{verb} {rest}'.strip() if verb else clause


_PASTS = {
    'went': 'go', 'brought': 'bring', 'got': 'get', 'took': 'take', 'gave': 'give', 'put': 'put',
    'drove': 'drive', 'came': 'come', 'found': 'find', 'told': 'tell', 'left': 'leave',
    'made': 'make', 'laid': 'lay', 'saw': 'see', 'carried': 'carry', 'held': 'hold', 'ran': 'run',
}  # fmt: skip


_PLURAL = re.compile(r'^\w+s (?:are|were|have|need|do|can|will|taste|look)\b')


def mood(clause: str) -> Mood:
    """Mood of a clause from which `core` was taken and wishes were turned into orders."""
    if _SUPPOSE.match(clause):
        return Mood.SUPPOSE
    if _REPORT.search(clause):
        return Mood.STATE
    if _FORBID.match(clause):
        return Mood.FORBID
    if _QUESTION.match(clause):
        return Mood.ASK
    if _STATE.match(clause) or _PLURAL.match(clause) or _PAST.search(clause):
        return Mood.STATE
    return Mood.ORDER


def clauses(text: str, begins: Callable[[str], bool]) -> list[str]:
    """`text` cut at those joints after which something new `begins`."""
    result, start = [], 0
    for match in _JOINTS.finditer(text):
        if match.start() <= start:
            continue
        if begins(text[match.end() :]):
            result.append(text[start : match.start()])
            start = match.end()
    result.append(text[start:])
    return [part.strip(' ,.?') for part in result if part.strip(' ,.?')]


def repair(text: str) -> tuple[str, str, bool] | None:
    """What was said before and after the speaker took something back; none if nothing was.

    The third value tells whether the words leave no doubt ('i mean', 'no wait'); 'no' and
    'actually' alone may mean something else.
    """
    matches = [m for m in _REPAIRS.finditer(text) if m.end() < len(text)]
    if not matches:
        return None
    last = matches[-1]
    sure = bool(_HARD_REPAIR.search(last[0])) or ',' in last[0]
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
    asks = text.rstrip().endswith('?') or bool(_ASKS.search(text))
    return spoken[-1] in _OPEN_END and not (asks and spoken[-1] in _QUESTION_ENDS)


_HELD = re.compile(
    r'(?:no |okay |oh )?(?:wait(?: a (?:second|moment|minute))?|hang on|hold on|one (?:moment|second)|'
    r'just a (?:moment|second))|(?:please )?(?:can|could|would|will) you(?: please)?|i mean|'
    r'i would like|i want|i need|could i'
)
_ASKS = re.compile(r'\b(?:what|where|which|who|whose|how|if|whether|is it|are you|did you)\b')
_QUESTION_ENDS = frozenset(
    ('is', 'are', 'take', 'for', 'to', 'of', 'in', 'on', 'from', 'with', 'at', 'will', 'can', 'i',
     'we', 'get', 'put', 'bring', 'give', 'so', 'red', 'blue', 'green', 'grab', 'fetch', 'also')
)  # fmt: skip
_WHOLE = frozenset(('what', 'where', 'how', 'why', 'red', 'blue', 'green', 'not'))
