"""A reader of QTI 2.1 packages by the standard's own rules (1EdTech, Assessment Test, Section and Item Information
Model 2.1, and the content packaging that goes with it); it knows nothing of how attncalc writes. Numbers are floats, as
in the systems.
"""

import io
import re
import zipfile
from dataclasses import dataclass
from xml.etree import ElementTree as ET

Q = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
P = "{http://www.imsglobal.org/xsd/imscp_v1p1}"
ORDER = [
    "responseDeclaration",
    "outcomeDeclaration",
    "templateDeclaration",
    "templateProcessing",
    "stylesheet",
    "itemBody",
    "responseProcessing",
    "modalFeedback",
]
INLINE = {"b", "i", "sub", "code", "span", "textEntryInteraction"}
# What may stand in what, and with which attributes, of the parts that may be used here.
CONTENT = {
    "itemBody": {"h4", "p", "ul", "table", "hr", "choiceInteraction", "extendedTextInteraction"}, "hr": set(),
    "choiceInteraction": {"simpleChoice"}, "simpleChoice": {"p", "table"}, "extendedTextInteraction": set(),
    "h4": INLINE, "p": INLINE, "ul": {"li"}, "li": INLINE, "b": INLINE, "i": INLINE, "sub": INLINE, "code": INLINE, "span": INLINE,
    "table": {"caption", "tbody"}, "caption": INLINE, "tbody": {"tr"}, "tr": {"td", "th"}, "td": INLINE, "th": INLINE,
    "textEntryInteraction": set(), "modalFeedback": INLINE - {"textEntryInteraction"},
}  # fmt: skip
ATTRIBUTES = {
    "textEntryInteraction": {"responseIdentifier", "expectedLength"},
    "th": {"scope"},
    "simpleChoice": {"identifier"},
    "modalFeedback": {"outcomeIdentifier", "identifier", "showHide"},
}
ATTRIBUTES |= {
    "choiceInteraction": {"responseIdentifier", "shuffle", "maxChoices"},
    "extendedTextInteraction": {"responseIdentifier"},
}
TEXTLESS = {"itemBody", "choiceInteraction", "ul", "table", "tbody", "tr"}
IDENT = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
TYPED = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


@dataclass
class Item:
    """One item: its declared responses, what is read around them, and its processing."""

    title: str
    kinds: dict  # of responses, in the order of the body
    correct: dict
    most: float
    shown: str
    node: ET.Element
    feedback: dict
    conditions: dict  # by the response that they ask for
    choices: list  # [(identifier, words)]
    right: object  # what is right of them: an identifier, or a set of them

    def run(self, typed):
        """(SCORE, [feedback]) for {response: what is typed}; the conditions that ask for others are left out, which are
        NULL.
        """
        values = {ident: _value(kind, typed.get(ident, "")) for ident, kind in self.kinds.items()}
        values["RESPONSE"], values[CORRECT] = typed.get("RESPONSE"), self.right
        values[MAPPING] = self.node.find(f"{Q}responseDeclaration/{Q}mapping")
        values |= {"SCORE": 0.0, "FEEDBACK": []}
        for condition in (one for ident in typed for one in self.conditions[ident]):
            for k, branch in enumerate(condition):
                assert branch.tag == Q + ("responseElseIf" if k else "responseIf")
                test, *actions = branch
                if _evaluated(test, values) is True:
                    for action in actions:
                        assert action.tag == f"{Q}setOutcomeValue"
                        values[action.get("identifier")] = _evaluated(action[0], values)
                    break
        return values["SCORE"], [self.feedback[ident] for ident in values["FEEDBACK"]]


CORRECT, MAPPING = object(), object()


def _value(kind, typed):
    if kind == "string":
        return typed.strip() or None
    return float(typed) if TYPED.fullmatch(typed.strip()) else None


def _evaluated(node, values):
    """An expression; None is the standard's NULL, and every operator of NULL is NULL."""
    kind = node.tag.removeprefix(Q)
    if kind == "variable":
        return values[node.get("identifier")]
    if kind == "correct":
        return values[CORRECT]
    if kind == "baseValue":
        return _value("string" if node.get("baseType") == "identifier" else node.get("baseType"), node.text)
    if kind == "mapResponse":
        mapping, ticked = values[MAPPING], values[node.get("identifier")]
        worth = {one.get("mapKey"): float(one.get("mappedValue")) for one in mapping}
        assert mapping.get("defaultValue") == "0"
        return max(float(mapping.get("lowerBound")), sum(worth.get(one, 0) for one in ticked))
    arguments = [_evaluated(one, values) for one in node]
    if kind == "isNull":
        return arguments[0] in (None, set())
    if kind == "and":
        return False if False in arguments else None if None in arguments else True
    if kind == "multiple":
        return [x for one in arguments if one is not None for x in (one if isinstance(one, list) else [one])]
    if kind == "or":
        return True if True in arguments else None if None in arguments else False
    if None in arguments:
        return None
    if kind == "match":
        return arguments[0] == arguments[1]
    if kind == "member":
        return arguments[0] in arguments[1]
    if kind == "sum":
        return sum(arguments)
    if kind == "stringMatch":
        assert node.get("caseSensitive") == "false"
        return arguments[0].casefold() == arguments[1].casefold()
    if kind == "not":
        return not arguments[0]
    assert kind in ("gte", "lte"), "some players ignore the tolerance of equal"
    return arguments[0] >= arguments[1] if kind == "gte" else arguments[0] <= arguments[1]


