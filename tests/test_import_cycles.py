"""No modules import each other in a circle: not when they are loaded, not within functions, not for types alone."""

from __future__ import annotations

from collections.abc import Mapping, Set

import grimp


def circles(imports: Mapping[str, Set[str]]) -> list[list[str]]:
    """Return the groups of modules of which each reaches each other: Tarjan's algorithm, without recursion."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    open_ones: list[str] = []
    found: list[list[str]] = []
    for root in sorted(imports):
        if root in number:
            continue
        way = [(root, iter(sorted(imports[root])))]
        number[root] = low[root] = len(number)
        open_ones.append(root)
        while way:
            module, others = way[-1]
            for other in others:
                if other not in number:
                    number[other] = low[other] = len(number)
                    open_ones.append(other)
                    way.append((other, iter(sorted(imports[other]))))
                    break
                if other in open_ones:
                    low[module] = min(low[module], number[other])
            else:
                way.pop()
                if way:
                    low[way[-1][0]] = min(low[way[-1][0]], low[module])
                if low[module] == number[module]:
                    at = open_ones.index(module)
                    group, open_ones[at:] = open_ones[at:], []
                    if len(group) > 1:
                        found.append(sorted(group))
    return found


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == [["b", "c"]]


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = grimp.build_graph("tui_agent", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 500
    assert circles(imports) == []
