"""What keys do, by name: the contexts, and in each the actions with the keys that are theirs unless somebody binds others.

A context is a place that has keys of its own. Names that Claude Code gives to the same are used where there are such, so that
files written for it work. Keys are in Textual's spelling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

__all__ = ["CONTEXTS", "FIXED", "GROUPS", "UNKNOWN_HERE", "chain", "find"]

FIXED: Final = frozenset({"ctrl+c", "ctrl+d", "ctrl+m"})
"""Keys that always mean the same: the way out, and what a terminal sends for Enter."""

_CONFIRMING: Final = {"confirm:previous": "up", "confirm:next": "down"}
_SELECTING: Final = {"select:previous": "up", "select:next": "down", "select:accept": "enter"}
_WAITING: Final = {"dialog:nextWaiting": "right_square_bracket", "dialog:previousWaiting": "left_square_bracket"}
_SCROLLING: Final = {"scroll:pageUp": "pageup", "scroll:pageDown": "pagedown"}
_BROWSING: Final = {**_SELECTING, **_SCROLLING, "browser:details": "tab", "select:cancel": "escape"}

CONTEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    "Global": {
        "app:nextPane": "tab",
        "chat:cycleMode": "shift+tab",
        "chat:cancel": "escape",
        "app:toggleTranscript": "ctrl+o",
        "app:search": "ctrl+f",
        "app:previousMessage": "alt+up",
        "app:nextMessage": "alt+down",
        "scroll:pageUp": "pageup",
        "scroll:pageDown": "pagedown",
        "app:tools": "f2",
        "app:diff": "f3",
        "task:background": "ctrl+b",
        "app:toggleTodos": "ctrl+t",
        "history:search": "ctrl+r",
        "app:redraw": "ctrl+l",
        "app:suspend": "ctrl+z",
        "app:palette": "ctrl+p",
        "app:help": "f1 question_mark",
        "app:exit": "ctrl+q",
        "chat:modelPicker": "alt+p",
        "chat:thinkingToggle": "alt+t",
    },
    "Chat": {
        "chat:submit": "enter",
        "chat:submitNow": "ctrl+enter",
        "chat:newline": "ctrl+j shift+enter alt+enter alt+ctrl+j",
        "chat:externalEditor": "ctrl+g",
        "chat:stash": "ctrl+s",
        "chat:imagePaste": "ctrl+v alt+v super+v",
        "chat:openPaste": "alt+e",
        "chat:complete": "tab",
        "chat:help": "question_mark",
        "chat:undo": "ctrl+underscore ctrl+slash ctrl+minus",
        "chat:redo": "alt+underscore alt+minus ctrl+shift+z shift+super+z",
        "history:previous": "up",
        "history:next": "down",
        "edit:lineStart": "ctrl+a home",
        "edit:lineEnd": "ctrl+e end",
        "edit:textStart": "ctrl+home alt+less_than_sign",
        "edit:textEnd": "ctrl+end alt+greater_than_sign",
        "edit:wordLeft": "alt+b alt+left ctrl+left",
        "edit:wordRight": "alt+f alt+right ctrl+right",
        "edit:cutToLineStart": "ctrl+u",
        "edit:cutToLineEnd": "ctrl+k",
        "edit:cutBlankWordLeft": "ctrl+w",
        "edit:cutWordLeft": "alt+backspace ctrl+backspace",
        "edit:cutWordRight": "alt+d alt+delete ctrl+delete",
        "edit:putBack": "ctrl+y",
        "edit:putOlder": "alt+y",
        "edit:upperCase": "alt+u",
        "edit:lowerCase": "alt+l",
        "edit:capitalize": "alt+c",
    },
    "Autocomplete": {
        "autocomplete:accept": "tab",
        "autocomplete:run": "enter",
        "autocomplete:dismiss": "escape",
        "autocomplete:previous": "up ctrl+p",
        "autocomplete:next": "down ctrl+n",
    },
    "HistorySearch": {
        "historySearch:next": "ctrl+r up",
        "historySearch:previous": "down ctrl+n",
        "historySearch:pageOlder": "pageup",
        "historySearch:pageNewer": "pagedown",
        "historySearch:widen": "ctrl+s",
        "historySearch:accept": "tab",
        "historySearch:execute": "enter",
        "historySearch:cancel": "escape ctrl+g",
    },
    "Transcript": {
        "transcript:previous": "up",
        "transcript:next": "down",
        **_SCROLLING,
        "transcript:start": "home g",
        "transcript:end": "end G",
        "transcript:previousMessage": "left_square_bracket",
        "transcript:nextMessage": "right_square_bracket",
        "transcript:open": "enter",
        "transcript:fold": "space",
        "transcript:toggleShowAll": "o",
        "transcript:search": "slash",
        "transcript:nextMatch": "n",
        "transcript:previousMatch": "N",
        "transcript:links": "l",
        "transcript:copy": "c",
        "transcript:copySource": "y",
    },
    "Search": {
        "search:next": "enter down",
        "search:previous": "shift+enter up",
        "search:toConversation": "tab",
        "search:close": "escape",
    },
    "Tools": {
        "tools:previous": "up",
        "tools:next": "down",
        "tools:first": "home",
        "tools:last": "end",
        "tools:jump": "enter",
        "tools:details": "space d",
        "tools:stop": "k",
        "tools:background": "b",
        "tools:filterByState": "f",
        "tools:filterByText": "slash",
        "tools:showAll": "escape",
    },
    "Diff": {
        "diff:nextHunk": "j",
        "diff:previousHunk": "k",
        "diff:nextFile": "n",
        "diff:previousFile": "p",
        "diff:session": "s",
        "diff:undo": "u",
        "diff:patch": "w",
        "diff:layout": "t",
        "diff:more": "plus equals_sign enter",
    },
    "Permission": {
        **_CONFIRMING,
        "confirm:accept": "enter",
        "confirm:yes": "1",
        "permission:always": "2",
        "confirm:no": "3 escape",
        "permission:noWithWords": "4",
        "permission:withWords": "w",
        "permission:editCommand": "e",
        "permission:otherRule": "r",
        "confirm:toggle": "space",
        "permission:elsewhereBack": "left",
        "permission:elsewhere": "right s",
        **_SCROLLING,
        **_WAITING,
    },
    "AlwaysRule": {
        "confirm:no": "escape",
        "confirm:previous": "up",
        "confirm:next": "down",
        "permission:elsewhere": "ctrl+t",
    },
    "CommandEditor": {"confirm:no": "escape"},
    "Review": {
        "review:accept": "a",
        "review:refuse": "x",
        "review:acceptAll": "A",
        "review:refuseAll": "X",
        "review:sendComments": "r",
        "review:edit": "e",
        "chat:externalEditor": "o",
        "confirm:yes": "enter 1",
        "permission:always": "2",
        "permission:noWithWords": "4 w",
        "confirm:no": "escape q 3",
        **_WAITING,
    },
    "ReviewLines": {
        "review:nextHunk": "j",
        "review:previousHunk": "k",
        "review:nextFile": "n",
        "review:previousFile": "p",
        "review:nextLine": "down",
        "review:previousLine": "up",
        "review:selectDown": "shift+down",
        "review:selectUp": "shift+up",
        "review:across": "left right",
        "review:comment": "c",
        "review:removeComment": "d delete",
        "review:layout": "t",
        "review:more": "plus equals_sign",
        "scroll:pageUp": "pageup",
        "scroll:pageDown": "pagedown space",
    },
    "HunkEditor": {"review:takeEdit": "ctrl+s", "confirm:no": "escape"},
    "CommentEditor": {"chat:submit": "enter", "chat:newline": "ctrl+j shift+enter alt+enter", "confirm:no": "escape"},
    "Undo": {
        "confirm:yes": "y 1",
        "confirm:no": "n escape q 2",
        "scroll:up": "pageup up k",
        "scroll:down": "pagedown down j space",
    },
    "Plan": {
        **_CONFIRMING,
        "confirm:accept": "enter",
        **{f"plan:answer{number}": str(number) for number in range(1, 6)},
        "confirm:no": "escape",
        "chat:externalEditor": "ctrl+g",
        "scroll:pageUp": "pageup",
        "scroll:pageDown": "pagedown space",
        "scroll:start": "home",
        "scroll:end": "end",
        **_WAITING,
    },
    "Form": {
        **_CONFIRMING,
        **{f"form:answer{number}": str(number) for number in range(1, 10)},
        "confirm:toggle": "space",
        "confirm:accept": "enter",
        "confirm:nextField": "tab",
        "confirm:previousField": "shift+tab",
        "form:nextQuestion": "right",
        "form:previousQuestion": "left",
        "form:words": "w",
        "confirm:no": "escape",
        **_WAITING,
        **_SCROLLING,
    },
    "Palette": {
        "select:cancel": "escape",
        "palette:close": "ctrl+p",
        "select:previous": "up ctrl+k",
        "select:next": "down ctrl+j",
        "select:accept": "enter",
        **_SCROLLING,
    },
    "Sessions": {
        **_BROWSING,
        "sessions:rename": "ctrl+r",
        "sessions:delete": "ctrl+x delete",
        "sessions:export": "ctrl+e",
        "sessions:all": "ctrl+a",
    },
    "ContextWindow": {
        **_BROWSING,
        "context:drop": "d delete",
        "context:order": "o",
        "context:close": "q",
    },
    "Cost": {"select:cancel": "escape q", "cost:limit": "l", "scroll:down": "down", "scroll:up": "up"},
    "Permissions": {
        "tabs:next": "tab",
        "tabs:previous": "shift+tab",
        "rules:add": "a",
        "rules:edit": "e",
        "rules:remove": "d delete",
        "confirm:nextField": "down",
        "confirm:previousField": "up",
        **_SCROLLING,
        "app:help": "f1",
        "select:cancel": "escape",
    },
    "RuleEditor": {
        "select:cancel": "escape",
        "select:accept": "enter",
        "confirm:nextField": "down",
        "confirm:previousField": "up",
    },
    "Settings": {
        **_BROWSING,
        "settings:close": "q",
        "settings:allKeys": "a",
        "settings:edit": "e",
        "settings:readOn": "shift+down ctrl+n",
        "settings:readBack": "shift+up ctrl+p",
    },
    "BrokenSettings": {
        "settings:mend": "1 e",
        "settings:goOn": "2",
        "settings:leave": "3 escape",
        "settings:retry": "r",
        "confirm:previous": "up",
        "confirm:next": "down",
        "confirm:accept": "enter",
    },
    "Hooks": {"select:cancel": "escape q", "browser:details": "tab"},
    "Chooser": {**_SELECTING, "select:cancel": "escape"},
    "ModelPicker": {"modelPicker:thisSession": "s", "modelPicker:write": "tab"},
    "Confirm": {**_CONFIRMING, "confirm:accept": "enter", "confirm:yes": "y 1", "confirm:no": "n escape 2"},
    "Link": {
        "link:open": "enter",
        "link:copy": "c",
        "link:next": "down right n",
        "link:previous": "up left p",
        "select:cancel": "escape q",
    },
    "Trust": {
        "confirm:yes": "y 1",
        "confirm:no": "n escape 2",
        "confirm:previous": "up",
        "confirm:next": "down",
        "scroll:pageDown": "pagedown",
        "scroll:pageUp": "pageup",
        "confirm:accept": "enter",
    },
    "Welcome": {
        "welcome:key": "1",
        "welcome:server": "2",
        "welcome:demo": "3",
        "select:previous": "up shift+tab",
        "select:next": "down tab",
        "welcome:keep": "f2",
        "select:accept": "enter",
        "select:cancel": "escape",
    },
    "Help": {
        "select:cancel": "escape",
        "help:dismiss": "f1 enter",
        "scroll:up": "up",
        "scroll:down": "down",
        **_SCROLLING,
    },
    "Replay": {
        "replay:play": "space",
        "replay:nextStep": "right",
        "replay:previousStep": "left",
        "replay:nextEvent": "full_stop",
        "replay:previousEvent": "comma",
        "replay:nextTurn": "right_square_bracket",
        "replay:previousTurn": "left_square_bracket",
        "replay:faster": "plus equals_sign",
        "replay:slower": "minus",
        "replay:start": "home",
        "replay:end": "end",
        "replay:goTo": "g",
        "replay:leave": "q",
        "app:tools": "f2",
        "app:diff": "f3",
        "app:toggleTranscript": "ctrl+o",
    },
    "ReplayPlace": {"select:cancel": "escape", "select:accept": "enter"},
}

_OUTER: Final = {
    "Autocomplete": "Chat",
    "AlwaysRule": "Permission",
    "CommandEditor": "Permission",
    "Review": "ReviewLines",
    "HunkEditor": "Review",
    "CommentEditor": "Review",
    "RuleEditor": "Permissions",
    "ModelPicker": "Chooser",
}
_CONFIRMATIONS: Final = (
    "Permission", "AlwaysRule", "CommandEditor", "Review", "Undo", "Plan", "Form", "Confirm", "Trust", "BrokenSettings",
    "HunkEditor", "CommentEditor",
)  # fmt: skip
_LISTS: Final = (
    "Palette",
    "Sessions",
    "ContextWindow",
    "Chooser",
    "ModelPicker",
    "Hooks",
    "Link",
    "Welcome",
    "RuleEditor",
)
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "Confirmation": _CONFIRMATIONS,
    "Select": _LISTS,
    "Task": ("Global",),
    "ThemePicker": ("Chooser",),
    "DiffDialog": ("Diff",),
    "Tabs": ("Permissions",),
    "Scroll": ("Transcript",),
}
"""Contexts that stand for several: what is bound in one is bound in each of these that has the action."""

UNKNOWN_HERE: Final = frozenset({"Attachments", "Footer", "MessageActions", "MessageSelector", "Plugin", "Doctor"})
"""Contexts of Claude Code that nothing here is like: what files say of them is passed over."""


def chain(context: str) -> Iterator[str]:
    """Yield a context and those around it, the innermost first; the last is always `Global`."""
    while context != "Global":
        yield context
        context = _OUTER.get(context, "Global")
    yield context


def find(context: str, action: str) -> tuple[str, ...]:
    """Return the keys of an action as it is known in a context or around it; none where it is not."""
    for place in chain(context):
        if keys := CONTEXTS[place].get(action):
            return tuple(keys.split())
    return ()
