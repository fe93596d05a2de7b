"""Numbers as people read them, in three languages. `~` stands for the no-break space, `_` for the narrow one."""

import datetime
import timeit
from decimal import Decimal
from typing import Any

import pytest
from babel import Locale
from babel.dates import format_date
from hypothesis import given
from hypothesis import strategies as st

from core.language.locale_signs import BY_CODE, SIGNS
from core.language.messages import LANGUAGES
from core.language.numbers import Formatter, formatter
from core.units import Unit, parse_bytes, parse_number, parse_tokens

OFFERED = ("EUR", "USD", "CHF", "GBP", "SEK", "DKK", "NOK", "PLN", "CZK", "JPY", "CAD", "AUD")
EN, DE, FR = (formatter(code) for code in ("en", "de", "fr"))


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_signs_are_those_of_the_locale(code: str) -> None:
    locale, signs = Locale.parse(code), SIGNS[code]
    symbols = locale.number_symbols["latn"]
    assert (signs.decimal, signs.group) == (symbols["decimal"], symbols["group"])
    assert signs.currency_first == locale.currency_formats["standard"].pattern.startswith("¤")
    assert {currency: formatter(code)._symbol(currency) for currency in (*OFFERED, "BRL", "INR")} == {
        currency: locale.currency_symbols.get(currency, currency) for currency in (*OFFERED, "BRL", "INR")
    }
    assert {currency for currency in OFFERED if currency not in signs.symbols} <= BY_CODE
    write, pattern = formatter(code), "d MMMM y" if code == "en" else "long"
    for day in (datetime.date(2026, 1, 1) + datetime.timedelta(days=n) for n in range(0, 365, 5)):
        assert write.date(day) == format_date(day, pattern, locale=code)
        assert write.partial_date(day.isoformat()[:7]) == format_date(day, "LLLL y", locale=code)


def shown(text: str) -> str:
    return text.replace("\u00a0", "~").replace("\u202f", "_")


