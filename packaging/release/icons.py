"""The program's icon and that of its files in every size, from the drawings in resources/icons.

Run as `python -m release.icons FOLDER`: Qt draws, so it wants a process of its own.
"""

import os
import struct
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QBuffer, QIODevice, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

DRAWINGS = Path(__file__).resolve().parents[2] / "resources" / "icons"
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512, 1024)
SMALL = 32  # up to here, thicker strokes on whole pixels
ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
ICNS_TYPES = {16: b"icp4", 32: b"icp5", 64: b"icp6", 128: b"ic07", 256: b"ic08", 512: b"ic09", 1024: b"ic10"}


def png(drawing: Path, size: int) -> bytes:
    """The drawing as a PNG file of this many pixels each way."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer = QSvgRenderer(str(drawing))
    if not renderer.isValid():
        raise ValueError(f"{drawing.name} cannot be drawn")
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def ico(pictures: Mapping[int, bytes]) -> bytes:
    """A Windows icon of PNG pictures by size."""
    sizes = sorted(pictures)
    offset = 6 + 16 * len(sizes)
    head, body = struct.pack("<HHH", 0, 1, len(sizes)), b""
    for size in sizes:
        side = size % 256  # 0 stands for 256
        head += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(pictures[size]), offset + len(body))
        body += pictures[size]
    return head + body


def icns(pictures: Mapping[int, bytes]) -> bytes:
    """A macOS icon of PNG pictures by size."""
    body = b"".join(
        kind + struct.pack(">I", 8 + len(pictures[size])) + pictures[size] for size, kind in sorted(ICNS_TYPES.items())
    )
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


def drawing_for(size: int) -> Path:
    return DRAWINGS / ("app-small.svg" if size <= SMALL else "app.svg")


def write_icons(folder: Path) -> None:
    """`tonnage.ico`, `tonnage.icns`, and a tree of PNG and SVG files as hicolor themes have it."""
    application = QGuiApplication.instance() or QGuiApplication([])
    app = {size: png(drawing_for(size), size) for size in SIZES}
    files = {size: png(DRAWINGS / "scenario-file.svg", size) for size in SIZES}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tonnage.ico").write_bytes(ico({size: app[size] for size in ICO_SIZES}))
    (folder / "scenario.ico").write_bytes(ico({size: files[size] for size in ICO_SIZES}))
    (folder / "tonnage.icns").write_bytes(icns(app))
    (folder / "scenario.icns").write_bytes(icns(files))
    _hicolor(folder / "hicolor", "apps", "tonnage", app, DRAWINGS / "app.svg")
    _hicolor(folder / "hicolor", "mimetypes", "application-x-tonnage", files, DRAWINGS / "scenario-file.svg")
    del application


def _hicolor(folder: Path, kind: str, name: str, pictures: Mapping[int, bytes], drawing: Path) -> None:
    for size, content in pictures.items():
        if size <= 512:
            _write(folder / f"{size}x{size}" / kind / f"{name}.png", content)
    _write(folder / "scalable" / kind / f"{name}.svg", drawing.read_bytes())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def main(arguments: Iterable[str]) -> int:
    (folder,) = arguments
    write_icons(Path(folder))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
