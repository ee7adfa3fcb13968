"""Numbers of system calls, for the two kinds of processor that the filter knows."""

from __future__ import annotations

from typing import Final

__all__ = ["AARCH64", "NEWEST", "X86_64"]

# Since 424 a new call has one number everywhere.
_COMMON: Final = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435, "pidfd_getfd": 438,
    "mount_setattr": 442, "quotactl_fd": 443, "fchmodat2": 452, "setxattrat": 463, "removexattrat": 466,
    "open_tree_attr": 467, "file_setattr": 469,
}  # fmt: skip
NEWEST: Final = 470  # what is newer than this may be anything

X86_64: Final = {
    **_COMMON, "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "keyctl": 250, "add_key": 248,
    "request_key": 249, "userfaultfd": 323, "bpf": 321, "perf_event_open": 298, "mount": 165, "umount2": 166,
    "pivot_root": 155, "chroot": 161, "setns": 308, "unshare": 272, "clone": 56, "init_module": 175, "finit_module": 313,
    "delete_module": 176, "kexec_load": 246, "kexec_file_load": 320, "reboot": 169, "swapon": 167, "swapoff": 168,
    "acct": 163, "quotactl": 179, "open_by_handle_at": 304, "settimeofday": 164, "clock_settime": 227, "sethostname": 170,
    "setdomainname": 171, "ioperm": 173, "iopl": 172, "vhangup": 153, "fanotify_init": 300, "ioctl": 16, "socket": 41,
    "socketpair": 53, "connect": 42, "bind": 49, "listen": 50, "accept": 43, "accept4": 288, "chmod": 90, "fchmod": 91,
    "fchmodat": 268, "chown": 92, "fchown": 93, "lchown": 94, "fchownat": 260, "utime": 132, "utimes": 235,
    "futimesat": 261, "utimensat": 280, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197,
    "lremovexattr": 198, "fremovexattr": 199, "truncate": 76, "setsid": 112, "shmget": 29, "semget": 64, "msgget": 68,
    "mq_open": 240, "mq_unlink": 241,
}  # fmt: skip

AARCH64: Final = {
    **_COMMON, "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "keyctl": 219, "add_key": 217,
    "request_key": 218, "userfaultfd": 282, "bpf": 280, "perf_event_open": 241, "mount": 40, "umount2": 39,
    "pivot_root": 41, "chroot": 51, "setns": 268, "unshare": 97, "clone": 220, "init_module": 105, "finit_module": 273,
    "delete_module": 106, "kexec_load": 104, "kexec_file_load": 294, "reboot": 142, "swapon": 224, "swapoff": 225,
    "acct": 89, "quotactl": 60, "open_by_handle_at": 265, "settimeofday": 170, "clock_settime": 112, "sethostname": 161,
    "setdomainname": 162, "vhangup": 58, "fanotify_init": 262, "ioctl": 29, "socket": 198, "socketpair": 199,
    "connect": 203, "bind": 200, "listen": 201, "accept": 202, "accept4": 242, "fchmod": 52, "fchmodat": 53, "fchown": 55,
    "fchownat": 54, "utimensat": 88, "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15,
    "fremovexattr": 16, "truncate": 45, "setsid": 157, "shmget": 194, "semget": 190, "msgget": 186, "mq_open": 180,
    "mq_unlink": 181,
}  # fmt: skip
