"""StickerRequest: a form for somebody who would like stickers. What they write is kept on their machine and shown to no one.

There is no shop behind it, and none is pretended: the request becomes a file that the user may send on. The model learns
that the form was filled in, never what it says.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from tui_agent.settings.standard_paths import state_home
from tui_agent.tools.base import (
    Allow,
    Claims,
    Deny,
    Opinion,
    Progress,
    Result,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
)
from tui_agent.tools.cancel_shield import unbroken
from tui_agent.tools.forms import Answers, Form, FormField, Option

__all__ = ["FORM_FIELDS", "TOOL", "StickerRequestTool", "requests_folder"]

_LINE: Final = 120  # characters that fit on a label
FORM_FIELDS: Final = (
    FormField(key="name", question="Name", max_length=_LINE),
    FormField(key="email", question="E-mail", is_required=False, check="email", max_length=254),
    FormField(key="street", question="Street", max_length=_LINE),
    FormField(key="extra", question="Line 2", is_required=False, max_length=_LINE),
    FormField(key="postcode", question="Postcode", check="postcode", max_length=12),
    FormField(key="city", question="City", max_length=_LINE),
    FormField(key="country", question="Country", max_length=_LINE),
    FormField(
        key="size",
        question="Size",
        options=(Option(label="Small", description="5 cm"), Option(label="Large", description="9 cm")),
    ),
    FormField(
        key="kinds",
        question="Kinds",
        options=(Option(label="Name"), Option(label="Prompt"), Option(label="Diff")),
        is_multiple=True,
    ),
)


class StickerRequestInput(ToolInput):
    """Nothing: the user fills the form in, and nobody for them."""


@dataclass(frozen=True, slots=True)
class StickerOutcome:
    """The file that the request was written to; None where the user closed the form."""

    file: Path | None


class StickerRequestTool(Tool[StickerRequestInput, None, StickerOutcome]):
    """Puts the form to the user and keeps what they wrote."""

    name = "StickerRequest"
    search_hint = "stickers swag merchandise order form"
    Input = StickerRequestInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Opens a form in which the user can ask for stickers. Use it only when they say that they would like some.\n"
            "- The request is kept in a file on their machine and sent nowhere; you are not shown what they write."
        )

    def is_concurrency_safe(self, input: StickerRequestInput) -> bool:
        return True

    def claims(self, input: StickerRequestInput) -> Claims:
        return Claims()

    async def check_permissions(self, input: StickerRequestInput, ctx: ToolContext) -> Opinion:
        if ctx.ask_user is None:
            return Deny("nobody is there to fill in the form. Tell the user that it opens in the full-screen app.")
        return Allow()

    async def call(
        self, input: StickerRequestInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[StickerOutcome]]:
        assert ctx.ask_user is not None, "refused by `check_permissions`"
        folder = requests_folder()
        answers = await ctx.ask_user(_form(folder))
        if answers is None:
            yield Result(StickerOutcome(None))
            return
        try:
            file = await unbroken(asyncio.to_thread(_keep, folder, answers), _drop)
        except OSError as error:
            raise ToolError(
                f"The request could not be kept: {error.strerror or error}. Nothing was sent either."
            ) from error
        yield Result(StickerOutcome(file))

    def to_result(self, output: StickerOutcome) -> str:
        if output.file is None:
            return "The user closed the form without asking for stickers."
        return (
            "The user filled in the form. Their request is kept in a file on their machine, which the screen names to them; "
            "nothing was sent. What they wrote is not shown to you."
        )

    def to_data(self, output: StickerOutcome) -> dict[str, Any]:
        return {"isFilled": output.file is not None, "file": str(output.file) if output.file else None}


def requests_folder() -> Path:
    """Return the folder that keeps requests; it may not exist yet."""
    return state_home() / "sticker-requests"


def _form(folder: Path) -> Form:
    home = str(Path.home())
    shown = "~" + str(folder).removeprefix(home) if folder.is_relative_to(home) else str(folder)
    return Form(
        title="Stickers",
        about=f"Kept as a file in {shown} for you to send on. Nothing leaves this machine, and the model does not see it.",
        fields=FORM_FIELDS,
        is_private=True,
    )


def _keep(folder: Path, answers: Answers) -> Path:
    """Write the request into a new file that only the user can read, and return it."""
    now = datetime.now().astimezone()
    said = {field.key: answers.get(field.key, "") for field in FORM_FIELDS}
    text = json.dumps({"requested": now.isoformat(timespec="seconds"), **said}, ensure_ascii=False, indent=2)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for number in itertools.count(1):
        file = folder / f"{now:%Y-%m-%d}-{number}.json"
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as stream:
            stream.write(text + "\n")
        break
    return file


async def _drop(file: Path) -> None:
    await asyncio.to_thread(file.unlink, missing_ok=True)


TOOL = StickerRequestTool
