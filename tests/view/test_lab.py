"""The laboratory in the browser: the module says what the command line says, and the page draws
it. `make lab` builds the module; without it the tests are skipped, unless DUMBBELL_REQUIRE has
`lab`."""

from __future__ import annotations

import base64
import html
import importlib.util
import itertools
import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dumbbell import api, catalogue
from dumbbell.errors import ScenarioError
from dumbbell.view import lab
from dumbbell.view.lab import forms
from parts import experiments

from . import random_graphs

expect = pytest.importorskip("playwright.sync_api").expect

ROOT = Path(__file__).parents[2]
_TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
_MODULE = _TARGET / "lab/wasm32-unknown-unknown/web/dumbbell_web.wasm"
SHIPPED = sorted(path.name for path in (ROOT / "scenarios").glob("*.toml"))
GRAPHS = 40
PAGES = sorted(path.stem for path in (ROOT / "web" / "lab").glob("*.toml"))

FIRST = """duration = "5 s"
warmup = "1 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "red", limit = "60 pkt" }
flow = [{ cc = "newreno", rtt = "40 ms" }]
"""
WRONG = {
    "a name": FIRST.replace('"red"', '"redd"'),
    "a unit": FIRST.replace("10 Mbps", "10 mbps"),
    "syntax": FIRST.replace("flow = [", "flow = "),
    "two errors": FIRST.replace("newreno", "newrenoo").replace("40 ms", "4 ms"),
    "nothing": "",
}


@pytest.fixture(scope="module")
def module() -> Path:
    """The module, not older than the crates that are in it."""
    required = "lab" in os.environ.get("DUMBBELL_REQUIRE", "").split()
    missing: Callable[[str], Any] = pytest.fail if required else pytest.skip
    if not shutil.which("node"):
        missing("the module is tried in Node")
    if not _MODULE.exists():
        missing("the module is not built: `make lab` builds it where a WebAssembly target is")
    without = {"emu", "linux", "rtl", "lab", "py", "script"}
    crates = [c for c in (ROOT / "crates").iterdir() if c.name[len("dumbbell-") :] not in without]
    sources = [path for crate in crates for path in (crate / "src").rglob("*.rs")]
    if max(path.stat().st_mtime for path in sources) > _MODULE.stat().st_mtime:
        missing("the module is older than its sources: `make lab` builds it")
    return _MODULE


def _about(name: str) -> dict[str, Any]:
    """The file of a page."""
    return tomllib.loads((ROOT / "web" / "lab" / f"{name}.toml").read_text(encoding="utf-8"))


