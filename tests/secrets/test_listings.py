"""Secrets in the files of programs, in the listings that tools make of them: with line numbers and names of files in front."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable

import pytest

from tui_agent.secrets.masker import Masker
from tui_agent.secrets.stream import MaskStream

RANDOM = random.Random(5)


def some(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(RANDOM.choices(alphabet, k=count))


def key() -> str:
    return base64.b64encode(RANDOM.randbytes(32)).decode()


LONG_LINE = base64.b64encode(RANDOM.randbytes(300)).decode()
LOGIN = base64.b64encode(b'{"auths":{"r.io":{"auth":"dXNlcjpwYXNzd29yZDEyMw=="}}}').decode()
WORD = "tulip9garden"
# What stands in a file, with `@@` for what is secret of it.
FILES: dict[str, tuple[str, str]] = {
    "PEM": ("-----BEGIN RSA " + "PRIVATE KEY-----\n@@\n-----END RSA PRIVATE KEY-----", LONG_LINE),
    "PGP": ("-----BEGIN PGP PRIVATE KEY BLOCK" + "-----\n\n@@\n-----END PGP PRIVATE KEY BLOCK-----", some(64)),
    "PuTTY": ("PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n@@\nPrivate-MAC: 0", some(48)),
    "Kubernetes variable": ("    - name: DB_PASSWORD\n      value: @@", WORD),
    "JSON variable": ('{"name": "DB_PASSWORD",\n  "value": "@@"}', WORD),
    ".netrc": ("machine api.x.com\n  login joe\n  password @@", WORD),
    "registry login": ("data:\n  .dockerconfigjson: @@", LOGIN),
    "named element": ('<property name="hibernate.connection.password">@@</property>', WORD),
    "Android string": ('<string name="api_key">@@</string>', some(32)),
    "property list": ("<key>password</key>\n<string>@@</string>", WORD),
    "Oracle address": ("jdbc:oracle:thin:scott/@@@//h:1521/orcl", WORD),
    "composer": ('{"github-oauth": {"github.com": "@@"}}', some(40, "0123456789abcdef")),
    "Discord": ("DISCORD_BOT=@@", f"M{some(23)}.{some(6)}.{some(38)}"),
    "Mailchimp": ("key @@", some(32, "0123456789abcdef") + "-us12"),
    "unseal key": ("Unseal Key 1: @@", key()),
    "root token": ("Initial Root Token: @@", "s." + some(24)),
    "WireGuard": ("PresharedKey = @@", key()),
    "wireless": ('network={\n  psk="@@"\n}', "blue tulip 9"),
    "WordPress": ("define('AUTH_KEY',         '@@');", some(64)),
    "SQL": ("SET PASSWORD FOR 'x'@'h' = PASSWORD('@@');", WORD),
    "Redis replica": ("masterauth @@", WORD),
    "Redis user": ("user default on >@@ ~* +@all", WORD),
    "LDAP": ("bindpw @@", WORD),
    "mount": ("//h/s /m cifs username=u,password=@@,uid=1 0 0", WORD),
    "VPN": ("<auth-user-pass>\njoe\n@@\n</auth-user-pass>", WORD),
    "JWK": ('{"kty": "OKP",\n "crv": "Ed25519",\n "d": "@@",\n "x": "a"}', some(43)),
    "JWK in front": ('{"k": "@@", "kty": "oct"}', some(43)),
    "fish": ("set -x GITHUB_TOKEN @@", some(40, "0123456789abcdef")),
    "image": ("ENV DB_PASSWORD @@", WORD),
    "glued": ("MAILPASS=@@", WORD),
    "short": ("ADMIN_PW=@@", WORD),
    "stack": ('"ParameterKey":"DBPassword","ParameterValue":"@@"', WORD),
}
LISTINGS: dict[str, Callable[[int, str], str]] = {
    "bare": lambda _number, line: line,
    "Read": lambda number, line: f"{number:6}\t{line}",
    "Grep": lambda number, line: f"notes.txt:{number}:{line}",
    "grep": lambda _number, line: f"notes.txt:{line}",
}
# What tells of these is the line before, or the beginning of their own, which the name of a file alone hides.
LOOSE = {("VPN", "Grep"), ("VPN", "grep"), ("Redis replica", "grep"), ("LDAP", "grep")}


@pytest.mark.parametrize("listing", LISTINGS)
@pytest.mark.parametrize("kind", FILES)
def test_a_secret_is_hidden_however_its_lines_are_listed(kind: str, listing: str) -> None:
    text, secret = FILES[kind]
    if (kind, listing) in LOOSE:
        pytest.skip("not covered here: what tells of it is hidden")
    lines = ["# notes", "some line", *text.replace("@@", secret).split("\n"), "last line"]
    masked = Masker().mask("\n".join(LISTINGS[listing](number, line) for number, line in enumerate(lines, 1)))
    assert secret not in masked
    assert secret[-16:] not in masked
    assert "last line" in masked
    assert masked.count("\n") == len(lines) - 1


@pytest.mark.parametrize("kind", FILES)
def test_a_secret_is_hidden_in_a_long_file_too(kind: str) -> None:
    text, secret = FILES[kind]
    short = f"some line\n{text.replace('@@', secret)}\n"
    before = "a line of prose that nobody minds\n" * 300
    assert Masker().mask(before + short) == before + Masker().mask(short)


KEY_LINES = [LONG_LINE[at : at + 61] for at in range(0, 366, 61)]
PEM = ["-----BEGIN RSA " + "PRIVATE KEY-----", *KEY_LINES, LONG_LINE[366:], "-----END RSA PRIVATE KEY-----"]
PROSE = [f"line {number} of data" for number in range(len(PEM))]
COLUMNS: dict[str, list[str]] = {
    "on the left": [f"{left}\t\t      |\t{right}" for left, right in zip(PEM, PROSE, strict=True)],
    "on the right": [f"{left}\t\t      |\t{right}" for left, right in zip(PROSE, PEM, strict=True)],
    "left of blanks": [f"{left:64}{right}" for left, right in zip(PEM, PROSE, strict=True)],
    "in both": [f"{left}\t\t{right}" for left, right in zip(PEM, PEM, strict=True)],
    "without its first character": [line[1:] for line in PEM],
    "without the beginning of its header": [line[20:] for line in PEM],
    "without the end of its header": [line[:24] for line in PEM],
}


@pytest.mark.parametrize("size", [1, 40, 5000])
@pytest.mark.parametrize("listing", COLUMNS)
def test_a_key_is_hidden_beside_other_text_and_cut_off(listing: str, size: int) -> None:
    text = "\n".join(["first line", *COLUMNS[listing], "last line, of prose\n"])
    stream = MaskStream(Masker())
    streamed = "".join([stream.feed(text[at : at + size]) for at in range(0, len(text), size)]) + stream.finish()
    for masked in (Masker().mask(text), streamed):
        assert [line for line in KEY_LINES if line[20:24] in masked] == []
        assert masked.count("of data") == text.count("of data")
        assert masked.endswith("last line, of prose\n")


@pytest.mark.parametrize(
    "header", ["-----BEGIN PUBLIC KEY-----", "LIC KEY-----", "-----BEGIN CERTIFICATE-----", "PRIMARY KEY-----"]
)
def test_what_is_no_private_key_stays_in_columns(header: str) -> None:
    lines = [header, *KEY_LINES]
    for text in (
        "\n".join(f"{line}\t|\tx" for line in lines),
        "\n".join(f"x\t|\t{line}" for line in lines),
        "\n".join(lines),
    ):
        assert Masker().mask(text) == text
