# SPDX-License-Identifier: Apache-2.0
"""One utterance in, one dialogue act out."""

from __future__ import annotations

from collections.abc import Sequence

from venus_ros.core.messages import Capability
from venus_ros.language import grammar
from venus_ros.language.acts import Act, ActKind, Talk
from venus_ros.language.address import for_another, with_own_name
from venus_ros.language.asking import alternatives, asked, requested
from venus_ros.language.changing import completed, corrected, left, picked, repaired
from venus_ros.language.narrow import narrowed
from venus_ros.language.phrases import BACKCHANNELS, NO, YES
from venus_ros.language.requests import reader, task_tokens
from venus_ros.language.talk import Utterance, talked
from venus_ros.language.template import as_order
from venus_ros.language.text import MARKS, normalise

_PARTICLES = frozenset(('on', 'off', 'in', 'out', 'up', 'down', 'over', 'back', 'away'))


def understand(
    text: str,
    *,
    capabilities: Sequence[Capability],
    robot_name: str = 'Venus',
    context: Talk | None = None,
) -> Act:
    """Say what the user did by uttering `text` (final words of a recogniser, or typed).

    Requests are understood from `capabilities` alone: their examples and argument schemas.
    About 10 ms a clause with sentence embeddings; the first call for a set of capabilities takes
    seconds (see `warm`). No side effects.
    """
    name = normalise(robot_name)
    said = Utterance(
        with_own_name(task_tokens(text), name),
        normalise(text),
        name,
        context or Talk(),
        reader(capabilities),
    )
    if not said.plain:
        return Act(ActKind.UNKNOWN, confidence=0.0)
    if for_another(text, name, said.reader):
        return Act(ActKind.OTHER, 'addressed')
    for rule in _RULES:
        act = rule(said)
        if act is not None:
            return narrowed(act, said)
    return narrowed(talked(said), said)


def warm(capabilities: Sequence[Capability]) -> None:
    """Read `capabilities` and load the embeddings, so that the first `understand` is quick."""
    understand('hello', capabilities=capabilities)


def _short(said: Utterance) -> Act | None:
    """Yes, no and acknowledgements: an answer if something was asked, else a backchannel."""
    bare = grammar.core(said.text, said.name)
    forms = {said.plain, ' '.join(w for w in bare.split() if w not in MARKS)}
    if said.talk.asked or said.talk.pending:
        if forms & YES:
            agreed = requested(as_order(said.talk.pending), said, ActKind.DELEGATE)
            return agreed if agreed.steps else Act(ActKind.ANSWER, 'yes')
        if forms & NO:
            return Act(ActKind.ANSWER, 'no')
    if _acknowledges(said.plain.split()):
        return Act(ActKind.BACKCHANNEL)
    if forms & NO:
        return Act(ActKind.ANSWER, 'no')
    return None


def _acknowledges(words: list[str]) -> bool:
    """Whether words only acknowledge: 'yeah sure, sounds good'."""
    if not words:
        return True
    return any(
        ' '.join(words[:count]) in BACKCHANNELS | _SOUNDS and _acknowledges(words[count:])
        for count in (3, 2, 1)
        if count <= len(words)
    )


_SOUNDS = frozenset(('um', 'uh', 'mm', 'hmm', 'ah', 'oh', 'eh', 'huh', 'yeah', 'okay', 'right'))


def _fragment(said: Utterance) -> Act | None:
    if not grammar.unfinished(said.text) or _ends_in_particle(said):
        return None
    return Act(ActKind.FRAGMENT, 'request' if _begins_request(said) else '', confidence=0.8)


def _begins_request(said: Utterance) -> bool:
    """Whether most sentences that begin like what is asked are requests of a skill."""
    first = grammar.as_order(said.text, said.name).partition(' ')[0]
    known = said.reader.frames.verb(first)
    talk = sum(count for label, count in known.items() if isinstance(label[0], ActKind))
    return 2 * talk < known.total()


def _ends_in_particle(said: Utterance) -> bool:
    """Whether the last word belongs to the verb: 'turn the light on'."""
    last = said.plain.split()[-1]
    phrases = (
        phrase
        for offer in said.reader.offers
        for prop in offer.properties.values()
        for phrases in prop.get('x-words', {}).values()
        for phrase in phrases
    )
    return last in _PARTICLES and any(phrase.endswith(f'* {last}') for phrase in phrases)


_RULES = (
    _short,
    picked,
    _fragment,
    completed,
    left,
    corrected,
    repaired,
    alternatives,
    asked,
)
"""In order; each gives an act or passes on."""
