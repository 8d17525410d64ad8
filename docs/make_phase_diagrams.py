"""Draws the phase diagrams of the documentation with `rqf phase`, into docs/images.

python docs/make_phase_diagrams.py         all of them
python docs/make_phase_diagrams.py gain    one of them
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from rqf.cli import app

HERE = Path(__file__).parent / "images"
DIAGRAMS = {
    "gain": "--field mlp --activation erf --x gain 0.5:12:40 --y dimension 3:24"
    " --measure 16 11 --realizations 12",
    "tanh": "--field mlp --activation tanh --x gain 0.5:12:40 --y dimension 3:24"
    " --measure 16 11 --realizations 12",
    "bias": "--field rqf+bias --x bias 0.02:2:40:log --y dimension 2:12 --lifetime"
    " --measure 14 11 --realizations 12",
    "leak": "--field mlp --x leak 0:0.98:40 --y dimension 3:24 --lifetime"
    " --measure 14 11 --realizations 12",
    "cubic": "--field potential:3=1 --x potential.2 0:3:40 --y dimension 3:18"
    " --measure 14 8 --realizations 8",
    "attention": "--field linear+attention:beta=1 --x attention.beta 0:2:40"
    " --y linear.sigma 0.2:1.4:40 --measure 14 11 --realizations 12",
}


def main() -> None:
    for name in sys.argv[1:] or DIAGRAMS:
        path = HERE / f"phase_{name}.png"
        words = ["phase", *shlex.split(DIAGRAMS[name]), "--out", str(path), "--overwrite"]
        app(words, standalone_mode=False)


if __name__ == "__main__":
    main()
