"""The environment in which git runs nothing that a repository names: no hook, filter, pager, external diff, alias or helper.

What configuration can switch off as a whole is switched off by `GIT_CONFIG_COUNT`, which outranks every file. What carries a
name of the repository's choosing (`filter.NAME.clean`) is looked up in the files, without running git, and switched off name
by name. Where the files cannot be understood, git is told that there is no repository.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tui_agent.git_config import GitConfigError, config_files, own_folder, read_names, read_settings
from tui_agent.git_control_files import why_git_cannot_read

__all__ = ["names_of_programs", "neutral_environment"]

# Names that may stay: who commits, where git stops looking, and the user's own files of configuration.
_KEPT: Final = frozenset({
    "GIT_AUTHOR_DATE", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_NAME", "GIT_CEILING_DIRECTORIES", "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_NAME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH", "GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_TEMPLATE_DIR",
})  # fmt: skip
_VARIABLES: Final[Mapping[str, str]] = {
    "GIT_ALLOW_PROTOCOL": "none",  # a list of those allowed; there is none of this name
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_EDITOR": ":",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_SEQUENCE_EDITOR": ":",
    "GIT_TERMINAL_PROMPT": "0",
}
_ALWAYS: Final[Mapping[str, str]] = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "credential.helper": "",  # empties the list of all that were named before
    # `format.pretty` may ask for signatures: those programs would take keys, and settings, from home
    "gpg.openpgp.program": "false",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
}
# git takes an empty external diff for a program to run; this shows the difference as git would. It is given the path, the old
# file, its hash and mode, then the new one's.
_OWN_DIFF: Final = (
    'printf "diff --git a/%s b/%s\\n" "$1" "$1"; diff -u --label "a/$1" --label "b/$1" -- "$2" "$5" || :; :'
)
# What a repository may set that git runs, by section and key, with a value that runs nothing of the repository's.
_NAMED: Final[Mapping[tuple[str, str], str]] = {
    ("alias", ""): "",
    ("browser", "cmd"): "false",
    ("browser", "path"): "false",
    ("core", "alternaterefscommand"): "true",
    ("core", "askpass"): "false",
    ("core", "editor"): ":",
    ("core", "gitproxy"): "",
    ("core", "sshcommand"): "false",
    ("credential", "helper"): "",
    ("diff", "cachetextconv"): "false",  # what it is told to show it would keep, in a ref
    ("diff", "command"): _OWN_DIFF,
    ("diff", "external"): _OWN_DIFF,
    ("diff", "submodule"): "log",  # with `diff` git is run in submodules, also in those that the index has no more
    ("diff", "textconv"): "cat",
    ("difftool", "cmd"): "false",
    ("difftool", "path"): "false",
    ("filter", "clean"): "",
    ("filter", "process"): "",
    ("filter", "required"): "false",
    ("filter", "smudge"): "",
    ("gpg", "defaultkeycommand"): "",
    ("guitool", "cmd"): "false",
    ("hook", "command"): "true",
    ("hook", "enabled"): "false",
    ("imap", "tunnel"): "false",
    ("interactive", "difffilter"): "cat",
    ("man", "cmd"): "false",
    ("man", "path"): "false",
    ("merge", "driver"): "false",
    ("mergetool", "cmd"): "false",
    ("mergetool", "path"): "false",
    ("pager", ""): "false",
    ("pager", "command"): "cat",
    ("remote", "receivepack"): "false",
    ("remote", "uploadpack"): "false",
    ("remote", "vcs"): "",
    ("sequence", "editor"): ":",
    ("submodule", "update"): "none",
    ("tar", "command"): "false",
    ("trailer", "cmd"): "",
    ("trailer", "command"): "",
    ("uploadpack", "packobjectshook"): "",
}
# What a repository may set that makes git read a file of the repository's choosing, whose text may then be shown.
_FILES: Final[Mapping[tuple[str, str], str]] = {
    ("commit", "template"): "/dev/null",
    ("core", "attributesfile"): "/dev/null",
    ("core", "excludesfile"): "/dev/null",
    ("diff", "orderfile"): "/dev/null",
    ("format", "signaturefile"): "/dev/null",
    ("gpg", "allowedsignersfile"): "/dev/null",
    ("gpg", "revocationfile"): "/dev/null",
    ("http", "cookiefile"): "/dev/null",
    ("init", "templatedir"): "",
    ("mailmap", "blob"): "",
    ("mailmap", "file"): "/dev/null",
    ("sendemail", "aliasesfile"): "/dev/null",
}
_LISTS: Final = (".git-blame-ignore", ".gitblameignore", ".git-ignore-revs")  # what people call them
_LEADING: Final = ("include.", "includeif.")
_MOST_NAMES: Final = 400


def neutral_environment(
    folders: Iterable[str], environment: Mapping[str, str], *, attributes: str = ""
) -> dict[str, str]:
    """Return `environment` with git made harmless in these folders, all that is above them, and their submodules.

    Variables that lead git elsewhere (`GIT_DIR`) or have it run something (`GIT_EXTERNAL_DIFF`) are taken out; a
    `GIT_CONFIG_COUNT` of the user's own is extended. Reads a few small files; runs nothing, and never fails: where the
    repository's configuration is not understood, git will find no repository at all. `attributes` is a list of attributes that
    git takes for the user's own.
    """
    kept = {name: value for name, value in environment.items() if not name.startswith("GIT_") or name in _KEPT}
    kept.pop("SSH_ASKPASS", None)
    variables = {**kept, **_VARIABLES}
    folders = tuple(folders)
    try:
        if reason := next(filter(None, map(why_git_cannot_read, folders)), ""):
            raise GitConfigError(reason)
        personal = config_files("/", kept)
        files = [file for folder in folders for file in config_files(folder, kept)]
        of_repository: set[str] = set()
        for file, name, value in read_settings((file for file in files if file not in personal), kept):
            if _leads_out(file, name, value, folders):
                raise GitConfigError(f"{file} leads elsewhere by {name}")
            of_repository.add(name)
        names = of_repository | read_names(personal, kept)
        own = list(_configured(environment))
        names.update(name for name, _ in own)
        off = {**dict(_files_switched_off(of_repository)), **dict(_switched_off(names))}
        if len(off) > _MOST_NAMES:
            raise GitConfigError("it names too many programs")
    except GitConfigError:
        own, off = [], {}
        variables["GIT_DIR"] = "/dev/null"
    pairs = [*own, *_ALWAYS.items(), *off.items(), *([("core.attributesFile", attributes)] if attributes else [])]
    variables["GIT_CONFIG_COUNT"] = str(len(pairs))
    for number, (name, value) in enumerate(pairs):
        variables[f"GIT_CONFIG_KEY_{number}"] = name
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def names_of_programs(names: Iterable[str]) -> list[str]:
    """Return those of a configuration's names by which git runs something, or reads settings from another file."""
    given = set(names)
    run = {name for name, _ in _switched_off(given)} & given
    always = {name.lower() for name in _ALWAYS}
    return sorted(run | (always & given) | {name for name in given if name.startswith(_LEADING) or _is_protocol(name)})


