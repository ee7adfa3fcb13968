"""Pages in old character sets that do not say so come out right, short ones too; what a page says of itself goes first."""

from __future__ import annotations

from pathlib import Path

import pytest
from fetching import fetching
from web_server import answer

from tui_agent.tools.web_fetch.charsets import likeliest

TEXTS = {
    "cp1252": (
        "Le café est déjà fermé à cette heure.", "Été",
        "Ça va très bien, merci.", "Où êtes-vous né ?", "Prénom : Zoë", "café",
        "L’été dernier, nous avons visité le château.",
        "«Bonjour» dit-il, où ça ?", "naïve", "résumé", "Prix : 100 € l’unité",
        "Größe", "Die Straße ist für Fußgänger gesperrt.",
        "Übergrößenträger mögen Käse", "“quoted” — dash…", "copyright © 2024",
        "El niño comió mañana el jamón ibérico.", "¿Dónde está el baño?", "São Paulo não é a capital.", "50° nord",
        "Perché è così? La città è più bella.", "Smörgåsbord på svenska är gott", "Rødgrød med fløde på", "Það er gott",
    ),
    "cp1250": (
        "Zażółć gęślą jaźń", "Cześć, jak się masz? Dziękuję bardzo.", "Łódź", "Wrocław jest pięknym miastem", "Żółw i mrówka",
        "Książka kosztuje 20 złotych", "Příliš žluťoučký kůň úpěl ďábelské ódy", "Dobrý den, jak se máte? Děkuji, dobře.",
        "Árvíztűrő tükörfúrógép",
    ),
    "cp1251": (
        "Привет, мир!", "Москва", "Съешь же ещё этих мягких французских булок", "Добро пожаловать на наш сайт",
        "Новости дня: погода", "Всё о Python и Linux", "Привіт, як справи? Україна",
    ),
    "koi8-r": ("Привет, мир!", "Съешь же ещё этих мягких французских булок", "Добро пожаловать"),
    "cp932": ("こんにちは世界", "日本語のページです。", "東京都", "カタカナ", "お問い合わせはこちら", "Pythonで書きました。"),
    "euc_jp": ("こんにちは世界", "日本語のページです。", "カタカナ", "お問い合わせはこちら", "Pythonで書きました。"),
    "gb18030": ("你好，世界", "中文网页测试", "我们的网站", "北京是中国的首都", "欢迎来到我们的主页", "这是一个测试"),
    "big5": ("你好，世界", "我們的網站", "這是一個測試，歡迎來到我們的主頁", "台北是一個城市"),
    "euc_kr": ("안녕하세요 세계", "한국어 페이지입니다.", "이것은 테스트입니다", "서울은 대한민국의 수도이다"),
    "cp1253": ("Καλημέρα κόσμε", "Ελλάδα", "Η γλώσσα είναι ελληνική", "Πού είναι η στάση;", "Αθήνα"),
    "cp1254": ("İstanbul'da güzel bir gün, teşekkürler", "Şişli ve Beşiktaş çok kalabalık, ışık"),
    "cp1257": ("Ačiū, labas rytas, šeštadienį eisiu į mišką žiūrėti grybų",),
}  # fmt: skip
PAIRS = [(charset, text) for charset, texts in TEXTS.items() for text in texts]


@pytest.mark.parametrize("shape", ["{}", "<html><body><p>{}</p></body></html>", "{0}\n\nabout 2024\n{0} and {0}"])
def test_the_likeliest_character_set_reads_as_it_was_written(shape: str) -> None:
    wrong = []
    for charset, text in PAIRS:
        body = shape.format(text).encode(charset)
        read = body.decode(likeliest(body), "replace")
        if read != shape.format(text):
            wrong.append((charset, text, read))
    assert wrong == []


async def test_pages_that_do_not_say_what_they_are_written_in(tmp_path: Path) -> None:
    pages = {
        f"/{number}": answer(f"<html><body><p>{text}</p></body></html>".encode(charset), content_type="text/html")
        for number, (charset, text) in enumerate(PAIRS)
    }
    async with fetching(tmp_path, pages) as fetch:
        for number, (_, text) in enumerate(PAIRS):
            assert text in (await fetch(f"/{number}")).text


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("\ufeffгород".encode("utf-16-le"), "text/html; charset=windows-1252"),
        ("<p>город".encode("cp1251"), "text/html; charset=windows-1251"),
        ("<meta charset=windows-1252><p>город".encode("cp1251"), "text/html; charset=windows-1251"),
        ("<meta charset=windows-1251><p>город".encode("cp1251"), "text/html"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>город'.encode("koi8-r"), "text/html"),
        ('<?xml version="1.0" encoding="windows-1251"?><p>город</p>'.encode("cp1251"), "application/xml"),
        ("<p>город".encode(), "text/html"),
        ("<html><p>город стоит на реке".encode("cp1251"), ""),
        ("<p>город, город, город, город".encode() + b" \xff", "text/html"),
    ],
)
async def test_what_is_said_goes_before_what_is_likely(tmp_path: Path, body: bytes, content_type: str) -> None:
    headers = {"content_type": content_type} if content_type else {}
    async with fetching(tmp_path, {"/": answer(body, **headers)}) as fetch:
        assert "город" in (await fetch("/")).text


def test_a_long_text_takes_no_longer() -> None:
    assert likeliest("Le café est fermé. ".encode("cp1252") * 500_000) == "cp1252"
