"""May files be changed so? The whole change is written out; it can be taken as it is, or decided hunk by hunk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tui_agent.commands import Answer, ReviewedFile
from tui_agent.hunk_edit import added_text, with_added_text
from tui_agent.linear.asker import Choice
from tui_agent.linear.diff_words import change_summary, hunk_lines, hunk_place, question_words
from tui_agent.linear.editor import EditorError, edit_text, has_editor
from tui_agent.linear.questions.answers import Settled, always, look_alikes, refusal, why_lines
from tui_agent.review_comments import LineComment
from tui_agent.rule_offers import why_not_always
from tui_agent.text import reveal
from tui_agent.viewkit.tool_text import count, one_line, relative_path

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.changes import FileChange
    from tui_agent.events import PermissionRequested
    from tui_agent.linear.asker import Asker

__all__ = ["ask_review"]


class _Review:
    """What is decided so far of the changes: for each hunk, by file and number, whether it is taken; None: not decided."""

    def __init__(self, changes: tuple[FileChange, ...]) -> None:
        self.proposed = changes
        self.changes = list(changes)
        self.decided: dict[tuple[int, int], bool] = {}
        self.comments: list[LineComment] = []

    @property
    def hunks(self) -> list[tuple[int, int]]:
        """All hunks, in the order of the files."""
        return [(file, hunk) for file, change in enumerate(self.changes) for hunk in range(len(change.hunks))]

    @property
    def is_decided(self) -> bool:
        """Whether anything was decided hunk by hunk, or edited."""
        return bool(self.decided) or any(self.is_edited(file) for file in range(len(self.changes)))

    def is_edited(self, file: int) -> bool:
        """Whether the user has rewritten something in a file's change."""
        return self.changes[file] is not self.proposed[file]

    def state(self, at: tuple[int, int]) -> str:
        """Return in a word what is decided of a hunk."""
        return {True: "accepted", False: "refused", None: "not decided"}[self.decided.get(at)]

    def files(self) -> tuple[ReviewedFile, ...]:
        """Return what is taken; what nobody has decided is refused by then."""
        found = []
        for file, change in enumerate(self.changes):
            taken = tuple(hunk for hunk in range(len(change.hunks)) if self.decided.get((file, hunk), False))
            refused = tuple(hunk for hunk in range(len(change.hunks)) if hunk not in taken)
            edited = change.select(taken) if self.is_edited(file) and taken else None
            found.append(ReviewedFile(path=change.path, accepted=taken, refused=refused, edited=edited))
        return tuple(found)


async def ask_review(
    request: PermissionRequested,
    changes: tuple[FileChange, ...],
    asker: Asker,
    engine: Engine,
    *,
    base: str,
    others: int,
) -> Settled | None:
    """Return what the user answers; None: they want to see the next question first.

    Raises:
        EndOfInputError: there will be no answer.
    """
    review = _Review(changes)
    missing = why_not_always(request)

    def show() -> None:
        asker.say(question_words(changes, base))
        for change in changes:
            for line in _change_lines(change, base):
                asker.console.line(line)
        for line in why_lines(request):
            asker.say(line)

    choices = _choices(request, review, may_keep=missing is None, has_others=bool(others))
    while True:
        picked, words = await asker.choose_and_say(choices, show=show)
        if (
            picked in ("yes", "accept-edits", "always")
            and review.is_decided
            and not await asker.confirm("That writes the whole proposal, not what you decided by hunk. Go on?")
        ):
            continue
        if picked == "next":
            return None
        settled = await _settle(picked, words, request, review, asker, engine, base)
        if settled is not None:
            return settled


def _choices(request: PermissionRequested, review: _Review, *, may_keep: bool, has_others: bool) -> list[Choice]:
    choices = [
        Choice("yes", "Yes, write it" if len(review.changes) == 1 else "Yes, write all files", ("y",)),
        Choice("accept-edits", "Yes, and accept edits from now on", ("accept edits",)),
        Choice("no", "No, and stop", ("n",)),
        Choice("words", "No, and say what to do instead", ("w",)),
    ]
    if review.hunks:
        total = count(len(review.hunks), "hunk")
        choices.append(Choice("hunks", f"Decide hunk by hunk ({total}), edit, or comment", ("h",)))
    if may_keep:
        rules = ", ".join(reveal(offer[0]) for offer in request.offers if offer)
        choices.append(Choice("always", f"Yes, always for {rules}", ("a",)))
    if has_others:
        choices.append(Choice("next", "See the next question first"))
    return choices


