"""What a variable's name says of its value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.secrets.names import is_secret, may_be_secret, shown_value

_WORDS = (
    "DB",
    "PASS",
    "PAT",
    "KEY",
    "ID",
    "TOKEN",
    "MYSQL",
    "PWD",
    "SSHPASS",
    "DSN",
    "AUTH",
    "AUTHOR",
    "CONNECTION",
    "STRING",
    "2",
)


@given(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4).map("_".join), st.booleans())
def test_what_is_masked_is_never_shown(name: str, is_lower: bool) -> None:
    name = name.lower() if is_lower else name
    assert may_be_secret(name) or not is_secret(name)


@pytest.mark.parametrize(
    "name", ["DB_PASS", "MYSQL_PWD", "SSHPASS", "REDIS_CONNECTION_STRING", "APP_AUTH", "HOTKEYS", "GH_PAT"]
)
def test_rather_one_too_many_is_not_shown(name: str) -> None:
    assert shown_value(name, "a value") == "(hidden)"


@pytest.mark.parametrize("name", ["GIT_AUTHOR_NAME", "PATH", "EDITOR", "COMPASS", "PATTERN"])
def test_ordinary_values_are_shown(name: str) -> None:
    assert shown_value(name, "a value") == "a value"


def test_a_password_in_an_address_is_not_shown() -> None:
    assert shown_value("DATABASE_URL", "postgres://shop:correct-horse@db/shop") == (
        "postgres://shop:[secret: URL password]@db/shop"
    )
