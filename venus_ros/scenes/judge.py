# SPDX-License-Identifier: Apache-2.0
"""Hold a run against what a scene expects: pure, and every failure says what was seen instead."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from venus_ros.core.messages import State
from venus_ros.scenes.format import (
    Expectation,
    ExpectEvent,
    ExpectNoWork,
    ExpectSilence,
    ExpectWords,
    ExpectWork,
    Scene,
    Span,
)
from venus_ros.scenes.story import Story, Turn, WorkStory


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that did not hold. `line` of the scene's file; 0 for an invariant."""

    line: int
    expected: str
    seen: str

    def __str__(self) -> str:
        where = f'line {self.line}: ' if self.line else ''
        return f'{where}expected {self.expected}; seen: {self.seen}'


def judge(scene: Scene, story: Story) -> list[Failure]:
    """The expectations of `scene` that `story` does not hold."""
    failures = []
    for expectation in scene.expect:
        failure = _judge_one(expectation, story)
        if failure is not None:
            failures.append(failure)
    return failures


def judge_invariants(broken: dict[str, list[str]]) -> list[Failure]:
    """Failures for violated invariants: name → what violates it."""
    return [
        Failure(0, f'invariant {name}', '; '.join(violations[:3]))
        for name, violations in broken.items()
        if violations
    ]


def _judge_one(expectation: Expectation, story: Story) -> Failure | None:
    if isinstance(expectation, ExpectWork):
        return _work(expectation, story)
    if isinstance(expectation, ExpectNoWork):
        return _no_work(expectation, story)
    if isinstance(expectation, ExpectWords):
        return _words(expectation, story)
    if isinstance(expectation, ExpectSilence):
        return _silence(expectation, story)
    return _event(expectation, story)


# ---- works -----------------------------------------------------------------------------------


def _work(expected: ExpectWork, story: Story) -> Failure | None:
    wanted = _describe_work(expected)
    candidates = [
        work
        for work in story.works
        if _matches(work, expected.capability, expected.arguments)
        and expected.span.holds(work.queued_s)
    ]
    if expected.times is not None and len(candidates) != expected.times:
        return Failure(expected.line, f'{expected.times} of {wanted}', _show_works(story))
    if not candidates:
        return None if expected.times == 0 else Failure(expected.line, wanted, _show_works(story))
    complaints = [_complaint(expected, work) for work in candidates]
    if expected.times is None and '' in complaints:
        return None
    wrong = [text for text in complaints if text]
    return Failure(expected.line, wanted, '; '.join(wrong)) if wrong else None


def _complaint(expected: ExpectWork, work: WorkStory) -> str:
    """What is wrong with a work that has the right capability and arguments; '' if nothing."""
    shown = show_work(work)
    if expected.walk and expected.walk not in _readings(work.walk):
        return shown
    if expected.ends is not None and (not work.walk or work.walk[-1] is not expected.ends):
        return shown
    if expected.summary and not re.search(expected.summary, work.work.summary, re.IGNORECASE):
        return f'{shown} with the summary "{work.work.summary}"'
    if expected.within_s is not None and work.states:
        begin_s = expected.span.after if expected.anchored else work.queued_s
        took_s = work.states[-1][1] - begin_s
        if took_s > expected.within_s:
            return f'{shown}, which took {took_s:.1f} s'
    return ''


def _readings(walk: tuple[State, ...]) -> tuple[tuple[State, ...], ...]:
    """Ways to tell a walk: in full; without going back to QUEUED after WAITING; without both."""
    steps = zip((State.UNKNOWN, *walk), walk, strict=False)
    shorter = tuple(
        state for before, state in steps if (before, state) != (State.WAITING, State.QUEUED)
    )
    return walk, shorter, tuple(state for state in shorter if state is not State.WAITING)


def _no_work(expected: ExpectNoWork, story: Story) -> Failure | None:
    found = [
        work
        for work in story.works
        if _matches(work, expected.capability, expected.arguments)
        and expected.span.holds(work.queued_s)
    ]
    if not found:
        return None
    wanted = f'no work {_show_call(expected.capability or "at all", expected.arguments)}'
    return Failure(
        expected.line, wanted + _show_span(expected.span), '; '.join(map(show_work, found))
    )


def _matches(work: WorkStory, capability: str, arguments: dict[str, Any]) -> bool:
    if capability and work.work.capability != capability:
        return False
    return all(_same(work.arguments.get(name), value) for name, value in arguments.items())


def _same(seen: Any, wanted: Any) -> bool:
    if isinstance(seen, str) and isinstance(wanted, str):
        return seen.strip().lower() == wanted.strip().lower()
    return bool(seen == wanted)


def show_work(work: WorkStory) -> str:
    """A work in one line."""
    steps = ' '.join(f'{state.name}@{t_s:.1f}' for state, t_s in work.states) or 'no states'
    why = f' ({work.work.error_code} {work.work.error_msg})' if work.work.error_code else ''
    return f'{_show_call(work.work.capability, work.arguments)}: {steps}{why}'


def _show_works(story: Story) -> str:
    return '; '.join(map(show_work, story.works)) or 'no work'


