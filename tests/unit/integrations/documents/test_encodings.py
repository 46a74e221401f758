"""Bytes to text."""

from __future__ import annotations

import codecs

import pytest

from ankita.integrations.documents.encodings import NotTextError, declared, decode

RUSSIAN = "Сегодня мы обсуждаем отчёт за квартал и планы на следующий год."
CHINESE = "今天的会议讨论了季度报告和明年的计划，请大家准备好材料。\n谢谢 OK"
JAPANESE = "本日の会議では四半期報告と来年の計画について話し合いました。"
KOREAN = "오늘 회의에서 분기 보고서와 내년 계획을 논의했습니다."
GERMAN = "Die Straße ist größer, über älteren Häusern – schön."
FRENCH = "L'été dernier, nous avons mangé des crêpes à côté de la forêt."
SPANISH = "El año pasado, la compañía creció; mañana más información aquí."
SWEDISH = "Vi åt smörgåsar på kvällen och läste över räkningen från läkaren."
ICELANDIC = "Í dag ræddum við ársfjórðungsskýrsluna og áætlanir næsta árs, það er gott."
TURKISH = "Bugünkü toplantıda üç aylık raporu ve gelecek yılın planlarını görüştük, şimdi."
POLISH = "Dzisiaj omówiliśmy kwartalny raport i plany na przyszły rok, zażółć gęślą jaźń."
CZECH = "Dnes jsme projednali čtvrtletní zprávu a plány na příští rok, žluťoučký kůň."
GREEK = "Σήμερα συζητήσαμε την τριμηνιαία έκθεση και τα σχέδια για το επόμενο έτος."
HEBREW = "היום דנו בדוח הרבעוני ובתוכניות לשנה הבאה."
ARABIC = "ناقشنا اليوم التقرير الفصلي وخطط العام المقبل."
THAI = "วันนี้เราได้หารือเกี่ยวกับรายงานประจำไตรมาส"
HINDI = "आज हमने तिमाही रिपोर्ट और अगले साल की योजनाओं पर चर्चा की।"


@pytest.mark.spec("DOC-1")
@pytest.mark.parametrize("text", [RUSSIAN, CHINESE, GERMAN, HINDI, "plain", "smile \U0001f600"])
@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("utf-32-be", codecs.BOM_UTF32_BE),
    ],
)
def test_unicode_with_a_mark_and_utf8_without_are_certain(
    text: str, encoding: str, mark: bytes
) -> None:
    decoded = decode(mark + text.encode(encoding))
    assert (decoded.text, decoded.encoding, decoded.guessed) == (text, encoding, False)


@pytest.mark.spec("DOC-1")
@pytest.mark.parametrize("text", [RUSSIAN, CHINESE, GERMAN, HINDI, ARABIC, GREEK, "just ascii"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_recognised_and_called_a_guess(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert (decoded.text, decoded.encoding, decoded.guessed) == (text, encoding, True)


@pytest.mark.spec("DOC-1")
@pytest.mark.parametrize(
    ("text", "written_in", "said"),
    [
        (RUSSIAN, "cp1251", "cp1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (RUSSIAN, "cp866", "cp866"),
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE, "gb2312", "gb18030"),
        (JAPANESE, "shift_jis", "cp932"),
        (JAPANESE, "euc_jp", "euc_jp"),
        (KOREAN, "cp949", "cp949"),
        (GERMAN, "cp1252", "cp1252"),
        (FRENCH, "cp1252", "cp1252"),
        (FRENCH, "latin-1", "cp1252"),
        (SPANISH, "cp1252", "cp1252"),
        (SWEDISH, "cp1252", "cp1252"),
        (ICELANDIC, "cp1252", "cp1252"),
        (TURKISH, "iso8859-9", "cp1254"),
        (POLISH, "cp1250", "cp1250"),
        (POLISH, "iso8859-2", "iso8859-2"),
        (CZECH, "cp1250", "cp1250"),
        (GREEK, "cp1253", "cp1253"),
        (HEBREW, "cp1255", "cp1255"),
        (ARABIC, "cp1256", "cp1256"),
        (THAI, "cp874", "cp874"),
    ],
)
@pytest.mark.parametrize("copies", [1, 30])
def test_one_sentence_in_an_old_encoding_is_read_right(
    text: str, written_in: str, said: str, copies: int
) -> None:
    text = f"{text}\n" * copies
    decoded = decode(text.encode(written_in))
    assert decoded.text == text
    assert (decoded.encoding, decoded.guessed) == (said, True)


def test_a_long_file_in_a_multibyte_encoding_is_decoded_to_its_end() -> None:
    text = f"{JAPANESE}\n" * 10_000
    assert decode(text.encode("shift_jis")).text == text


@pytest.mark.parametrize(
    "data",
    [
        b"plain text\0with a stray zero",
        b"a plain text, and\0another one",
        bytes(range(256)) * 4,
        b"\0" * 100,
        b"\x01\x02\x03\x04\x05" * 20,
        b"\x89\x8b\x01\x9d\x90\x07\x81\x02\xff" * 30,
    ],
)
def test_data_for_programs_is_not_taken_for_text(data: bytes) -> None:
    with pytest.raises(NotTextError):
        decode(data)


def test_a_terminal_log_with_colours_is_text() -> None:
    assert decode(b"\x1b[31mred\x1b[0m\n").encoding == "utf-8"


@pytest.mark.parametrize("name", ["rot13", "hex", "idna", "utf-7", "unicode_escape", "x", "\0"])
def test_a_declared_name_that_is_no_encoding_of_text_is_ignored(name: str) -> None:
    assert declared(b"abc", name) is None


@pytest.mark.parametrize(("name", "used"), [("ISO-8859-1", "cp1252"), ("gbk", "gb18030")])
def test_a_declared_encoding_is_widened_as_browsers_do(name: str, used: str) -> None:
    found = declared(b"abc", name)
    assert found is not None
    assert found.encoding == used
