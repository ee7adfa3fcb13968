"""The masker: what it hides, what it leaves alone, and that it does nothing else."""

from __future__ import annotations

import base64
import json
import time
from urllib.parse import quote, quote_plus

import pytest
from corpus import FORMS
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import KEY_BLOCK, LEFT_ALONE, SECRETS, letters

from tui_agent.secrets.assigned_values import is_random
from tui_agent.secrets.masker import Masker
from tui_agent.secrets.names import is_secret
from tui_agent.secrets.stream import MaskStream
from tui_agent.secrets.values import secret_values

LINES = [line.replace("«", "").replace("»", "") for _, lines in FORMS for line in lines]
VALUE = 'canary/9f+Q "w~7x'


@pytest.mark.parametrize(("secret", "label", "text"), SECRETS, ids=[label for _, label, _ in SECRETS])
def test_a_secret_of_a_known_kind_is_hidden_and_named(secret: str, label: str, text: str) -> None:
    masked = Masker().mask(text)
    assert secret not in masked
    assert masked == text.replace(secret, f"[secret: {label}]")


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert Masker().mask(text) == text


@pytest.mark.parametrize(
    "shape",
    [
        lambda text: text,
        lambda text: text.replace("\n", "\\n"),
        lambda text: "".join(f"{number:6}\t{line}\n" for number, line in enumerate(text.split("\n"), 1)),
        lambda text: "".join(f"{number:6}→{line}\n" for number, line in enumerate(text.split("\n"), 1)),
        lambda text: "".join(f"+{line}\n" for line in text.split("\n")),
        lambda text: "".join(f"    key.pem-{number}-{line}\n" for number, line in enumerate(text.split("\n"), 1)),
    ],
    ids=["plain", "escaped", "numbered", "read", "diff", "grep"],
)
def test_a_key_block_loses_its_lines_and_nothing_else(shape: object) -> None:
    assert callable(shape)
    text = shape("before it\n" + KEY_BLOCK + "\nand words that come after it")
    masked = Masker().mask(text)
    for line in KEY_BLOCK.split("\n")[1:-1]:
        assert line[:20] not in masked
    assert masked.count("\n") == text.count("\n")
    assert "-----END RSA PRIVATE KEY-----" in masked
    assert "and words that come after it" in masked


def test_the_values_of_secret_variables_are_hidden_in_every_spelling() -> None:
    masker = Masker(secret_values({"SHOP_TOKEN": VALUE, "EDITOR": "vi"}, is_secret))
    spellings = {
        "plain": VALUE,
        "address": quote(VALUE, safe=""),
        "form": quote_plus(VALUE),
        "json": json.dumps(VALUE)[1:-1],
        "base64": base64.b64encode(VALUE.encode()).decode(),
        "basic": base64.b64encode(f"user:{VALUE}".encode()).decode(),
        "url-safe": base64.urlsafe_b64encode(f"ab{VALUE}xyz".encode()).decode(),
    }
    for name, spelling in spellings.items():
        masked = masker.mask(f"<{spelling}>")
        assert "[secret: SHOP_TOKEN]" in masked, name
        assert spelling not in masked, name


def test_what_is_no_secret_of_the_environment_is_not_hidden() -> None:
    environment = {
        "DB_PASSWORD": "postgres", "PASS": "short", "SOME_TOKEN": "", "NODE_ENV": "production-like", "API_KEY": "/etc/passwd",
        "ROOT_PASSWORD": "aaaaaaaaaaaa",
    }  # fmt: skip
    assert secret_values(environment, is_secret) == {}


def test_a_password_in_an_address_of_the_environment_is_hidden_by_itself() -> None:
    masker = Masker(secret_values({"DATABASE_URL": "postgres://app:tr0ub4dor@db/shop"}, is_secret))
    assert masker.mask("login with tr0ub4dor failed") == "login with [secret: password in DATABASE_URL] failed"


def test_switched_off_it_hides_only_what_is_the_programs_own() -> None:
    masker = Masker({"SHOP_TOKEN": VALUE}, own=("own-credential-1234",), is_on=False)
    assert masker.mask(f"{VALUE} {SECRETS[0][0]} own-credential-1234") == f"{VALUE} {SECRETS[0][0]} [secret: API key]"
    masker.is_on = True
    assert VALUE not in masker.mask(VALUE)


def test_masks_that_were_shown_are_known_again() -> None:
    masker = Masker({"SHOP_TOKEN": VALUE})
    assert masker.shown_in("X=[secret: SHOP_TOKEN]") is None
    masker.mask(VALUE)
    assert masker.shown_in("X=[secret: SHOP_TOKEN]") == "[secret: SHOP_TOKEN]"
    assert masker.shown_in("X=[secret: OTHER]") is None
    masker.recall("seen [secret: OTHER] before")
    assert masker.shown_in("X=[secret: OTHER]") == "[secret: OTHER]"


def test_lines_that_are_told_one_by_one_are_masked_as_together() -> None:
    body = ["MC4CAQAwBQYDK2VwBCIEI" + letter * 43 for letter in "QRS"]
    lines = ["-----BEGIN PRIVATE KEY-----", *body, "-----END PRIVATE KEY-----", "done"]
    found = [{"file": "k", "line": at, "text": line} for at, line in enumerate(lines)]
    masked = Masker().mask_data({"content": "\n".join(lines), "matches": found})
    assert [one["text"] for one in masked["matches"]] == masked["content"].split("\n")
    assert not any(line in str(masked) for line in body)
    assert Masker().mask_data({"matches": found[-1:]}) == {"matches": found[-1:]}


