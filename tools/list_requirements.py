"""List what a development environment must hold, one requirement a line, from pyproject.toml.
Words: a requirement is a line that pip understands.
Does not install or resolve anything.
"""

import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def list_requirements(pyproject: Path) -> list[str]:
    """The requirements of building, running and developing the project, sorted, each once."""
    settings = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    project = settings["project"]
    return sorted(
        {
            *settings["build-system"]["requires"],
            *project["dependencies"],
            *project["optional-dependencies"]["dev"],
        }
    )


if __name__ == "__main__":
    print(*list_requirements(PYPROJECT), sep="\n")
