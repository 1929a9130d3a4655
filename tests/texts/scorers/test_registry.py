"""How a metric is written with its options."""

import pytest

from metassay.errors import UsageError
from metassay.texts.scorers.registry import make_scorers, parse_spec, read_value, split_specs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rouge, chrf", [("rouge", {}), ("chrf", {})]),
        ("rouge[stem=none,n=mean],length", [("rouge", {"stem": "none", "n": "mean"}), ("length", {})]),
        ('command[run="./a b.sh --x 1,2 [y] \\"z\\"",name=mine],js', [
            ("command", {"run": './a b.sh --x 1,2 [y] "z"', "name": "mine"}), ("js", {}),
        ]),
        ("command[run='grep -c \"a,b\"']", [("command", {"run": 'grep -c "a,b"'})]),
        # quotes inside a value protect its commas and stay for whoever reads the value
        ('command[run=grep -c "a,b" \'c\']', [("command", {"run": "grep -c \"a,b\" 'c'"})]),
        ("judge[pattern=([0-9]),n=2]", [("judge", {"pattern": "([0-9])", "n": 2})]),
        ("judge[pattern='\\d,(\\d)']", [("judge", {"pattern": r"\d,(\d)"})]),
        ('judge[pattern="\\d\\\\"]', [("judge", {"pattern": "\\d\\"})]),
        ("x[a=1,b=2.5,c=true,d=1e-3,e='1',f=]", [("x", {"a": 1, "b": 2.5, "c": True, "d": 1e-3, "e": "1", "f": ""})]),
        ("x[a=it's,b=2]", [("x", {"a": "it's", "b": 2})]),
        ("x[a-b=c=d]", [("x", {"a_b": "c=d"})]),
    ],
)  # fmt: skip
def test_specs(text, expected):
    parsed = [parse_spec(spec) for spec in split_specs(text)]
    assert [(name, {key: read_value(value) for key, value in options.items()}) for name, options in parsed] == expected


def test_an_option_that_takes_text_gets_text():
    (first,) = make_scorers("command[run=true,version=1.10]")
    (second,) = make_scorers("command[run=true,version=1.1]")
    assert "version:1.10" in first.signature
    assert first.signature != second.signature


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rouge[stem=none", "a bracket in .* has no partner"),
        ("rouge]", "a bracket in .* has no partner"),
        ("x[a='b]", "a quote ' in .* has no partner"),
        ("x[a]", "is written option=value, got 'a'"),
        ("x[a=1,a=2]", "the option 'a' of x is given twice"),
        ("x[a=1]y", "a metric is written NAME or NAME"),
        ("command[run=true,colour=red]", "unknown option of command 'colour'"),
        ("command", "command needs a program"),
        ("python", "python needs a function"),
        ("model[criterion=fluency]", "model needs a model"),
        ("model[model=m]", "model needs a criterion"),
    ],
)
def test_what_is_not_well_written_is_told(text, message):
    with pytest.raises(UsageError, match=message):
        make_scorers(text)
