"""About names the build and every component with its licence."""

import json
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

import core
from desktop.about import AboutDialog
from desktop.components import parts
from desktop.main_window import MainWindow
from desktop.theme import Theme


@pytest.fixture
def about(qtbot: QtBot, theme: Theme) -> AboutDialog:
    dialog = AboutDialog(theme, "2026-11-30")
    qtbot.addWidget(dialog)
    return dialog


def test_versions_can_be_copied(about: AboutDialog) -> None:
    about.copy()
    text = QGuiApplication.clipboard().text()
    assert f"Version: {core.__version__}" in text
    assert "Catalogue: 2026-11-30" in text
    assert "Qt 6." in text


def test_every_component_shows_its_licence(about: AboutDialog) -> None:
    names = [about.components.item(row).text() for row in range(about.components.count())]
    assert names[0].startswith("Tonnage")
    assert {"numpy", "PySide6_Essentials", "typst", "Inter"} <= {name.split(" ")[0] for name in names}
    assert "Apache License" in about.licence.toPlainText()
    about.components.setCurrentRow(next(row for row, name in enumerate(names) if name.startswith("Inter")))
    assert "SIL OPEN FONT LICENSE" in about.licence.toPlainText().upper()


def test_a_frozen_program_lists_what_its_build_found(tmp_path: Path) -> None:
    folder = tmp_path / "licences"
    folder.mkdir()
    (folder / "a.txt").write_text("first")
    (folder / "b.txt").write_text("second")
    one = {"name": "Qt", "version": "6.11.3", "licence": "LGPL-3.0-only", "texts": ["a.txt", "b.txt"]}
    ours = {"name": "Tonnage", "version": "1", "licence": "Apache-2.0", "texts": ["a.txt"]}
    (folder / "index.json").write_text(json.dumps([one, ours]))
    listed = parts(tmp_path)
    assert [part.name for part in listed] == ["Tonnage", "Qt"]
    assert listed[1].text().startswith("first")
    assert listed[1].text().endswith("second")


def test_about_is_in_the_settings_menu(window: MainWindow) -> None:
    menu = window.settings_menu(window)
    assert window.action("about") in menu.actions()
