"""What is added to the content of a tool result before the model gets it, and the text of an error result."""

from __future__ import annotations

import json

from tui_agent.execution.execution_context import Content
from tui_agent.execution.permission import Permit
from tui_agent.secrets.masker import Masker

__all__ = ["only_text", "with_input_note", "with_text_after"]


def only_text(content: Content) -> str:
    """Return the text of a result; an error result may hold nothing else."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block["text"]) for block in content if block.get("type") == "text")


def with_text_after(content: Content, text: str) -> Content:
    """Add a text at the end of a result; an empty one adds nothing."""
    if not text:
        return content
    return f"{content}\n\n{text}" if isinstance(content, str) else [*content, {"type": "text", "text": text}]


def with_input_note(content: Content, permit: Permit, masker: Masker) -> Content:
    """Add the input that was run, where it is not the one that the model wrote."""
    if permit.edited_by is None:
        return content
    who = "The user" if permit.edited_by == "person" else "A hook"
    ran = json.dumps(masker.mask_data(permit.checked.raw), ensure_ascii=False)
    note = f"{who} changed the input of this call before it ran. It ran with: {ran}"
    return f"{note}\n\n{content}" if isinstance(content, str) else [{"type": "text", "text": note}, *content]
