# SPDX-License-Identifier: Apache-2.0
"""What kind of sentence a clause is: only orders and questions ask for anything."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache


class Mood(Enum):
    """Mood of a clause."""

    ORDER = 'order'  # imperative, or a wish turned into one
    ASK = 'ask'  # a question
    STATE = 'state'  # a statement, a report: asks for nothing
    FORBID = 'forbid'  # a negated order
    SUPPOSE = 'suppose'  # a condition or a fantasy


_SOMEBODY = (
    r'(?:him|her|them|my \w+|your \w+|the (?:man|woman|boy|girl|children|kids|dog|others?))'
)
_SUBJECT = (
    r'(?:i|he|she|we|they|you|it|this|that|there|somebody|someone|everybody|everyone|people|nobody|'
    r'who|(?:my|your|his|her|our|their) \w+|(?:the|a|an) \w+(?: \w+)?|[a-z]+ and i)'
)
_ADVERB = (
    r'(?: \w+ly| also| just| never| always| still| already| once| really| sometimes| usually|'
    r' often| will| would| can| could| must| should| do| did| does| might| may| only| not)*'
)
_VERBS = """
    am is are was were be been have has had do does did said says told tell tells went go goes
    going come comes came like likes liked love loves loved hate hates think thinks thought know
    knows knew guess believe feel feels felt want wants wanted need needs needed use uses used
    bought buy put puts left saw see sees seen heard hear took take takes brought bring brings got
    get gets made make makes found find finds lost dropped broke forgot forget remember remembers
    hope hoped wish prefer enjoy enjoyed live lives lived work works worked sleep slept stay stayed
    walk walked run ran eat ate drink drank painted cleaned cooked sat stood gave give gives keep
    keeps kept look looks looked smell smells taste tastes seem seems belong belongs asked asks
    tried try tries started moved move moves drove drive drives will would can could must should
    might may agree wonder met meet broke fell belongs stands lies
"""
_STATE = re.compile(rf'^{_SUBJECT}{_ADVERB} (?:{"|".join(_VERBS.split())})\b')
_PLURAL = re.compile(
    r'^\w+s (?:are|were|have|need|do|can|will|taste|look)\b|^\w+ (?:is|was) (?!where i want)'
)
_PAST = re.compile(
    r'\b(?:yesterday|last (?:night|week|year|time|month|summer)|years? ago|long ago)\b'
)
_QUESTION = re.compile(
    r'^(?:(?:and|but|so) )?(?:what|where|which|who|whose|when|why|how|is|are|was|were|am|do|does|'
    r'did|have|has|had|can|could|would|will|should|shall|may|might|any)\b'
)
_FORBID = re.compile(
    r'^(?:do not|never|stop (?!by|at|in|over|off)|quit|no need to|there is no need to|not |'
    r'you (?:do|must|should|can|may|need|are) not (?:have to |need to |allowed to |supposed to )?|'
    r'(?:i|we) (?:do not|would not|will not) (?:want|need|like) (?:you )?(?:to )?)\b'
)
_SUPPOSE = re.compile(
    r'^(?:if (?!there|the |any|my|you see|you find|you can see)|imagine|suppose|what if|pretend|'
    r'in case|when (?:i|he|she|we|they|you) |unless|assuming|let us say|'
    r'once (?:i|he|she|we|they) )'
)
_REPORT = re.compile(
    rf'^(?:tell|ask|remind|call|inform|show|teach|invite|thank|greet|warn|send) {_SOMEBODY}\b|'
    r'^(?:tell|ask|remind|warn|order) (?!me\b|us\b|what|where|if|whether|how|which)\w+ '
    r'(?:to|that|about)\b|'
    r'\bmyself\b|^(?:thanks|thank you) for\b|'
    r'\b(?:told|asked|ordered|made|let|got|had|wants?|wanted|needs?|asking|telling) '
    rf'{_SOMEBODY} (?:to )?\w+|'
    r'^the (?:sign|book|man|woman|note|letter|song|film|movie|doctor|teacher|sentence) '
    r'(?:says?|said|reads?|told|is called)\b|'
    r'\b(?:said|says)\b|'
    r'\b(?:he|she|they|somebody|someone|people) (?:say|told|asked|asks|wanted|wants|'
    r'went|goes|took|takes|brought|brings)\b|'
    r'^(?:say|repeat|spell|translate|write|pronounce|what does|how do you (?:say|spell)|the word|'
    r'sing)\b'
)


_SELF = re.compile(r'^let me (?!have\b|borrow\b|use\b|know\b|see (?:the|my|that|if|what)\b)\w+')
"""'let me get it': the speaker does it."""


@lru_cache(maxsize=4096)
def mood_of(clause: str) -> Mood:
    """Mood of a clause without politeness, whose wishes were turned into orders."""
    if _SUPPOSE.match(clause):
        return Mood.SUPPOSE
    if _REPORT.search(clause):
        return Mood.STATE
    if _FORBID.match(clause):
        return Mood.FORBID
    if _QUESTION.match(clause):
        return Mood.ASK
    if (
        _SELF.match(clause)
        or _STATE.match(clause)
        or _PLURAL.match(clause)
        or _PAST.search(clause)
    ):
        return Mood.STATE
    return Mood.ORDER
