"""Proof on a clean system: a bare Debian gets the package, and nothing but what the package asks for.

`python -m release.clean_root` makes a minimal root with debootstrap, from the sources of packages that this machine is
set up with, installs the .deb there (no Python comes along), and lets the program prove itself: its self-test
offscreen, without any network, in a real window on a virtual display; a scenario opened by name, with a picture of the
screen; an upgrade from an older version with a store in place; and the removal, after which only the user's own
files stay. It needs root. `--short` leaves the upgrade and the second walk out; with `--where-possible` a machine that
can make no root says so and goes on, while a package that does not prove itself is a failure everywhere.
"""

import argparse
import contextlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from release.screen import png_of_screen

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
SUITES = ("bookworm", "trixie")
USER = "consultant"
HOME = f"/home/{USER}"
STORE = f"{HOME}/.local/share/tonnage/tonnage.sqlite"
OLDER = "0.0.9"
SELFTEST_S = 1000
OPEN_S = 240  # at most, on a machine that is busy
PAINT_S = 8.0
EXAMPLES = 2
SCREEN = "1280x800x24"
APT = ["apt-get", "--yes", "--quiet=2", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0"]


class Unproved(Exception):
    """What the proof looked for was not so."""


class NoRoot(Unproved):
    """This machine cannot make a root: that says nothing of the package."""


def say(text: str) -> None:
    print(f"clean root: {text}", flush=True)


def check(true: bool, text: str) -> None:
    if not true:
        raise Unproved(text)
    say(f"ok: {text}")


# ---- the root


def mirror() -> str:
    """Where this machine gets Debian's packages from.

    Raises
    ------
    NoRoot : it is set up with none
    """
    folder = Path("/etc/apt")
    files = [folder / "sources.list", *sorted(folder.glob("sources.list.d/*"))]
    for path in files:
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for address in re.findall(r"^(?:URIs:|deb\s+(?:\[[^]]*\])?)\s*(\S+)", text, re.MULTILINE):
            if re.search(r"/debian/?$", address):
                return str(address)
    raise NoRoot("this machine names no source of Debian packages in /etc/apt")


def make_root(root: Path, suite: str) -> None:
    """A minimal Debian; names and access to the sources of packages are those of this machine."""
    shutil.rmtree(root, ignore_errors=True)
    root.parent.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    log = root.parent / f"{suite}.log"
    with log.open("wb") as file:
        command = ["debootstrap", "--variant=minbase", suite, str(root), mirror()]
        if subprocess.run(command, stdout=file, stderr=subprocess.STDOUT).returncode:
            raise NoRoot(f"debootstrap could not make {suite}:\n{log.read_text(errors='replace')[-2000:]}")
    for name in ("etc/resolv.conf", "etc/hosts"):
        if Path("/", name).exists():
            shutil.copyfile(Path("/", name), root / name)
    for path in Path("/etc/apt/apt.conf.d").glob("*"):  # a proxy, and how old lists may be
        lines = [
            line for line in path.read_text().splitlines() if line.startswith("Acquire::") and "DEP-11" not in line
        ]
        wanted = [line for line in lines if re.match(r"Acquire::(http|https|ftp|Check|Retries)", line)]
        if wanted:
            (root / "etc/apt/apt.conf.d" / path.name).write_text("\n".join([*wanted, ""]))
    say(f"{suite} made in {time.monotonic() - begun:.0f} s")


class Root:
    """A root that commands run in, with its own processes and, where asked, no network."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextlib.contextmanager
    def mounted(self) -> Iterator[None]:
        """While this lasts, the root has /proc, /dev and the sockets of virtual displays."""
        made: list[Path] = []
        try:
            for kind, source, place in (
                ("proc", "proc", "proc"),
                ("bind", "/dev", "dev"),
                ("bind", "/tmp/.X11-unix", "tmp/.X11-unix"),
            ):
                target = self.path / place
                target.mkdir(parents=True, exist_ok=True)
                Path("/tmp/.X11-unix").mkdir(mode=0o1777, exist_ok=True)
                command = ["--bind"] if kind == "bind" else ["-t", kind]
                if subprocess.run(["mount", *command, source, str(target)]).returncode:
                    raise NoRoot(f"{place} cannot be mounted in a root here")
                made.append(target)
            yield
        finally:
            for target in reversed(made):
                subprocess.run(["umount", "--lazy", str(target)], check=False)
            time.sleep(0.1)

    def run(self, *command: str, limit_s: float = 600, **environment: str) -> subprocess.CompletedProcess[str]:
        """A command as root of the root; its failure ends the proof."""
        answer = self._start(["chroot", str(self.path), *command], limit_s, environment)
        if answer.returncode:
            raise Unproved(f"{' '.join(command)} ended with {answer.returncode}:\n{answer.stdout[-3000:]}")
        return answer

    def as_user(
        self, *command: str, limit_s: float = 60, before: tuple[str, ...] = (), **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """A command as the user, in a network that has no way out."""
        return self._start([*before, *self.user_command(command)], limit_s, environment)

    def user_command(self, command: tuple[str, ...] | list[str]) -> list[str]:
        inside = ["chroot", f"--userspec={USER}", str(self.path), "/usr/bin/env", "-C", HOME, *command]
        return ["unshare", "--net", *inside]

    def _start(
        self, command: list[str], limit_s: float, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=clean_environment(**environment),
            timeout=limit_s,
        )

    def install(self, package: Path) -> None:
        target = self.path / "var/tmp" / package.name
        shutil.copyfile(package, target)
        self.run(*APT, "install", f"/var/tmp/{package.name}")
        target.unlink()


def clean_environment(**more: str) -> dict[str, str]:
    base = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": HOME, "LANG": "C.UTF-8"}
    return {**base, "DEBIAN_FRONTEND": "noninteractive", **more}


# ---- the display


@contextlib.contextmanager
def display(folder: Path) -> Iterator[tuple[str, Path]]:
    """A virtual display, and the file that holds its picture."""
    folder.mkdir(parents=True, exist_ok=True)
    receive, send = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(send),
        "-screen",
        "0",
        SCREEN,
        "-fbdir",
        str(folder),
        "-nolisten",
        "tcp",
        "-ac",
    ]
    server = subprocess.Popen(command, pass_fds=[send], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(send)
    try:
        with os.fdopen(receive) as answer:
            number = answer.readline().strip()
        if not number:
            raise Unproved("the virtual display did not start")
        yield f":{number}", folder / "Xvfb_screen0"
    finally:
        server.terminate()
        server.wait()


def open_scenario(root: Root, name: str, shown: tuple[str, Path], picture: Path | None) -> None:
    """Open a scenario file in a window, as a double click does, look, and end it as a session that is left does."""
    where, screen = shown
    before = len(scenarios_in(root))
    command = root.user_command(["tonnage", name])
    environment = clean_environment(DISPLAY=where, QT_QPA_PLATFORM="xcb")
    program = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    until = time.monotonic() + OPEN_S
    while len(scenarios_in(root)) <= max(before, EXAMPLES):  # the first start keeps its examples, then the file
        if program.poll() is not None:
            raise Unproved(f"the window closed by itself:\n{program.stdout.read() if program.stdout else ''}")
        if time.monotonic() > until:
            program.kill()
            raise Unproved(f"{name} was not opened within {OPEN_S} s")
        time.sleep(0.5)
    time.sleep(PAINT_S)
    if picture is not None:
        picture.write_bytes(png_of_screen(screen.read_bytes()))
    program.send_signal(signal.SIGTERM)
    try:
        program.wait(OPEN_S)
    except subprocess.TimeoutExpired:
        program.kill()
        raise Unproved("the program did not end when it was asked to") from None


# ---- the proof


def prove(suite: str, package: Path, work: Path, short: bool) -> None:
    root = Root(work / suite)
    make_root(root.path, suite)
    with root.mounted(), display(work / f"{suite}-display") as shown:
        root.run("useradd", "--create-home", "--uid", "4242", USER)
        root.run("apt-get", "--quiet=2", "update")
        before = files_of(root.path)
        check("usr/bin/python3" not in before, "there is no Python here")
        if not short:
            _upgrade_from_older(root, package, work, shown)
        root.install(package)
        check("usr/bin/python3" not in files_of(root.path), "the package brought no Python")
        _libraries_are_found(root)
        _proves_itself(root, suite, shown, work, short)
        if not short:
            _store_is_as_left(root)
        _removed(root, before)
    shutil.rmtree(root.path, ignore_errors=True)


def _libraries_are_found(root: Root) -> None:
    script = (
        r"find /usr/lib/tonnage -type f \( -name '*.so*' -o -name tonnage \) -exec ldd {} + 2>/dev/null "
        r"| grep 'not found' | sort | uniq; true"
    )
    # The program's starter names its own folder in this variable before it starts Python.
    missing = root.run("sh", "-c", script, LD_LIBRARY_PATH="/usr/lib/tonnage/_internal").stdout.strip()
    check(not missing, f"every library finds what it needs{': ' + missing if missing else ''}")


def _proves_itself(root: Root, suite: str, shown: tuple[str, Path], work: Path, short: bool) -> None:
    version = root.as_user("tonnage", "--version").stdout.strip()
    check(version.startswith("Tonnage "), f"it says its version: {version}")
    calls = work / f"{suite}-calls.txt"
    watch = ("strace", "-f", "--seccomp-bpf", "-e", "trace=%network", "-o", str(calls))
    answer = root.as_user("tonnage", "--selftest", limit_s=SELFTEST_S, before=watch)
    check(answer.returncode == 0, f"the self-test passes offscreen\n{answer.stdout}")
    sockets = [line for line in calls.read_text(errors="replace").splitlines() if "AF_INET" in line]
    check(not sockets, f"no internet socket was asked for{': ' + sockets[0] if sockets else ''}")
    if not short:
        walk = ("tonnage", "--selftest", "--window")
        answer = root.as_user(*walk, limit_s=SELFTEST_S, DISPLAY=shown[0], QT_QPA_PLATFORM="xcb")
        check(answer.returncode == 0, f"the self-test passes in a window\n{answer.stdout}")
    answer = root.as_user("tonnage", "example", "-o", "example.tonnage")
    check(answer.returncode == 0, "a scenario file is written")
    answer = root.as_user("tonnage", "propose", "example.tonnage", "-o", "proposal.pdf")
    check(answer.returncode == 0, f"a proposal is written\n{answer.stdout}")
    picture = DIST / f"proof-{suite}.png"
    open_scenario(root, "example.tonnage", shown, picture)
    check(picture.stat().st_size > 20_000, f"a scenario opens in a window: {picture.relative_to(ROOT)}")


def _upgrade_from_older(root: Root, package: Path, work: Path, shown: tuple[str, Path]) -> None:
    """Install an older version, leave a store behind, and put the newer one over it."""
    older = older_package(package, work)
    root.install(older)
    state = root.run("dpkg-query", "--show", "--showformat", "${Version}", "tonnage").stdout.strip()
    check(state == OLDER, f"version {OLDER} is installed")
    root.as_user("tonnage", "example", "-o", "mine.tonnage")
    open_scenario(root, "mine.tonnage", shown, None)
    check(bool(scenarios_in(root)), f"the older version keeps {len(scenarios_in(root))} scenarios")


def _store_is_as_left(root: Root) -> None:
    check(len(scenarios_in(root)) >= 3, "the newer version works with the store of the older")


def scenarios_in(root: Root) -> list[str]:
    """The names of the user's scenarios; none where the program has not been started yet."""
    path = root.path / STORE.removeprefix("/")
    if not path.is_file():
        return []
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=30)
    try:
        check_line = connection.execute("pragma integrity_check").fetchone()[0]
        if check_line != "ok":
            raise Unproved(f"the store is damaged: {check_line}")
        return [row[0] for row in connection.execute("select name from scenarios order by id")]
    except sqlite3.OperationalError:  # it is being made
        return []
    finally:
        connection.close()


