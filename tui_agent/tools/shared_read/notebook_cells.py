"""The cells of a notebook as the model gets them: sources whole, outputs bounded, pictures as pictures."""

from __future__ import annotations

import json
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tui_agent.media import IMAGE_TYPES, Media, media_in
from tui_agent.text import strip_escapes
from tui_agent.tools.shared_read.images import ImageProblem, fit_image
from tui_agent.tools.shared_read.notebooks import Cell, Notebook

__all__ = ["MOST_PICTURES", "OUTPUT_CHARS", "ShownCells", "show_cells"]

OUTPUT_CHARS: Final = 2000  # of one output among others
MOST_PICTURES: Final = 8  # in one result
_TEXTS: Final = ("text/plain", "text/markdown", "text/latex", "application/json")
_MARGIN: Final = 200


@dataclass(slots=True)
class ShownCells:
    """What one result shows of a notebook: `count` cells from number `first` (0-based) on; `data` is what programs get.

    `is_cut` says that a cell's source is not whole.
    """

    first: int
    count: int = 0
    blocks: list[dict[str, Any]] = field(default_factory=list)
    data: list[dict[str, Any]] = field(default_factory=list)
    is_cut: bool = False
    pictures: int = 0
    used: int = 0

    @property
    def media(self) -> Media:
        """The pictures in it."""
        return media_in(self.blocks)

    def say(self, text: str) -> None:
        """Add text."""
        self.used += len(text) + 1
        if self.blocks and self.blocks[-1]["type"] == "text":
            self.blocks[-1]["text"] += f"\n{text}"
        else:
            self.blocks.append({"type": "text", "text": text})

    def content(self, head: str, notice: str = "") -> str | list[dict[str, Any]]:
        """Return the result's content: `head`, the cells, and `notice`; blocks where there are pictures."""
        blocks = [dict(block) for block in self.blocks] or [{"type": "text", "text": "(no cells)"}]
        if blocks[0]["type"] != "text":
            blocks.insert(0, {"type": "text", "text": ""})
        blocks[0]["text"] = f"{head}\n\n{blocks[0]['text']}"
        if notice:
            last = blocks[-1] if blocks[-1]["type"] == "text" else {"type": "text", "text": ""}
            last["text"] = f"{last['text']}\n\n{notice}".strip("\n")
            blocks = [*(block for block in blocks if block is not last), last]
        return str(blocks[0]["text"]) if len(blocks) == 1 else blocks


def show_cells(
    notebook: Notebook,
    cells: Sequence[Cell],
    budget: int,
    *,
    output_chars: int = OUTPUT_CHARS,
    most_pictures: int = MOST_PICTURES,
) -> ShownCells:
    """Return as many of `cells`, which follow each other, as fit `budget` characters, but at least the first."""
    shown = ShownCells(cells[0].number if cells else 0)
    for cell in cells:
        head = _head(cell)
        source = cell.source
        if shown.count and shown.used + len(head) + len(source) + _MARGIN > budget:
            break
        if len(source) > budget:
            source = f"{source[:budget]}… [cell cut: {budget:,} of {len(cell.source):,} characters]"
            shown.is_cut = True
        shown.say(f"{head}\n{source}\n</cell>")
        item: dict[str, Any] = {
            "cell_id": cell.id,
            "cellType": cell.kind,
            "source": source,
            "execution_count": cell.execution_count,
            "language": notebook.language if cell.kind == "code" else cell.kind,
            "outputs": [],
        }
        for output in cell.outputs:
            room = min(output_chars, max(0, budget - shown.used - _MARGIN))
            item["outputs"].append(_show_output(output, cell, shown, room, most_pictures))
        shown.data.append(item)
        shown.count += 1
    return shown


def _head(cell: Cell) -> str:
    executed = f' executed="{cell.execution_count}"' if cell.execution_count is not None else ""
    return f'<cell id="{cell.id}" type="{cell.kind}"{executed}>'


def _show_output(
    output: Mapping[str, Any], cell: Cell, shown: ShownCells, room: int, most_pictures: int
) -> dict[str, Any]:
    kind = str(output.get("output_type", "output"))
    item: dict[str, Any] = {"output_type": kind}
    for media_type in IMAGE_TYPES:
        encoded = _text(_bundle(output).get(media_type))
        if not encoded:
            continue
        if shown.pictures >= most_pictures:
            text = f"[a picture ({media_type}) that is left out: no more fit here]"
        else:
            try:
                picture = fit_image(b64decode(encoded))
            except (ImageProblem, Base64Error, ValueError) as problem:
                text = f"[a picture ({media_type}) that cannot be shown: {problem}]"
            else:
                shown.say(f'<output cell="{cell.id}">')
                shown.blocks.append(picture.to_block())
                shown.say("</output>")
                shown.pictures += 1
                return {**item, "image": picture.to_data()}
        shown.say(f'<output cell="{cell.id}">\n{text}\n</output>')
        return {**item, "text": text}
    text = _cut(_output_text(output, kind).rstrip("\n"), room)
    shown.say(f'<output cell="{cell.id}">\n{text}\n</output>')
    return {**item, "text": text}


def _output_text(output: Mapping[str, Any], kind: str) -> str:
    if kind == "stream":
        return strip_escapes(_text(output.get("text")))
    if kind == "error":
        traceback = output.get("traceback")
        lines = "\n".join(map(str, traceback)) if isinstance(traceback, list) else ""
        return strip_escapes(lines or f"{output.get('ename', 'Error')}: {output.get('evalue', '')}")
    bundle = _bundle(output)
    for media_type in _TEXTS:
        if media_type in bundle:
            value = bundle[media_type]
            return json.dumps(value) if isinstance(value, dict) else strip_escapes(_text(value))
    kinds = ", ".join(f"{name} of {len(_text(value)):,} characters" for name, value in bundle.items())
    return f"[{kinds or 'nothing'}]"


def _bundle(output: Mapping[str, Any]) -> Mapping[str, Any]:
    data = output.get("data")
    return data if isinstance(data, dict) else {}


def _text(value: object) -> str:
    if isinstance(value, list):
        return "".join(map(str, value))
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def _cut(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    half = room // 2
    tail = text[len(text) - half :] if half else ""
    return f"{text[:half]}\n… [output cut: {2 * half:,} of {len(text):,} characters] …\n{tail}"