def _is_protocol(name: str) -> bool:
    return name.startswith("protocol.") and name.endswith("allow")


def _configured(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what the user's own `GIT_CONFIG_COUNT` sets; git itself fails where it does not add up."""
    try:
        count = int(environment.get("GIT_CONFIG_COUNT") or "0")
    except ValueError as error:
        raise GitConfigError("GIT_CONFIG_COUNT is no number") from error
    for number in range(min(count, _MOST_NAMES)):
        name = environment.get(f"GIT_CONFIG_KEY_{number}", "")
        if name:
            section, _, rest = name.partition(".")
            middle, dot, key = rest.rpartition(".")
            yield f"{section.lower()}.{middle}{dot}{key.lower()}", environment.get(f"GIT_CONFIG_VALUE_{number}", "")


def _switched_off(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in sorted(names):
        section, _, rest = name.partition(".")
        middle, _, key = rest.rpartition(".")
        if section == "gpg" and key == "program":
            yield name, "false"
        elif section in ("alias", "pager"):  # git calls what follows by the name of its own, or of none
            yield name, _NAMED.get((section, key), _NAMED[section, ""])
        elif (section, key) in _NAMED:
            yield name, _NAMED[section, key]
        if section == "filter" and key in ("clean", "smudge", "process"):
            yield f"filter.{middle}.required", "false"


def _leads_out(file: str, name: str, value: str, folders: Iterable[str]) -> bool:
    """Whether a repository's setting, which no other value switches off, may lead git to a file or folder elsewhere.

    Lists of commits to pass over are read before they can be emptied, and git shows lines of them that are none.
    """
    if name == "blame.ignorerevsfile":
        if not os.path.basename(value).startswith(_LISTS) or value[:1] in ("/", "~") or ".." in value.split("/"):  # noqa: PTH119
            return True
        tops = (above for folder in folders for above in (folder, *map(str, Path(folder).parents)))
        named = ((above, os.path.join(above, value)) for above in tops)  # noqa: PTH118
        return any(os.path.realpath(path) != os.path.join(os.path.realpath(above), value) for above, path in named)  # noqa: PTH118
    if name.endswith("fsck.skiplist"):
        return True
    if name != "core.worktree":
        return False
    git = os.path.dirname(file)  # noqa: PTH120
    marker = os.path.join(git, value, ".git")  # noqa: PTH118
    if not os.path.lexists(marker):  # of a submodule that is not checked out, git enters nothing
        return "/modules/" not in git
    return os.path.realpath(own_folder(marker)) != os.path.realpath(git)


def _files_switched_off(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield what keeps git from reading files of a repository's choosing; those that the user names are read."""
    for name in sorted(names):
        section, _, rest = name.partition(".")
        key = rest.rpartition(".")[2]
        if (section, key) in _FILES:
            yield name, _FILES[section, key]
