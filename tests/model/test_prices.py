from __future__ import annotations

import pytest

from tui_agent.model.prices import DEFAULT_MODEL, ModelTable, full_name, info
from tui_agent.model.protocol import Usage


def test_the_default_model_is_known_in_every_respect() -> None:
    known = info(DEFAULT_MODEL)
    assert known.context_size == 1_000_000
    assert known.max_output == 128_000
    assert None not in (known.rates.input, known.rates.output, known.rates.cache_read, known.rates.cache_write)


def test_every_entry_of_the_data_is_complete_and_sensible() -> None:
    for name, known in ModelTable.builtin().models.items():
        assert known.context_size, name
        assert known.max_output, name
        assert known.context_size > known.max_output, name
        rates = known.rates
        assert rates.cache_read is not None, name
        assert rates.input is not None, name
        assert rates.output is not None, name
        assert rates.cache_write is not None, name
        assert rates.cache_read < rates.input < rates.cache_write < rates.output, name


def test_a_request_costs_the_sum_of_its_tokens() -> None:
    usage = Usage(input_tokens=1_000, output_tokens=2_000, cache_read_tokens=100_000, cache_write_tokens=4_000)
    expected = (1_000 * 2 + 2_000 * 10 + 100_000 * 0.1 + 4_000 * 2.5) / 1e6
    assert ModelTable.builtin().cost("claude-sonnet-5-5", usage) == pytest.approx(expected)


def test_a_long_prompt_is_charged_by_its_own_rates_where_there_are_some() -> None:
    short = Usage(input_tokens=100_000)
    long = Usage(input_tokens=1, cache_read_tokens=100_000)
    assert ModelTable.builtin().cost("claude-haiku-5-5", short) == pytest.approx(0.01)
    assert ModelTable.builtin().cost("claude-haiku-5-5", long) == pytest.approx((0.5 + 100_000 * 0.05) / 1e6)


def test_a_dated_id_is_the_model_it_is_a_version_of() -> None:
    assert info("claude-haiku-4-5-20251001").context_size == 200_000
    assert info("claude-haiku-4-5-20251001").id == "claude-haiku-4-5-20251001"


def test_what_is_not_known_stays_unknown() -> None:
    unknown = info("somebodys-model")
    assert not unknown.is_known
    assert unknown.context_size is None
    assert ModelTable.builtin().cost("somebodys-model", Usage(input_tokens=5)) is None
    assert ModelTable.builtin().request_defaults("somebodys-model").thinking is None
    assert ModelTable.builtin().request_defaults("somebodys-model").max_tokens > 0


def test_thinking_is_asked_for_in_the_form_a_model_takes() -> None:
    assert ModelTable.builtin().request_defaults("claude-sonnet-5-5").thinking == {
        "type": "adaptive",
        "display": "summarized",
    }
    old = ModelTable.builtin().request_defaults("claude-haiku-4-5")
    assert old.thinking is not None
    assert old.thinking["type"] == "enabled"
    assert 1024 <= old.thinking["budget_tokens"] < old.max_tokens


def test_thinking_fits_into_the_persons_own_limit() -> None:
    small = ModelTable.builtin().request_defaults("claude-haiku-4-5", max_tokens=4096)
    assert (small.max_tokens, small.thinking) == (4096, {"type": "enabled", "budget_tokens": 2048})
    assert ModelTable.builtin().request_defaults("claude-haiku-4-5", max_tokens=1000).thinking is None


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("claude-sonnet-5-5", {"type": "between_tools"}),
        ("claude-sonnet-5", {"type": "disabled"}),
        ("claude-opus-5-5", {"type": "adaptive", "display": "omitted"}),
        ("claude-sonnet-4-6", None),
        ("claude-haiku-4-5", None),
        ("somebodys-model", None),
    ],
)
def test_a_model_is_told_not_to_think_in_the_form_it_takes(model: str, thinking: dict[str, str] | None) -> None:
    assert ModelTable.builtin().request_defaults(model, is_thinking=False).thinking == thinking


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("opus", "claude-opus-5-5"),
        ("sonnet", "claude-sonnet-5-5"),
        ("haiku[1m]", "claude-haiku-5-5"),
        ("default", DEFAULT_MODEL),
        ("opusplan", DEFAULT_MODEL),
        ("claude-opus-4-5", "claude-opus-4-5"),
        ("claude-sonnet-5[1m]", "claude-sonnet-5"),
        ("claude-opus-4-5-20251101", "claude-opus-4-5-20251101"),
        ("qwen3:30b", "qwen3:30b"),
        ("opu", "opu"),
        (".*", ".*"),
    ],
)
def test_short_names_are_the_newest_of_their_kind_and_others_stay(name: str, model: str) -> None:
    assert full_name(name) == model


def test_of_each_kind_the_newest_stands_first() -> None:
    kinds: dict[str, list[tuple[int, ...]]] = {}
    for name in ModelTable.builtin().models:
        kind, *version = name.removeprefix("claude-").split("-")
        kinds.setdefault(kind, []).append(tuple(map(int, version)))
    for versions in kinds.values():
        assert versions == sorted(versions, reverse=True)
