"""HTML as the model reads it; and HTML that is made to take for ever."""

from __future__ import annotations

import threading
from itertools import zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.tools.web_fetch import markdown
from tui_agent.tools.web_fetch.markdown import readable

BASE = "https://x.org/d/p.html"


def text(html: str) -> str:
    return readable(html, BASE).text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        ("a <", "a <"),
        ("<p>a\n  b\t c&nbsp;d</p>\n<p>e</p>", "a b c d\n\ne"),
        ("<p>&lt;b&gt; &amp;amp; &euro; &#x263a;</p>", "<b> &amp; € ☺"),
        ("<h1>A</h1>x<h3>B <small>c</small></h3>", "# A\n\nx\n\n### B c"),
        ("<p>a <b> b </b>c <i>d</i><em></em> <s>e</s></p>", "a **b** c *d* ~~e~~"),
        ("<b>one<p>two</b>", "**one**\n\ntwo"),
        ("a<br>b<br><br>c", "a\nb\n\nc"),
        ("use <code>f( x )</code> and <kbd>^C</kbd>", "use `f( x )` and `^C`"),
        ("<a href='/a b?x=1&amp;y=(2)#z'> go <b>there</b> </a>!", "[go **there**](https://x.org/a%20b?x=1&y=%282%29#z) !"),
        ("<a href='q'>q</a> <a href='#x'>up</a> <a href='javascript:x()'>no</a> <a>none</a> <a href=q></a>",
         "[q](https://x.org/d/q) up no none"),
        ("<a href=https://y.org/>https://y.org/</a>", "<https://y.org/>"),
        ("<base href='https://z.org/s/'><a href=t>t</a>", "[t](https://z.org/s/t)"),
        ("<img src=i.png alt='A  cat'><img src=j.png><img src='data:x' alt=Dot>", "![A cat](https://x.org/d/i.png)Dot"),
        ("<ul><li>a<li>b<ul><li>c</ul><li><p>d<p>e</ul>f", "- a\n- b\n  - c\n- d\n\n  e\n\nf"),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
        ("<p>x</p><ul><li>a</ul><p>y</p>", "x\n\n- a\n\ny"),
        ("<blockquote><p>a<p>b</blockquote>c", "> a\n\n> b\n\nc"),
        ("<pre class='language-py'>if x:\n  y  &lt; 1\n\n</pre>", "```py\nif x:\n  y  < 1\n```"),
        ("<pre><code class='lang-c'>a<br>b</code></pre><pre> </pre>", "```c\na\nb\n```"),
        ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
        ("<table><tr><th>a<th>b|c<tr><td>1<br>2<td><p>3<p>4</table>", "| a | b\\|c |\n| --- | --- |\n| 1 2 | 3 4 |"),
        ("<table><tr><td colspan=2>a<td>b<tr><td>c</table>", "| a |  | b |\n| --- | --- | --- |\n| c |  |  |"),
        ("<table><tr><td>only</table>", "only"),
        ("<table><tr><td><h2>H</h2><ul><li>a</ul><td>b<tr><td>c</table>", "## H\n\n- a\n\nb\n\nc"),
        ("<table><tr><td><table><tr><td>in<td>ner</table><tr><td>c</table>", "in\n\nner\n\nc"),
        ("<dl><dt>t<dd>d</dl><hr><q>s</q>", "t\n\nd\n\n---\n\n“s”"),
        ("<title> T\n t </title><p>a", "# T t\n\na"),
        ("<title>T</title><h1>H</h1>", "# H"),
        ("<svg><title>no</title><text>x</text></svg><title>yes</title>a", "# yes\n\na"),
        ("<script>if (a<b) {'<p>x</p>'}</script><style>x</style><template><p>t</template><!-- c --><?pi x?>a", "a"),
        ("<iframe>i</iframe><select><option>o</select><canvas>c</canvas><math>m</math>a", "a"),
        ("<p hidden>no</p><p style='DISPLAY : none'>no<b>no</b></p><input hidden><p hidden=until-found>b", "b"),
        ("<noscript>seen</noscript>", "seen"),
        ("a\0b", "ab"),
        ("<nav><a href=/n>N</a></nav><p>short", "[N](https://x.org/n)\n\nshort"),
    ],
)  # fmt: skip
def test_html_reads_like_markdown(html: str, expected: str) -> None:
    assert text(html) == expected


def test_what_leads_elsewhere_comes_after_a_long_text() -> None:
    long = "word " * 200
    found = text(f"<nav><ul><li><a href=/n>N</a></ul></nav><main><p>{long}</main>")
    assert found == f"{long.strip()}\n\n---\n\nNavigation:\n\n- [N](https://x.org/n)"


def test_the_title_is_known() -> None:
    found = readable("<title>A &amp; B</title><h1>C</h1>", BASE)
    assert (found.title, found.left_out) == ("A & B", "")


@pytest.mark.parametrize("size", [60_000])
@pytest.mark.parametrize(
    "piece",
    [
        "<div>", "<b>", "<b><i>", "<ul><li>", "<li>x", "<blockquote>x", "<table><tr><td>", "<tr><td>x<td>y",
        "<td colspan=999>x", "<a href=x>y", "<b><a href=x>", "<pre>", "<pre>x</pre>", "<p hidden><b>", "<svg><a>", "<h1>x",
        "<q>", "x<br>", "<", "&", "&amp;", "<!--", "<a b=", "</p>", "<p ", " ", "\0", "<script>", "<nav>x", "<select><option>",
        "<title>", "<math><mi>", "<img alt=x src=y>",
    ],
)  # fmt: skip
def test_no_page_takes_more_than_its_length(piece: str, size: int) -> None:
    # Deep nesting overflows what recurses, and quadratic work would not end within the time limit of the test.
    found = readable(piece * (size // len(piece) + 1), BASE)
    assert len(found.text) < 10 * size


def test_a_page_with_too_much_text_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "MAX_CHARS", 1000)
    found = readable("<p>word " * 100_000, BASE)
    assert found.left_out == "only its first 1,000 characters of text are here"
    assert 1000 < len(found.text) < 100_000


def test_reading_ends_when_time_is_up_or_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    stop.set()
    assert readable("<p>a", BASE, stop).left_out == "reading it was stopped after 0 of 4 characters of HTML"
    monkeypatch.setattr(markdown, "MAX_SECONDS", -1)
    assert "was stopped" in readable("<p>a", BASE).left_out


TAGS = (
    "p", "div", "b", "i", "code", "a", "ul", "ol", "li", "blockquote", "pre", "table", "tr", "td", "th", "h1", "nav", "br", "q",
    "svg", "title", "img", "hr", "select", "dt",
)  # fmt: skip
MARKUP = st.lists(
    st.one_of(
        st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
        st.sampled_from(
            ["<a href=x>", "<td colspan=3>", "<p hidden>", "x", " ", "\n", "y z", "&lt;", "<!-- c -->", "<"]
        ),
    ),
    max_size=60,
)


@given(MARKUP)
def test_no_order_of_tags_is_too_odd(parts: list[str]) -> None:
    found = readable("".join(parts), BASE)
    assert "\0" not in found.text
    assert found.text == found.text.strip("\n")


@given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=8), MARKUP)
def test_no_word_that_a_reader_sees_is_lost(words: list[str], parts: list[str]) -> None:
    hiding = ("<svg>", "<select>", "<p hidden>", "<title>", "<")
    shown = [part for part in parts if part not in hiding]
    pairs = zip_longest(shown, (f" {word} " for word in words), fillvalue=" ")
    html = "".join(part + word for part, word in pairs)
    found = text(html)
    for word in words:
        assert word in found
