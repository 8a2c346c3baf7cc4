"""Eight threads of Python share tables and models, with a compiled module from elsewhere: see sanitizers."""

from __future__ import annotations

import random
import sys
import tempfile

from benchmarks.fuzzing import use_core

from .crew import at_once

N_THREADS = 8
# Those that use the compiled module most, among them all that use threads in it.
NAMES = (
    "fit",
    "fit, four threads",
    "fit numbers",
    "fit by absolute error",
    "fit levels",
    "surrogates",
    "fractional rows",
    "prune by folds",
    "lookahead",
    "m-of-n",
    "oblique",
    "optimal, four threads",
    "bagging, four threads",
    "predict",
    "predict probabilities",
    "predict divided rows",
    "predict by bagging",
    "contributions",
    "partial dependence",
)


def main() -> int:
    """Let them work, and count the results that are those of one thread."""
    path, times = sys.argv[1], int(sys.argv[2])
    use_core(path)
    from support.works import WORKS, Tables, run

    same: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        tables = Tables(30_000, folder).prepare()
        expected = {name: run(WORKS[name], tables) for name in NAMES}

        def work_on(number: int) -> None:
            names = list(NAMES) * times
            random.Random(number).shuffle(names)
            same.extend(name for name in names if WORKS[name](tables) == expected[name])

        at_once(work_on, N_THREADS)
    n_all = N_THREADS * times * len(NAMES)
    print(f"{len(same)} passed, {n_all - len(same)} failed")
    return 0 if len(same) == n_all else 1


if __name__ == "__main__":
    sys.exit(main())
