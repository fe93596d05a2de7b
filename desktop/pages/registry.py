"""Every page of the window: what it is called, how it is reached, and how it is built when it is first shown.

A new page has its class in a file of its own, and here a builder and a line in `PAGES`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.language.messages import marked
from desktop.file_choice import FileChoice
from desktop.inputs.panel import InputsPanel
from desktop.pages.page import Page
from desktop.pages.pages import (
    BILL,
    CALIBRATION,
    CATALOGUE,
    COMPARE,
    HARDWARE,
    HELP,
    MODELS,
    PROPOSAL,
    SETTINGS,
    SIZING,
    START,
    Pages,
)
from desktop.pages.sizing_page import SizingPage
from desktop.scenario_commands import ScenarioCommands
from desktop.session import Session, one_of
from desktop.settings import Settings
from desktop.theme import Theme
from desktop.ticked import Ticked
from desktop.window_choices import WindowChoices


@dataclass(frozen=True, slots=True)
class Shell:
    """What the window has for its pages."""

    session: Session
    theme: Theme
    settings: Settings
    pages: Pages
    scenarios: ScenarioCommands
    files: FileChoice
    choices: WindowChoices


@dataclass(frozen=True, slots=True)
class PageEntry:
    """What the window knows of a page.

    key             its name in the program, and that of its command
    build           makes it, and imports it no earlier
    title           of its command, and of its button in the sidebar; translated where it is shown. Without: no command
    shortcut, icon  of both
    in_sidebar      has it a button there?
    of_scenario     does it show a scenario? Where there is none, the start page stands in its place
    run             what its command does
    """

    key: str
    build: Callable[[Shell], Page]
    title: str = ""
    shortcut: str = ""
    icon: str = ""
    in_sidebar: bool = False
    of_scenario: bool = False
    run: Callable[[Pages, str], object] = Pages.open


def _start(shell: Shell) -> Page:
    from desktop.pages.start_page import StartPage

    scenarios, choose_file = shell.scenarios, shell.files.choose_file
    return StartPage(shell.theme, scenarios.new, choose_file, scenarios.open_example)


def _sizing(shell: Shell) -> Page:
    session, theme, settings, pages = shell.session, shell.theme, shell.settings, shell.pages
    inputs = InputsPanel(session, theme, settings, shell.files.choose_file, pages.show_device, pages.show_bill)
    return SizingPage(session, theme, settings, inputs)


def _hardware(shell: Shell) -> Page:
    from desktop.pages.find.hardware_page import FindHardwarePage

    return FindHardwarePage(shell.session, shell.theme, shell.pages.show_sizing)


def _models(shell: Shell) -> Page:
    from desktop.pages.find.models_page import FindModelsPage

    return FindModelsPage(shell.session, shell.theme, shell.pages.show_sizing)


def _compare(shell: Shell) -> Page:
    from desktop.pages.compare.compare_page import ComparePage

    page = ComparePage(shell.session, shell.theme, one_of(Ticked, shell.session), shell.settings)
    page.opened.connect(shell.pages.show_sizing)
    page.explain_requested.connect(shell.pages.page(SizingPage, SIZING).explain)
    page.propose.connect(shell.pages.propose_saved)
    return page


def _catalogue(shell: Shell) -> Page:
    from desktop.pages.catalogue.page import CataloguePage

    page = CataloguePage(shell.session, shell.theme)
    page.import_wanted.connect(shell.files.choose_file)
    page.folder_wanted.connect(shell.files.choose_folder)
    page.scenario_wanted.connect(shell.pages.open_saved)
    page.calibration_wanted.connect(shell.pages.calibrate)
    return page


def _proposal(shell: Shell) -> Page:
    from desktop.pages.proposal.proposal_page import ProposalPage
    from desktop.proposal_export import ProposalExport

    export, pages = one_of(ProposalExport, shell.session), shell.pages
    return ProposalPage(shell.session, shell.theme, shell.settings, export, pages.show_sizing, pages.show_device)


def _calibration(shell: Shell) -> Page:
    from desktop.pages.calibration.page import CalibrationPage

    return CalibrationPage(shell.session, shell.theme, shell.pages.show_sizing)


def _bill(shell: Shell) -> Page:
    from desktop.pages.bill.page import BillPage

    return BillPage(shell.session, shell.theme, shell.pages.show_sizing)


def _settings(shell: Shell) -> Page:
    from desktop.pages.settings_page import SettingsPage

    return SettingsPage(shell.session, shell.theme, shell.settings, shell.choices)


def _help(shell: Shell) -> Page:
    from desktop.pages.help.page import HelpPage

    actions = shell.pages.window().actions()
    return HelpPage(shell.session, shell.theme, actions, shell.scenarios.open_new)


PAGES = (
    PageEntry(START, _start),
    PageEntry(SIZING, _sizing, marked("Sizing"), "Ctrl+1", "gauge", in_sidebar=True, of_scenario=True),
    PageEntry(HARDWARE, _hardware, marked("Find hardware"), "Ctrl+2", "chip", in_sidebar=True, of_scenario=True),
    PageEntry(MODELS, _models, marked("Find models"), "Ctrl+3", "layers", in_sidebar=True, of_scenario=True),
    PageEntry(COMPARE, _compare, marked("Compare"), "Ctrl+4", "columns", in_sidebar=True),
    PageEntry(CATALOGUE, _catalogue, marked("Catalogue"), "Ctrl+5", "book", in_sidebar=True),
    PageEntry(
        PROPOSAL,
        _proposal,
        marked("Proposal…"),
        "Ctrl+P",
        "document",
        of_scenario=True,
        run=lambda pages, _key: pages.propose_shown(),
    ),
    PageEntry(
        CALIBRATION,
        _calibration,
        marked("Calibrate with your own measurement…"),
        "Ctrl+Shift+M",
        "calculator",
        of_scenario=True,
    ),
    PageEntry(BILL, _bill, marked("Bill of materials…"), "Ctrl+Shift+B", "table", of_scenario=True),
    PageEntry(SETTINGS, _settings, marked("Settings"), "Ctrl+,", "gear", run=Pages.show_page),
    PageEntry(HELP, _help, marked("Help"), "Shift+F1", "info-circle", run=Pages.show_page),
)
