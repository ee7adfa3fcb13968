"""Files that are there to hold secrets, told by their names: reading one needs the user each time, or a rule that names it.

The list is short on purpose. What people read every day asks nothing: examples (`.env.example`), public halves (`id_rsa.pub`,
`cert.pem`), settings that hold a secret only now and then (`.npmrc`); masks hide what those hold. What names no such file asks
nothing either, and is shown none: a search passes them over, and git tells no more of a change than that there is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

__all__ = ["git_attributes", "is_secret_file", "tells_names_alone"]

_NAMES: Final = frozenset({
    ".netrc", "_netrc", ".pgpass", ".pypirc", ".git-credentials", ".htpasswd", ".vault-token", ".dockercfg", ".s3cfg", ".boto",
    ".my.cnf", "kubeconfig", "credentials.json", "application_default_credentials.json", "credentials.tfrc.json",
})  # fmt: skip
_PATTERN: Final = re.compile(
    r"""
      \.env (?:\..+)? | .+\.env
    | id_ (?:rsa|dsa|ecdsa|ed25519) (?:_sk)?
    | .*\. (?:key|ppk|p12|pfx|jks|keystore|kdbx?|kubeconfig)
    | (?:.*[-_.])? (?:priv(?:ate)?[-_.]?)?key \.pem | privkey[0-9]*\.pem
    | (?:.*[-_.])? service[-_]?account .*\.json | client_secret .*\.json
    """,
    re.VERBOSE,
)
_EXAMPLES: Final = (
    "example",
    "sample",
    "template",
    "tmpl",
    "dist",
    "default",
    "defaults",
    "schema",
    "pub",
    "public",
    "d.ts",
)
_EXAMPLE: Final = re.compile(rf"(?:^|[-_.])(?:{'|'.join(map(re.escape, _EXAMPLES))})(?:[-_.]|$)")
# The same as `_PATTERN`, in git's own language.
_GLOBS: Final = (
    ".env", ".env.?*", "?*.env", "id_{rsa,dsa,ecdsa,ed25519}", "id_{rsa,dsa,ecdsa,ed25519}_sk",
    "*.{key,ppk,p12,pfx,jks,keystore,kdb,kdbx,kubeconfig}", "key.pem", "*[-_.]key.pem",
    "{priv,private}key.pem", "{priv,private}[-_.]key.pem", "*[-_.]{priv,private}key.pem",
    "privkey[0-9].pem", "privkey[0-9][0-9].pem", "privkey[0-9][0-9][0-9].pem",
    "service{,[-_]}account*.json", "*[-_.]service{,[-_]}account*.json", "client_secret*.json",
)  # fmt: skip
# In these folders, these files.
_INSIDE: Final = {
    ".docker": {"config.json"}, ".kube": {"config"}, ".aws": {"credentials"}, ".cargo": {"credentials", "credentials.toml"},
    ".gem": {"credentials"}, "gh": {"hosts.yml"},
}  # fmt: skip
# They complain of what stands in a file that they are told to take names from.
_TAKES_LISTS: Final = frozenset({"file", "wc", "du"})
# These tell of a file that it is there, how large it is or what it is called, and nothing of what it holds.
_TELLS_NAMES_IN_GIT: Final = (["status"], ["check-ignore"], ["ls-files"])
_TELLS_NAMES: Final = frozenset(
    {"ls", "stat", "test", "[", "file", "wc", "du", "realpath", "readlink", "basename", "dirname"}
)


@lru_cache(maxsize=128)
def is_secret_file(path: str) -> bool:
    """Whether a path names a file that is there to hold secrets. Only its text counts; the disk is not looked at."""
    folder, _, name = path.lower().rpartition("/")
    name = name.rpartition(":")[2]  # `HEAD:.env` is the file as git has it
    if name in _NAMES or name in _INSIDE.get(folder.rpartition("/")[2], ()):
        return True
    return _PATTERN.fullmatch(name) is not None and _EXAMPLE.search(name) is None


@cache
def git_attributes() -> str:
    """Return lines for git's list of attributes by which it shows no contents of such files, but says that they differ."""
    inside = (f"**/{folder}/{name}" for folder, names in _INSIDE.items() for name in sorted(names))
    secret = [one for glob in (*sorted(_NAMES), *_GLOBS, *inside) for one in _unbraced(glob)]
    free = [pattern for word in _EXAMPLES for pattern in (f"{word}[-_.]*", f"*[-_.]{word}[-_.]*", f"*[-_.]{word}")]
    lines = (*(f"{_any_case(one)} -diff" for one in secret), *(f"{_any_case(one)} !diff" for one in free))
    return "".join(f"{line}\n" for line in lines)


def _unbraced(glob: str) -> list[str]:
    brace = re.search(r"\{([^{}]*)\}", glob)
    if brace is None:
        return [glob]
    return [
        one for part in brace[1].split(",") for one in _unbraced(glob[: brace.start()] + part + glob[brace.end() :])
    ]


def _any_case(glob: str) -> str:
    return re.sub(r"[a-z]", lambda letter: f"[{letter[0]}{letter[0].upper()}]", glob)


def tells_names_alone(programs: frozenset[str], words: Sequence[str]) -> bool:
    """Whether a command tells no more of a file than what a listing of its folder does.

    Args:
        programs: what it runs, by name.
        words: the command itself.
    """
    if programs == {"git"}:
        return words[0] == "git" and words[1:2] in _TELLS_NAMES_IN_GIT and not _has(words, ("-v", "--v"))
    if not programs or not programs <= _TELLS_NAMES:
        return False
    return programs.isdisjoint(_TAKES_LISTS) or not _has(words, ("-f", "-m", "--f", "--m"))


def _has(words: Sequence[str], options: tuple[str, ...]) -> bool:
    return any(word.startswith(options) for word in words)
