"""The date of a page, and the command that made it."""

import pytest

from skconf.report._page.document import made_on, without_folders


def test_the_date_can_be_fixed(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795391999")  # a second before the 23rd in UTC
    assert made_on() == "22 November 2026"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795392000")
    assert made_on() == "23 November 2026"
    for wrong in ("yesterday", "1" * 30):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        with pytest.raises(ValueError, match="is not a number of seconds since 1970"):
            made_on()


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("skconf evaluate a.csv b.csv", "skconf evaluate a.csv b.csv"),
        ("skconf evaluate /data/a.csv folder/b.csv", "skconf evaluate a.csv folder/b.csv"),
        (
            "skconf evaluate forest=/data/a.csv --html=/x/page.html",
            "skconf evaluate forest=a.csv --html=page.html",
        ),
        ("skconf evaluate '/data/two words/my file.csv'", "skconf evaluate 'my file.csv'"),
        (r"skconf evaluate 'C:\data\a.csv'", "skconf evaluate a.csv"),
        ("skconf evaluate '/data/a.csv", "skconf evaluate a.csv"),
        ("skconf evaluate /", "skconf evaluate /"),
    ],
)
def test_a_command_names_no_folders_of_its_machine(command, shown):
    assert without_folders(command) == shown
    assert "/home" not in without_folders(command)
    assert "Users" not in without_folders(command)
