"""Files that are there to hold secrets, told by their names: reading one needs the user each time, or a rule that names it.

The list is short on purpose. What people read every day asks nothing: examples (`.env.example`), public halves (`id_rsa.pub`,
`cert.pem`), settings that hold a secret only now and then (`.npmrc`); masks hide what those hold. A search through a folder
asks nothing either, for the same reason: it names no such file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

__all__ = ["is_secret_file", "tells_names_alone"]

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
_EXAMPLE: Final = re.compile(
    r"(?:^|[-_.])(?:example|sample|template|tmpl|dist|defaults?|schema|pub(?:lic)?|d\.ts)(?:[-_.]|$)"
)
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
