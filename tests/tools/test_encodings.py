"""Bytes become text only when the very same bytes can be made of it again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.tools.encodings import Decoded, NotTextError, UnencodableError, decode, encode

SAMPLES = {
    "utf-8": "naïve “quotes” — 文字 😀\r\n",
    "cp932": "# 設定ファイル\nname = 'テスト'\n",
    "euc_jp": "# 設定ファイル\nname = 'テスト'\n",
    "gb18030": "# 配置文件\nname = '测试一下中文'\n",
    "big5": "# 設定檔案\nname = '測試一下中文'\n",
    "euc_kr": "# 한국어 설정 파일\n",
    "cp1252": "“Größe” – naïve café\n",
}


@pytest.mark.parametrize("encoding", sorted(SAMPLES))
def test_text_is_recognised_and_written_back_byte_for_byte(encoding: str) -> None:
    data = SAMPLES[encoding].encode(encoding)
    decoded = decode(data)
    assert decoded.text == SAMPLES[encoding]
    assert encode(decoded.text, decoded.encoding, has_bom=decoded.has_bom) == data


@pytest.mark.parametrize(
    ("bom", "encoding"),
    [
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
        (b"\xff\xfe\0\0", "utf-32-le"),
    ],
)
def test_a_byte_order_mark_decides_and_stays(bom: bytes, encoding: str) -> None:
    data = bom + "a é\r\nb".encode(encoding)
    decoded = decode(data)
    assert (decoded.text, decoded.encoding, decoded.has_bom) == ("a é\r\nb", encoding, True)
    assert encode(decoded.text, encoding, has_bom=True) == data


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_western_text_in_utf_16_needs_no_mark(encoding: str) -> None:
    text = "[Übersicht]\r\nname = “x” – 文\r\n"
    data = text.encode(encoding)
    assert decode(data) == Decoded(text, encoding, has_bom=False)
    assert encode(text, encoding, has_bom=False) == data


@pytest.mark.parametrize(
    "data", [b"\1\0\2\0\3\0\4\0", b"a\0b\0c\0d", b"a\0\0b", b"P\0K\0\x03\0\x04\0" * 9, b"\0a\0\xdc\xdc\0"]
)
def test_numbers_of_two_bytes_are_no_text(data: bytes) -> None:
    with pytest.raises(NotTextError):
        decode(data)


def test_what_two_encodings_share_is_read_as_the_smaller_one() -> None:
    assert decode("café".encode("latin-1")).encoding == "latin-1"
    assert decode("café – “x”".encode("cp1252")).encoding == "cp1252"
    with pytest.raises(UnencodableError, match="U\\+20AC"):
        encode("café €", decode("café".encode("latin-1")).encoding, has_bom=False)


@given(st.binary(max_size=200))
def test_whatever_is_read_can_be_written_back(data: bytes) -> None:
    try:
        decoded = decode(data)
    except NotTextError:
        return
    assert encode(decoded.text, decoded.encoding, has_bom=decoded.has_bom) == data


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=100))
def test_utf_8_is_always_utf_8(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode(text.encode()).encoding == "utf-8"


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b",
        b"\x7fELF\x02\x01\x01\0",
        bytes(range(1, 32)) * 3,
        b"\xff\xfea",
        b"\xff\xfea\0\0\0",
        b"\x81\x8d\x8f\x90\x9d" * 3,
    ],
)
def test_what_is_not_text_is_refused(data: bytes) -> None:
    with pytest.raises(NotTextError):
        decode(data)


def test_a_character_that_the_encoding_lacks_is_named() -> None:
    with pytest.raises(UnencodableError, match="'文' \\(U\\+6587\\)"):
        encode("a 文", "cp1252", has_bom=False)