def test_data_keeps_its_shape() -> None:
    masker = Masker({"SHOP_TOKEN": VALUE})
    data = {"a": [VALUE, 1, None, {"b": (VALUE, True)}], VALUE: 2.5}
    mask = "[secret: SHOP_TOKEN]"
    assert masker.mask_data(data) == {"a": [mask, 1, None, {"b": (mask, True)}], mask: 2.5}
    plain = {"a": ["x", 1]}
    assert masker.mask_data(plain) is plain


@given(st.text())
def test_text_without_secrets_is_not_touched(text: str) -> None:
    masker = Masker({"SHOP_TOKEN": VALUE})
    masked = masker.mask(text)
    assert masked == text or masker.shown


_PIECES = st.one_of(
    st.sampled_from([secret for secret, _, _ in SECRETS] + [text for _, _, text in SECRETS] + [VALUE, KEY_BLOCK]),
    st.sampled_from(LEFT_ALONE),
    st.sampled_from(LINES),
    st.sampled_from(
        ["\n", " ", "=", ":", '"', "token", "password=", "sk-", "ghp_", "Bearer ", "[secret: X]", "]", "a", "\\n"]
    ),
    st.text(max_size=8),
)


@given(st.lists(_PIECES, max_size=8).map("".join))
def test_masking_twice_is_masking_once(text: str) -> None:
    masker = Masker({"SHOP_TOKEN": VALUE, "OTHER": letters(12)})
    masked = masker.mask(text)
    assert masker.mask(masked) == masked
    assert VALUE not in masked


@pytest.mark.parametrize(
    "hard",
    [
        "sk-", "eyJa.", "token=", "password=A1", "://a:", "Bearer a1", "-----BEGIN PRIVATE KEY-----\n", "a", "xoxb-",
        "<password>a", "password='", " login -p ", "curl -u a:b ", "Private-Lines: 3\n", "$6$a", "name: PASSWORD\n",
        "password: |\n  a", "password: &", "passwords:\n- ", "password:\n", '"passwords": ["a",', 'password = """\n',
        "<password>\n ", "{password: ", 'variable "password" {', "kind: Secret\ndata:\n  a: ", "data:\n a: b\n", "echo a:b|",
        "chpasswd|", "zip -P ", "htpasswd -b a ", ":::", "PWD=", "-----END PRIVATE KEY-----\n", "a\x08", "abcd\\\nabcd",
        "abcd\r", "M.aaaaaa.", "mnemonic: a ", "://a@a", '"random_password"\n', 'user = "a:', "password:: A", "\ufffd",
    ],
)  # fmt: skip
def test_time_grows_with_the_text_and_no_faster(hard: str) -> None:
    masker = Masker({f"S{number}_TOKEN": letters(40) for number in range(20)})
    text = hard * (60_000 // len(hard))
    began = time.process_time()
    masker.mask(text)
    stream = MaskStream(masker)
    for at in range(0, 30_000, 1_500):
        stream.feed(text[at : at + 1_500])
    stream.finish()
    assert time.process_time() - began < 1.2


PIECES = (
    [text for _, _, text in SECRETS]
    + [secret for secret, _, _ in SECRETS]
    + list(LEFT_ALONE)
    + KEY_BLOCK.split("\n")
    + LINES
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, "plain words here", "x = 1\n", "password", "token:", "=", ""]), max_size=8))
def test_texts_that_are_looked_through_together_hide_what_each_hides_alone(texts: list[str]) -> None:
    masker = Masker({"DB_PASSWORD": "corr3ct-h0rse-battery"})
    alone = [masker.mask(text) if len(text) >= 8 else text for text in texts]
    assert masker.mask_data(list(texts)) == alone


def test_a_text_with_secrets_is_worked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    masked: list[str] = []

    def mask(self: Masker, text: str) -> str:
        masked.append(text)
        return plain(self, text)

    plain = Masker.mask
    monkeypatch.setattr(Masker, "mask", mask)
    text = "api_token = 'aB3dE5fG7hJ9kL2m'\n"
    data = {"file_path": "settings.py", "content": text, "more": ["nothing to see here"]}
    assert "aB3dE5fG7hJ9kL2m" not in str(Masker().mask_data(data))
    assert masked.count(text) == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a1b2c3d4e5f6g7h8", True),
        ("1a2b3c4d1a2b3c4d", True),  # three bits to a character, which is just enough
        ("1a2b3c4d1a2b3c4d1a2b3c4d", True),
        ("1a2b1a2b1a2b1a2b", False),
        ("correct-horse-battery-2", False),
        ("SomeVeryLongClassName", False),
        ("Passw0rd!9", True),
        ("qWxZkLmNbVcXzAsDfGhJ", True),
        ("20260101120000", False),
    ],
)
def test_what_looks_random(value: str, expected: bool) -> None:
    assert is_random(value) is expected


def test_what_is_remembered_of_a_long_text_holds_only_while_the_same_is_secret() -> None:
    text = f"{'word ' * 10_000} ghp_{'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7'} canary-of-mine-1"
    masker = Masker()
    assert "ghp_" not in masker.mask(text)
    assert masker.mask(text) is masker.mask(text)
    assert "canary-of-mine-1" in masker.mask(text)
    masker.learn({"MINE": "canary-of-mine-1"})
    assert masker.mask(text).endswith("[secret: GitHub token] [secret: MINE]")
    masker.is_on = False
    assert masker.mask(text) == text
    masker.is_on = True
    assert masker.mask(text).endswith("[secret: GitHub token] [secret: MINE]")
    for number in range(50):
        masker.mask(f"{number} {text}")
    assert len(masker._known) < 10
