"""The one masker: hides the environment's own secret values, and what looks like a secret of a known kind, in any text.

It can be switched off for a session; what the program itself signs its requests with stays hidden even then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tui_agent.secrets.known import issued_spans, known_spans, places
from tui_agent.secrets.masks import MASK, SecretSpan, mask_for, mask_spans, merge_spans
from tui_agent.secrets.unseen import VisibleText, broken_parts, has_unseen, rejoined
from tui_agent.secrets.values import needles

__all__ = ["Masker", "batches", "texts_in"]

_SHORTEST: Final = 8  # characters that a secret has at least
_BATCH: Final = 50_000  # characters of texts that are looked through together
_LONG: Final = 20_000  # characters of a text from which on what came of it is remembered
_LONGEST: Final = 1_000_000
_KEPT: Final = 3  # such texts
_ROUNDS: Final = 4  # hiding one secret may lay another one bare


class Masker:
    """Hides secrets. `values` are those known by name, `own` the program's credentials, which are always hidden.

    `is_on` says whether it hides more than those. `shown` are the masks that were put into texts so far.
    """

    def __init__(self, values: Mapping[str, str] | None = None, *, own: Iterable[str] = (), is_on: bool = True) -> None:
        self.is_on = is_on
        self.shown: set[str] = set()
        self._known: dict[tuple[str, bool, int], str] = {}
        self._own = needles([("API key", value) for value in own if len(value.strip()) >= _SHORTEST])
        self._needles = list(self._own)
        self.learn(values or {})

    def switch(self, *, is_on: bool) -> None:
        """Hide secrets from now on, or only the program's own."""
        self.is_on = is_on

    def learn(self, values: Mapping[str, str]) -> None:
        """Hide these from now on too, by what each is called."""
        known = {text for text, _ in self._needles}
        self._needles += [item for item in needles(values.items()) if item[0] not in known]

    def own(self, value: str) -> None:
        """Hide a key of the program's own from now on, whether or not others are hidden."""
        if len(value.strip()) >= _SHORTEST:
            found = needles([("API key", value)])
            self._own += found
            self._needles += found

    @property
    def names(self) -> tuple[str, ...]:
        """What the secrets are called whose values are known."""
        return tuple(sorted({name for _, name in self._needles}))

    @property
    def needles(self) -> list[tuple[str, str]]:
        """What is looked for literally at present, and what each is called."""
        return self._needles if self.is_on else self._own

    def spans(self, text: str, *, is_brief: bool = False) -> list[SecretSpan]:
        """Return where secrets stand in `text`, in order and apart from each other; `is_brief`: see `known_spans`."""
        found = self._spans(text, is_brief=is_brief)
        if not is_brief and has_unseen(text):
            plain = VisibleText(text)
            if plain.text != text:
                found = merge_spans([*_carried(plain, self._spans(plain.text, is_brief=False)), *found])
        if self.is_on and not is_brief and (broken := list(_rejoined_spans(text))):
            found = merge_spans([*broken, *found])
        return found

    def _spans(self, text: str, *, is_brief: bool) -> list[SecretSpan]:
        present = [(needle, label) for needle, label in self.needles if needle in text]
        found = [SecretSpan(at, at + len(needle), label) for needle, label in present for at in places(text, needle)]
        if self.is_on:
            found += known_spans(text, is_brief=is_brief)
        if found and "[secret: " in text:
            masks = [match.span() for match in MASK.finditer(text)]
            found = [span for span in found if not any(a <= span.start and span.end <= b for a, b in masks)]
        return merge_spans(found)

    def mask(self, text: str) -> str:
        """Return `text` with a mask in the place of each secret; a text without any is returned as it is.

        What came of the last long texts is remembered: one that is published more than once is looked through once.
        """
        if not _LONG <= len(text) <= _LONGEST:
            return self._masked(text)
        key = (text, self.is_on, len(self.needles))
        known = self._known.get(key)
        if known is None:
            known = self._masked(text)
            self._known = dict([*self._known.items(), (key, known)][-_KEPT:])
        return known

    def _masked(self, text: str) -> str:
        for _ in range(_ROUNDS):
            spans = self.spans(text)
            if not spans:
                break
            self.note(spans)
            text = mask_spans(text, spans)
        return text

    def mask_data(self, data: Any) -> Any:  # noqa: ANN401 - any JSON data in, the same shape out
        """Return JSON-like data with its texts masked, keys of objects too; what holds no secret is returned as it is."""
        if isinstance(data, str):
            return self.mask(data) if len(data) >= _SHORTEST else data
        masked: dict[str, str] = {}
        found = [text for text in texts_in(data) if len(text) >= _SHORTEST]
        for texts in (
            *batches(text for text in found if len(text) < _LONG),
            *([text] for text in found if len(text) >= _LONG),
        ):
            # What a text would show alone it shows between line ends as well; together they are looked through faster.
            if len(texts) == 1 or self.spans("\n".join(texts)):
                masked.update((text, hidden) for text in texts if (hidden := self.mask(text)) != text)
        for lines in columns(data):
            masked.update((line, hidden) for line, hidden in self._across(lines) if line not in masked)
        return _rebuilt(data, lambda text: masked.get(text, text)) if masked else data

    def _across(self, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the lines that hold a part of what the lines around them show to be a secret, and what they become."""
        spans = self.spans("\n".join(lines))
        self.note(spans)
        at = 0
        for line in lines:
            end = at + len(line)
            own = [
                SecretSpan(max(span.start - at, 0), min(span.end, end) - at, span.label)
                for span in spans
                if span.start < end and span.end > at
            ]
            if own:
                yield line, mask_spans(line, own)
            at = end + 1

    def is_free(self, texts: Sequence[str]) -> bool:
        """Whether no secret stands in any of these texts. They are looked through together, which is much faster."""
        if len(texts) > 1 and not self.spans("\n".join(texts)):
            return True  # what a text would show alone it shows between line ends as well
        return all(self.mask(text) == text for text in texts)

    def restored(self, edited: Any, original: Any) -> Any:  # noqa: ANN401 - any JSON data
        """Return `edited`, which was made of the masked `original`, with the secrets of the original in place again.

        A mask that stands there for several secrets stays: which one is meant cannot be told.
        """
        meant: dict[str, set[str]] = {}
        for text in texts_in(original):
            for span in self.spans(text):
                meant.setdefault(mask_for(span.label), set()).add(text[span.start : span.end])
        if not meant:
            return edited

        def restore(text: str) -> str:
            return MASK.sub(
                lambda found: next(iter(meant[found[0]])) if len(meant.get(found[0], ())) == 1 else found[0], text
            )

        return _rebuilt(edited, restore)

    def note(self, spans: Iterable[SecretSpan]) -> None:
        """Remember that these were hidden."""
        self.shown.update(mask_for(span.label) for span in spans)

    def recall(self, data: Any) -> None:  # noqa: ANN401 - any JSON data
        """Take in the masks that a recorded text, or the texts of recorded data hold: they were shown before."""
        for text in texts_in(data):
            if "[secret: " in text:
                self.shown.update(match[0] for match in MASK.finditer(text))

    def shown_in(self, text: str) -> str | None:
        """Return a mask in `text` that stands for a secret which was hidden here; None where there is none."""
        if "[secret: " not in text:
            return None
        return next((match[0] for match in MASK.finditer(text) if match[0] in self.shown), None)


def _rejoined_spans(text: str) -> Iterator[SecretSpan]:
    """Yield the keys that are broken up in a text."""
    for start, end in broken_parts(text):
        for plain in rejoined(text[start:end]):
            for span in _carried(plain, issued_spans(plain.text)):
                if span.start or not start:  # else it may be the end of a longer word
                    yield SecretSpan(start + span.start, start + span.end, span.label)


def _carried(plain: VisibleText, spans: Iterable[SecretSpan]) -> Iterator[SecretSpan]:
    """Yield the spans of a plain text where they stand in the text that it was made of."""
    for span in spans:
        yield SecretSpan(plain.original(span.start), plain.original(span.end - 1) + 1, span.label)


def batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts some at a time: enough to be looked through together, and not so many that other threads wait."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def texts_in(data: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON data
    """Yield each text in JSON-like data, names of fields too; pictures and documents are no texts."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        match value:
            case str():
                yield value
            case {"type": "base64"}:
                pass
            case dict():
                waiting += (*value, *value.values())
            case list() | tuple():
                waiting += value
            case _:
                pass


def columns(data: Any) -> Iterator[list[str]]:  # noqa: ANN401 - any JSON data
    """Yield the texts that lists of objects hold under one name, as the lines of a search are told one by one."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        match value:
            case {"type": "base64"}:
                pass
            case dict():
                waiting += value.values()
            case [dict() as first, dict(), *_]:
                for name in first:
                    found = [one.get(name) if isinstance(one, dict) else None for one in value]
                    lines = [one for one in found if isinstance(one, str)]
                    if len(lines) == len(found):
                        yield lines
            case list() | tuple():
                waiting += value
            case _:
                pass


def _rebuilt(data: Any, changed: Callable[[str], str]) -> Any:  # noqa: ANN401 - any JSON data
    """Return JSON-like data with each of its texts changed; what came may be nested deeper than calls can be."""
    out: list[Any] = [None]
    waiting: list[tuple[Any, Any, Any]] = [(data, out, 0)]
    while waiting:
        value, place, key = waiting.pop()
        match value:
            case str():
                place[key] = changed(value)
            case {"type": "base64"}:
                place[key] = value
            case dict():
                place[key] = made = dict.fromkeys(map(changed, value))
                waiting += [(item, made, changed(name)) for name, item in value.items()]
            case list():
                place[key] = items = [None] * len(value)
                waiting += [(item, items, number) for number, item in enumerate(value)]
            case tuple():
                place[key] = tuple(_rebuilt(item, changed) for item in value)
            case _:
                place[key] = value
    return out[0]