def asked(module: Path, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The ends of runs in Node."""
    done = subprocess.run(
        ["node", str(ROOT / "web/test/module.mjs"), str(module)],
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def asked_in_a_browser(
    browser: Any, module: Path, requests: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The ends of runs in Chromium."""
    script = (ROOT / "web/test/answers.mjs").read_text(encoding="utf-8").replace("export ", "")
    shown = browser.new_page()
    try:
        return shown.evaluate(
            f"""async ([packed, requests]) => {{
                {script}
                const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
                const {{ instance }} = await WebAssembly.instantiate(bytes, {{}});
                return answers(instance.exports, requests);
            }}""",
            [base64.b64encode(module.read_bytes()).decode(), requests],
        )
    finally:
        shown.close()


def begin(**scenario: Any) -> dict[str, Any]:
    return {"verb": "begin", "scenario": {"instants": 600, **scenario}}


def native(source: dict[str, Any]) -> str:
    """The fingerprint of the first run of the first point."""
    result = api.call("run", {"source": source})
    point = result["points"][0] if "points" in result else result
    return str(point["runs"][0]["fingerprint"] if "runs" in point else point["fingerprint"])


def shipped() -> tuple[list[str], list[dict[str, Any]]]:
    """The scenarios that ship, from the checkout, and the requests for their runs."""
    paths = [p for p in Path("scenarios").rglob("*") if p.suffix in {".toml", ".trace"}]
    files = {str(path): path.read_text(encoding="utf-8") for path in paths}
    names = [f"scenarios/{name}" for name in SHIPPED]
    return names, [begin(name=name, files=files) for name in names]


def test_shipped_scenarios_have_the_native_fingerprints(
    module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    names, requests = shipped()
    found = asked(module, requests)
    told = {name: one["run"]["fingerprint"] for name, one in zip(names, found, strict=True)}
    assert told == {name: native({"path": name}) for name in names}


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The plans of crates/dumbbell-sim/tests/golden.rs, whose test writes them."""
    file = tmp_path_factory.mktemp("golden") / "plans.json"
    command = ["cargo", "test", "--release", "--quiet", "-p", "dumbbell-sim", "--test", "golden"]
    environment = os.environ | {"DUMBBELL_GOLDEN_PLANS": str(file)}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    plans = json.loads(file.read_text(encoding="utf-8"))
    assert len(plans) == 2
    return plans


def test_golden_plans_have_their_fingerprints(module: Path, golden: list[dict[str, Any]]) -> None:
    found = asked(module, [{"verb": "begin", "plan": one["plan"]} for one in golden])
    assert [one["run"]["fingerprint"] for one in found] == [one["fingerprint"] for one in golden]


def test_chromium_has_the_fingerprints_of_golden_plans(
    browser: Any, module: Path, golden: list[dict[str, Any]]
) -> None:
    requests = [{"verb": "begin", "plan": one["plan"]} for one in golden]
    found = asked_in_a_browser(browser, module, requests)
    assert [one["run"]["fingerprint"] for one in found] == [one["fingerprint"] for one in golden]


def test_chromium_has_the_native_fingerprints_of_scenarios_and_random_graphs(
    browser: Any, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    names, requests = shipped()
    offered = lab.template()
    queues, controls = ([one["name"] for one in offered[kind]] for kind in ("queues", "controls"))
    graphs = [random_graphs.scenario(seed, queues, controls) for seed in range(1, GRAPHS + 1)]
    requests += [begin(name="lab.toml", text=text) for text in graphs]
    found = asked_in_a_browser(browser, module, requests)
    sources = [{"path": name} for name in names]
    sources += [{"text": text, "name": "lab.toml"} for text in graphs]
    expected = [native(source) for source in sources]
    assert len(set(expected)) == len(expected)
    assert [one["run"]["fingerprint"] for one in found] == expected


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_scenario_has_the_message_of_the_command_line(module: Path, text: str) -> None:
    (told,) = asked(module, [begin(text=text, name="lab.toml")])
    with pytest.raises(ScenarioError) as found:
        api.call("plan", {"source": {"text": text, "name": "lab.toml"}})
    assert told["problem"]["rendered"].strip() == str(found.value).strip()


def _built(module: Path, directory: Path) -> dict[str, Path]:
    spec = importlib.util.spec_from_file_location("lab_tool", ROOT / "docs/tools/lab.py")
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return {file.stem: file for file in tool.write(module, directory)}


@pytest.fixture(scope="module")
def pages(module: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return _built(module, tmp_path_factory.mktemp("lab"))


def _done(shown: Any, before: str = "") -> str:
    """The fingerprint of the next run. The page's policy permits no other way to wait."""
    shown.wait_for_selector(f'#lab[data-state=done]:not([data-fingerprint="{before}"])')
    return str(shown.get_attribute("#lab", "data-fingerprint"))


def test_the_page_draws_what_the_command_line_runs(
    opened: Callable[..., Any], pages: dict[str, Path]
) -> None:
    shown = opened(pages["lab"])
    print_ = _done(shown)
    text = shown.input_value("#lab-text")
    assert print_ == native({"text": text, "name": "lab.toml"})
    assert shown.locator("canvas").count() >= 4
    assert "near.2" in shown.inner_text("#lab-numbers")
    # A slider moves.
    shown.locator("#lab-rate").fill("700")
    moved = _done(shown, print_)
    text = shown.input_value("#lab-text")
    assert 'rate = "25 Mbps"' in text
    assert moved == native({"text": text, "name": "lab.toml"})
    # The text rules.
    shown.fill("#lab-text", FIRST)
    edited = _done(shown, moved)
    assert edited == native({"text": FIRST, "name": "lab.toml"})
    expect(shown).to_have_url(re.compile("#toml=duration"))
    # A wrong one is explained, and the figure stays.
    shown.fill("#lab-text", WRONG["a name"])
    shown.wait_for_selector("#lab[data-state=wrong]")
    assert "did you mean `red`?" in shown.inner_text(".lab-wrong")
    assert shown.get_attribute("#lab", "data-fingerprint") == edited


def test_an_address_has_the_scenario(opened: Callable[..., Any], pages: dict[str, Path]) -> None:
    shown = opened(pages["lab"], "#queue=codel&near=12&far=0")
    _done(shown)
    text = shown.input_value("#lab-text")
    assert 'kind = "codel"' in text and "count = 12" in text and '"far"' not in text
    assert "near, 12 flows" in shown.inner_text("#time-page")


@pytest.mark.parametrize("name", [name for name in PAGES if name != "lab"])
def test_the_buttons_of_a_text_run(
    opened: Callable[..., Any], pages: dict[str, Path], name: str
) -> None:
    about = _about(name)
    shown = opened(pages[name], viewport={"width": 400, "height": 800})
    _done(shown)
    assert shown.evaluate("document.documentElement.scrollWidth") <= 400
    for button in shown.locator("[data-set]").all():
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        shown.wait_for_selector("#lab[data-state=done]")
        values = forms.states(about)[button.inner_text()]
        assert shown.input_value("#lab-text") == forms.filled(about, values)


def test_the_module_has_what_the_form_offers_and_what_experiments_use(module: Path) -> None:
    offered = [one["name"] for kind in ("queues", "controls") for one in lab.template()[kind]]
    used = [a for a in catalogue.algorithms() if experiments.possible(a)]
    assert set(offered) <= {a.name for a in used}
    told = asked(module, [begin(text=experiments.scenario(a), name="lab.toml") for a in used])
    wrong = {a.name: one["problem"] for a, one in zip(used, told, strict=True) if "problem" in one}
    assert wrong == {}


@pytest.mark.parametrize("name", ["codel", "bbr", "token_bucket", "gilbert_elliott"])
@pytest.mark.parametrize("width", [400, 800])
def test_an_experiment_runs_in_its_page_when_it_is_opened(
    browser: Any, pages: dict[str, Path], tmp_path: Path, name: str, width: int
) -> None:
    (algorithm,) = (a for a in catalogue.algorithms() if a.name == name)
    (tmp_path / "lab").symlink_to(pages["lab"].parent)
    file = tmp_path / "page.html"
    file.write_text(f"<!DOCTYPE html>{experiments.section(algorithm, '')}", encoding="utf-8")
    shown = browser.new_page(viewport={"width": width, "height": 800})
    try:
        asked: list[str] = []
        shown.on("request", lambda request: asked.append(request.url.partition("#")[0]))
        shown.goto(file.as_uri())
        shown.wait_for_timeout(300)
        assert asked == [file.as_uri()]
        shown.click("summary")
        frame = shown.wait_for_selector("iframe").content_frame()
        print_ = _done(frame)
        text = experiments.scenario(algorithm)
        assert frame.input_value("#lab-text") == text
        assert print_ == native({"text": text, "name": "lab.toml"})
        assert frame.locator("canvas").count() >= 4
        assert not frame.is_visible("h1")
        assert frame.is_visible("#lab-rate") is ("#toml=" not in frame.url)
        assert frame.evaluate("document.documentElement.scrollWidth") <= width
        outside = {url for url in asked if not url.startswith("blob:")}
        assert outside == {file.as_uri(), (tmp_path / "lab" / "lab.html").as_uri()}
    finally:
        shown.close()


def test_a_page_leads_to_the_next_and_the_last_to_none(pages: dict[str, Path]) -> None:
    order = sorted(PAGES, key=lambda name: _about(name)["place"])
    next_ = {
        name: re.findall(r'Next page: <a href="([\w-]+)\.html"', file.read_text(encoding="utf-8"))
        for name, file in pages.items()
    }
    # The laboratory has no text to end.
    expected = {name: [after] for name, after in itertools.pairwise(order[1:])}
    assert next_ == {"lab": [], order[-1]: [], **expected}


def test_a_phone_shows_the_figures_and_leads_back_to_the_text(
    opened: Callable[..., Any], pages: dict[str, Path]
) -> None:
    shown = opened(pages["bufferbloat"], viewport={"width": 390, "height": 800})
    before = _done(shown)
    button = shown.locator("[data-set]").nth(2)
    button.click()
    _done(shown, before)
    expect(shown.locator("#lab-figures .lab-state")).to_be_in_viewport()
    expect(button).not_to_be_in_viewport()
    shown.click(".lab-return")
    expect(button).to_be_in_viewport()
    shown.click("text=What the columns mean")
    assert "Waiting time" in shown.inner_text("#lab-numbers")


_EMPTY = b"\0asm\1\0\0\0"
"""The header of a module: its magic number and its version."""
_BROTLI = """
const { brotliCompressSync, constants } = require("node:zlib");
const page = require("node:fs").readFileSync(process.argv[1]);
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
console.log(brotliCompressSync(page, { params }).length);
"""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_small_where_a_server_compresses_it(pages: dict[str, Path], name: str) -> None:
    done = subprocess.run(
        ["node", "-e", _BROTLI, str(pages[name])], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) <= 1_200_000


def test_the_words_of_the_template_are_those_of_view() -> None:
    found = lab.template()
    assert list(found["panels"]) == ["queue", "probability", "cwnd", "delay", "goodput"]
    assert {one["name"] for one in found["queues"]} >= {"red", "drop_tail", "fq_codel"}
    assert found["units"]["s"][-1][2] == "s"


def test_the_page_allows_its_script_alone() -> None:
    about = {"title": "T", "scenario": "x", "slider": [], "choice": []}
    text = html.unescape(lab.page(_EMPTY, about))
    assert "default-src 'none'" in text and "connect-src" not in text
    assert base64.b64encode(_EMPTY).decode() not in text


def test_a_page_has_no_custom_sections_of_the_module() -> None:
    about = {"title": "T", "scenario": "x", "slider": [], "choice": []}
    memory = bytes([5, 3, 1, 0, 1])
    named = bytes([0, 200, 1]) + b"\x04name".ljust(200, b"x")
    page = lab.page(_EMPTY + named + memory + named, about)
    assert page == lab.page(_EMPTY + memory, about)
    assert page != lab.page(_EMPTY, about)
