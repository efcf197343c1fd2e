"""Finds which programs a shell script or a Python file calls by name, from its text: shfmt parses the shell, Python
itself parses the Python. A word counts as a call only in the position of a command, so prose does not count."""

import ast
import functools
import json
import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator

# Commands whose arguments are another command, possibly after options of their own.
WRAPPERS = {
    "bash", "builtin", "command", "env", "exec", "flock", "ionice", "nice", "nohup", "nsenter", "numactl", "run", "run_script",
    "run_step", "salloc", "script", "setarch", "setpriv", "setsid", "sh", "srun", "start_child", "stdbuf", "strace", "sudo",
    "taskset", "time", "timeout", "unshare", "xargs",
}
SHELL_OPTION = re.compile(r"-[a-z]*c$")
NAME = re.compile(r"[a-z][a-z0-9_.+-]+$|(/usr)?/s?bin/[a-z0-9_.+-]+$")
# Python functions and methods, of the tests and of the standard library, that take a command line as a string.
LINES = {"run", "start", "shell", "srun", "sbatch", "salloc", "terminal", "node", "probe", "system", "on_node"}


@functools.cache
def in_shell(text: str) -> frozenset[str]:
    if NAME.match(text):
        return frozenset({text})
    done = subprocess.run(["shfmt", "--tojson"], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:  # not shell
        return frozenset()
    return frozenset(name for call in _calls(json.loads(done.stdout)) for name in _called_by(call))


def in_python(text: str) -> set[str]:
    tree = ast.parse(text)
    found = set()
    for line in set(_command_lines(tree)):
        found |= in_shell(line)
    for words in _lists(tree):
        found |= set(_called_by(words))
    return found


def imported(text: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def _calls(node: object) -> Iterator[list[str]]:
    """The words of each simple command, and of each array, which may hold a command; empty for a word that is not
    literal."""
    if isinstance(node, list):
        for each in node:
            yield from _calls(each)
    elif isinstance(node, dict):
        if node.get("Type") == "CallExpr":
            yield [_literal(word) for word in node.get("Args") or []]
        elif "Elems" in node:
            yield [_literal(element.get("Value") or {}) for element in node["Elems"] or []]
        for each in node.values():
            yield from _calls(each)


def _literal(word: dict) -> str:
    text = ""
    for part in word.get("Parts") or []:
        if part["Type"] in ("Lit", "SglQuoted"):
            text += part.get("Value", "")
        elif part["Type"] == "DblQuoted":
            text += _literal(part)
        else:
            text += "$x"  # stands for the unknown rest
    return text


def _called_by(words: list[str]) -> Iterator[str]:
    """The command, and the commands that it is told to start."""
    if not words:
        return
    if NAME.match(words[0]):
        yield words[0]
    if words[0].rpartition("/")[2] not in WRAPPERS and words[0]:
        return
    for before, word in zip(words, words[1:]):
        if SHELL_OPTION.match(before):
            yield from in_shell(word)
        elif NAME.match(word):
            yield word


def _command_lines(tree: ast.AST) -> Iterator[str]:
    """Strings passed to a shell or to a test's cluster, and the texts of scripts and lines, which are constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in LINES:
                yield from (f"srun {line}" if name in ("srun", "probe") else line for line in map(_text, node.args) if line)
        elif isinstance(node, ast.Assign) and all(getattr(target, "id", "").isupper() for target in node.targets):
            text = _text(node.value)
            if text and re.search(r"[ \n]", text):
                yield text.lstrip()


def _lists(tree: ast.AST) -> Iterator[list[str]]:
    """A list's first word may be a command; a word after "--" starts another one, as with nsenter."""
    for node in ast.walk(tree):
        if isinstance(node, ast.List):
            words = [_text(each) or "" for each in node.elts]
            yield words
            yield from (words[place + 1:] for place, word in enumerate(words) if word == "--")


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return None if left is None and right is None else f"{left or 'X'}{right or 'X'}"
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "quote" and node.args:
        return shlex.quote(_text(node.args[0]) or "X")
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format" and isinstance(node.func, ast.Attribute):
        return _text(node.func.value)
    return None


def is_shell(first_lines: Iterable[str]) -> bool:
    return any(re.match(r"#!.*\b(ba)?sh\b|# shellcheck shell=", line) for line in first_lines)
