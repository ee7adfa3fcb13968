"""Secrets that can be told by their looks: keys as their issuers shape them, key blocks, passwords in addresses, headers.

Each kind is found by a few literal characters first, which is fast in text of any size, and only then judged by a pattern
that reads a bounded piece from there. What names no issuer (a git hash, a UUID, a checksum of a lock file) is never taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tui_agent.secrets.assignments import assigned
from tui_agent.secrets.key_blocks import BEGIN, key_block
from tui_agent.secrets.marks import Span

__all__ = ["begins_known", "known_spans", "places"]

_W: Final = r"[A-Za-z0-9_-]"
_END: Final = r"(?![A-Za-z0-9_-])"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of key: what it begins with, and the pattern of the whole. Group 1, where there is one, is the secret part.

    `is_word` says that it cannot begin in the middle of a word.
    """

    label: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    is_word: bool = True


def _kind(label: str, anchors: str, pattern: str, *, is_word: bool = True) -> _Kind:
    return _Kind(label, tuple(anchors.split()), re.compile(pattern), is_word)


_KINDS: Final = (
    _kind("Anthropic key", "sk-ant-", rf"sk-ant-{_W}{{16,300}}"),
    _kind(
        "OpenAI key",
        "sk-",
        # Words with hyphens look alike but for their capitals and digits.
        rf"sk-(?!ant-)(?:(?:proj|svcacct|admin|None)-{_W}{{20,300}}|or-v1-[0-9a-f]{{40,80}}{_END}|[0-9a-f]{{32}}{_END}"
        rf"|(?=[A-Za-z_-]{{0,60}}[0-9])(?=[a-z0-9_-]{{0,60}}[A-Z]){_W}{{20,300}})",
    ),
    _kind("AWS key", "AKIA ASIA", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9_])"),
    _kind("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _kind("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _kind("GitLab token", "glpat- gldt- glrt-", rf"gl(?:pat|dt|rt)-{_W}{{20,255}}"),
    _kind("Slack token", "xox", r"xox[abeoprs][.-][A-Za-z0-9.-]{10,255}"),
    _kind("Slack token", "xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{20,255}"),
    _kind(
        "Slack webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/((?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200})",
    ),
    _kind("Google key", "AIza", rf"AIza{_W}{{35}}{_END}"),
    _kind("Google token", "ya29.", rf"ya29\.{_W}{{20,500}}"),
    _kind("Google secret", "GOCSPX-", rf"GOCSPX-{_W}{{20,40}}"),
    _kind("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    _kind("Stripe secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,100}"),
    _kind("npm token", "npm_", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])"),
    _kind("PyPI token", "pypi-", rf"pypi-(?=A){_W}{{50,500}}"),
    _kind("Hugging Face token", "hf_", r"hf_[A-Za-z]{30,60}(?![A-Za-z0-9_])|hf_[A-Za-z0-9]{34,60}(?![A-Za-z0-9_])"),
    _kind("SendGrid key", "SG.", rf"SG\.{_W}{{16,32}}\.{_W}{{32,64}}"),
    _kind("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _kind("Docker token", "dckr_pat_", rf"dckr_pat_{_W}{{20,100}}"),
    _kind("Databricks token", "dapi", r"dapi[0-9a-f]{32}(?![A-Za-z0-9])"),
    _kind("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _kind("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,100}"),
    _kind("xAI key", "xai-", r"xai-[A-Za-z0-9]{60,120}"),
    _kind("Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{40,100}"),
    _kind("Replicate token", "r8_", r"r8_[A-Za-z0-9]{37,40}(?![A-Za-z0-9])"),
    _kind("Linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,60}"),
    _kind("Vault token", "hvs.", rf"hvs\.{_W}{{24,300}}"),
    _kind("Tailscale key", "tskey-", r"tskey-[a-z]+-[A-Za-z0-9-]{16,100}"),
    _kind("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,70}"),
    _kind("JWT", "eyJ", rf"eyJ{_W}{{8,4000}}\.eyJ{_W}{{8,8000}}\.{_W}{{8,4000}}"),
    _kind(
        "URL password",
        "://",
        r"://[^\s/:@\"'`<>\\]{0,100}:(?![${<%\[])(?![xX*.]+@)(?!(?:password|passwd|pass|pwd|secret|token|PASSWORD|PASS)@)"
        r"([^\s/@\"'`<>\\]{3,200})@(?=[A-Za-z0-9\[.-])",
        is_word=False,
    ),
    _kind(
        "bearer token",
        "earer EARER",
        r"(?i:earer)(?:\s|%20|\+){1,4}(?=[A-Za-z._~+/=-]{0,200}[0-9])([A-Za-z0-9._~+/=-]{16,4000})",
        is_word=False,
    ),
    _kind(
        "authorization",
        "uthorization UTHORIZATION",
        r"(?i:uthorization)\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?(?i:basic|token|apikey|negotiate|digest)\s{1,3}"
        r"([A-Za-z0-9._~+/=:-]{8,4000})",
        is_word=False,
    ),
)  # fmt: skip

