"""The results column as the window knows it, before its charts are imported."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget


class ResultsColumn(QWidget):
    """Says where its user wants to go, and can be led to the explanation of a figure."""

    proposal_wanted = Signal()
    hardware_wanted = Signal()  # the page that searches the whole catalogue
    calibration_wanted = Signal()
    bill_wanted = Signal()  # the page with the lines of what is bought

    def build_next(self) -> bool:
        """Build one of the parts that wait until the window is painted; False where none is left."""
        return False

    def explain(self, key: str) -> None:
        """Show how a figure was found."""

    def show_explanations(self) -> None:
        """All figures, with how each was found."""
