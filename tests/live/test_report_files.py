"""`muster report` without Slurm: for `muster run`, for damaged and hostile files, for runs too large for any machine
here."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from cluster import CHECKOUT
from page import Page
from synthetic_run import Synthetic
from this_machine import BUILD, Machine


@pytest.fixture(autouse=True)
def cluster() -> None:
    """These tests need no cluster."""


JOINS = """
import os, sys, time
import muster
time.sleep(1.5 if os.environ["RANK"] == "1" else 0)
with muster.init() as step:
    step.exchange("shapes", b"x")
    time.sleep(0.3)
    step.mark("model")
    step.barrier()
"""


def write_joins(machine: Machine) -> None:
    """Includes muster's package and library: the checkout may be in root's home, which other users cannot read."""
    machine.write("joins.py", JOINS)
    shutil.copytree(CHECKOUT / "lib" / "python" / "muster", machine.home / "muster", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(BUILD / "lib" / "worker" / "libmuster.so.0", machine.home / "muster")


def test_muster_run_has_the_bootstrap_of_its_ranks(machine: Machine) -> None:
    write_joins(machine)
    assert machine.run("--nproc-per-node=3", "--log-dir=logs", "joins.py").code == 0
    made = machine.command("report", "logs")
    assert (made.code, made.err) == (0, ""), made
    start = Page((machine.home / "logs" / "report.html").read_text()).text_of("start")
    assert "3 ranks using libmuster connected over TCP to rank 0" in start, start
    assert re.search(r"exchange 'shapes' waits for all ranks rank 1 on \S+ arrived last, \d\.\d s after the first",
                     start), start
    least = re.search(r"model3(\d+) ms", start)  # the texts of a table's cells follow each other
    assert least and int(least[1]) >= 300, start


@pytest.mark.parametrize("prepare", ["rm -f -- {}; mkdir {}", "touch {}", "ulimit -f 0"])
def test_a_rank_that_cannot_keep_its_times_runs_as_it_would(machine: Machine, prepare: str) -> None:
    write_joins(machine)
    machine.write("rank.sh", prepare.format(*2 * ["${MUSTER_TIMES#*:}"]) + "\nexec python3 joins.py\n")
    result = machine.run("--nproc-per-node=2", "--log-dir=logs", "--no-python", "bash", "rank.sh")
    assert result.code == 0, result
    for rank in range(2):
        assert (machine.home / "logs" / "latest" / f"rank-{rank}.err").read_text() == ""
    made = machine.command("report", "logs")
    assert made.code == 0 and "Bootstrap" not in Page((machine.home / "logs" / "report.html").read_text()).text_of("start"), made


def test_muster_run_leaves_the_same(machine: Machine) -> None:
    machine.write("fail.py", "import os, sys, time\nif os.environ['RANK'] == '1':\n    sys.exit('out of <luck>')\ntime.sleep(60)\n")
    assert machine.run("--nproc-per-node=2", "--max-restarts=1", "--log-dir=logs", "fail.py").code == 1
    made = machine.command("report", "logs")
    assert (made.code, made.out, made.err) == (0, "logs/report.html\n", ""), made
    page = Page((machine.home / "logs" / "report.html").read_text())
    top = page.text_of()
    assert "muster run" in top and "fail.py" in top and "Failed, exit code 1" in top, top
    assert "out of <luck>" in page.text_of("attempt-0") and "out of <luck>" in page.text_of("attempt-1")
    page.assert_links_lead_somewhere(machine.home / "logs")


@pytest.mark.parametrize("words, code, why", [
    ((), 2, "muster report needs a logs= directory: muster report DIR"),
    (("a", "b"), 2, "muster report takes only one directory; leave out 'b'"),
    (("nowhere",), 1, "nowhere: No such file or directory; name the directory that logs= created"),
    (("tmp",), 1, "tmp: there is no run in it"),
    (("-o", "tmp/no/page", "logs"), 1, "cannot write tmp/no/page: No such file or directory; use -o FILE to write it elsewhere"),
    (("-o", "tmp", "logs"), 1, "cannot write tmp: Is a directory"),
])
def test_what_cannot_be_is_one_line(machine: Machine, words: tuple[str, ...], code: int, why: str) -> None:
    Synthetic(nodes=1, ranks_per_node=2).write(machine.home / "logs")
    result = machine.command("report", *words)
    assert result.code == code and result.err.count("\n") == 1 and why in result.err, result


@pytest.mark.parametrize("name, damage", [("report.json", b'{"version": 1, "res'), ("report.json", b"\x00\xff"),
                                          ("plan.json", b"[]"), ("plan.json", None)])
def test_a_damaged_file_is_one_line_and_the_rest_is_shown(machine: Machine, name: str, damage: bytes | None) -> None:
    file = Synthetic(nodes=2, ranks_per_node=2).write(machine.home / "logs") / "latest" / name
    file.unlink() if damage is None else file.write_bytes(damage)
    result = machine.command("report", "-o", "tmp/page.html", "logs")
    assert result.code == 0 and result.err.count("\n") == 1 and name in result.err, result
    page = Page((machine.home / "tmp" / "page.html").read_text())
    assert name in page.text_of("main")
    assert "rank" in page.text_of("output")


def test_a_link_in_the_pages_place_is_replaced_and_what_it_names_kept(machine: Machine) -> None:
    logs = Synthetic(nodes=1, ranks_per_node=2).write(machine.home / "logs")
    os.chown(logs, machine.home.stat().st_uid, -1)
    kept = machine.write("kept", "mine\n")
    (logs / "report.html").symlink_to(kept)
    assert machine.command("report", "logs").code == 0
    assert kept.read_text() == "mine\n" and not (logs / "report.html").is_symlink()


HOSTILE = "</pre></title><script>alert(1)</script><img src=x onerror='alert(1)'>\x1b[2J\"'&\u202e\x00\x7f"


def test_hostile_names_stay_text(machine: Machine) -> None:
    synthetic = Synthetic(nodes=2, ranks_per_node=2, program=HOSTILE, reason=HOSTILE, traceback=HOSTILE + "\n",
                          node_name=HOSTILE + "{}")
    synthetic.write(machine.home / "logs")
    result = machine.command("report", "-o", "-", "logs")
    page = Page(result.out)
    assert "<script>alert(1)</script>" in page.text_of()  # as text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", result.out)


# --- a page for a run too large for any machine here, and how a browser draws it


def test_a_page_of_512_ranks_has_every_rank_and_opens_what_failed(machine: Machine) -> None:
    synthetic = Synthetic()
    synthetic.write(machine.home / "logs")
    began = time.monotonic()
    result = machine.command("report", "-o", "tmp/page.html", "logs")
    assert result.code == 0 and time.monotonic() - began < 20
    file = machine.home / "tmp" / "page.html"
    assert file.stat().st_size < 1 << 20
    page = Page(file.read_text())
    nodes = page.text_of("nodes")
    assert [name for name in synthetic.names if name not in nodes] == []
    assert len(page.root.findall(".//{*}details[@class='node']")) == 64
    (opened,) = [each.attrib["id"] for each in page.root.iter() if each.attrib.get("class") == "node" and "open" in each.attrib]
    assert opened == f"node-{synthetic.node_of(synthetic.failed)}"
    assert "64 nodes, all alike" in page.text_of("bindings")
    start = page.text_of("start")
    assert "gpu032 last (1.4 s later), and all had met 50 ms after that" in start, start
    assert "512 ranks using libmuster connected over PMIx" in start, start
    assert f"rank {synthetic.late} on {synthetic.node_of(synthetic.late)} arrived last, 3" in start, start


@pytest.mark.machine
@pytest.mark.parametrize("nodes, width, dark", [(1, 1200, False), (64, 1200, True), (64, 400, False)])
def test_a_browser_draws_it_without_anything_cut_off(machine: Machine, nodes: int, width: int, dark: bool) -> None:
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("no chromium here: the pages were read as XML only; install the package chromium to open them, too")
    Synthetic(nodes=nodes, ranks_per_node=2 if nodes == 1 else 8).write(machine.home / "logs")
    assert machine.command("report", "-o", "tmp/page.html", "logs").code == 0
    # The test's own script is subject to the page's policy: insert it into a copy of the page.
    text = (machine.home / "tmp" / "page.html").read_text()
    text = re.sub(r"<meta http-equiv='Content-Security-Policy'[^>]*>", "", text).replace("</body>", MEASURE + "</body>")
    copy = machine.write("measured.html", text)
    # A window is at least 500 wide, but a frame can be as narrow as requested.
    frame = machine.write("frame.html", f"<iframe src='measured.html' width='{width}' height='800'></iframe><script>"
                                        "addEventListener('message', e => document.title = e.data)</script>")
    profile = machine.home / "profile"
    options = ["--blink-settings=preferredColorScheme=0"] if dark else []
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", *options,
                           "--virtual-time-budget=10000", "--window-size=1400,1000", "--dump-dom", f"file://{frame}"],
                          capture_output=True, text=True, timeout=240, check=False)
    assert copy.exists()
    found = re.search(r"<title>(\{.*?\})</title>", done.stdout)
    assert found, done.stdout[-500:] + done.stderr[-500:]
    measured = json.loads(found[1].replace("&quot;", '"').replace("&amp;", "&"))
    assert measured["wide"] <= width, "the page scrolls sideways"
    assert measured["cut"] == []
    assert measured["contrast"] >= 4.5, measured
    assert measured["dark"] == dark


# What the browser has laid out: whether the page is wider than its window, which elements are outside it, and the
# lowest contrast of any text with the nearest painted background.
MEASURE = """<script>
//<![CDATA[
const part = c => { c /= 255; return c > 0.03928 ? ((c + 0.055) / 1.055) ** 2.4 : c / 12.92; };
const rgb = s => s.match(/[\\d.]+/g).map(Number);
const light = c => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
  if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
const wide = document.documentElement.scrollWidth, cut = [];
let contrast = 21, least = "";
for (const e of document.body.querySelectorAll("*")) {
  if (e.closest("svg") || e.closest(".skip") || e.closest(".unseen") || e.tagName == "SCRIPT") continue;
  const box = e.getBoundingClientRect();
  if (box.width && box.right > innerWidth + 1 && !e.closest(".scroll") && !e.closest("pre")) cut.push(e.tagName + "." + e.className);
  if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
  const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
  const c = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (c < contrast) { contrast = c; least = e.tagName + "." + e.className; }
}
parent.postMessage(JSON.stringify({wide, cut, contrast, least, dark: light(behind(document.body)) < 0.2}), "*");
//]]>
</script>"""
