"""Downloads from a server that behaves, and from some that do not."""

import gzip
import hashlib
import io
import tarfile
import zipfile
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest

from skconf.datasets import _download
from skconf.datasets._download import download
from skconf.datasets._registry import DataSet, RawFile

RED, WHITE = b"pH;quality\n3.5;5\n", b"pH;quality\n3.0;6\n"


def zipped(**members):
    """Return a zip archive; a double underscore stands for a slash, a single one for a dot."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return buffer.getvalue()


def tarred(name, content, form="gz"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=f"w:{form}") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


class Handler(BaseHTTPRequestHandler):
    """Sends what the test says; a path that begins with /cut is announced longer than it is."""

    def __init__(self, state, *args):
        self.state = state
        super().__init__(*args)

    def do_GET(self):
        self.state.asked.append(self.path)
        content = self.state.content.get(self.path)
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content) * (2 if self.path.startswith("/cut") else 1)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    state = SimpleNamespace(content={}, asked=[])
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, state))
    thread = Thread(target=httpd.serve_forever, args=(0.02,))
    thread.start()
    state.url = f"http://127.0.0.1:{httpd.server_port}"
    yield state
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def wine(*files):
    return DataSet(
        name="wine", title="", page="", citation="", format="table", rows=2, labels=(5, 6), files=tuple(files)
    )


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def left_behind(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_file_and_its_progress(server, tmp_path, capsys):
    server.content["/some+where/wine+red.csv"] = RED
    url = f"{server.url}/some+where/wine+red.csv"
    download(wine(RawFile(name="wine red.csv", url=url, sha256=sha256(RED))), tmp_path / "new" / "wine")
    assert (tmp_path / "new" / "wine" / "wine red.csv").read_bytes() == RED
    assert left_behind(tmp_path / "new" / "wine") == ["wine red.csv"]
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"wine: downloading {url}\n"


@pytest.mark.parametrize(
    "archive",
    [
        zipped(red_csv=RED, white_csv=WHITE),
        zipped(wine__red_csv=RED, wine__white_csv=WHITE, wine___red_csv=b"what macOS adds"),
        zipped(inner_zip=zipped(deep__red_csv=RED, white_csv=WHITE), readme_txt=b""),
    ],
    ids=["flat", "in folders", "zip in zip"],
)
def test_an_archive_is_downloaded_once(server, tmp_path, archive):
    server.content["/wine.zip"] = archive
    url = f"{server.url}/wine.zip"
    files = [RawFile(name="red.csv", url=url), RawFile(name="white.csv", url=url, sha256=sha256(WHITE))]
    download(wine(*files), tmp_path)
    assert server.asked == ["/wine.zip"]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"red.csv": RED, "white.csv": WHITE}


def test_tar_archive_and_file_url(tmp_path):
    archive = tmp_path / "archive.tar.gz"
    archive.write_bytes(tarred("batches/red.csv", RED))
    download(wine(RawFile(name="red.csv", url=archive.as_uri())), tmp_path / "wine")
    assert (tmp_path / "wine" / "red.csv").read_bytes() == RED


def test_checksum_of_a_compressed_file_is_that_of_its_content(server, tmp_path):
    server.content["/red.csv.gz"] = gzip.compress(RED, mtime=1)
    download(wine(RawFile(name="red.csv.gz", url=f"{server.url}/red.csv.gz", sha256=sha256(RED))), tmp_path)
    assert gzip.decompress((tmp_path / "red.csv.gz").read_bytes()) == RED


@pytest.mark.parametrize("content", [b"<html>Sorry</html>", gzip.compress(RED * 99)[:-20]], ids=["no gzip", "cut"])
def test_damaged_compressed_file(server, tmp_path, content):
    server.content["/red.csv.gz"] = content
    with pytest.raises(ValueError, match=r"sent an unreadable red\.csv\.gz"):
        download(wine(RawFile(name="red.csv.gz", url=f"{server.url}/red.csv.gz", sha256=sha256(RED))), tmp_path)
    assert left_behind(tmp_path) == []


def test_a_file_that_is_there_is_left_alone(server, tmp_path):
    server.content["/wine.zip"] = zipped(red_csv=RED, white_csv=WHITE)
    (tmp_path / "red.csv").write_bytes(b"mine")
    url = f"{server.url}/wine.zip"
    download(wine(RawFile(name="red.csv", url=url), RawFile(name="white.csv", url=url)), tmp_path)
    assert (tmp_path / "red.csv").read_bytes() == b"mine"
    assert (tmp_path / "white.csv").read_bytes() == WHITE


@pytest.mark.parametrize(
    ("path", "content", "error", "message"),
    [
        ("/red.csv", None, FileNotFoundError, "red.csv failed: HTTP Error 404"),
        ("/cut/red.csv", RED, FileNotFoundError, "failed: the connection ended after 17 of 34 bytes"),
        ("/red.csv", WHITE, ValueError, f"another version.*its SHA-256 is {sha256(WHITE)}, expected {sha256(RED)}"),
        ("/wine.zip", zipped(white_csv=WHITE), ValueError, "there is no red.csv in http"),
        ("/wine.zip", b"<html>Sorry</html>", ValueError, "sent an unreadable archive"),
        ("/wine.zip", zipped(red_csv=RED)[:-30], ValueError, "sent an unreadable archive"),
        ("/wine.tar.gz", tarred("white.csv", WHITE), ValueError, "there is no red.csv in http"),
        ("/wine.tar.gz", tarred("red.csv", RED * 9999)[:-60], ValueError, "sent an unreadable archive"),
    ],
    ids=["404", "cut", "other version", "other archive", "no archive", "cut zip", "other tar", "cut tar"],
)
def test_nothing_is_kept_of_a_failed_download(server, tmp_path, path, content, error, message):
    server.content[path] = content
    with pytest.raises(error, match=message):
        download(wine(RawFile(name="red.csv", url=server.url + path, sha256=sha256(RED))), tmp_path)
    assert left_behind(tmp_path) == []


def in_zip(content, depth):
    return content if depth == 0 else zipped(inner_zip=in_zip(content, depth - 1))


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("/red.csv", b"0" * 3_000_000, r"sends more than 2,000,000 bytes"),
        (
            "/wine.zip",
            zipped(red_csv=b"0" * 3_000_000),
            r"readable archive: it unpacks to more than 1,000,000 bytes",
        ),
        ("/wine.tar.gz", tarred("red.csv", b"0" * 3_000_000), r"it unpacks to more than 1,000,000 bytes"),
        ("/wine.tar.gz", tarred("other.csv", b"0" * 5_000_000), r"it unpacks to more than 4,000,000 bytes"),
        (
            "/wine.zip",
            zipped(inner_zip=b"0" * 2_000_000),
            r"unpacks to more than 1,000,",
        ),
        ("/wine.zip", in_zip(zipped(red_csv=RED), 2), r"there is no red.csv in http"),
    ],
    ids=["file", "zip", "tar", "tar beside", "zip in zip", "too deep"],
)
def test_bombs_are_not_unpacked(server, tmp_path, monkeypatch, path, content, message):
    """300 MB were unpacked, and archives in archives without an end."""
    monkeypatch.setattr(_download, "MOST_SENT", 2_000_000 if path == "/red.csv" else 1 << 30)
    monkeypatch.setattr(_download, "MOST_UNPACKED", 1_000_000)
    server.content[path] = content
    with pytest.raises(ValueError, match=message):
        download(wine(RawFile(name="red.csv", url=server.url + path)), tmp_path)
    assert left_behind(tmp_path) == []


def test_a_compressed_file_that_is_a_bomb(server, tmp_path, monkeypatch):
    monkeypatch.setattr(_download, "MOST_UNPACKED", 1_000_000)
    server.content["/red.csv.gz"] = gzip.compress(b"0" * 3_000_000)
    with pytest.raises(ValueError, match="it unpacks to more than 1,000,000 bytes"):
        download(wine(RawFile(name="red.csv.gz", url=f"{server.url}/red.csv.gz")), tmp_path)
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("form", ["zip", "tar.gz", "tar.bz2", "tar.xz"])
def test_damaged_archives_are_errors_of_one_kind(tmp_path, form):
    if form == "zip":
        content = zipped(readme_txt=b"read", red_csv=RED * 50)
    else:
        content = tarred("red.csv", RED * 50, form.partition(".")[2])
    archive, rng = tmp_path / f"wine.{form}", np.random.default_rng(0)
    kept = damaged = 0
    for _ in range(300):
        changed = bytearray(content)
        for at in rng.integers(len(content), size=rng.integers(1, 4)):
            changed[at] = rng.integers(256)
        archive.write_bytes(changed[: rng.integers(len(content) // 2, 2 * len(content))])
        try:
            file = RawFile(name="red.csv", url=archive.as_uri(), sha256=sha256(RED * 50))
            download(wine(file), tmp_path / "wine")
        except ValueError:
            damaged += 1
        else:
            kept += 1
            (tmp_path / "wine" / "red.csv").unlink()
    assert kept + damaged == 300
    assert damaged > 200
    assert left_behind(tmp_path / "wine") == []


def test_a_full_disk_is_no_damaged_archive(server, tmp_path, monkeypatch):
    server.content["/wine.zip"] = zipped(red_csv=RED)

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_download, "_copy", full)
    with pytest.raises(OSError, match="No space left"):
        download(wine(RawFile(name="red.csv", url=f"{server.url}/wine.zip")), tmp_path)


def test_what_came_before_a_failure_is_kept(server, tmp_path):
    server.content["/red.csv"] = RED
    files = [RawFile(name=name, url=f"{server.url}/{name}") for name in ("red.csv", "white.csv")]
    with pytest.raises(FileNotFoundError, match=r"white\.csv failed"):
        download(wine(*files), tmp_path)
    assert left_behind(tmp_path) == ["red.csv"]


def test_no_server(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"the download of http://127.0.0.1:9/red.csv failed: .*refused"):
        download(wine(RawFile(name="red.csv", url="http://127.0.0.1:9/red.csv")), tmp_path)


def test_a_file_nobody_gives_out(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"red\.csv can only be downloaded by hand"):
        download(wine(RawFile(name="red.csv")), tmp_path / "wine")
    assert not (tmp_path / "wine").exists()