def older_package(package: Path, work: Path) -> Path:
    """The same package under a lower version number."""
    folder, target = work / "older", work / f"tonnage_{OLDER}.deb"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["dpkg-deb", "--raw-extract", str(package), str(folder)], check=True)
    control = folder / "DEBIAN" / "control"
    control.write_text(re.sub(r"^Version: .*$", f"Version: {OLDER}", control.read_text(), flags=re.MULTILINE))
    subprocess.run(["dpkg-deb", "-Zzstd", "-z1", "--build", str(folder), str(target)], check=True, capture_output=True)
    shutil.rmtree(folder)
    return target


def _removed(root: Root, before: set[str]) -> None:
    root.run(*APT, "purge", "tonnage")
    root.run(*APT, "autoremove", "--purge")
    left = {name for name in files_of(root.path) - before if "tonnage" in name.lower()}
    own = {name for name in left if name.startswith(HOME.removeprefix("/"))}
    check(
        left == own, f"only the user's own files stay{': ' + ', '.join(sorted(left - own)[:5]) if left != own else ''}"
    )
    check(any(name.endswith("tonnage.sqlite") for name in own), "the user's scenarios stay")
    more = {
        n for n in files_of(root.path) - before - own if not n.startswith(("var/", "home/", "etc/", "run/", "tmp/"))
    }
    check(not more, f"nothing else of it is left{': ' + ', '.join(sorted(more)[:5]) if more else ''}")


