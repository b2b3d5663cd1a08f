"""The console script `eigen_g`: starts the command that the wheel brings along."""

import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the command, with the same arguments."""
    command = Path(__file__).parent / "bin" / "eigen_g"
    if not command.exists():
        sys.exit(
            "eigen_g: this installation has the Python package alone. The wheels of scripts/wheels.sh have the command too; "
            "from source: pip install -C cmake.define.EIGEN_G_APPS=ON -C 'build.targets=eigen_g_python;eigen_g_command' ."
        )
    os.execv(command, ["eigen_g", *sys.argv[1:]])
