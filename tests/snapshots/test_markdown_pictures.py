"""Everything that Markdown can say, at three widths, dark and light, without symbols and without colours."""

from __future__ import annotations

import pytest
from pictures import Album
from textual.app import App, ComposeResult

from tui_agent.ui.render_style import render_state
from tui_agent.ui.themes import apply_theme
from tui_agent.ui.widgets.view_widget import ViewWidget
from tui_agent.viewkit.markdown import MarkdownView
from tui_agent.viewkit.palette import MONOCHROME
from tui_agent.viewkit.view import RenderState

PROSE = """\
# A heading with `code` in it
Some *prose* with **bold**, ***both***, ~~struck~~, `inline code`, snake_case_words, a [link](https://example.org/a/b),
<https://example.org> and a bare one: https://example.org/wiki/Tea_(cup). A hard break\\
and what follows it.
## Second level
### Third level
#### Fourth level
##### Fifth level
###### Sixth level

1. first item that is long enough to wrap at the narrow widths
2. second
   - nested bullet
     - deeper
       - deepest
   - [ ] open task
   - [x] done task

   A second paragraph of the item.
   ```py
   return f"{x}"  # in the item
   ```
3. third

8) eight
9) nine
10) ten

- [ ] write the test first, and see it fail
- [x] read the code
- no task

> A quote of several words that wraps where it is narrow.
>
> - a list in it
>
> > and a quote
>
> ```sh
> ls -la | grep tea
> ```

---

Vec<T>, <think>, `a | b`, 1 &lt; 2, \\*escaped\\*, $a_1*b_2$, a note[^1] and ![a cup](https://example.org/cup.png).

[^1]: Here it is. 日本語のテキスト, עברית, العربية, e\u0301, 🇩🇪 and 👍🏽.
"""

BLOCKS = """\
| Function | What it does | Cost |
|:---------|:------------:|-----:|
| `open()` | opens a file and gives back what reads it | 1.50 |
| 日本語 | 文字 in cells, and [a link](https://example.org) | 12 |
| a \\| b | an escaped bar<br>and two lines | 300 |

| Name | Size | Kind | Owner | Changed | Checksum | State | Where it is kept | Why |
|------|-----:|------|-------|---------|----------|-------|------------------|-----|
| readme | 12 KB | text | ann | yesterday | 9f86d081 | clean | /srv/projects | to be read |
| logo | 140 KB | picture | bob | in spring | 60303ae2 | changed | /srv/pictures | to be seen |

```python title="shop/cart.py"
class Cart:
    \"\"\"What is bought.\"\"\"

    def total(self) -> Decimal:
        return sum((line.price * line.quantity for line in self.lines if not line.is_free), Decimal(0))  # exact
```

```
no language, and a line that is much longer than most of the screens it will ever be shown on by anybody at all
```

    indented code

$$
a * b * c = \\frac{1}{2}
$$

<details>
<summary>More</summary>
</details>
"""

LANGUAGES = {
    "tsx": 'export const Tea = ({ cups }: Props) => <p className="tea">{cups ?? 0}</p>; // jsx',
    "go": 'func Pour(cups int) (string, error) { return fmt.Sprintf("%d", cups), nil }',
    "rust": "fn pour<'a>(cups: &'a [Cup]) -> Option<&'a Cup> { cups.iter().find(|c| c.full) }",
    "java": "@Override public List<Cup> cups() { return List.of(new Cup(1)); }",
    "c++": "template <typename T> auto pour(const T& cup) -> int { return cup.size(); }",
    "c#": 'public record Cup(int Size) { public string Name => $"cup {Size}"; }',
    "rb": 'cups.map { |cup| "#{cup.name}: #{cup.size}" } # words',
    "php": 'public function pour(Cup $cup): string { return "{$cup->name}"; }',
    "swift": 'let cups = [1, 2].map { "\\($0) cups" }',
    "kt": "fun pour(cups: List<Cup>) = cups.filter { it.isFull }",
    "sql": "SELECT name, COUNT(*) FROM cups WHERE size > 2 GROUP BY name;",
    "html": '<p class="tea">two &amp; two</p>',
    "css": ".tea:hover { color: #fff; margin: 0 2px; }",
    "jsonc": '{"cups": 2, "full": true} // comment',
    "yml": "cups: [1, 2]  # comment",
    "toml": "[tea]\ncups = 2",
    "shell-session": "$ make tea\npouring",
    "diff": "-one cup\n+two cups",
    "Dockerfile": "FROM python:3.11 AS base",
    "makefile": "tea: cups\n\t$(POUR) $<",
    "lua": "local function pour(cup) return cup.size end -- words",
    "hs": "pour :: Cup -> Maybe Int\npour cup = Just (size cup)",
    "ex": "def pour(%Cup{size: size}), do: {:ok, size}",
    "src/tea.py": "cups = {name: 2 for name in names}",
}


class Page(App[object]):
    """Shows one text of Markdown."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, source: str, theme: str, state: RenderState | None) -> None:
        super().__init__()
        apply_theme(self, theme)
        self._source = source
        self._state = state

    def compose(self) -> ComposeResult:
        yield ViewWidget(MarkdownView(self._source), self._state or render_state(self))


async def draw(album: Album, name: str, source: str, width: int, theme: str, state: RenderState | None = None) -> None:
    lines = MarkdownView(source).render(width, RenderState(MONOCHROME)).lines
    app = Page(source, f"tui-agent-{theme}", state)
    async with app.run_test(size=(width + 1, len(lines))) as pilot:
        await pilot.pause()
        album.compare(app, name)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("width", [40, 58, 116])
async def test_markdown_reads_well(width: int, theme: str, album: Album) -> None:
    await draw(album, f"prose-{width}-{theme}", PROSE, width, theme)
    await draw(album, f"blocks-{width}-{theme}", BLOCKS, width, theme)
    album.verify()


@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_code_has_the_colours_of_its_language(theme: str, album: Album) -> None:
    source = "\n".join(f"```{name}\n{code}\n```" for name, code in LANGUAGES.items())
    await draw(album, f"languages-{theme}", source, 88, theme)
    album.verify()


async def test_plain_terminals_get_plain_signs(album: Album) -> None:
    await draw(album, "plain-signs", PROSE + BLOCKS, 64, "dark", RenderState(MONOCHROME, is_ascii=True))
    album.verify()