def _item(text):
    root = ET.fromstring(text)
    assert root.tag == f"{Q}assessmentItem" and set(root.attrib) == {"identifier", "title", "adaptive", "timeDependent"}
    tags = [one.tag.removeprefix(Q) for one in root]
    assert tags == sorted(tags, key=ORDER.index) and tags.count("itemBody") == tags.count("responseProcessing") == 1
    declared = {one.get("identifier"): one for one in root.findall(f"{Q}responseDeclaration")}
    outcomes = {one.get("identifier"): one for one in root.findall(f"{Q}outcomeDeclaration")}
    feedback = {one.get("identifier"): one for one in root.findall(f"{Q}modalFeedback")}
    for ident in (root.get("identifier"), *declared, *outcomes, *feedback):
        assert IDENT.fullmatch(ident) and len(ident) <= 32
    body = root.find(f"{Q}itemBody")
    for node in (body, *feedback.values()):
        _allowed(node)
    feedback = {ident: "".join(one.itertext()) for ident, one in feedback.items()}
    fields = [one.get("responseIdentifier") for one in body.iter(f"{Q}textEntryInteraction")]
    choice = [one for one in body if one.tag in (f"{Q}choiceInteraction", f"{Q}extendedTextInteraction")]
    assert sorted([*fields, *(one.get("responseIdentifier") for one in choice)]) == sorted(declared) and len(
        set(fields)
    ) == len(fields)
    assert all(declared[ident].get("cardinality") == "single" for ident in fields)
    kinds = {ident: declared[ident].get("baseType") for ident in fields}
    correct = {ident: declared[ident].find(f"{Q}correctResponse/{Q}value").text for ident in fields}
    conditions = {}
    for condition in root.find(f"{Q}responseProcessing"):
        assert condition.tag == f"{Q}responseCondition"
        (ident,) = {one.get("identifier") for one in condition.iter(f"{Q}variable")} - set(outcomes)
        conditions.setdefault(ident, []).append(condition)
    essay = [one for one in choice if one.tag == f"{Q}extendedTextInteraction"]
    assert set(conditions) == set(declared) - {one.get("responseIdentifier") for one in essay}, (
        "what is declared is marked"
    )
    choices = [(one.get("identifier"), "".join(one.itertext())) for one in body.iter(f"{Q}simpleChoice")]
    right = None
    if choices:
        right = {one.text for one in declared["RESPONSE"].iter(f"{Q}value")}
        several = declared["RESPONSE"].get("cardinality") == "multiple"
        assert (
            right <= {ident for ident, _ in choices}
            and choice[0].get("maxChoices") == ("0" if several else "1")
            and (several or len(right) == 1)
        )
        right = right if several else next(iter(right))
    most = float(outcomes["MAXSCORE"].find(f"{Q}defaultValue/{Q}value").text)
    assert all(one.get("outcomeIdentifier") in outcomes for one in root.findall(f"{Q}modalFeedback"))
    return Item(
        root.get("title"), kinds, correct, most, "\n".join(body.itertext()), root, feedback, conditions, choices, right
    )


def _allowed(node):
    """The content model of the schema."""
    kind = node.tag.removeprefix(Q)
    assert set(node.attrib) <= ATTRIBUTES.get(kind, set()), (kind, node.attrib)
    assert kind not in TEXTLESS or not "".join([node.text or "", *(one.tail or "" for one in node)]).strip()
    if kind == "table":
        assert [one.tag.removeprefix(Q) for one in node][-1] == "tbody" and node.find(f"{Q}tbody/{Q}tr") is not None
    for one in node:
        assert one.tag.removeprefix(Q) in CONTENT[kind], f"{one.tag} in {kind}"
        _allowed(one)


def read(package):
    """[[item]] for each variant of the test, by the manifest; every file is listed, and every reference leads to
    something.
    """
    archive = zipfile.ZipFile(io.BytesIO(package))
    assert archive.testzip() is None
    manifest = ET.fromstring(archive.read("imsmanifest.xml"))
    resources = {one.get("identifier"): one for one in manifest.iter(f"{P}resource")}
    assert {one.get("href") for one in manifest.iter(f"{P}file")} == set(archive.namelist()) - {
        "imsmanifest.xml",
        "README.txt",
    }
    assert all(one.find(f"{P}file").get("href") == one.get("href") for one in resources.values())
    (test,) = (one for one in resources.values() if one.get("type") == "imsqti_test_xmlv2p1")
    needed = [resources[one.get("identifierref")] for one in test.findall(f"{P}dependency")]
    assert {one.get("type") for one in needed} == {"imsqti_item_xmlv2p1"} and len(needed) == len(resources) - 1
    root = ET.fromstring(archive.read(test.get("href")))
    total = root.find(f"{Q}outcomeProcessing/{Q}setOutcomeValue")
    (score,) = root.findall(f"{Q}outcomeDeclaration")
    assert total.get("identifier") == score.get("identifier") == "SCORE" and total[0].tag == f"{Q}sum"
    assert [one.attrib for one in total[0]] == [{"variableIdentifier": "SCORE"}], "the scores of the items are added"
    assert [one.tag.removeprefix(Q) for one in root] == ["outcomeDeclaration", "testPart", "outcomeProcessing"]
    (section,) = root.findall(f"{Q}testPart/{Q}assessmentSection")
    drawn, variants = section.find(f"{Q}selection"), section.findall(f"{Q}assessmentSection")
    assert (drawn is not None and drawn.get("select") == "1") is (len(variants) > 1)
    references = [[one.get("href") for one in variant.findall(f"{Q}assessmentItemRef")] for variant in variants]
    assert {path for paths in references for path in paths} == {one.get("href") for one in needed}
    return [[_item(archive.read(path)) for path in paths] for paths in references]
