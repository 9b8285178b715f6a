"""Makes an SVG small: what Graphviz says at every element is said once, in a style sheet; the picture is the same."""

from collections import Counter
from itertools import groupby
from xml.etree import ElementTree as Xml

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
XML = "http://www.w3.org/XML/1998/namespace"
STYLED = (
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "font-family",
    "font-size",
    "font-weight",
    "text-anchor",
)
"""Attributes that a style sheet can say as well."""

TITLE = f"{{{SVG}}}title"
TIP = f"{{{LINK}}}title"


def smaller(svg: bytes) -> bytes:
    """Return the SVG with its looks as classes, no title that only repeats an id, and a tooltip once for each step."""
    Xml.register_namespace("", SVG)
    Xml.register_namespace("xlink", LINK)
    root = Xml.fromstring(svg)
    for element in root.iter():
        tidied(element)
    looks = Counter(look(element) for element in root.iter())
    names = {one: f"k{number}" for number, (one, _) in enumerate(looks.most_common()) if one}
    for element in root.iter():
        restyled(element, names)
    for plane in root.findall(f"{{{SVG}}}g"):
        plane[:] = tipped(list(map(single, plane)))
    sheet = Xml.Element(f"{{{SVG}}}style")
    sheet.text = "".join(f".{name}{{{';'.join(f'{k}:{v}' for k, v in one)}}}\n" for one, name in names.items())
    root.insert(0, sheet)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")!s}'.encode()


def tidied(element: Xml.Element) -> None:
    """Take away what says nothing: blanks between elements, titles that are ids, names of what nobody styles."""
    if not (element.text or "").strip():
        element.text = None
    element.tail = None
    element.attrib.pop(f"{{{XML}}}space", None)
    for child in list(element):
        if child.tag == TITLE:
            element.remove(child)
        elif child.get("id", "").startswith("a_"):
            unlinked(element, child)


def unlinked(parent: Xml.Element, link: Xml.Element) -> None:
    """Keep of a link its tooltip, as the title of what it is about."""
    [anchor] = list(link)
    place = list(parent).index(link)
    parent.remove(link)
    for child in reversed(list(anchor)):
        parent.insert(place, child)
    if anchor.get(TIP):
        title = Xml.Element(TITLE)
        title.text = anchor.get(TIP)
        parent.insert(0, title)


def single(group: Xml.Element) -> Xml.Element:
    """Return the only element of a group under the group's name, or the group."""
    drawn = [child for child in group if child.tag != TITLE]
    classes = [name for name in group.get("class", "").split() if name not in ("node", "edge")]
    group.attrib.pop("class", None)
    if classes:
        group.set("class", " ".join(classes))
    if len(drawn) != 1 or group.get("transform"):
        return group
    [only] = drawn
    only.attrib = {**group.attrib, **only.attrib, "class": f"{group.get('class', '')} {only.get('class', '')}".strip()}
    only[:] = [*group.findall(TITLE), *only]
    only.tail = "\n"
    return only


def tipped(elements: list[Xml.Element]) -> list[Xml.Element]:
    """Group neighbours that have the same tooltip, and say it once."""
    groups: list[Xml.Element] = []
    for tip, run in groupby(elements, key=lambda one: one.findtext(TITLE)):
        together = list(run)
        if tip is None or len(together) == 1:
            groups += together
            continue
        group = Xml.Element(f"{{{SVG}}}g")
        group.append(together[0].find(TITLE))  # type: ignore[arg-type]
        for one in together:
            one.remove(one.find(TITLE))  # type: ignore[arg-type]
            group.append(one)
        group.tail = "\n"
        groups.append(group)
    return groups


def look(element: Xml.Element) -> tuple[tuple[str, str], ...]:
    """Return how an element looks, as a style sheet says it."""
    return tuple((name, valued(name, element.attrib[name])) for name in STYLED if name in element.attrib)


def valued(name: str, value: str) -> str:
    """Write a value for a style sheet, which wants a unit."""
    return (
        f"{float(value):g}px" if name in ("font-size", "stroke-width") and value.replace(".", "").isdigit() else value
    )


def restyled(element: Xml.Element, names: dict[tuple[tuple[str, str], ...], str]) -> None:
    """Name the look of an element instead of spelling it out."""
    name = names.get(look(element))
    if name is None:
        return
    for attribute in STYLED:
        element.attrib.pop(attribute, None)
    element.set("class", f"{element.get('class', '')} {name}".strip())