def _show_call(capability: str, arguments: dict[str, Any]) -> str:
    inner = ', '.join(f'{name}: {value}' for name, value in arguments.items())
    return f'{capability} {{{inner}}}'


def _describe_work(expected: ExpectWork) -> str:
    text = f'a work {_show_call(expected.capability, expected.arguments)}'
    if expected.walk:
        text += ' walking ' + ' '.join(state.name for state in expected.walk)
    if expected.ends is not None:
        text += f' ending {expected.ends.name}'
    if expected.summary:
        text += f' with a summary like "{expected.summary}"'
    if expected.within_s is not None:
        since = f'{expected.span.after:g} s' if expected.anchored else 'being queued'
        text += f' within {expected.within_s:g} s of {since}'
    return text + _show_span(expected.span)


def _show_span(span: Span) -> str:
    text = f' after {span.after:g} s' if span.after else ''
    return text + (f' before {span.before:g} s' if math.isfinite(span.before) else '')


# ---- words -----------------------------------------------------------------------------------


def _words(expected: ExpectWords, story: Story) -> Failure | None:
    pattern = re.compile(expected.matches, re.IGNORECASE)
    if expected.who == 'said':
        turns = [turn for turn in story.turns if _found(pattern, turn, expected.span)]
        count = len(turns)
        tellings = sum(bool(turn.work_ids) for turn in turns)
        seen = [(turn.begin_s, turn.text) for turn in story.turns]
    else:
        count = sum(
            bool(pattern.search(words.text)) and expected.span.holds(words.t_s)
            for words in story.heard
        )
        tellings = 0
        seen = [(words.t_s, words.text) for words in story.heard]
    if not expected.wanted:
        held = count == 0
    elif expected.times is None:
        held = count > 0
    else:
        held = expected.times == count or (tellings > 0 and expected.times == tellings)
    if held:
        return None
    return Failure(expected.line, _describe_words(expected), _show_words(seen, count))


def _found(pattern: re.Pattern[str], turn: Turn, span: Span) -> bool:
    """Whether a match in the turn begins inside `span`."""
    starts, text = [], ''
    for piece in turn.pieces:
        if not piece.text.strip():
            continue
        text += ' ' if text else ''
        starts.append((len(text), piece.t_s))
        text += piece.text.strip()
    for match in pattern.finditer(text):
        t_s = next((t for at, t in reversed(starts) if at <= match.start()), turn.begin_s)
        if span.holds(t_s):
            return True
    return False


def _describe_words(expected: ExpectWords) -> str:
    who = 'the robot says' if expected.who == 'said' else 'the user is heard with'
    negation = '' if expected.wanted else 'not '
    times = '' if expected.times is None else f' {expected.times} times'
    span = _show_span(expected.span)
    return f'{negation}that {who} "{expected.matches}"{times}{span}'


def _show_words(seen: list[tuple[float, str]], count: int) -> str:
    lines = ' | '.join(f'{t_s:.1f} "{text}"' for t_s, text in seen) or 'no words at all'
    return f'{count} times in: {lines}' if count else lines


def _silence(expected: ExpectSilence, story: Story) -> Failure | None:
    """Some moment in the window must be silent: turns that touch count as one."""
    until_s = expected.after + expected.ms / 1000
    stretches: list[list[float]] = []
    for turn in story.turns:
        if stretches and turn.begin_s <= stretches[-1][1] + 0.05:
            stretches[-1][1] = max(stretches[-1][1], turn.end_s)
        else:
            stretches.append([turn.begin_s, turn.end_s])
    for begin_s, end_s in stretches:
        if begin_s <= expected.after and end_s > until_s:
            wanted = f'silence within {expected.ms:g} ms of {expected.after:g} s'
            return Failure(
                expected.line, wanted, f'the robot spoke from {begin_s:.2f} to {end_s:.2f} s'
            )
    return None


# ---- events ----------------------------------------------------------------------------------


def _event(expected: ExpectEvent, story: Story) -> Failure | None:
    limit = math.inf if expected.within_s is None else expected.span.after + expected.within_s
    same_kind = [(t, e) for t, e in story.events if e.kind is expected.kind]
    found = [
        (t, e)
        for t, e in same_kind
        if expected.span.holds(t)
        and t <= limit
        and re.search(expected.reason, e.reason, re.IGNORECASE)
        and e.source.startswith(expected.source)
    ]
    held = bool(found) if expected.times is None else len(found) == expected.times
    if held:
        return None
    seen = ', '.join(f'{t:.2f} s ({e.source}: {e.reason})' for t, e in same_kind[:8])
    kinds = ', '.join(sorted({e.kind.name for _, e in story.events}))
    return Failure(
        expected.line,
        _describe_event(expected),
        f'{expected.kind.name} at {seen}' if seen else f'no {expected.kind.name}, only {kinds}',
    )


def _describe_event(expected: ExpectEvent) -> str:
    times = 'an event' if expected.times is None else f'{expected.times} events'
    reason = f' because of "{expected.reason}"' if expected.reason else ''
    source = f' from {expected.source}' if expected.source else ''
    within = '' if expected.within_s is None else f' within {expected.within_s:g} s'
    return f'{times} {expected.kind.name}{reason}{source}{within}{_show_span(expected.span)}'
