"""The commands that switch something: the model, its thinking, the permission mode, secrets, the theme, the prompt's keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tui_agent.commands import SetMasking, SetMode, SetModel, SetThinking, Submit
from tui_agent.queries import ModelsQuery, StateQuery
from tui_agent.ui.widgets.prompt_text import PromptText

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.queries import Masking, SessionState
    from tui_agent.ui.screens.choosers import ChooserItem, ChosenModel
    from tui_agent.ui.session_app import SessionApp

__all__ = ["SwitchCommands"]


class SwitchCommands:
    """One method a command, each with what followed its name. `models` gives names with words on them, for the chooser."""

    def __init__(
        self,
        app: SessionApp,
        models: Callable[[], Iterable[tuple[str, str]]],
        *,
        keep_theme: Callable[[str], None],
        keep_model: Callable[[str], None] | None,
    ) -> None:
        self._app = app
        self._keep_theme = keep_theme
        self._keep_model = keep_model
        self._models = models
        self.doers: dict[str, Callable[[str], object]] = {
            "model": self._model,
            "thinking": self._thinking,
            "mode": self._mode,
            "plan": self._plan,
            "secrets": self._secrets,
            "theme": self._theme,
            "vim": self._vim,
        }

    def _model(self, name: str) -> None:
        from tui_agent.ui.screens.choosers import ChooserItem, ModelChooser

        if name:
            self._set_model(name)
        else:
            from tui_agent.ui.screen_text.model_text import spoken_name

            choices = [ChooserItem(model, words, spoken_name(model)) for model, words in self._models()]
            current = self._app.projection.status.model
            screen = ModelChooser(
                choices, current=current, can_keep=self._keep_model is not None, more=self._listed_models
            )
            self._app.push_screen(screen, self._choose_model)

    async def _listed_models(self) -> list[ChooserItem]:
        """Return what the endpoint has besides the models that are known; dated names of these are left out."""
        from tui_agent.ui.screen_text.model_text import spoken_name
        from tui_agent.ui.screens.choosers import ChooserItem

        if self._app.engine is None:
            return []
        found = await self._app.engine.query(ModelsQuery())
        known = tuple(f"{name}-" for name, _ in self._models())
        return [
            ChooserItem(model.id, "", model.name or spoken_name(model.id))
            for model in found.models
            if not (model.id.startswith(known) and model.id[-8:].isdecimal())
        ]

    def _choose_model(self, chosen: ChosenModel | None) -> None:
        if chosen is None:
            return
        self._set_model(chosen.name)
        if chosen.is_kept and self._keep_model is not None:
            try:
                self._keep_model(chosen.name)
            except (OSError, ValueError) as error:
                self._app.notify_user(f"The model applies to this session only: {error}")

    def _set_model(self, name: str | None) -> None:
        if name and self._app.engine is not None:
            self._app.engine.send(SetModel(name))

    def _thinking(self, wanted: str) -> None:
        if self._app.engine is None:
            return
        if wanted.lower() not in {"", "on", "off"}:
            self._app.notify_user(f"/thinking expects on or off, not {wanted}.")
            return
        self._app.engine.query(StateQuery()).then(lambda state: self._switch_thinking(state, wanted.lower()))

    def _switch_thinking(self, state: SessionState, wanted: str) -> None:
        from tui_agent.ui.screen_text.thinking_text import switched

        engine, is_on = self._app.engine, wanted == "on" if wanted else not state.is_thinking
        if engine is None:
            return

        def tell(now: SessionState) -> None:
            if now.is_thinking == is_on:  # else the engine has said why not
                self._app.notify_user(switched(now.model, is_on=is_on), level="brief")

        engine.send(SetThinking(is_on)).then(lambda _: engine.query(StateQuery()).then(tell))

    def _mode(self, name: str) -> None:
        from tui_agent.ui.screens.choosers import ModeChooser

        if name:
            self._set_mode(name)
        else:
            self._app.push_screen(ModeChooser(current=self._app.projection.status.mode), self._set_mode)

    def _set_mode(self, name: str | None) -> None:
        from tui_agent.permissions.modes import MODES

        if not name:
            return
        mode = next((mode for mode in MODES if mode.lower() == name.lower()), None)
        if mode is None:
            self._app.notify_user(f"No mode is named {name}.", f"Available modes: {', '.join(MODES)}.")
        elif self._app.engine is not None:
            self._app.engine.send(SetMode(mode))

    def _plan(self, task: str) -> None:
        engine = self._app.engine
        if engine is None:
            return
        engine.send(SetMode("plan"))
        if task:
            engine.send(Submit(task))

    def _secrets(self, wanted: str) -> None:
        engine = self._app.engine
        if engine is not None:
            engine.query(StateQuery()).then(lambda state: self._switch_secrets(engine, state.masking, wanted))

    def _switch_secrets(self, engine: Engine, masking: Masking | None, wanted: str) -> None:
        if masking is None:
            return
        match wanted.lower():
            case "on" | "off" as word:
                engine.send(SetMasking(word == "on"))
                if word == "off":
                    hint = "The model, the journal and exports contain them from now on. /secrets on hides them again."
                    self._app.notify_user("Secrets in tool output are shown until this session ends.", hint)
            case "" | "status":
                known = f", and the values of {', '.join(masking.names)}" if masking.names else ""
                if masking.on:
                    said, hint = "hidden", f"That is keys of known kinds{known}. /secrets off shows them."
                else:
                    said, hint = "shown", f"/secrets on hides keys of known kinds{known}."
                self._app.notify_user(f"Secrets in tool output are {said}.", hint, level="info")
            case _:
                self._app.notify_user(f"/secrets expects on, off or status, not {wanted}.")

    def _theme(self, name: str) -> None:
        from tui_agent.ui.screens.choosers import ThemeChooser

        if name:
            self._set_theme(name)
        else:
            screen = ThemeChooser(self._app.available_themes, current=self._app.theme_name, apply=self._apply_theme)
            self._app.push_screen(screen, self._set_theme)

    def _apply_theme(self, name: str) -> bool:
        from tui_agent.ui.themes import fitting

        return self._app.apply_theme(fitting(name) or name)

    def _set_theme(self, name: str | None) -> None:
        if name and self._apply_theme(name):
            try:
                self._keep_theme(name)
            except (OSError, ValueError) as error:
                self._app.notify_user(f"The theme applies to this run only: {error}")
        elif name:
            self._app.notify_user(f"No theme is named {name}.", "/theme lists them.")

    def _vim(self, _argument: str) -> None:
        from tui_agent.ui.prompting import editor_mode

        area = self._app.query_one(PromptText)
        area.use_vi(not area.vi_mode, area.remaps)
        words = "vi" if area.vi_mode else "the usual"
        try:
            editor_mode.keep("vim" if area.vi_mode else "normal")
            self._app.notify_user(f"The prompt now has {words} keys.", "/vim changes that again.", level="info")
        except (OSError, ValueError) as error:
            self._app.notify_user(f"The prompt has {words} keys, for this run only: {error}")
