"""More programs that run others, apart from those that everybody has: from the manuals of Debian's packages, and by trying.

What they do with their arguments stands in `runners`.
"""

from __future__ import annotations

from typing import Final

__all__ = ["OTHER_RUNNERS", "OTHER_SHELLS", "OTHER_WRAPPERS", "WRAPPERS_WITH_ONE_WORD"]

_PROCESSORS: Final = (
    "aarch64", "arm", "armeb", "i386", "loongarch64", "m68k", "mips", "mips64", "mips64el", "mipsel", "ppc", "ppc64",
    "ppc64le", "riscv32", "riscv64", "s390x", "sparc", "sparc64", "x86_64",
)  # fmt: skip

OTHER_WRAPPERS: Final = frozenset({
    *(f"qemu-{one}{end}" for one in _PROCESSORS for end in ("", "-static")),
    "abduco", "apply", "aprun", "austin", "beesu", "box64", "box86", "byobu", "cage", "calife", "captest", "catatonit",
    "cgdb", "ck-launch-session", "clush", "concurrently", "cowdancer", "cross-env", "cross-env-shell", "daemon",
    "daemonize", "dchroot", "ddd", "debconf", "debconf-apt-progress", "detach", "distrobox-enter",
    "distrobox-host-exec", "dockerize", "dsh", "dtruss", "empty", "env-cmd", "envchain", "envconsul", "fakeroot-ng",
    "fakeroot-sysv", "fakeroot-tcp", "faketty", "fghack", "flatpak-spawn", "fstab-decode", "gamemoderun", "gamescope",
    "gksu", "gksudo", "gnome-session-inhibit", "gpg-agent", "graftcp", "host-spawn", "hwatch", "hwloc-bind", "jsrun",
    "k5start", "kcov", "kde-inhibit", "kdesu", "kdesudo", "keep-one-running", "krenew", "kstart", "ksu", "ktrace",
    "landrun", "latrace", "ld-linux-aarch64.so.1", "ld-linux-x86-64.so.2", "ld-linux.so.2", "ld.so", "ledit",
    "libeatmydata", "likwid-perfctr", "likwid-pin", "lockrun", "luit", "lxqt-sudo", "lxsudo", "mangohud", "mbox",
    "minijail0", "modd", "mpiexec", "mpirun", "msgexec", "msgfilter", "multirun", "multitime", "mussh", "netns-exec",
    "niceload", "nosync", "ocount", "onchange", "opendoas", "operf", "optirun", "orterun", "parallel-ssh", "pasta",
    "pdsh", "perflock", "pexec", "pgrphack", "please", "prime-run", "primusrun", "proxychains3", "prun", "pssh",
    "really", "reflex", "rlfe", "rsh", "run-one", "run-one-constantly", "run-one-until-failure",
    "run-one-until-success", "run-this-one", "run0", "s6-background", "s6-setsid", "s6-softlimit", "salloc", "sandbox",
    "scalene", "schroot", "sem", "seunshare", "spawn-fcgi", "srun", "startx", "su-to-root", "sudo-rs", "summon",
    "super", "sux", "systemd-cat", "systemd-notify", "systemd-socket-activate", "termrec", "trickle", "truss", "ttyrec",
    "uftrace", "usewithtor", "valgrind.bin", "vglrun", "viddy", "wait-for-it", "wait-for-it.sh", "weston-launch",
    "when-changed", "wlheadless-run", "xinit", "xjobs", "xtrace", "xwfb-run",
})  # fmt: skip
"""They run what follows them."""

WRAPPERS_WITH_ONE_WORD: Final = frozenset({
    "arch-chroot", "artix-chroot", "ch-run", "chruby-exec", "dotlockfile", "dtach", "envuidgid", "gdbserver",
    "hwloc-bind", "lckdo", "likwid-pin", "logsave", "pidproxy", "s6-applyuidgid", "s6-envdir", "s6-envuidgid",
    "s6-setlock", "s6-setuidgid", "setlock", "solo", "wait-for-it", "wait-for-it.sh", "with-lock-ex",
})  # fmt: skip
"""They run what follows a word of their own: a file, an address, a user."""

OTHER_SHELLS: Final = frozenset({
    "bash-static", "ksh2020", "mksh-static", "rksh", "rksh93", "rlksh", "rmksh", "rzsh", "sash", "zsh-static", "zsh5",
})  # fmt: skip
"""They take the text behind `-c` for a command."""

OTHER_RUNNERS: Final = frozenset({
    "berglas", "bundler", "cmake", "consul", "coverage", "cset", "dialog", "dotenvx", "enroot", "etcdctl", "fnm",
    "foot", "footclient", "forego", "foreman", "ghostty", "goenv", "goreman", "honcho", "incus", "jenv", "keyctl",
    "kgx", "lerna", "lxterm", "lxterminal", "mate-terminal", "memray", "meson", "mix", "nodenv", "nox", "nvm", "nx",
    "phpenv", "plenv", "proot-distro", "ptyxis", "py-spy", "qterminal", "rtx", "rvm", "rxvt", "sakura", "saml2aws",
    "sops", "st", "terminator", "terminology", "tilix", "toolbox", "tox", "trace-cmd", "turbo", "udocker", "urxvt",
    "urxvtc", "uxterm", "viztracer", "waydroid", "x-terminal-emulator", "xdg-terminal-exec", "xfce4-terminal",
})  # fmt: skip
"""They run a command that stands somewhere among their operands."""
