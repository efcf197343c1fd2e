"""A page of `muster report`, read by a parser that tolerates no errors."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

XHTML = "{http://www.w3.org/1999/xhtml}"


class Page:
    """Parsed as XML: an unclosed element or a byte that XML does not allow is an error."""

    def __init__(self, text: str) -> None:
        self.root = ElementTree.fromstring(text)
        assert not [each for each in self.root.iter() if each.tag == f"{XHTML}script"]
        for element in self.root.iter():
            for name, value in element.attrib.items():
                assert not name.startswith("on") and name != "src", (element.tag, name)
                assert name != "href" or value.startswith(("#", "./", "../")), value
        self.links = [each.attrib["href"] for each in self.root.iter(f"{XHTML}a")]
        ids = [each.attrib["id"] for each in self.root.iter() if "id" in each.attrib]
        assert len(ids) == len(set(ids)), "an id twice"
        missing = [link for link in self.links if link.startswith("#") and link[1:] not in ids]
        assert not missing, missing

    def text_of(self, ident: str = "") -> str:
        """All text of the element with that id, or of the whole page."""
        elements = list(self.root.iter()) if ident else list(self.root.iter(f"{XHTML}header"))
        for element in elements:
            if not ident or element.attrib.get("id") == ident:
                return " ".join("".join(element.itertext()).split())
        raise AssertionError(f"no element {ident}")

    def assert_links_lead_somewhere(self, directory: Path) -> None:
        files = [link for link in self.links if not link.startswith("#")]
        assert files
        for link in files:
            assert (directory / link).is_file(), link
