"""What a search asks for, and how that is said to ripgrep."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from tui_agent.tools.base import ToolInput
from tui_agent.tools.shared_search.globs import split_globs
from tui_agent.tools.shared_search.ripgrep import COMMON

__all__ = ["HEAD_LIMIT", "LINE_BYTES", "GrepInput", "arguments"]

HEAD_LIMIT: Final = 250
LINE_BYTES: Final = 1000  # of a line that is shown
_MOST_CONTEXT: Final = 1000


class GrepInput(ToolInput):
    """A search in the contents of files."""

    pattern: str = Field(description="The regular expression to search for, in ripgrep's syntax.")
    path: str | None = Field(None, description="File or folder to search in; the working folder when left out.")
    glob: str | None = Field(
        None, description='Only files whose path matches, for example "*.py" or "src/**/*.{ts,tsx}".'
    )
    type: str | None = Field(None, description='Only files of this type, for example "py", "js", "rust".')
    output_mode: Literal["files_with_matches", "content", "count"] = Field(
        "files_with_matches",
        description="files_with_matches: the paths (default); content: the lines; count: matching lines in each file.",
    )
    ignore_case: bool = Field(False, alias="-i", description="Ignore case.")
    line_numbers: bool = Field(True, alias="-n", description="Show line numbers (content mode; default true).")
    after: int | None = Field(None, alias="-A", ge=0, le=_MOST_CONTEXT, description="Lines to show after each match.")
    before: int | None = Field(None, alias="-B", ge=0, le=_MOST_CONTEXT, description="Lines to show before each match.")
    around: int | None = Field(None, alias="-C", ge=0, le=_MOST_CONTEXT, description="Lines to show around each match.")
    context: int | None = Field(None, ge=0, le=_MOST_CONTEXT, description="The same as -C.")
    only_matching: bool = Field(
        False, alias="-o", description="Show only what matched, not the whole line (content mode)."
    )
    multiline: bool = Field(False, description="Let the pattern span lines, and `.` match line breaks.")
    literal: bool = Field(False, description="Search for the pattern as plain text, not as a regular expression.")
    head_limit: int = Field(
        HEAD_LIMIT, ge=0, description=f"Show at most this many lines or files (default {HEAD_LIMIT}; 0: all)."
    )
    offset: int = Field(0, ge=0, description="Leave out this many lines or files first, to read on after a limit.")

    @property
    def globs(self) -> list[str]:
        """The globs in `glob`, one by one."""
        return split_globs(self.glob or "")

    @property
    def context_lines(self) -> tuple[int, int]:
        """How many lines are shown before and after each match."""
        if self.output_mode != "content":
            return 0, 0
        around = (self.around if self.around is not None else self.context) or 0
        return (
            self.before if self.before is not None else around,
            self.after if self.after is not None else around,
        )


def arguments(input: GrepInput, target: str) -> list[str]:
    """Return ripgrep's arguments for a search in `target`, a path that is no option.

    Nothing the model wrote can become an option: the pattern follows `-e`, the path `--`, and other values are joined to
    their option by `=`. The globs are not among them (`globs.ignore_text`).
    """
    out = [*COMMON, "--with-filename"]
    match input.output_mode:
        case "files_with_matches":
            out.append("--files-with-matches")
        case "count":
            out.append("--count")
        case "content":
            out += ["--line-number", "--heading", f"--max-columns={LINE_BYTES}", "--max-columns-preview"]
            before, after = input.context_lines
            out += [f"--before-context={before}", f"--after-context={after}"]
            if input.only_matching:
                out.append("--only-matching")
    if input.ignore_case:
        out.append("--ignore-case")
    if input.literal:
        out.append("--fixed-strings")
    if input.multiline or (input.literal and "\n" in input.pattern):
        out += ["--multiline", "--multiline-dotall"]
    if input.type:
        out.append(f"--type={input.type}")
    return [*out, "-e", input.pattern, "--", target]
