"""What Windows and macOS show of a program: version, maker, the kinds of file that it opens."""

from pathlib import Path
from typing import Any

from core import __version__
from release.build_info import commit

NAME = "Tonnage"
SUMMARY = "Sizes hardware for large language models"
COPYRIGHT = "Apache-2.0, the authors of Tonnage"
ENDING, MIME, FILE_KIND = "tonnage", "application/x-tonnage", "Tonnage scenario"
IDENTIFIER = "io.github.tonnage.scenario"

_RESOURCE = """\
VSVersionInfo(
  ffi=FixedFileInfo(
    filevers={numbers}, prodvers={numbers}, mask=0x3F, flags=0x0, OS=0x40004, fileType=0x1, subtype=0x0
  ),
  kids=[
    StringFileInfo([StringTable('040904B0', [
{strings}
    ])]),
    VarFileInfo([VarStruct('Translation', [0x409, 1200])])
  ]
)
"""


def numbers(version: str = __version__) -> tuple[int, int, int, int]:
    """The four numbers that Windows compares.

    >>> numbers("1.2.3"), numbers("0.10")
    ((1, 2, 3, 0), (0, 10, 0, 0))
    """
    parts = [int(part) for part in version.split(".")[:4]]
    first, second, third, fourth = [*parts, 0, 0, 0, 0][:4]
    return first, second, third, fourth


def version_resource(path: Path) -> str:
    """Write the version resource of tonnage.exe as PyInstaller reads it; where it lies."""
    strings = {
        "FileDescription": f"{NAME}: {SUMMARY[0].lower()}{SUMMARY[1:]}",
        "FileVersion": f"{__version__} ({commit()})",
        "InternalName": "tonnage",
        "LegalCopyright": COPYRIGHT,
        "OriginalFilename": "tonnage.exe",
        "ProductName": NAME,
        "ProductVersion": __version__,
    }
    lines = ",\n".join(f"      StringStruct({key!r}, {value!r})" for key, value in strings.items())
    path.write_text(_RESOURCE.format(numbers=numbers(), strings=lines), encoding="utf-8")
    return str(path)


def plist_entries() -> dict[str, Any]:
    """Info.plist of the macOS bundle: versions, and that a double click on a scenario opens it here."""
    return {
        "CFBundleDisplayName": NAME,
        "CFBundleShortVersionString": __version__,
        "CFBundleVersion": ".".join(map(str, numbers()[:3])),
        "LSApplicationCategoryType": "public.app-category.business",
        "LSMinimumSystemVersion": "13.0",
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": COPYRIGHT,
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": FILE_KIND,
                "CFBundleTypeRole": "Editor",
                "LSHandlerRank": "Owner",
                "LSItemContentTypes": [IDENTIFIER],
            }
        ],
        "UTExportedTypeDeclarations": [
            {
                "UTTypeIdentifier": IDENTIFIER,
                "UTTypeDescription": FILE_KIND,
                "UTTypeConformsTo": ["public.json"],
                "UTTypeTagSpecification": {"public.filename-extension": [ENDING], "public.mime-type": [MIME]},
            }
        ],
    }
