"""`python -m attncalc`"""

from .cli import main

main()