# What the kinds begin with, save where words before a value make it one: those are told by a value being put behind them.
_ANCHORS: Final[tuple[str, ...]] = tuple(
    dict.fromkeys((*(anchor for kind in _KINDS for anchor in kind.anchors if "earer" not in anchor.lower()), BEGIN))
)
# Their beginnings, and whether such a beginning counts in the middle of a word.
_BEGINNINGS: Final = {
    anchor[:size]: not kind.is_word for kind in _KINDS for anchor in kind.anchors for size in range(1, len(anchor))
} | {BEGIN[:size]: True for size in range(1, len(BEGIN))}
_LONGEST_BEGINNING: Final = max(map(len, _BEGINNINGS))
# Kinds that begin with letters, `_` and at least this many letters and digits are looked for by that sign, all at once.
_UNDERSCORE: Final = re.compile(r"_(?=[A-Za-z0-9]{16})")
_BY_UNDERSCORE: Final = {
    anchor: kind
    for kind in _KINDS
    for anchor in kind.anchors
    if anchor.endswith("_") and kind.label not in ("Docker token", "Stripe secret")
}
_SIZES: Final = sorted({len(anchor) for anchor in _BY_UNDERSCORE})
_BY_ANCHOR: Final = tuple((anchor, kind) for kind in _KINDS for anchor in kind.anchors if anchor not in _BY_UNDERSCORE)
_COMMON: Final = tuple((anchor, kind) for anchor, kind in _BY_ANCHOR if anchor in ("sk-", "sk-ant-", "AKIA", "eyJ"))
_PROBE: Final = "aB3dE5fG7hJ9kL2mN4pQ6rS8"  # what looks random, whatever stands before it
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]{0,20}m$")


def known_spans(text: str, *, is_brief: bool = False) -> list[Span]:
    """Return where secrets of known kinds stand in `text`; in no particular order, and some may overlap.

    `is_brief` looks for the most common kinds only, several times as fast.
    """
    if is_brief:
        return [*_kinds(text, _COMMON), *_blocks(text)]
    return [*_kinds(text, _BY_ANCHOR), *_blocks(text), *assigned(text)]


def begins_known(text: str, word: int) -> bool:
    """Whether the last word of `text`, which starts at `word`, may be the beginning of a secret of a known kind."""
    last = text[word:]
    if any(anchor in last for anchor in _ANCHORS):
        return True
    for size in range(1, min(len(last), _LONGEST_BEGINNING) + 1):
        is_free = _BEGINNINGS.get(last[-size:])
        if is_free or (is_free is False and _begins_word(text, len(text) - size)):
            return True
    return any(span.start < len(text) < span.end for span in known_spans(text + _PROBE))


def places(text: str, literal: str) -> Iterator[int]:
    """Yield where a literal stands."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def _kinds(text: str, by_anchor: Sequence[tuple[str, _Kind]]) -> Iterable[Span]:
    for sign in _UNDERSCORE.finditer(text):
        end = sign.end()
        for size in _SIZES:
            found = _BY_UNDERSCORE.get(text[max(0, end - size) : end])
            if found is not None:
                yield from _of_kind(found, text, end - size)
    for anchor, kind in by_anchor:
        for at in places(text, anchor):
            yield from _of_kind(kind, text, at)


def _of_kind(kind: _Kind, text: str, at: int) -> Iterable[Span]:
    if kind.is_word and not _begins_word(text, at):
        return
    found = kind.pattern.match(text, at)
    if found is not None:
        group = 1 if kind.pattern.groups else 0
        yield Span(found.start(group), found.end(group), kind.label)


def _begins_word(text: str, at: int) -> bool:
    r"""Whether what begins here is no word's middle. The `n` of an escaped `\n`, or the end of a colour code, is no word."""
    if not at or not (text[at - 1].isalnum() and text[at - 1].isascii()):
        return True
    before = text[max(0, at - 24) : at]
    if before[-2:-1] == "\\" and before[-1] in "nrtbf":
        return True
    return before[-3:-2] == "%" or (before[-1] == "m" and _COLOUR.search(before) is not None)


def _blocks(text: str) -> Iterable[Span]:
    for at in places(text, BEGIN):
        yield from key_block(text, at).spans
