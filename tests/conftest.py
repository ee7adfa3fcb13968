"""What holds for every test."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from itertools import count

import pytest
import textual.app
import textual.pilot
import textual.screen
from hypothesis import HealthCheck, settings
from idle import wait_until_idle, wait_until_still
from quick_apps import (
    PAINT,
    find_handlers_once,
    name_pictures_alike,
    paint_nothing_unseen,
    share_style_sheets,
    simplify_caches,
)
from quick_clients import share_certificates
from textual._compositor import Compositor

_numbers = count()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the option that draws the pictures of `tests/snapshots` anew."""
    parser.addoption("--snapshot-update", action="store_true", help="draw the pictures in snapshots/ anew")


@pytest.fixture(autouse=True)
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a state folder of its own, which does not exist at first: what one remembers is not another's."""
    monkeypatch.setenv("TUI_AGENT_HOME", f"{tmp_path_factory.getbasetemp()}/state-{next(_numbers)}")


@pytest.fixture(autouse=True, scope="session")
def _small_repositories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """New repositories have the folders that git makes, but none of its fourteen samples of hooks."""
    template = tmp_path_factory.mktemp("template")
    (template / "hooks").mkdir()
    (template / "info").mkdir()
    (template / "info/exclude").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_TEMPLATE_DIR", str(template))
        yield


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint as in a terminal: the test looks at what is sent to it, or counts it."""
    monkeypatch.setattr(Compositor, "render_update", PAINT)


@pytest.fixture(autouse=True, scope="session")
def _prompt_pilots() -> None:
    """A test that drives an app goes on as soon as the app has nothing left to do."""
    textual.app.wait_for_idle = wait_until_idle  # type: ignore[attr-defined]
    textual.pilot.wait_for_idle = wait_until_idle  # type: ignore[attr-defined]
    textual.pilot.Pilot._wait_for_screen = wait_until_still  # type: ignore[method-assign]
    share_style_sheets()
    name_pictures_alike()
    simplify_caches()
    find_handlers_once()
    paint_nothing_unseen()
    share_certificates()
    # What was changed is painted at the next frame: nobody watches these, so it need not be 1/60 s away.
    textual.screen.UPDATE_PERIOD = 1 / 400  # type: ignore[misc]


def pytest_sessionstart() -> None:
    """Nothing that is imported or collected becomes garbage; looking for it takes a second.

    Where a shell has started the tests in the background, SIGINT is ignored, and would be by all that they start.
    """
    gc.disable()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """No property is a matter of time; and the profile of CI, whose cases are always the same, tries half as many of them."""
    share = 2 if settings.get_current_profile_name() == "ci" else 1
    for test in {getattr(item, "function", None) for item in items}:
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None:
            checks = {*own.suppress_health_check, HealthCheck.too_slow}
            most = max(own.max_examples // share, min(own.max_examples, 10))
            fewer = settings(own, max_examples=most, deadline=None, suppress_health_check=checks)
            test._hypothesis_internal_use_settings = fewer  # type: ignore[union-attr]


def pytest_collection_finish() -> None:
    """Leave what is imported and collected out of every later search for garbage, and search less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    gc.enable()


def pytest_sessionfinish() -> None:
    """Look for what was never closed once. Pytest does so five times at its end, which takes a second each."""
    gc.collect()
    gc.freeze()
