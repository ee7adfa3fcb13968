"""What all parts of a session share, made before any of them: the bus, the settings in force, variables, secrets, the mode."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.bus import Bus
from tui_agent.engine.gate.form_broker import FormBroker
from tui_agent.engine.gate.permission_mode import PermissionMode
from tui_agent.engine.session.command_environment import CommandEnvironment
from tui_agent.engine.session.event_redaction import EventRedactor
from tui_agent.engine.session.wakeups import WakeUps
from tui_agent.permissions.modes import Mode
from tui_agent.secrets.masker import Masker
from tui_agent.secrets.names import is_secret
from tui_agent.secrets.values import own_keys, secret_values
from tui_agent.settings.current import CurrentSettings
from tui_agent.settings.load import Settings

__all__ = ["SessionCore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCore:
    """The shared parts. Each knows at most those above it."""

    settings: CurrentSettings
    environment: CommandEnvironment
    masker: Masker
    bus: Bus
    mode: PermissionMode
    forms: FormBroker
    wakeups: WakeUps

    @classmethod
    def make(
        cls,
        settings: Settings,
        *,
        session_id: str = "",
        mode: Mode = "default",
        known_mode: Mode = "default",
        may_bypass: bool = False,
        own_secrets: tuple[str, ...] = (),
    ) -> SessionCore:
        """Make them. `own_secrets` is what requests to the model are signed with; the modes are as for `PermissionMode`."""
        current = CurrentSettings(settings)
        environment = CommandEnvironment(settings, session_id=session_id)
        masker = Masker(
            secret_values(environment.variables, is_secret),
            own=(*own_secrets, *own_keys(environment.variables)),
            is_on=settings.values.mask_secrets,
        )
        bus = Bus(session_id, redact=EventRedactor(masker))
        return cls(
            settings=current,
            environment=environment,
            masker=masker,
            bus=bus,
            mode=PermissionMode(
                mode, publish=bus.publish, settings=current, may_start_bypassing=may_bypass, known=known_mode
            ),
            forms=FormBroker(bus.publish),
            wakeups=WakeUps(),
        )

    def adopt(self, settings: Settings) -> None:
        """Go on with settings that were read anew."""
        self.settings.replace(settings)
        self.environment.reload(settings)
        self.masker.learn(secret_values(self.environment.variables, is_secret))

    def take_variables(self, found: dict[str, str]) -> None:
        """Let later commands have the variables that hooks left, and hide what is secret in them."""
        self.environment.add(found)
        self.masker.learn(secret_values(found, is_secret))
