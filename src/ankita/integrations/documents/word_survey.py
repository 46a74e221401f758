"""One pass over an XML part of a Word file: refuses what is hostile, counts what gets lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

_COUNTED: Final = frozenset(
    {"t", "del", "moveFrom", "oMath", "comment", "commentReference", "object", "altChunk"}
)


class HostileXmlError(ValueError):
    """The XML does what no Word file does."""


class MalformedXmlError(ValueError):
    """Not XML."""


@dataclass
class Survey:
    """`counts` by local element name. `boxes_lost` are text boxes without an older twin."""

    counts: Counter[str] = field(default_factory=Counter)
    boxes_drawn: int = 0
    boxes_in_fallback: int = 0

    @property
    def boxes_lost(self) -> int:
        return max(0, self.boxes_drawn - self.boxes_in_fallback)


def survey(part: bytes, max_depth: int) -> Survey:
    """Raises HostileXmlError or MalformedXmlError.

    A document type is refused whole: the Office formats have none, and entities,
    external or exploding, need one.
    """
    found = Survey()
    open_elements: list[str] = []

    def start(name: str, _attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        open_elements.append(local)
        if len(open_elements) > max_depth:
            raise HostileXmlError(f"elements nested more than {max_depth} deep")
        if local in _COUNTED:
            found.counts[local] += 1
        elif local == "txbxContent":
            if "Fallback" in open_elements:
                found.boxes_in_fallback += 1
            elif "drawing" in open_elements:
                found.boxes_drawn += 1

    def end(_name: str) -> None:
        open_elements.pop()

    def doctype(*_declaration: object) -> None:
        raise HostileXmlError("a document type declaration")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(part, True)
    except expat.ExpatError as error:
        raise MalformedXmlError(str(error)) from error
    except (LookupError, ValueError) as error:
        if isinstance(error, HostileXmlError):
            raise
        raise MalformedXmlError(str(error)) from error
    return found
