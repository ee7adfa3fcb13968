"""The shipped scenarios beside the first, played against the real program: all that runs is real."""

from __future__ import annotations

from dataclasses import replace

from person import Launch, Person, Serve
from world import World

from tui_agent.events import AgentEnded, RetryScheduled, ToolResultReady
from tui_agent.model.demo.scenario import Pace
from tui_agent.model.demo.scenario_file import find_scenario
from tui_agent.model.demo.thread import ServerThread

EXPLORE, TROUBLE, AGENTS = map(find_scenario, ("explore", "trouble", "agents"))
REFUND_TESTS = r"unittest tests\.test_refund[\s\S]*Yes, once"
CART_TESTS = r"unittest tests\.test_cart[\s\S]*Yes, once"
CLEAN = r"git clean -fdX[\s\S]*Yes, once"


def replies(server: ServerThread) -> list[str]:
    assert [exchange.error for exchange in server.requests if exchange.status == 400] == []
    return [exchange.reply for exchange in server.requests if exchange.status == 200]


def outcomes(world: World) -> list[tuple[str, str | None]]:
    return [(result.name, result.error_kind) for result in world.of(ToolResultReady)]


def test_a_project_is_explored_and_once_more_though_files_are_not_read_again(
    world: World, serve: Serve, launch: Launch
) -> None:
    world.use_sample_project()
    server = serve(EXPLORE, variables={"cwd": str(world.folder)})
    person = Person(launch(), world)
    for turn, words in ((1, EXPLORE.prompt), (2, "again")):
        person.say(words)
        person.wait_for_turn(turn)
        for fact in (r"In 6 modules, with 15\s+tests", "19 % tax", "of the 7 lines", r"4 are in shop/refund\.py"):
            person.terminal.wait_for_text(fact)
    person.say("look at the refunds")
    person.wait_for_turn(3)
    person.terminal.wait_for_text("rounds or cuts in 4 lines")
    assert replies(server) == ["look", "closer", "summary", "look", "closer", "summary", "refunds", "suspicion"]
    assert [error for _, error in outcomes(world)] == [None] * 23


def test_trouble_makes_sense_to_somebody_who_refuses(world: World, serve: Serve, launch: Launch) -> None:
    world.use_sample_project()
    server = serve(TROUBLE, variables={"cwd": str(world.folder)})
    person = Person(launch(), world)
    person.say(TROUBLE.prompt)
    person.answer(CLEAN, "3")
    person.wait_for_turn(1, "declined")
    person.say("no, keep them")
    person.answer(REFUND_TESTS, "escape")
    person.wait_for_turn(2, "declined")
    person.say("run the tests")
    person.answer(REFUND_TESTS, "1")
    person.answer(CART_TESTS, "1")
    person.wait_for_turn(3)
    person.terminal.wait_for_text("Orders are right")
    person.terminal.wait_for_text("you were asked: +refused")
    assert replies(server) == ["begin", "tidy", "tests", "tests", "recover", "report"]
    assert world.has(RetryScheduled)
    assert ("Read", "aborted") in outcomes(world), "the failing tests stop what waits beside them"


def test_the_list_of_demos_names_them(world: World) -> None:
    listed = world.run("--demo", "list").stdout
    assert all(name in listed for name in ("explore", "fix", "trouble"))


def test_three_agents_work_at_once_and_each_can_be_looked_at(world: World, serve: Serve, launch: Launch) -> None:
    world.use_sample_project()
    server = serve(replace(AGENTS, pace=Pace(2_000)), variables={"cwd": str(world.folder)})
    person = Person(launch(), world)
    person.say(AGENTS.prompt)
    person.answer(r"unittest -v[\s\S]*asked by agent general-purpose", "1")
    person.wait_for_turn(1)
    for fact in (r"shop/refund\.py:36 cuts", "4 tests in tests", "3 of 15 tests fail"):
        person.terminal.wait_for_text(fact)
    given = "send find-places places-found find-tests more-tests tests-found run-tests tests-run together"
    assert sorted(replies(server)) == sorted(given.split())
    assert {ended.outcome for ended in world.of(AgentEnded)} == {"done"}
    person.say("/agents")
    person.terminal.wait_for_text("Explore: tests of rounding")
    person.terminal.press("enter")
    person.terminal.wait_for_text("Find every place in shop/")
