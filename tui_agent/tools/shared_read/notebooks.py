"""Jupyter notebooks as cells that can be named: by their own ids, or by their place where a format before 4.5 has none.

A notebook of version 4 is read as the JSON it is, so that nothing unknown gets lost; an older one is converted, for reading
only. Whether a notebook is valid is for nbformat to say, which is imported when that is asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["Cell", "Notebook", "NotebookProblem", "find_cell", "is_notebook", "parse_notebook", "schema_problem"]

_BY_PLACE: Final = re.compile(r"cell-(\d{1,9})\Z")
_NAMED: Final = 12  # cells that an error names
_IDS_SINCE: Final = (4, 5)


class NotebookProblem(Exception):  # noqa: N818 - what is wrong with a file or a request, not with the program
    """A notebook cannot be read or changed so; `code` names what is wrong, the message is a sentence without its name."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code: Final = code
        self.message: Final = message


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell. `number` is its place, from 0; `id` its own id or `cell-<number>`; `kind` is code, markdown or raw."""

    number: int
    id: str
    kind: str
    source: str
    outputs: tuple[Mapping[str, Any], ...] = ()
    execution_count: int | None = None


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook. `data` is the file's JSON; `version` its format's, major and minor; `language` that of its code."""

    cells: tuple[Cell, ...]
    version: tuple[int, int]
    language: str
    data: dict[str, Any] = field(repr=False, hash=False, compare=False)

    @property
    def has_ids(self) -> bool:
        """Whether its format gives cells ids."""
        return self.version >= _IDS_SINCE

    @property
    def is_old(self) -> bool:
        """Whether it is of a version that is read, but not changed."""
        return self.version < (4, 0)


def is_notebook(path: str) -> bool:
    """Whether a file of this name is a notebook."""
    return path.lower().endswith(".ipynb")


def parse_notebook(text: str) -> Notebook:
    """Return the notebook that a file's text holds; one of nothing but blanks, as some tools make, has no cells.

    Raises:
        NotebookProblem: `bad_notebook`.
    """
    try:
        data = json.loads(text) if text.strip() else {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    except (ValueError, RecursionError) as error:
        raise NotebookProblem("bad_notebook", f"it is not a notebook: it is not JSON ({error})") from error
    if not isinstance(data, dict) or not isinstance(data.get("nbformat"), int):
        raise NotebookProblem("bad_notebook", "it is not a notebook: the JSON in it does not say of which version")
    minor = data.get("nbformat_minor")
    version = (data["nbformat"], minor if isinstance(minor, int) else 0)
    cells = data.get("cells") if version >= (4, 0) else _converted(data)
    if not isinstance(cells, list):
        raise NotebookProblem("bad_notebook", "it is not a notebook: it has no list of cells")
    return Notebook(
        cells=tuple(_cell(number, raw) for number, raw in enumerate(cells)),
        version=version,
        language=_language(data.get("metadata")),
        data=data,
    )


def find_cell(notebook: Notebook, cell_id: str) -> Cell:
    """Return the cell of this id, or the one at the place that `cell-<number>` names.

    Raises:
        NotebookProblem: `no_cell`: there is none, or several.
    """
    found = [cell for cell in notebook.cells if cell.id == cell_id]
    if len(found) > 1:
        places = ", ".join(f"cell-{cell.number}" for cell in found)
        raise NotebookProblem("no_cell", f"{len(found)} cells have the id {cell_id!r}; name the one you mean: {places}")
    if found:
        return found[0]
    place = _BY_PLACE.match(cell_id)
    if place and int(place[1]) < len(notebook.cells):
        return notebook.cells[int(place[1])]
    if not notebook.cells:
        raise NotebookProblem("no_cell", f"there is no cell {cell_id!r:.80}: it has none at all")
    names = ", ".join(cell.id for cell in notebook.cells[:_NAMED])
    more = f" and {len(notebook.cells) - _NAMED} more" if len(notebook.cells) > _NAMED else ""
    raise NotebookProblem("no_cell", f"there is no cell {cell_id!r:.80}; its cells are {names}{more}")


def schema_problem(notebook: Notebook) -> str:
    """Return in what a notebook is not as its format wants it, in a sentence; empty when it is. Imports nbformat; blocks."""
    from nbformat.validator import iter_validate

    ids = [raw["id"] for raw in notebook.data.get("cells", ()) if isinstance(raw, dict) and "id" in raw]
    if len(set(map(str, ids))) < len(ids):
        return "two of its cells have the same id"
    errors = iter_validate(notebook.data, relax_add_props=True)  # type: ignore[no-untyped-call]
    error = next(iter(errors), None)
    return str(error).partition("\n\n")[0][:300] if error else ""


def _converted(data: dict[str, Any]) -> object:
    import warnings

    import nbformat

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            old = nbformat.reader.reads(json.dumps(data))  # type: ignore[no-untyped-call]
            converted = nbformat.convert(old, 4)  # type: ignore[no-untyped-call]
            cells: list[dict[str, Any]] = json.loads(json.dumps(converted["cells"]))
        except Exception as error:
            raise NotebookProblem(
                "bad_notebook", f"it is a broken notebook of an old version ({error!r:.200})"
            ) from error
    for cell in cells:
        cell.pop("id", None)  # made up by the conversion, others each time
    return cells


def _cell(number: int, raw: object) -> Cell:
    source = _joined(raw.get("source")) if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(raw.get("cell_type"), str) or source is None:
        raise NotebookProblem("bad_notebook", f"it is a broken notebook: its cell {number} has no type or no source")
    own, count, outputs = raw.get("id"), raw.get("execution_count"), raw.get("outputs")
    return Cell(
        number=number,
        id=own if isinstance(own, str) and own else f"cell-{number}",
        kind=raw["cell_type"],
        source=source,
        outputs=tuple(item for item in outputs if isinstance(item, dict)) if isinstance(outputs, list) else (),
        execution_count=count if isinstance(count, int) else None,
    )


def _joined(source: object) -> str | None:
    if isinstance(source, str):
        return source
    if isinstance(source, Sequence) and all(isinstance(line, str) for line in source):
        return "".join(source)
    return None


def _language(metadata: object) -> str:
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        part = metadata.get(key) if isinstance(metadata, dict) else None
        language = part.get(name) if isinstance(part, dict) else None
        if isinstance(language, str) and language:
            return language[:40]
    return "python"
