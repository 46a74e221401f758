"""The kinds of documents: what can be read, what cannot, and their names for the user."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class DocumentKind(StrEnum):
    """What can be read. The value is the word shown to the user."""

    TEXT = "text"
    MARKDOWN = "Markdown"
    CSV = "CSV"
    JSON = "JSON"
    HTML = "HTML"
    PDF = "PDF"
    WORD = "Word document"


WHAT_CAN_BE_READ: Final = (
    "Text and code, Markdown, CSV, JSON, HTML, PDF and Word (.docx) files can be read."
)

_SUFFIXES: Final = {
    DocumentKind.MARKDOWN: ".md .markdown .mdown .mkd",
    DocumentKind.CSV: ".csv .tsv",
    DocumentKind.JSON: ".json .jsonl .ndjson .geojson .ipynb",
    DocumentKind.HTML: ".html .htm .xhtml",
    DocumentKind.PDF: ".pdf",
    DocumentKind.WORD: ".docx .docm .dotx .dotm",
    DocumentKind.TEXT: (
        ".txt .text .log .rst .adoc .org .tex .bib .srt .vtt .eml .ics .vcf .diff .patch "
        ".xml .svg .yaml .yml .toml .ini .cfg .conf .env .properties .jsonc .json5 "
        ".py .pyi .js .mjs .cjs .jsx .ts .tsx .vue .svelte .css .scss .less .php .rb .pl .lua "
        ".c .h .cc .cpp .cxx .hpp .hh .cs .java .kt .kts .scala .groovy .go .rs .swift .m .mm "
        ".dart .r .jl .hs .ml .ex .exs .erl .clj .lisp .el .zig .nim .f90 .asm .s .v .vhdl "
        ".sh .bash .zsh .fish .bat .cmd .ps1 .sql .graphql .proto .gradle .cmake .mk .dockerfile"
    ),
}

SUFFIX_KINDS: Final[dict[str, DocumentKind]] = {
    suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes.split()
}

_UNREADABLE_SUFFIXES: Final = {
    "an Excel workbook": ".xlsx .xlsm .xlsb .xltx .xls",
    "a PowerPoint presentation": ".pptx .pptm .ppsx .ppt .pps",
    "an old Word document": ".doc .dot",
    "an RTF document": ".rtf",
    "an OpenDocument text": ".odt .ott",
    "an OpenDocument spreadsheet": ".ods",
    "an OpenDocument presentation": ".odp",
    "an e-book": ".epub .mobi .azw3",
    "a picture": ".png .jpg .jpeg .gif .webp .bmp .tif .tiff .ico .heic .avif .psd",
    "a sound file": ".mp3 .wav .flac .ogg .m4a .aac .opus",
    "a video": ".mp4 .mkv .avi .mov .webm .wmv",
    "a packed archive": ".zip .7z .rar .tar .gz .tgz .bz2 .xz .zst",
    "a program": ".exe .msi .dll .so .bin .apk .jar .deb .rpm .appimage .iso",
    "a database": ".db .sqlite .sqlite3 .mdb .accdb",
    "a mail store": ".msg .pst",
}

UNREADABLE_SUFFIXES: Final[dict[str, str]] = {
    suffix: words for words, suffixes in _UNREADABLE_SUFFIXES.items() for suffix in suffixes.split()
}


def supported_suffixes() -> frozenset[str]:
    """Lower-case suffixes with their dot, for file dialogs and drop targets.

    A file with a suffix in neither table is still tried: its content decides.
    """
    return frozenset(SUFFIX_KINDS)
