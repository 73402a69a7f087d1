"""Workbooks written by hand, as nobody's program writes them: what is repeated, nested, named and left out is said by
the caller.
"""

import io
import zipfile

OPEN = "urn:oasis:names:tc:opendocument:xmlns:"


def archive(parts, how=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return out.getvalue()


def ods(rows, doctype="", encoding="utf-8", how=zipfile.ZIP_DEFLATED, styles=""):
    names = " ".join(f'xmlns:{name}="{OPEN}{name}:1.0"' for name in ("office", "style", "table", "text"))
    content = (
        f'<?xml version="1.0" encoding="{encoding}"?>{doctype}<office:document-content {names}>'
        f"<office:automatic-styles>{styles}</office:automatic-styles><office:body>"
        f"<office:spreadsheet><table:table>{rows}</table:table></office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    kind = archive({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}, zipfile.ZIP_STORED)
    out = io.BytesIO(kind)
    with zipfile.ZipFile(out, "a", how) as made:
        made.writestr("content.xml", content.encode(encoding))
    return out.getvalue()


def ods_row(cells, repeated=1):
    return f'<table:table-row table:number-rows-repeated="{repeated}">{cells}</table:table-row>'


def ods_cell(inside, repeated=1):
    return f'<table:table-cell table:number-columns-repeated="{repeated}"><text:p>{inside}</text:p></table:table-cell>'


def xlsx(rows="", how=zipfile.ZIP_DEFLATED, sheet=None, **others):
    """One table; `others` are strings="…" and styles="…", whole files."""
    relation = '<Relationship Id="{0}" Type="http://x/{0}" Target="{1}"/>'.format
    kinds = {"worksheet": "s.xml", "sharedStrings": "strings.xml", "styles": "styles.xml"}
    return archive(
        {
            "_rels/.rels": f"<Relationships>{relation('officeDocument', 'xl/workbook.xml')}</Relationships>",
            "xl/_rels/workbook.xml.rels": f"<Relationships>{''.join(map(relation, kinds, kinds.values()))}</Relationships>",
            "xl/workbook.xml": '<workbook xmlns:r="r"><sheets><sheet name="A" r:id="worksheet"/></sheets></workbook>',
            "xl/s.xml": sheet or f"<worksheet><sheetData>{rows}</sheetData></worksheet>",
            **{f"xl/{name}.xml": content for name, content in others.items()},
        },
        how,
    )


def laughs(encoding):
    """A document type in which ten entities make a text of a thousand million characters."""
    first = '<!ENTITY a "aaaaaaaaaa">'
    more = "".join(f"<!ENTITY {b} '" + f"&{a};" * 10 + "'>" for a, b in zip("abcdefgh", "bcdefghi"))
    return f"<!DOCTYPE x [{first}{more}]>", encoding
