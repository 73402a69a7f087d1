"""Makes templates/html/mathematics.woff2, the part of STIX Two Math that formulas use: python docs/make_font.py

Needs `pip install ziamath fonttools brotli`; ziamath carries the font, which is under the SIL Open Font License
(OFL.txt beside it).
"""

import importlib.util
from pathlib import Path

from fontTools import subset

TARGET = Path(__file__).parent.parent / "templates" / "html" / "mathematics.woff2"
SIGNS = "·×÷±−√∞∑∏∈∘⊙⊘≈≠≤≥→⊤⌊⌋⌈⌉⟨⟩‖…⋮⋯⋱–—‘’“”⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉ᵀ✓\u2061\u2062\u2063\u00a0"
RANGES = [
    range(0x20, 0x7F),
    range(0x391, 0x3CA),
    (0x3D1, 0x3D5, 0x3F5),
    range(0x1D434, 0x1D468),
    (0x210E,),
    range(0x1D6E2, 0x1D71C),
]


def main() -> None:
    found = importlib.util.find_spec("ziamath")
    assert found is not None and found.origin is not None, "pip install ziamath"
    options = subset.Options(
        flavor="woff2", layout_features=["ssty"], hinting=False, name_IDs=[0, 1, 2, 5, 13, 14], notdef_outline=True
    )
    font = subset.load_font(str(Path(found.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf"), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[*map(ord, SIGNS), *(code for codes in RANGES for code in codes)])
    subsetter.subset(font)
    subset.save_font(font, str(TARGET), options)


if __name__ == "__main__":
    main()
