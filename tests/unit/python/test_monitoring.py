"""The files of examples/monitoring, with Prometheus' own parser: every expression can be read, finds the series that muster
writes, and every alert fires when it should and not before. With Grafana's models (the package grafana-foundation-sdk), the
dashboard is one that Grafana can read."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, Set

import pytest

MONITORING = Path(__file__).resolve().parents[3] / "examples" / "monitoring"
DASHBOARD = json.loads((MONITORING / "dashboard.json").read_text())
EXPRESSIONS = {f"{panel['title']} {target['refId']}": target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]}
LABELS = 'cluster="big",user="alice",job="42",step="0"'

needs_promtool = pytest.mark.skipif(not shutil.which("promtool"), reason="needs promtool, of Debian's package prometheus")


def rule_test(tmp_path: Path, series: Dict[str, str], **tests: List[dict]) -> None:
    """Runs `promtool test rules`; JSON is YAML."""
    file = tmp_path / "test.yml"
    group = {"interval": "1m", "input_series": [{"series": name, "values": values} for name, values in series.items()], **tests}
    file.write_text(json.dumps({"rule_files": [str(MONITORING / "alerts.yml")], "evaluation_interval": "1m", "tests": [group]}))
    done = subprocess.run(["promtool", "test", "rules", str(file)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def series_of_a_run() -> Dict[str, str]:
    """Every family of the guide's table, with the label that tells its series from one another."""
    guide = (MONITORING.parents[1] / "docs/guides/metrics.md").read_text()
    found = {}
    for name, meaning in re.findall(r"^\| `(muster_\w+)` \| [^|]* \| (.*) \|$", guide, re.MULTILINE):
        own = re.search(r"the label `(\w+)`[^`]*`(\w+)`", meaning)
        found[f"{name}{{{LABELS}{f',{own[1]}={json.dumps(own[2])}' if own else ''}}}"] = "1x200"
    assert len(found) >= 15
    return found


def labels_of(family: str) -> Set[str]:
    (series,) = [each for each in series_of_a_run() if each.startswith(family + "{")]
    return set(re.findall(r"(\w+)=", series))


@needs_promtool
def test_the_alert_rules_are_prometheus_own() -> None:
    subprocess.run(["promtool", "check", "rules", str(MONITORING / "alerts.yml")], check=True)


@needs_promtool
@pytest.mark.parametrize("panel", EXPRESSIONS)
def test_every_panel_shows_the_series_of_a_run(tmp_path: Path, panel: str) -> None:
    expression = EXPRESSIONS[panel].replace("$job", ".+")
    assert "$" not in expression
    rule_test(tmp_path, series_of_a_run(), promql_expr_test=[
        {"expr": f"count({expression})", "eval_time": "10m", "exp_samples": [{"labels": "{}", "value": 1}]},
        {"expr": f"count({expression.replace('.+', '43')})", "eval_time": "10m", "exp_samples": []}])


@pytest.mark.parametrize("panel", [panel["title"] for panel in DASHBOARD["panels"]])
def test_the_legend_of_every_panel_names_labels_that_its_series_have(panel: str) -> None:
    (found,) = [each for each in DASHBOARD["panels"] if each["title"] == panel]
    for target in found["targets"]:
        by = re.search(r"by \(([^)]*)\)", target["expr"])
        family = re.match(r"muster_\w+", target["expr"])
        kept = {each.strip() for each in by[1].split(",")} if by else labels_of(family[0])
        assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= kept, target


HANG = f"muster_hung{{{LABELS}}}"
RESTARTS = f'muster_restarts_total{{{LABELS},cause="node"}}'
RATIO, SECONDS = f"muster_effective_ratio{{{LABELS}}}", f"muster_run_seconds{{{LABELS}}}"
UP, RANKS = f"muster_ranks_up{{{LABELS}}}", f"muster_ranks{{{LABELS}}}"


@needs_promtool
@pytest.mark.parametrize(("alert", "series", "severity", "text"), [
    ("RunHangs", {HANG: "0x29 1x200"}, "warning", "A run of job 42 hangs. To find out why, run muster dump 42."),
    ("RunTrainsTooLittle", {RATIO: "0.9x99 0.5x200", SECONDS: "0+60x200"}, "info", "Job 42 has trained for only 50% of its time."),
    ("RanksAreMissing", {UP: "8x99 7x200", RANKS: "8x200"}, "info", "Only 7 ranks of job 42 are running."),
])
def test_an_alert_fires_when_it_should_and_not_before(tmp_path: Path, alert: str, series: Dict[str, str], severity: str,
                                                      text: str) -> None:
    labels = dict(re.findall(r'(\w+)="(\w+)"', LABELS), severity=severity)
    rule_test(tmp_path, series, alert_rule_test=[
        {"alertname": alert, "eval_time": "28m", "exp_alerts": []},
        {"alertname": alert, "eval_time": "150m", "exp_alerts": [{"exp_labels": labels, "exp_annotations": {"summary": text}}]}])


@needs_promtool
@pytest.mark.parametrize(("restarts", "fires"), [(3, 0), (5, 1)])
def test_the_alert_about_restarts_counts_those_of_an_hour(tmp_path: Path, restarts: int, fires: int) -> None:
    rule_test(tmp_path, {RESTARTS: f"0x29 {restarts}x200"}, promql_expr_test=[
        {"expr": 'count(ALERTS{alertname="RunRestartsAgainAndAgain",job="42"}) or vector(0)', "eval_time": time,
         "exp_samples": [{"labels": "{}", "value": value}]} for time, value in (("20m", 0), ("80m", fires), ("120m", 0))])


def test_the_dashboard_is_one_that_grafana_can_read() -> None:
    models = pytest.importorskip("grafana_foundation_sdk.models.dashboard", reason="needs the package grafana-foundation-sdk")
    back = json.loads(json.dumps(models.Dashboard.from_json(DASHBOARD), default=lambda each: each.to_json()))

    def assert_within(ours, theirs, place="") -> None:
        """What Grafana's models do not know, they leave out."""
        if isinstance(ours, dict):
            for key, value in ours.items():
                assert key in theirs, f"{place}.{key}"
                assert_within(value, theirs[key], f"{place}.{key}")
        elif isinstance(ours, list):
            assert len(ours) == len(theirs), place
            for index, value in enumerate(ours):
                assert_within(value, theirs[index], f"{place}[{index}]")
        else:
            assert ours == theirs, place
    assert_within(DASHBOARD, back)