async def _settle(
    picked: str, words: str, request: PermissionRequested, review: _Review, asker: Asker, engine: Engine, base: str
) -> Settled | None:
    """Return what a choice comes to; None where the user went back. `words` followed it, for the model."""
    comments = tuple(review.comments)
    yes = Answer(request_id=request.request_id, decision="allow", comments=comments, message=words or None)
    match picked:
        case "yes":
            return Settled(yes)
        case "accept-edits":
            return Settled(yes, mode="acceptEdits")
        case "always":
            kept = await always(request, asker, engine)
            return Settled(replace(yes, rules=kept[0], scope=kept[1])) if kept is not None else None
        case "words":
            answer = await refusal(request, asker, words)
            return Settled(replace(answer, comments=comments)) if answer is not None else None
        case "hunks":
            reviewed = await _by_hunk(request, review, asker, base)
            return Settled(reviewed) if reviewed is not None else None
        case _:
            return Settled(Answer(request_id=request.request_id, decision="deny", message=words or None))


def _change_lines(change: FileChange, base: str) -> Iterator[str]:
    yield change_summary(change, base)
    yield from look_alikes(relative_path(change.path, base))
    for number, hunk in enumerate(change.hunks, 1):
        if not change.is_new:
            yield f"Hunk {number} of {len(change.hunks)}, {hunk_place(hunk)}:"
        yield from hunk_lines(hunk)
    if not change.hunks:
        yield "  (no lines)"


async def _by_hunk(request: PermissionRequested, review: _Review, asker: Asker, base: str) -> Answer | None:
    """Go through the hunks; return the answer, None where the user went back."""
    at = 0
    while True:
        hunks = review.hunks
        open_ones = [place for place, hunk in enumerate(hunks) if hunk not in review.decided]
        if at >= len(hunks):
            if not open_ones:
                done = await _finish(request, review, asker, base)
                if done is None:
                    return None
                if isinstance(done, Answer):
                    return done
                at = 0
                continue
            at = open_ones[0]
        step = await _one_hunk(review, hunks[at], asker, base)
        match step:
            case "back":
                return None
            case "previous":
                at = max(0, at - 1)
            case "stay":
                pass
            case "end":
                at = len(hunks)
            case _:
                at += 1


async def _one_hunk(review: _Review, at: tuple[int, int], asker: Asker, base: str) -> str:
    """Ask about one hunk; return where to go from it."""
    file, number = at
    change = review.changes[file]
    hunk = change.hunks[number]

    def show() -> None:
        asker.say(f"{one_line(relative_path(change.path, base))}, hunk {number + 1} of {len(change.hunks)}, "
                  f"{hunk_place(hunk)}, {review.state(at)}:")  # fmt: skip
        for line in hunk_lines(hunk):
            asker.console.line(line)

    picked = await asker.choose(
        [
            Choice("accept", "Accept this hunk", ("a", "y", "yes")),
            Choice("refuse", "Refuse this hunk", ("x", "r", "n", "no")),
            Choice("edit", "Edit the lines that are added", ("e",)),
            Choice("comment", "Comment on a line", ("c",)),
            Choice("previous", "Go to the hunk before", ("p",)),
            Choice("rest", "Accept this and all further hunks", ("all",)),
            Choice("none", "Refuse this and all further hunks", ()),
            Choice("back", "Go back to the whole change", ("b",)),
        ],
        show=show,
        prompt="Hunk",
        is_brief=True,
    )
    match picked:
        case "accept" | "refuse":
            review.decided[at] = picked == "accept"
            asker.say(f"Hunk {number + 1}: {review.state(at)}.")
            return "next"
        case "rest" | "none":
            for later in review.hunks[review.hunks.index(at) :]:
                review.decided[later] = picked == "rest"
            asker.say(f"{count(len(review.hunks[review.hunks.index(at) :]), 'hunk')}: {review.state(at)}.")
            return "end"
        case "edit":
            edited = await _edited_hunk(change, number, asker)
            if edited is not None:
                review.changes[file] = edited
                review.decided[at] = True
                asker.say(f"Hunk {number + 1}: edited and accepted. It is now:")
                for line in hunk_lines(edited.hunks[number]):
                    asker.console.line(line)
                return "next"
            return "stay"
        case "comment":
            await _comment(review, at, asker)
            return "stay"
        case _:
            return picked


