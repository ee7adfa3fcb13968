"""What a command that only reads can see besides the work: the system, toolchains, harmless configuration, and no more.

The lists name what programs need to run and to tell the truth. They never name a folder that holds other people's data, keys
or other projects; what is not named does not exist for the command.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from tui_agent.git_config import GitConfigError, personal_paths

__all__ = ["CREDENTIALS", "home_secrets", "system_secrets", "visible_places"]

_SYSTEM: Final = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/snap", "/sys/devices",
    "/run/systemd/resolve", "/run/current-system", "/run/booted-system", "/run/opengl-driver", "/System",
    "/Library/Developer", "/Library/Frameworks", "/Applications/Xcode.app", "/private/etc", "/home/linuxbrew/.linuxbrew",
)  # fmt: skip
# Of the machine's state: what only some programs look at. Each place costs time to mount, so it is there for commands in
# which one of these words occurs.
_STATE: Final = tuple(
    (re.compile(rf"\b(?:{words})"), places)
    for words, places in (
        ("dpkg|apt|deb|snap", ("/var/lib/dpkg", "/var/lib/apt", "/var/cache/apt", "/var/lib/snapd/snaps")),
        ("rpm|dnf|yum|pacman|flatpak|emerge|equery|apk", (
            "/var/lib/rpm", "/var/lib/pacman", "/var/lib/flatpak", "/var/db", "/lib/apk/db", "/usr/lib/sysimage")),
        ("man|whatis|apropos|alternatives", ("/var/cache/man", "/var/lib/alternatives")),
        ("last|who|w\\b|users|uptime|finger|pinky", ("/var/log/wtmp", "/var/log/lastlog", "/run/utmp")),
        ("journal|system|login|hostname", ("/var/log/journal", "/run/log/journal", "/run/systemd/system")),
        ("sys|nproc|free|top|nvidia|udev|sensors|mount|findmnt|df\\b|ip\\b|ss\\b", ("/sys",)),
        ("ls(?:blk|cpu|pci|usb|mem|scsi|hw|mod|dev|ipc)", ("/sys",)),
    )
)  # fmt: skip
# Toolchains and what comes with them, in home. `.cargo` holds a token beside its folders.
_TOOLCHAINS: Final = (
    ".pyenv", ".rbenv", ".nodenv", ".goenv", ".asdf", ".nvm", ".volta", ".fnm", ".bun/bin", ".deno/bin", ".cargo/bin",
    ".local/bin", ".local/lib", ".local/share/uv", ".local/share/pipx", ".local/pipx", ".local/share/mise",
    ".local/share/fnm", ".local/share/pnpm", ".local/share/man", ".local/share/bash-completion", ".local/share/terminfo",
    ".nix-profile", ".local/state/nix", ".conda", "miniconda3", "anaconda3", "miniforge3", "mambaforge", "go/bin", ".go",
    ".ghcup/bin", ".ghcup/ghc", ".gem", ".linuxbrew", "Library/Python", "Library/pnpm", ".npm-global", ".proto",
    ".pixi/bin", ".pixi/envs", ".krew/bin",
)  # fmt: skip
# The same, of programs that no others start: there for commands in which one of the words occurs.
_NAMED_TOOLCHAINS: Final = tuple(
    (re.compile(rf"\b(?:{words})"), places)
    for words, places in (
        ("cargo|rust|clippy", (".rustup", ".cargo/registry", ".cargo/git")),
        ("java|mvn|gradle|kotlin|scala|sbt|groovy", (".m2/repository", ".sdkman")),
        ("go\\b|gofmt|gopls", ("go/pkg", "go/src")),
        ("julia", (".juliaup", ".julia/juliaup")),
        ("lean|lake|elan", (".elan",)),
        ("opam|ocaml|dune", (".opam",)),
        ("ruby|gem|bundle|rake|rvm|irb", (".rvm",)),
        ("dotnet", (".dotnet",)),
    )
)
# Configuration that holds no secrets, of programs that only read.
_CONFIGURATION: Final = (
    ".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes", ".gitignore", ".gitignore_global",
    ".gitattributes", ".mailmap", ".terminfo", ".inputrc", ".ripgreprc", ".config/ripgrep", ".rgignore", ".ignore", ".agignore",
    ".config/bat", ".config/fd", ".config/eza", ".config/lsd", ".dircolors", ".dir_colors", ".lesskey", ".manpath",
    ".config/locale.conf", ".tool-versions", ".python-version", ".node-version", ".ruby-version", ".nvmrc", ".tidyrc",
    ".config/mise/config.toml", ".config/procs", ".jq", ".editorconfig", ".docker/contexts/meta", ".hushlogin", ".bcrc",
)  # fmt: skip
# Keys and tokens, in home. A command that may write in the working folders sees home, but not these.
CREDENTIALS: Final = (
    ".ssh", ".aws", ".azure", ".gnupg", ".kube", ".netrc", ".config/gh", ".config/hub", ".config/glab-cli", ".config/gcloud",
    ".config/op", ".config/sops", ".config/age", ".config/rclone", ".config/doctl", ".config/heroku", ".config/netlify",
    ".config/stripe", ".config/git/credentials", ".git-credentials", ".docker/config.json", ".npmrc", ".yarnrc", ".pypirc",
    ".config/pip", ".pip/pip.conf", ".config/pypoetry", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
    ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".terraform.d", ".vault-token", ".fly",
    ".pgpass", ".my.cnf", ".mylogin.cnf", ".boto", ".s3cfg", ".rclone.conf", ".oci", ".databrickscfg", ".password-store",
    ".local/share/keyrings", ".local/share/kwalletd", ".mozilla", ".config/google-chrome", ".config/chromium",
    ".config/BraveSoftware", ".config/microsoft-edge", ".thunderbird", "snap/firefox", ".bash_history", ".zsh_history",
    ".local/share/fish/fish_history", ".python_history", ".psql_history", ".mysql_history", ".node_repl_history",
    ".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".config/github-copilot", ".subversion/auth",
    ".docker/contexts/tls", ".local/share/uv/credentials", ".rattler", ".config/containers/auth.json", ".composer/auth.json",
    ".config/composer/auth.json", ".config/nix/nix.conf", ".config/pnpm", ".config/solana", ".jfrog", ".doppler",
    ".config/ngrok", ".local/share/com.vercel.cli", ".config/.wrangler", ".local/share/opencode/auth.json", ".gemini",
    ".config/openai",
    ".config/sourcery", ".huggingface/token", ".cache/huggingface/token", ".kaggle", ".wandb", ".config/wandb",
    "Library/Keychains", "Library/Application Support/Google/Chrome", "Library/Application Support/Firefox", "Library/Cookies",
)  # fmt: skip
_SECRETS: Final = (
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private",
    "/etc/krb5.keytab", "/etc/wireguard", "/etc/kubernetes", "/etc/letsencrypt/archive", "/etc/letsencrypt/live",
    "/etc/NetworkManager/system-connections", "/etc/credstore", "/etc/credstore.encrypted", "/etc/security/opasswd",
    "/etc/rancher", "/etc/docker/key.json",
)  # fmt: skip
# Beside a folder of programs: what those are made of.
_BESIDE_PROGRAMS: Final = ("lib", "lib64", "libexec", "share", "include", "pyvenv.cfg", "conda-meta")
# Variables that name what a program needs.
_NAMING_PLACES: Final = (
    "RIPGREP_CONFIG_PATH", "TERMINFO", "JAVA_HOME", "GOROOT", "RUSTUP_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "TZDIR",
    "PYENV_ROOT", "RBENV_ROOT", "NVM_DIR", "ASDF_DIR", "ASDF_DATA_DIR", "VOLTA_HOME", "SDKMAN_DIR", "PNPM_HOME",
    "UV_PYTHON_INSTALL_DIR", "UV_TOOL_DIR", "PIPX_HOME", "HOMEBREW_PREFIX",
)  # fmt: skip
# Beside a folder of `shims`: the programs that those choose from.
_BESIDE_SHIMS: Final = ("bin", "completions", "installs", "libexec", "plugins", "version", "versions")
_MOST_ETC: Final = 20_000


def visible_places(home: str, environment: Mapping[str, str], command: str) -> tuple[str, ...]:
    """Return what exists of the lists for this user and command: absolute paths, which may be links."""
    found = dict.fromkeys(_SYSTEM)
    found.update(dict.fromkeys(place for words, places in _STATE if words.search(command) for place in places))
    named = (name for words, names in _NAMED_TOOLCHAINS if words.search(command) for name in names)
    found.update(dict.fromkeys(f"{home}/{name}" for name in named))
    found.update(dict.fromkeys(f"{home}/{name}" for name in (*_TOOLCHAINS, *_CONFIGURATION)))
    found.update(dict.fromkeys(_programs(home, environment.get("PATH", ""))))
    with contextlib.suppress(GitConfigError):  # git will say so itself
        found.update(dict.fromkeys(personal_paths({**environment, "HOME": home})))
    for name in _NAMING_PLACES:
        value = environment.get(name, "")
        if value.startswith("/") and not _holds_home(os.path.realpath(value), home):
            found[value] = None
    secret = [f"{home}/{name}" for name in CREDENTIALS]
    return tuple(path for path in found if os.path.lexists(path) and not _is_in(path, secret))


def home_secrets(home: str) -> tuple[str, ...]:
    """Return the places of keys and tokens that exist in a home folder."""
    return tuple(path for name in CREDENTIALS if os.path.lexists(path := f"{home}/{name}"))


def system_secrets() -> tuple[str, ...]:
    """Return what must not be read of `/etc`, though it has to be there: root could read what is meant for root alone."""
    found = [*_SECRETS, *(_closed_to_others() if os.geteuid() == 0 else ())]
    return tuple(path for path in dict.fromkeys(found) if os.access(path, os.R_OK))


@cache
def _closed_to_others() -> tuple[str, ...]:
    """Return what of `/etc` only root may read. Looked for once: a walk of milliseconds."""
    found: list[str] = []
    waiting = ["/etc"]
    seen = 0
    while waiting and seen < _MOST_ETC:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    seen += 1
                    mode = entry.stat(follow_symlinks=False).st_mode
                    if stat.S_ISLNK(mode) or (stat.S_ISREG(mode) and not entry.stat(follow_symlinks=False).st_size):
                        continue
                    if not mode & (stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)):
                        found.append(entry.path)
                    elif stat.S_ISDIR(mode):
                        waiting.append(entry.path)
        except OSError:
            continue
    return (*found, *waiting)  # what was not looked at is not shown


def _programs(home: str, path: str) -> Iterator[str]:
    """Yield the folders that programs are looked for in, and what lies beside them and belongs to them."""
    for folder in dict.fromkeys(path.split(":")):
        if not folder.startswith("/") or _holds_home(os.path.realpath(folder), home):
            continue
        yield folder
        above = os.path.dirname(os.path.realpath(folder))  # noqa: PTH120
        if os.path.basename(folder) in ("bin", "sbin", "shims") and not _holds_home(above, home):  # noqa: PTH119
            own = above == f"{home}/.local"  # whose `share` is everybody's
            beside = _BESIDE_SHIMS if folder.endswith("/shims") else _BESIDE_PROGRAMS
            yield from (f"{above}/{name}" for name in beside if not (own and name == "share"))


def _holds_home(path: str, home: str) -> bool:
    """Whether a folder is home, or one that home lies in."""
    return _is_in(os.path.realpath(home), (path,))


def _is_in(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)
