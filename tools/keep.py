"""Write what later versions of skconf must read, pickles and skops files, and the public names that they must have.

    python tools/keep.py

Run it once for each release, with skops installed, after the version is set. It writes tests/kept/VERSION, which
tests/test_kept.py reads, and removes the folder of the development version. Older folders stay as long as the page
"Versions" promises to read them.
"""

import pickle
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import numpy as np  # noqa: E402
import skops.io  # noqa: E402
from _support import kept  # noqa: E402

import skconf  # noqa: E402


def main() -> None:
    """Write the files of this version."""
    folder = ROOT / "tests" / "kept" / skconf.__version__
    for old in (folder, *folder.parent.glob(f"{skconf.__version__}.dev*")):
        shutil.rmtree(old, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, model in kept.estimators():
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(model, protocol=5))
        (folder / f"{name}.skops").write_bytes(skops.io.dumps(model))
        np.savez_compressed(folder / f"{name}.npz", **kept.answers(model))
    (folder / "profile.pickle").write_bytes(pickle.dumps(kept.profile(), protocol=5))
    np.savez_compressed(folder / "accumulator.npz", **kept.accumulator().state_dict())
    (folder / "names.txt").write_text("\n".join(kept.interface()) + "\n", encoding="utf-8")
    print(f"{len([*folder.iterdir()])} files in {folder}")


if __name__ == "__main__":
    main()