def files_of(root: Path) -> set[str]:
    """Every file of a root by its path, without what is mounted there."""
    found: set[str] = set()
    for folder, folders, names in os.walk(root):
        place = Path(folder).relative_to(root).as_posix()
        if place == ".":
            folders[:] = [name for name in folders if name not in ("proc", "dev", "sys")]
        found |= {f"{place}/{name}".removeprefix("./") for name in names}
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="release.clean_root", description="Prove the package on a clean Debian.")
    parser.add_argument("--suite", action="append", choices=SUITES, help="which Debian; both if left out")
    parser.add_argument("--short", action="store_true", help="leave out the upgrade and the walk in a window")
    parser.add_argument("--where-possible", action="store_true", help="no fault where this machine can make no root")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "roots", help="folder for the roots")
    options = parser.parse_args(arguments)
    if os.geteuid() != 0:
        print("clean root: making a root needs root; nothing was proved here", file=sys.stderr)
        return 0 if options.where_possible else 1
    packages = sorted(DIST.glob("tonnage_*.deb"))
    if not packages:
        print("clean root: there is no package; `make installer` builds one", file=sys.stderr)
        return 1
    for suite in options.suite or SUITES:
        begun = time.monotonic()
        try:
            prove(suite, packages[-1], options.work, options.short)
        except (Unproved, subprocess.SubprocessError) as failure:
            print(f"clean root: not proved on {suite}: {failure}", file=sys.stderr)
            if isinstance(failure, NoRoot) and options.where_possible:
                continue
            return 1
        say(f"{packages[-1].name} is proved on {suite} ({time.monotonic() - begun:.0f} s)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
