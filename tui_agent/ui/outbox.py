"""What the user sends before there is a session for it: it waits, and goes out with the next one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.commands import Done, Reply
    from tui_agent.drafts import Draft

__all__ = ["Outbox"]


class Outbox:
    """Messages and shell commands on their way to the engine.

    `engine` gives the one that takes them now, None where they have to wait. `refused` hears of a shell command that was not
    run, and why. `first` is a message to begin with.
    """

    def __init__(
        self, engine: Callable[[], Engine | None], refused: Callable[[str, str], None], first: str | None = None
    ) -> None:
        self._engine = engine
        self._refused = refused
        self._messages: list[str | Draft] = [first] if first else []
        self._shell_commands: list[str] = []

    def send(self, message: str | Draft) -> None:
        """Send a message to the model, or hold it."""
        engine = self._engine()
        if engine is None:
            self._messages.append(message)
            return
        from tui_agent.commands import Submit  # with the first message, not with the first frame

        engine.send(Submit.of(message))

    def run_shell(self, command: str) -> None:
        """Run a command of the user's own, or hold it."""
        engine = self._engine()
        if engine is None:
            self._shell_commands.append(command)
            return
        from tui_agent.commands import RunShell

        def take(reply: Reply[Done]) -> None:
            if reply.error:
                self._refused(command, reply.error)

        engine.send(RunShell(command)).then(take)

    def send_held(self) -> None:
        """Send what was held; where there is still no engine, it goes on waiting."""
        commands, self._shell_commands = self._shell_commands, []
        messages, self._messages = self._messages, []
        for command in commands:
            self.run_shell(command)
        for message in messages:
            self.send(message)
