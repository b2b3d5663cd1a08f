"""The console script `eigen_g`: starts the command that the wheel brings along."""

import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the command, with the same arguments."""
    command = Path(__file__).parent / "bin" / "eigen_g"
    if not command.exists():
        sys.exit("eigen_g: this installation has the Python package alone. A wheel of scripts/wheels.sh has the command too")
    os.execv(command, ["eigen_g", *sys.argv[1:]])
