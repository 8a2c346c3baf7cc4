"""Files are written whole or not at all, whatever happens meanwhile.

A draft is the new file before it takes the place of the old one. Programs are really killed here, with a
signal that they cannot refuse.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from support.pages import fitted

from arboretum import DataError, DataTypeError, ParameterError
from arboretum._store.model_files import load, save
from arboretum._store.writing import write_bytes, write_text

# A child writes two models in turn, without end, until it is killed; then the file is looked at. For every
# other child the disk is slow, so that it is killed before the draft has taken the place of the file.
KILLS = """
import os, random, signal, sys, time
from arboretum import TreeClassifier, datasets
from arboretum._store.model_files import load, save

path, n_kills = sys.argv[1], int(sys.argv[2])
X, y = datasets.load_penguins()
models = [TreeClassifier(prune=None, max_depth=depth).fit(X, y) for depth in (1, 9)]
save(models[0], path)
rng = random.Random(0)
seen, patience = [], 1.0
for i in range(n_kills):
    if i % 10 == 9 and len(set(seen)) < 2:
        patience *= 2  # the machine is so busy that nothing is written meanwhile
    child = os.fork()
    if not child:
        if i % 2:
            os.fsync = lambda file: time.sleep(0.01)
        while True:
            for model in models[::-1]:
                save(model, path)
    time.sleep(patience * (0.002 + 0.02 * rng.random()))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    loaded = load(path)
    assert [model.tree_ for model in models].count(loaded.tree_) == 1
    seen.append(len(loaded.tree_))
drafts = [name for name in os.listdir(os.path.dirname(path)) if name.startswith(".")]
print(len(seen), len(set(seen)), len(drafts))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
@pytest.mark.parametrize("name", ["model.json", pytest.param("model.json.gz", marks=pytest.mark.deep)])
def test_a_killed_program_leaves_the_old_file_or_the_new_one(name: str, tmp_path: Path) -> None:
    """A writer is killed 100 times, at moments by chance; the file is one of the two models every time."""
    command = [sys.executable, "-c", KILLS, str(tmp_path / name), "100"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    n_loaded, n_models, n_drafts = map(int, done.stdout.split())
    assert n_loaded == 100
    assert n_models == 2  # else nothing was written meanwhile
    assert n_drafts > 0  # else no writer was killed in the middle of its work


def test_a_reader_never_finds_a_part(tmp_path: Path) -> None:
    """While a file is written again and again, whoever reads it finds one of the two contents."""
    path = tmp_path / "file"
    contents = [b"a" * 300_000, b"b" * 100_000]
    write_bytes(path, contents[0])
    stop = threading.Event()

    def rewrite() -> None:
        while not stop.is_set():
            for content in contents:
                write_bytes(path, content)

    writer = threading.Thread(target=rewrite)
    writer.start()
    found = [path.read_bytes() for _ in range(200)]
    stop.set()
    writer.join()
    assert all(content in contents for content in found)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize(
    "fault", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()]
)
@pytest.mark.parametrize("function", ["replace", "fsync"])
def test_no_draft_is_left(
    function: str, fault: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old file stays, and nothing else: also where the user loses patience."""
    path = tmp_path / "model.json"
    save(fitted("iris")[0], path)
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise fault

    expected: type[BaseException] = DataError if isinstance(fault, OSError) else type(fault)
    with monkeypatch.context() as patched:
        patched.setattr(os, function, fail)
        with pytest.raises(expected) as caught:
            save(fitted("penguins")[0], path)
    if expected is DataError:
        assert str(caught.value) == f"The file {str(path)!r} cannot be written: No space left on device."
    assert os.listdir(tmp_path) == ["model.json"]
    assert path.read_bytes() == before


def test_permissions_stay(tmp_path: Path) -> None:
    """A file that is replaced keeps its permissions; a new one has those that the umask leaves."""
    path = tmp_path / "file"
    before = os.umask(0o027)
    try:
        write_text(path, "new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        write_text(path, "newer")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(before)
    assert path.read_text() == "newer"


def test_links_are_written_through(tmp_path: Path) -> None:
    """What a link points to is written, and the link stays one; also if nothing is there yet."""
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(Path("folder") / "target")
    for text in ("one", "two"):
        write_text(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert sorted(os.listdir(tmp_path)) == ["folder", "link"]
    assert os.listdir(tmp_path / "folder") == ["target"]


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    """A pipe gets the content, and is still a pipe afterwards."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write_text(pipe, "text")
    reader.join()
    assert found == [b"text"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(DataError, match="is a device or pipe, not a file"):
        load(pipe)


def test_long_names_and_odd_text(tmp_path: Path) -> None:
    """The draft of a file with the longest name that there can be has a short one."""
    path = tmp_path / ("n" * 250 + ".json")
    write_text(path, "half \ud83d of one\r\n")
    assert path.read_bytes() == b"half \\ud83d of one\r\n"


def test_refused_paths(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"is in no folder that is there\.\nHint: make"):
        write_text(tmp_path / "nowhere" / "file", "")
    with pytest.raises(DataError, match="cannot be written: Is a directory"):
        write_text(tmp_path, "")
    with pytest.raises(DataError, match="cannot be written: File name too long"):
        write_text(tmp_path / ("n" * 300), "")
    with pytest.raises(DataTypeError, match="a str or a Path, not int"):
        write_text(3, "")
    with pytest.raises(ParameterError, match="path='' is not the name of a file"):
        write_text("", "")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_what_may_not_be_written(tmp_path: Path) -> None:
    """A file that is protected is not replaced, although its folder would allow it."""
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(DataError, match="may not be written to"):
        write_text(path, "new")
    path.chmod(0o000)
    with pytest.raises(DataError, match="cannot be read: Permission denied"):
        load(path)
