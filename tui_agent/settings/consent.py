"""What counts of the settings that came with a folder: all of it, what the user confirmed, or what this program wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tui_agent.settings.confirmed import load_confirmed
from tui_agent.settings.sources import SettingsSource, SourceKind
from tui_agent.settings.withholding import CHANGED, NOT_OURS, NOT_TRUSTED, divided, guarded_hashes

__all__ = ["Consent"]

_FOLDERS_OWN: Final[frozenset[SourceKind]] = frozenset({"local", "project"})
_NONE: Final = frozenset[str]()


@dataclass(frozen=True)
class Consent:
    """What the user has confirmed of a folder's files: of each kind of file, the hashes of what counts; None: all of it.

    `is_first_visit` is that everything counts as the folder is trusted, and nothing was recorded yet of what it says.
    """

    confirmed: Mapping[SourceKind, frozenset[str]] | None
    reasons: Mapping[SourceKind, str] = field(default_factory=dict)
    is_first_visit: bool = False

    @classmethod
    def of(cls, start_dir: Path, *, is_trusted: bool, confirmed: frozenset[str] | None) -> Consent:
        """Return what counts of the files of a folder, by what is on record and what is confirmed besides."""
        record = load_confirmed(start_dir)
        if not is_trusted:
            # What this program wrote into a shared file waits as well: that file is everybody's who works there.
            return cls({"local": record.written, "project": _NONE}, {"local": NOT_OURS, "project": NOT_TRUSTED})
        if record.entries is None and confirmed is None:
            return cls(None, is_first_visit=True)
        known = (record.entries or _NONE) | (confirmed or _NONE) | record.written
        return cls({"local": known, "project": known}, {"local": CHANGED, "project": CHANGED})

    def parts(self, source: SettingsSource) -> tuple[SettingsSource, ...]:
        """Return a source as what counts of it, and what does not."""
        if self.confirmed is None or source.kind not in self.confirmed:
            return (source,)
        return divided(source, self.confirmed[source.kind], self.reasons[source.kind])

    def counting(self, sources: Iterable[SettingsSource]) -> frozenset[str] | None:
        """Return the hashes of what counts; None where everything does, and no record is kept."""
        if self.confirmed is None and not self.is_first_visit:
            return None
        return frozenset(one for one, is_counted in self._hashes(sources) if is_counted)

    def pending(self, sources: Iterable[SettingsSource]) -> frozenset[str]:
        """Return the hashes of what is held back."""
        return frozenset(one for one, is_counted in self._hashes(sources) if not is_counted)

    def _hashes(self, sources: Iterable[SettingsSource]) -> Iterator[tuple[str, bool]]:
        """Yield what each entry that needs consent is known by, and whether it counts."""
        for source in sources:
            if source.kind in _FOLDERS_OWN:
                for one in guarded_hashes(source):
                    yield one, self.confirmed is None or one in self.confirmed[source.kind]