@pytest.mark.parametrize(
    ("method", "value", "en", "de", "fr"),
    [
        ("count", 262144, "262,144", "262.144", "262_144"),
        ("count", 0, "0", "0", "0"),
        ("decimal", -0.04, "0.0", "0,0", "0,0"),
        ("decimal", -1234.56, "−1,234.6", "−1.234,6", "−1_234,6"),
        ("bytes", 23_400_000_000, "23.4~GB", "23,4~GB", "23,4~GB"),
        ("bytes", 64_400_000, "64.4~MB", "64,4~MB", "64,4~MB"),
        ("bytes", 98_304, "98,304~B", "98.304~B", "98_304~B"),
        ("bytes", 20_736_000_000_000, "20.7~TB", "20,7~TB", "20,7~TB"),
        ("bytes", 1_152_000_000_000, "1,152.0~GB", "1.152,0~GB", "1_152,0~GB"),
        ("bytes", -7_000_000_000, "−7.0~GB", "−7,0~GB", "−7,0~GB"),
        ("bytes", 999_960_000, "1.0~GB", "1,0~GB", "1,0~GB"),
        ("bytes_iec", 25_769_803_776, "24~GiB", "24~GiB", "24~GiB"),
        ("bytes_iec", 23_400_000_000, "21.8~GiB", "21,8~GiB", "21,8~GiB"),
        ("bytes_iec", 98_304, "96~KiB", "96~KiB", "96~KiB"),
        ("bytes_iec", 512, "512~B", "512~B", "512~B"),
        ("tokens", 262_144, "256K", "256K", "256K"),
        ("tokens", 1_048_576, "1M", "1M", "1M"),
        ("tokens", 1_572_864, "1.5M", "1,5M", "1,5M"),
        ("tokens", 1_310_720, "1,280K", "1.280K", "1_280K"),
        ("tokens", 8000, "8,000", "8.000", "8_000"),
        ("tokens", 600, "600", "600", "600"),
        ("tokens_exact", 262_144, "256K (262,144)", "256K (262.144)", "256K (262_144)"),
        ("tokens_exact", 600, "600", "600", "600"),
        ("speed", 74.3, "74~tok/s", "74~tok/s", "74~tok/s"),
        ("speed", 4.08, "4.1~tok/s", "4,1~tok/s", "4,1~tok/s"),
        ("speed", 0.352, "0.35~tok/s", "0,35~tok/s", "0,35~tok/s"),
        ("speed", 9.96, "10~tok/s", "10~tok/s", "10~tok/s"),
        ("speed", 99.6, "100~tok/s", "100~tok/s", "100~tok/s"),
        ("speed", 1253.4, "1,253~tok/s", "1.253~tok/s", "1_253~tok/s"),
        ("speed", 0, "0~tok/s", "0~tok/s", "0~tok/s"),
        ("seconds", 0.0134, "13.4~ms", "13,4~ms", "13,4~ms"),
        ("seconds", 0.35, "350~ms", "350~ms", "350~ms"),
        ("seconds", 0.0000305, "30~µs", "30~µs", "30~µs"),
        ("seconds", 1.2, "1.2~s", "1,2~s", "1,2~s"),
        ("seconds", 0.9998, "1.0~s", "1,0~s", "1,0~s"),
        ("seconds", 150, "2.5~min", "2,5~min", "2,5~min"),
        ("seconds", 9000, "2.5~h", "2,5~h", "2,5~h"),
        ("seconds", 0, "0.0~ms", "0,0~ms", "0,0~ms"),
        ("rate", 1.792e12, "1,792~GB/s", "1.792~GB/s", "1_792~GB/s"),
        ("rate", 89.6e9, "89.6~GB/s", "89,6~GB/s", "89,6~GB/s"),
        ("rate", 500e6, "500~MB/s", "500~MB/s", "500~MB/s"),
        ("link", 25e9, "200~Gb/s (25~GB/s)", "200~Gb/s (25~GB/s)", "200~Gb/s (25~GB/s)"),
        ("link", 1.25e9, "10~Gb/s (1.2~GB/s)", "10~Gb/s (1,2~GB/s)", "10~Gb/s (1,2~GB/s)"),
        ("flops", 503.8e12, "503.8~TFLOP/s", "503,8~TFLOP/s", "503,8~TFLOP/s"),
        ("flops", 4.4e15, "4.4~PFLOP/s", "4,4~PFLOP/s", "4,4~PFLOP/s"),
        ("parameters", 35_100_000_000, "35.1B", "35,1B", "35,1B"),
        ("parameters", 567_000_000, "567M", "567M", "567M"),
        ("parameters_in_words", 35_100_000_000, "35.1~billion", "35,1~Milliarden", "35,1~milliards"),
        ("share", 0.35, "35~%", "35~%", "35~%"),
        ("share", 0.025, "2.5~%", "2,5~%", "2,5~%"),
        ("share", 1.5, "150~%", "150~%", "150~%"),
        ("change", 1.8, "+80~%", "+80~%", "+80~%"),
        ("change", 0.88, "−12~%", "−12~%", "−12~%"),
        ("change", 1.0, "±0~%", "±0~%", "±0~%"),
        ("change", 2.9, "×~2.9", "×~2,9", "×~2,9"),
        ("power", 600, "600~W", "600~W", "600~W"),
        ("power", 1234, "1.2~kW", "1,2~kW", "1,2~kW"),
    ],
)
def test_written(method: str, value: float, en: str, de: str, fr: str) -> None:
    written = [shown(getattr(one, method)(value)) for one in (EN, DE, FR)]
    assert written == [en, de, fr]


@pytest.mark.parametrize(
    ("amount", "currency", "en", "de", "fr"),
    [
        (Decimal(18600), "EUR", "€18,600", "18.600~€", "18_600~€"),
        (Decimal("0.74"), "EUR", "€0.74", "0,74~€", "0,74~€"),
        (Decimal("99.995"), "USD", "$100.00", "100,00~$", "100,00~$US"),
        (Decimal(8565), "USD", "$8,565", "8.565~$", "8_565~$US"),
        (Decimal(-5), "CHF", "−CHF~5.00", "−5,00~CHF", "−5,00~CHF"),
        (12.5, "EUR", "€12.50", "12,50~€", "12,50~€"),
    ],
)
def test_money(amount: Decimal | float, currency: str, en: str, de: str, fr: str) -> None:
    assert [shown(one.money(amount, currency)) for one in (EN, DE, FR)] == [en, de, fr]


def test_a_tiny_amount_is_not_written_as_nothing() -> None:
    written = [shown(one.money(Decimal("0.0016"), "EUR")) for one in (EN, DE, FR)]
    assert written == ["<~€0.01", "<~0,01~€", "<~0,01~€"]
    assert shown(EN.money(0, "EUR")) == "€0.00"


