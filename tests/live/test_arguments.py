"""A program's arguments and its user's variables arrive byte for byte, on every path through muster."""

import random

import pytest
from cluster import Cluster
from command import Result

LONGEST = 131072 - 1  # MAX_ARG_STRLEN, including its zero byte
LOOK_LIKE_OPTIONS = ["--", "-", "-h", "--help", "--version", "--distributed=off", "--config=/x", "-n1", "-N",
                     "--export=NONE"]
LISTS = ["[1,2]", "[]", "[[1,2],[3]]", "[ ]", "[", "]", "[x", "{}", "{a,b}", "%%", "[1,2]=[3]"]
QUOTES = ["", " ", "'", '"', "''", '"x"', "'[1]'", "`x`", "\\", "\\n", "$HOME", "%t", "%%t", "*", "~", "#", "a=b", "=",
          "++", "/x"]
BYTES = ["\n", "a\nb\n", "\t", "\r\n", "\x1b[2J", "\x7f", "é", "\udcff\udcfe", "a\udc80b", "\x01"]
MANY = [f"word{i}" for i in range(10_000)]

VARIABLES = {"ODD_EMPTY": "", "ODD_LINES": "a\nb\n", "ODD_EQUALS": "a=b=", "ODD_BYTES": "\udcff\udcfe",
             "ODD_LIST": "[1,2]", "ODD_BLANK": " ", "ODD_ESCAPE": "\x1b[2J", "ODD_QUOTE": "\"'\\"}


def arguments() -> list[str]:
    words = [*LOOK_LIKE_OPTIONS, *LISTS, *QUOTES, *BYTES]
    random.Random(7).shuffle(words)
    return [*words, "x" * LONGEST, "[" + "y" * (LONGEST - 2) + "]", *MANY]


@pytest.fixture
def words(cluster: Cluster) -> str:
    """The file that with_words reads."""
    file = cluster.write("words", "")
    file.write_bytes(b"".join(word.encode(errors="surrogateescape") + b"\0" for word in arguments()))
    return file.name


@pytest.fixture
def plain(cluster: Cluster, words: str) -> str:
    """What plain srun passes: the reference."""
    result = cluster.run(f"./with_words {words} srun -n1 ./show_words @WORDS@", env=VARIABLES)
    check(result)
    assert result.out.startswith(f"{len(arguments())} words {len(VARIABLES)} variables "), result.out
    return result.out


def check(result: Result) -> None:
    assert result.code == 0, result.err


@pytest.mark.parametrize("start", [
    "srun --distributed=torch -n1",
    "srun --distributed=torch,supervise=off -n1",
    "srun --distributed=off -n1",
    "srun -n1 muster exec --distributed=torch --",
    "srun -n1 muster exec --distributed=torch",
    "muster supervise --distributed=torch -- srun -n1",
    "muster supervise --distributed=torch srun -n1",
    "salloc -Q -n1 srun --distributed=torch",
    "salloc -Q -n1 --distributed=torch srun",
])
def test_a_programs_arguments_are_those_of_a_plain_srun(cluster: Cluster, words: str, plain: str, start: str) -> None:
    result = cluster.run(f"./with_words {words} {start} ./show_words @WORDS@", env=VARIABLES)
    check(result)
    assert result.out == plain


@pytest.mark.parametrize("where", ["sbatch", "srun"])
def test_arguments_in_a_batch_script(cluster: Cluster, words: str, plain: str, where: str) -> None:
    inner = "--distributed=torch" if where == "srun" else ""
    script = f"#!/bin/bash\n./with_words {words} srun {inner} ./show_words @WORDS@\n"
    result = cluster.sbatch(script, "-n1 --distributed=torch" if where == "sbatch" else "-n1", env=VARIABLES)
    check(result)
    assert result.out == plain


def test_arguments_of_every_component_of_a_heterogeneous_step(cluster: Cluster, words: str, plain: str) -> None:
    line = "-N1 -n1 ./show_words @WORDS@ : -N1 -n1 ./show_words @WORDS@"
    result = cluster.run(f"./with_words {words} srun --distributed=torch {line}", env=VARIABLES)
    check(result)
    assert result.out == 2 * plain


def test_arguments_from_a_file_of_several_programs(cluster: Cluster) -> None:
    cluster.write("programs", "0 ./show_words [1,2] -- '[ ]' %t \"\" --distributed=off\n1 ./show_words [] %o - -h\n")
    expected = sorted(cluster.srun("-n2 --multi-prog programs").lines)
    assert len(expected) == 2
    result = cluster.srun("--distributed=torch -n2 --multi-prog programs")
    check(result)
    assert sorted(result.lines) == expected


def test_arguments_of_a_program_on_a_terminal(cluster: Cluster, words: str, plain: str) -> None:
    terminal = cluster.terminal(f"./with_words {words} srun --distributed=torch --pty -n1 ./show_words @WORDS@",
                                env=VARIABLES)
    assert terminal.wait() == 0, terminal.shown
    assert plain.strip() in terminal.shown


@pytest.mark.parametrize("value", ["\udcff", "\x1b[2J", "a\nb", "[torch]", "torch,bind=[none]"])
def test_a_value_of_any_bytes_is_refused_by_one_printable_line(cluster: Cluster, value: str) -> None:
    before = cluster.jobs()
    file = cluster.write("value", "")
    file.write_bytes(f"--distributed={value}".encode(errors="surrogateescape") + b"\0")
    for line in ("srun @WORDS@ -n1 true", "muster check @WORDS@"):
        result = cluster.run(f"./with_words value {line}")
        assert result.code != 0
        assert len(result.err.splitlines()) == 1, result.err
        assert result.err.strip().isprintable(), result.err
    assert cluster.jobs() <= before


def test_a_programs_name_of_any_bytes_is_told_in_one_printable_line(cluster: Cluster) -> None:
    file = cluster.write("name", "")
    for name in (b"./no\x1b[2J\nsuch\xff", b"no\x1b[2J\nsuch\xff"):
        file.write_bytes(name + b"\0")
        result = cluster.run("./with_words name srun --distributed=torch -n1 @WORDS@")
        assert result.code != 0
        (line,) = result.complaints
        assert "no\\x1b[2J\\x0asuch\\xff" in line
