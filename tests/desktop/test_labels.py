from PySide6.QtCore import QPointF, QRectF, QSizeF

from desktop.charts.labels import Ground, beside

BOUNDS = QRectF(0, 0, 200, 100)


def test_a_label_does_not_cover_another() -> None:
    ground = Ground(BOUNDS)
    first = QRectF(10, 10, 40, 16)
    assert ground.place([first]) == first
    assert ground.place([QRectF(20, 12, 40, 16)]) is None
    assert ground.place([QRectF(20, 12, 40, 16), QRectF(20, 40, 40, 16)]) == QRectF(20, 40, 40, 16)


def test_a_label_does_not_cover_a_line() -> None:
    ground = Ground(BOUNDS)
    ground.add_track([(0, 100), (100, 50), (200, 0)])
    assert not ground.is_free(QRectF(90, 42, 20, 16))
    assert ground.is_free(QRectF(10, 10, 40, 16))
    ground.add_track([(30, 0), (30, 100)])  # upright
    assert not ground.is_free(QRectF(10, 10, 40, 16))


def test_a_label_stays_inside() -> None:
    assert Ground(BOUNDS).place([QRectF(180, 10, 40, 16)]) is None


def test_places_beside_a_point_do_not_cover_it() -> None:
    point = QPointF(100, 50)
    assert not any(rect.contains(point) for rect in beside(point, QSizeF(40, 16)))