def test_hours_beyond_a_hundred_have_no_decimals() -> None:
    assert shown(EN.seconds(38_166.1 * 3600)) == "38,166~h"
    assert shown(EN.seconds(2.5 * 3600)) == "2.5~h"


def test_money_ranges_have_one_sign() -> None:
    low, high = Decimal(8565), Decimal(16000)
    written = [shown(one.money_range(low, high, "USD")) for one in (EN, DE, FR)]
    assert written == ["$8,565–16,000", "8.565–16.000~$", "8_565–16_000~$US"]
    assert shown(EN.money_range(low, low, "USD")) == "$8,565"


def test_dates() -> None:
    day = datetime.date(2026, 11, 20)
    assert [one.date(day) for one in (EN, DE, FR)] == ["20 November 2026", "20. November 2026", "20 novembre 2026"]
    assert [DE.partial_date(iso) for iso in ("2026", "2026-08", "2026-08-12")] == [
        "2026",
        "August 2026",
        "12. August 2026",
    ]
    assert EN.partial_date("spring 2026") == "spring 2026"


def test_ranges_have_one_unit_of_one_size() -> None:
    assert shown(EN.range(61.2, 88.4, EN.speed_parts)) == "61–88~tok/s"
    assert shown(DE.range(0.94, 1.6, DE.seconds_parts)) == "0,9–1,6~s"
    assert shown(EN.range(900e6, 1.4e9, EN.bytes_parts)) == "0.9–1.4~GB"
    assert shown(EN.range(50, 50, EN.speed_parts)) == "50~tok/s"


@pytest.mark.parametrize(
    ("value", "unit", "en"),
    [
        (2_684_354_560, Unit.BYTE, "2,684,354,560~B"),
        (98304, Unit.BYTE_PER_TOKEN, "98,304~B/token"),
        (1.792e12, Unit.BYTE_PER_SECOND, "1.792×10¹²~B/s"),
        (92_377_763_020.8, Unit.BYTE, "92,377,763,021~B"),
        (4.5, Unit.BIT_PER_WEIGHT, "4.5~bit/weight"),
        (0.0134213456, Unit.SECOND, "0.0134213~s"),
        (0.00000312, Unit.SECOND, "3.12×10⁻⁶~s"),
        (35_100_000_000, Unit.PARAMETER, "35,100,000,000"),
        (12, Unit.REQUEST, "12"),
        (0.9, Unit.SHARE, "90~%"),
        (0.0, Unit.SECOND, "0~s"),
        (None, Unit.MONEY, "unknown"),
    ],
)
def test_value_in_full(value: Any, unit: Unit, en: str) -> None:
    assert shown(EN.value(value, unit)) == en


def test_every_unit_is_written_short_and_in_full() -> None:
    for unit in Unit:
        for code in LANGUAGES:
            write = formatter(code)
            assert write.figure(1, unit)
            assert write.value(1, unit)
    assert shown(DE.value(8, Unit.BYTE_PER_TOKEN)) == "8~B/Token"
    assert (DE.unknown(), DE.none()) == ("unbekannt", "keins")


@given(st.integers(1, 10**15))
def test_whole_numbers_are_read_back(number: int) -> None:
    for write, comma in ((EN, False), (DE, True), (FR, True)):
        assert parse_number(write.count(number), comma) == float(number)


@given(st.integers(1, 2**30))
def test_tokens_are_read_back(number: int) -> None:
    for write, comma in ((EN, False), (DE, True), (FR, True)):
        assert parse_tokens(write.tokens(number), comma) == number


@given(st.integers(1, 10**14))
def test_bytes_are_read_back_within_their_last_digit(number: int) -> None:
    # a twentieth of the unit that is shown
    step = 5e10 if number >= 10**13 else 5e7 if number >= 999_500_000 else 5e4 if number >= 999_500 else 0
    assert abs(parse_bytes(DE.bytes(number), decimal_comma=True) - number) <= step


@given(st.floats(1e-12, 1e18))
def test_six_digits_of_any_number(number: float) -> None:
    text = EN.number(number).replace(",", "")
    mantissa, _, power = text.partition("×10")
    exponent = int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))) if power else 0
    assert float(mantissa) * 10.0**exponent == pytest.approx(number, rel=1e-5)


def test_a_call_takes_microseconds() -> None:
    write = Formatter("de")
    fastest = min(timeit.repeat(lambda: write.bytes(23.4e9), number=200, repeat=5)) / 200
    assert fastest < 20e-6
