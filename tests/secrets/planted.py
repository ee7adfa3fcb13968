"""Made-up secrets, put together from parts so that no scanner of repositories takes this file for a leak."""

from __future__ import annotations

import base64
import random
import string
from typing import Final

__all__ = ["KEY_BLOCK", "LEFT_ALONE", "SECRETS", "letters"]

_RANDOM: Final = random.Random(7)


def letters(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Return so many characters, with every kind of the alphabet among them."""
    return (
        "aB3" + "".join(_RANDOM.choices(alphabet, k=count - 3))
        if alphabet[0] == "a" and "B" in alphabet
        else ("".join(_RANDOM.choices(alphabet, k=count)))
    )


_HEX: Final = "0123456789abcdef"
KEY_BLOCK: Final = "\n".join(
    [
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        *(letters(64) for _ in range(4)),
        letters(30) + "==",
        "-----END RSA PRIVATE KEY-----",
    ]
)
_JWT: Final = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=")
    for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890","name":"Jo"}', letters(32).encode())
)

# What is masked, as what, and the text that it stands in.
SECRETS: Final[tuple[tuple[str, str, str], ...]] = tuple(
    (secret, label, text.replace("@@", secret))
    for secret, label, text in (
        ("sk-" + "ant-api03-" + letters(90), "Anthropic key", "ANTHROPIC_API_KEY=@@"),
        ("sk-" + letters(48), "OpenAI key", 'openai.api_key = "@@"'),
        ("sk-" + "proj-" + letters(60), "OpenAI key", "key: @@."),
        ("AKIA" + "".join(_RANDOM.choices(string.ascii_uppercase, k=16)), "AWS key", "aws_access_key_id = @@"),
        (letters(40), "aws_secret_access_key", "aws_secret_access_key = @@"),
        ("ghp_" + letters(36), "GitHub token", "remote: https://x:@@@github.com/a/b"),
        ("github_pat_" + letters(60), "GitHub token", "(@@)"),
        ("glpat-" + letters(20), "GitLab token", "PRIVATE-TOKEN: @@"),
        ("xoxb-" + "123456789012-" + letters(24), "Slack token", "slack @@"),
        ("AIza" + letters(35), "Google key", "?key=@@&q=1"),
        ("sk_" + "live_" + letters(24), "Stripe key", "Stripe('@@')"),
        ("npm_" + letters(36), "npm token", "//registry.npmjs.org/:_authToken=@@"),
        ("pypi-" + "AgEIcHlwaS5vcmc" + letters(120), "PyPI token", "password = @@"),
        ("hf_" + letters(34), "Hugging Face token", "\\n@@\\n"),
        (_JWT, "JWT", "Cookie: session=@@; path=/"),
        ("hunter2x", "URL password", "postgres://app:@@@db.internal:5432/shop"),
        (letters(30), "bearer token", "curl -H 'Authorization: Bearer @@' https://x.io"),
        ("S3cure!Pass-w0rd", "DB_PASSWORD", "DB_PASSWORD=@@"),
        (letters(32), "client_secret", '{"client_secret": "@@", "x": 1}'),
        (letters(32), "apiKey", "  apiKey: '@@',"),
        (letters(40, _HEX), "GITEA_TOKEN", "export GITEA_TOKEN=@@"),
        ("gh" + "s_" + letters(36), "GitHub token", "\x1b[32m@@\x1b[0m"),
    )
)

# What looks a little like a secret, and is none.
LEFT_ALONE: Final = (
    "commit " + letters(40, _HEX),
    "index 3f2a1b4..9c8d7e6 100644",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "token_id = 550e8400-e29b-41d4-a716-446655440000",
    '"integrity": "sha512-' + letters(86) + '=="',
    'resolved "https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz#' + letters(40, _HEX) + '"',
    "js-tokens@^3.0.0, js-tokens@^4.0.0:",
    'sdist = { hash = "sha256:' + letters(64, _HEX) + '", size = 1234 }',
    "token = request.headers.get('X-Token')",
    "password = getpass.getpass()",
    "api_key=os.environ['OPENAI_API_KEY']",
    "const token = process.env.GITHUB_TOKEN2024;",
    "PASSWORD=changeme",
    "max_tokens=200000000000",
    'tokenizer = "cl100k_base_2024_x"',
    "secret: ${{ secrets.DEPLOY_KEY_2024_ABC }}",
    "https://user:password@example.com/",
    "postgres://${USER}:${PASS}@host/db",
    "risk-assessment-of-the-whole-Thing-2024-and-more",
    "sk-loading-container-of-things-that-spin",
    "-----BEGIN CERTIFICATE-----\n" + letters(64) + "\n-----END CERTIFICATE-----",
    'if "-----BEGIN PRIVATE ' + 'KEY-----" in text and "-----END PRIVATE KEY-----" in text: return something',
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + letters(40) + " me@host",
    "Bearer authentication is required for this",
    "[secret: GITHUB_TOKEN] and secret: [secret: S3_KEY_2024_aB3]",
    "private_key: x25519.X25519PrivateKey",
    "private_key = rust_openssl.hpke.MLKEM768X25519PrivateKey",
    "password: str = Field(default_factory=lambda: x2y3z4)",
    "def test_token_2024_expires_after_10_minutes(): ...",
)