async def _edited_hunk(change: FileChange, number: int, asker: Asker) -> FileChange | None:
    text: str | None = None
    before = added_text(change, number)
    way = "type"
    if has_editor():
        way = await asker.choose(
            [
                Choice("type", "Type the new lines", ("t",)),
                Choice("editor", "Edit them in your editor", ("o", "e")),
                Choice("back", "Go back", ("b",)),
            ]
        )
    if way == "back":
        return None
    if way == "editor":
        try:
            text = (await edit_text(asker.console, before + "\n", change.path)).removesuffix("\n")
        except EditorError as error:
            asker.say(str(error))
    else:
        text = await asker.block("Type the lines that are to be added in the place of these.")
    return with_added_text(change, number, text) if text is not None and text != before else None


async def _comment(review: _Review, at: tuple[int, int], asker: Asker) -> None:
    """Take a comment on a line of a hunk: on one that is added, or by `-12` on one that is removed."""
    file, number = at
    change = review.changes[file]
    hunk = change.hunks[number]
    added = {hunk.after_start + place: line for place, line in enumerate(hunk.added, 1)}
    removed = {hunk.before_start + place: line for place, line in enumerate(hunk.removed, 1)}
    typed = await asker.text(
        "On which line? Its number, for a removed one with a minus before it (just Enter goes back): "
    )
    if not typed:
        return
    side, lines = ("old", removed) if typed.startswith("-") or not added else ("new", added)
    digits = typed.lstrip("-+")
    line = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0
    if line not in lines:
        asker.say(
            f"This hunk has no such line. {'Removed' if side == 'old' else 'Added'} are {min(lines)} to {max(lines)}."
        )
        return
    text = await asker.text("Comment: ")
    if text:
        quote = lines[line].rstrip("\r\n")
        review.comments.append(
            LineComment(path=change.path, line=line, side="old" if side == "old" else "new", quote=quote, text=text)
        )
        asker.say(f"Comment on line {line}: kept. It goes to the model with your answer.")


async def _finish(request: PermissionRequested, review: _Review, asker: Asker, base: str) -> Answer | str | None:
    """Say what was decided and return the answer, a word where the user wants to go through it again, or None to go back."""

    def show() -> None:
        asker.say("You have decided all hunks:")
        for file, change in enumerate(review.changes):
            edited = ", edited by you" if review.is_edited(file) else ""
            asker.say(f"{one_line(relative_path(change.path, base))}{edited}:")
            for hunk in range(len(change.hunks)):
                asker.say(f"  hunk {hunk + 1}: {review.state((file, hunk))}")
        if review.comments:
            asker.say(f"{count(len(review.comments), 'comment')} on lines.")

    is_any = any(review.decided.values())
    apply = "Write what is accepted; refuse the rest" if is_any else "Refuse all of it, and let the model go on"
    picked, words = await asker.choose_and_say(
        [
            Choice("apply", apply, ("y", "yes")),
            Choice("again", "Go through the hunks again", ("a",)),
            Choice("back", "Go back to the whole change", ("b",)),
        ],
        show=show,
    )
    if picked == "back":
        return None
    if picked == "again":
        return "again"
    comments = tuple(review.comments)
    if not is_any:
        message = words or (None if comments else "The user refused every hunk of this change.")
        return Answer(request_id=request.request_id, decision="deny", message=message, comments=comments)
    return Answer(
        request_id=request.request_id,
        decision="allow",
        hunks=review.files(),
        comments=comments,
        message=words or None,
    )
