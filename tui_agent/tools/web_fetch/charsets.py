"""The character set of a text that does not say which it is in: the one in which it reads most like a language.

Each candidate is a character set and a language that is written in it. The text is decoded, and its letters beyond ASCII are
looked at: how common they are in that language, and whether they stand where letters stand. Windows-1252 comes first, so that
it wins where a text is too short to tell. `charset-normalizer` is asked where no language fits.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Final

__all__ = ["likeliest"]

_SAMPLE: Final = 65_536  # bytes that are looked at
_SAMPLE_CHARS: Final = 2_000  # characters beyond ASCII that decide
_FITS: Final = 0.35  # a score from which on a language is believed
_BETTER: Final = 0.05  # by how much a later candidate has to be better than one before it
# Signs that texts in all languages have, and that say nothing.
_SIGNS: Final = frozenset("\xa0\xad«»‹›„“”‚‘’–—…•·°€£©®™§№×±½²³¼¾´¨¡¿ªº、。，．：；！？（）「」『』【】・〜～　％")
# Of these, what pages in English and French use most, and what says that nothing else is meant.
_PLAIN_SIGNS: Final = frozenset("\xa0«»“”‘’–—…•·°€£©®™§")
_ELISIONS: Final = frozenset("’'ʼ")


@dataclass(frozen=True, slots=True)
class _Language:
    """Letters beyond ASCII: `common` ones, and all `other` ones of the alphabet, in small letters where there are such."""

    charset: str
    common: str
    other: str = ""
    script: str = "latin"  # or `own`: no letter stands beside one of ASCII; or `wide`: two bytes to a character


_HANZI: Final = (
    "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而"
    "能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与"
    "高意进法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东"
    "政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命"
    "张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战"
    "干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院"
)
_HANZI_OLD: Final = (
    "的一是不了人我在有他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可里後小麼心多天而"
    "能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與"
    "高意進法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東"
    "政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市眼體別處總才場師書比住員"
)
_KANA: Final = "".join(map(chr, (*range(0x3041, 0x3094), *range(0x30A1, 0x30FB), 0x30FC)))
_KANJI: Final = (
    "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半"
    "男西電校語土木聞食車何南万毎白天母火右読友左休父雨会同事自社発者地業方新場員立開手力問代明動京目通言理体田主題"
    "意不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計死特私始朝運終台広住無真有口少町料工建"
    "空急止送切転研足究楽起着店病質待試族銀早映親験英医仕去味写字答夜音注帰古歌買悪図週室歩風紙黒花春赤青館屋色走秋"
    "夏習駅洋旅服夕借曜飲肉貸堂鳥飯勉冬昼茶弟牛魚兄犬妹姉漢"
)
_HANGUL: Final = (
    "이다는에의을를고가도하지한로서은기사시아그어나자리일라인정대해수스들보있구전장여부소었게상만원으주것과공비제오"
    "유화안거성신경조동네데무적실내모국방우할세와생까면진계요트교양용없때물결연속분산발미선관개중위문당건번치람호"
)

_LANGUAGES: Final = (
    _Language("cp1252", "éèàêç", "âîôùûëïüœæÿñ"),  # French
    _Language("cp1252", "äöüß"),  # German
    _Language("cp1252", "áéíóúñ", "ü"),  # Spanish
    _Language("cp1252", "ãçéáêíó", "àâõúôü"),  # Portuguese
    _Language("cp1252", "àèéùòì", "íóúî"),  # Italian
    _Language("cp1252", "åäöøæ", "éüàôèê"),  # Nordic languages
    _Language("cp1252", "áéíóúðþæö", "ý"),  # Icelandic
    _Language("cp1252", "éëïö", "üèáóêç"),  # Dutch
    _Language("cp1250", "ąęłóśżć", "ńź"),  # Polish
    _Language("cp1250", "áíěéřčžýšů", "úťďňó"),  # Czech, Slovak
    _Language("cp1250", "áéíčžýšľúť", "äďĺňóôŕ"),
    _Language("cp1250", "áéőöíóü", "úű"),  # Hungarian
    _Language("cp1250", "ăîşţâ"),  # Romanian
    _Language("cp1250", "čšžćđ"),  # Croatian, Slovene
    _Language("iso8859-2", "ąęłóśżć", "ńź"),
    _Language("iso8859-2", "áíěéřčžýšů", "úťďňó"),
    _Language("cp1254", "ığşüçöİ", "âîû"),  # Turkish
    _Language("cp1257", "ąčęėįšųūž"),  # Lithuanian
    _Language("cp1257", "āčēģīķļņšūž"),  # Latvian
    _Language("cp1257", "äõöüšž"),  # Estonian
    _Language("cp1251", "оеаинтсрвл", "кмдпуяыьгзбчйхжшюцщэфъёіїєґўјљњћџ", script="own"),
    _Language("koi8-r", "оеаинтсрвл", "кмдпуяыьгзбчйхжшюцщэфъё", script="own"),
    _Language("cp1253", "αοιετσνηυρ", "πκμλωδγχθφβξζψςάέήίόύώϊϋΐΰ", script="own"),
    _Language("cp1255", "יוהלאמרתבש", "נכדחקעפטגצסזםןץףך", script="own"),
    _Language("cp1256", "اليمنوترب", "عدسفحقكهةجشطخأصىءضئزذثإغظؤآ،؟", script="own"),
    _Language("cp874", "านรอกเงมยล่วดทส้ต", "ะปบคหแจพชขใไโผุูิีืึ์ัาำซถฟธศษภญณฐฎฏฒฌฆ็๊๋ๆฯฝ", script="own"),
    _Language("cp932", _KANA, _KANJI, script="wide"),
    _Language("euc_jp", _KANA, _KANJI, script="wide"),
    _Language("gb18030", _HANZI, script="wide"),
    _Language("big5", _HANZI_OLD, script="wide"),
    _Language("euc_kr", _HANGUL, script="wide"),
    _Language("iso8859-5", "оеаинтсрвл", "кмдпуяыьгзбчйхжшюцщэфъё", script="own"),
    _Language("cp866", "оеаинтсрвл", "кмдпуяыьгзбчйхжшюцщэфъё", script="own"),
)


def likeliest(body: bytes) -> str:
    """Return the codec in which a text that is no UTF-8 reads best. Takes some milliseconds."""
    sample = body[:_SAMPLE]
    if _is_almost_utf8(sample):
        return "utf-8"
    western = sample.decode("cp1252", "replace")
    if all(character in _PLAIN_SIGNS for character in western if character > "\x7f"):
        return "cp1252"
    best, best_score = "", 0.0
    decoded: dict[str, str | None] = {}
    for language in _LANGUAGES:
        if language.charset not in decoded:
            decoded[language.charset] = _decoded(sample, language.charset)
        text = decoded[language.charset]
        if text is None:
            continue
        score = _score(text, language)
        if score > best_score + (_BETTER if best else 0.0):
            best, best_score = language.charset, score
    if best_score >= _FITS:
        return best
    return _guessed(sample) or "cp1252"


def _is_almost_utf8(sample: bytes) -> bool:
    """Whether some broken characters stand among many that are whole."""
    text = sample.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return sum(character > "\x7f" for character in text) - broken > 8 * broken


def _decoded(sample: bytes, charset: str) -> str | None:
    """Decode a sample, which may end in the middle of a character; None where it is not in this character set."""
    try:
        return codecs.getincrementaldecoder(charset)().decode(sample)
    except UnicodeDecodeError:
        # Five bytes have no meaning in windows-1252, and pages have them all the same.
        return sample.decode(charset, "replace") if charset == "cp1252" else None


def _score(text: str, language: _Language) -> float:
    """Return how much the letters beyond ASCII are those of a language: 1 where all are common, less than 0 for nonsense."""
    common, other = frozenset(language.common), frozenset(language.other)
    total, points, run = 0, 0.0, 0
    before = " "
    for at, character in enumerate(text):
        if character <= "\x7f":
            run = 0
        else:
            run += 1
            total += 1
            small = character.lower()
            is_sign = character in _SIGNS
            if small in common or character in common:
                points += 1.0
            elif small in other:
                points += 0.5 if language.script != "wide" else 0.8
            elif language.script == "wide" and not is_sign:
                points += _of_wide(character, language.charset)
            elif not is_sign:
                points -= 1.0
            elif before.isalpha() and text[at + 1 : at + 2].isalpha() and character not in _ELISIONS:
                points -= 1.0  # a sign in the middle of a word
            else:
                points += 0.4
            if not is_sign:
                points -= _misplaced(text, at, before, language, run)
            if total >= _SAMPLE_CHARS:
                break
        before = character
    return points / total if total else 0.0


def _of_wide(character: str, charset: str) -> float:
    """Return what a character of two bytes counts that is none of the most common: most standards put rare ones last."""
    try:
        lead = character.encode(charset)[0]
    except UnicodeEncodeError:
        return -1.0
    match charset:
        case "gb18030":
            return 0.55 if 0xB0 <= lead <= 0xD7 else 0.1 if 0xD8 <= lead <= 0xF7 else -0.5
        case "big5":
            return 0.55 if 0xA4 <= lead <= 0xC6 else 0.0
        case "euc_kr":
            return 0.6 if 0xB0 <= lead <= 0xC8 else 0.0
        case _:
            return 0.2 if "\u4e00" <= character <= "\u9fff" else -0.5


def _misplaced(text: str, at: int, before: str, language: _Language, run: int) -> float:
    """Return what a letter loses for where it stands."""
    character = text[at]
    if character.isupper() and before.islower():
        return 1.0
    if language.script == "own" and character.isupper() and before.isupper():
        return 0.3
    if language.script == "latin":
        return 1.0 if run > 2 else 0.0
    after = text[at + 1 : at + 2]
    if language.script == "own" and any(one.isascii() and one.isalpha() for one in (before, after)):
        return 1.0
    return 0.0


def _guessed(sample: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    return best.encoding if best is not None else None
