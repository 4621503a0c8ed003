# Everything sets itself up: `make run` and `make test` work in a fresh clone. `make help` lists the rest.
SHELL := /bin/sh
PYTHON ?= python3
BIN := .venv/bin
# One profile and one target directory for the extension, the tests and the benchmarks.
# Not `cargo fmt`: it does not follow the modules that `registry!` declares.
RUST_FILES = $(shell git ls-files '*.rs')
# `uv` installs in a tenth of pip's time and compiles nothing: Python does at the first import, and must be allowed to
# keep that. pip is the way where only pip knows the index.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
define install
$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $(1) || $(PIP) -r $(1)
endef
CARGO_TEST := cargo test --release --config .cargo/checked.toml --workspace

.DEFAULT_GOAL := help
.PHONY: help setup pins build wheel sdist test-wheel stubs run test test-rust test-python guard freeze learn rtl fuzz mutants interleave faults check web lab test-lab bench fabric-bench page-bench lab-bench parts compare compare-results agreement linux power man docs site gallery conformance fmt clean

help:  ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.ready  ## Create .venv with the pinned requirements

.venv/.ready: requirements/base.txt .ci/system
	@sh .ci/system $(PYTHON)
	$(PYTHON) -m venv .venv
	@awk '/^uv==/ {found = 1} found; found && !/\\$$/ {exit}' $< > .venv/uv.txt
	$(PIP) -r .venv/uv.txt
	$(call install,$<)
	@touch $@

.venv/.programs: .venv/.ready .ci/system
	@sh .ci/system $(PYTHON) test
	@touch $@

.venv/.ready-test .venv/.ready-docs .venv/.ready-wheel .venv/.ready-rtl .venv/.ready-rtl-place: .venv/.ready-%: requirements/%.txt .venv/.ready
	$(call install,$<)
	@touch $@

.venv/.ready-test: .venv/.programs
.venv/.ready-rtl: .venv/.ready-test
.venv/.ready-rtl-place: .venv/.ready-rtl

pins: setup  ## Pin requirements/*.in with hashes again, and the Python packages that they need
	@for each in base test rtl rtl-place docs wheel; do \
	  $(BIN)/uv pip compile --quiet --python-platform linux --python-version 3.11 --generate-hashes --no-annotate --no-emit-index-url \
	    --custom-compile-command "make pins" requirements/$$each.in --output-file requirements/$$each.txt || exit 1; \
	done

build: setup  ## Build the extension (release) into .venv; DEV=1: in seconds after a change, somewhat slower
	@[ -e python/dumbbell/_native.abi3.so ] || echo "Building Dumbbell: some minutes, the first time." >&2
	PIP_QUIET=1 $(BIN)/maturin develop --release --quiet $(if $(DEV),--config .cargo/dev.toml)
	@$(MAKE) --no-print-directory stubs

stubs:
	@$(BIN)/python -m dumbbell.present.stubs

# The folder of pyproject.toml's `data`: what is in it is installed under the prefix.
SHARE := scripts/wheel/data/share
# This machine's C library decides on which others the wheel runs. Zig links against one of any age.
wheel: .venv/.ready-wheel build  ## Build a wheel, target/wheels; OLDEST=2_17: for Linux with that C library or a newer one
	$(BIN)/python scripts/notices.py THIRD-PARTY-NOTICES
	@mkdir -p $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(BIN)/dumbbell man > $(SHARE)/man/man1/dumbbell.1
	$(BIN)/dumbbell completion bash > $(SHARE)/bash-completion/completions/dumbbell
	$(BIN)/dumbbell completion zsh > $(SHARE)/zsh/site-functions/_dumbbell
	$(BIN)/dumbbell completion fish > $(SHARE)/fish/vendor_completions.d/dumbbell.fish
	$(BIN)/maturin build --release --locked --compression-level 9 $(if $(OLDEST),--zig --compatibility manylinux_$(OLDEST))

sdist: setup  ## Build a source distribution (target/wheels): `pip install FILE` builds Dumbbell from it
	$(BIN)/maturin sdist

test-wheel: .venv/.ready-test wheel  ## Install the wheel without the checkout, and use it in an empty folder (a minute)
	DUMBBELL_REQUIRE=wheel $(BIN)/python -m pytest tests/wheel

run: build  ## Reproduce a paper (half a minute of CPU time) and say where its report is
	$(BIN)/dumbbell reproduce red-on-netfpga --quick

test: .venv/.ready-rtl build  ## Every test: Rust, then Python, hardware too
	@$(MAKE) --no-print-directory test-rust
	@$(MAKE) --no-print-directory test-python
	@$(MAKE) --no-print-directory guard

# The parts of `test`, for .ci/run: they install and build nothing for Python.
test-rust:
	$(BIN)/python tests/slowest.py $(CARGO_TEST)
	cargo test --release --workspace --test golden  # the same fingerprints in the profile that users have

test-python:
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

guard: .venv/.ready-test  ## Instructions for each packet and each flow's plan, against bench/instructions.json; UPDATE=1 records
	cargo build --release --quiet --workspace --example hop --example plan
	$(BIN)/python bench/guard.py $(if $(UPDATE),--update)

freeze: build  ## What no change of form may move: scenarios, quick papers, drawn graphs, instructions (minutes)
	$(BIN)/python tests/freeze.py --papers
	$(CARGO_TEST) --test folding drawn
	$(CARGO_TEST) --test frozen --test all fingerprints
	@$(MAKE) --no-print-directory guard

learn: .venv/.ready-test build  ## Learn a congestion control, and compare it with CUBIC and others (minutes): make learn ARGS=--quick
	$(BIN)/python notebooks/learn_control.py $(ARGS)

rtl: .venv/.ready-rtl-place build  ## The hardware on demand: lockstep, proofs, place and route, sown faults: make rtl PACKETS=1000000000
	$(BIN)/dumbbell rtl red --check --packets $(or $(PACKETS),1000000000)
	$(BIN)/dumbbell rtl red --coverage
	$(BIN)/dumbbell rtl red --mutants
	$(BIN)/dumbbell rtl red --synth --place

mutants:  ## Faults sown into floors 0 to 2, and those no test finds: make mutants FILE=crates/dumbbell-tcp/src/rtt.rs, or SAMPLE=300
	sh tests/mutants/run.sh $(FILE) $(if $(SAMPLE),-- --sample $(SAMPLE) $(ARGS))

interleave:  ## All orders of steps of two processes over one store (minutes)
	DUMBBELL_INTERLEAVE=all $(CARGO_TEST) --test interleave -- --nocapture

fuzz: .venv/.ready-test build  ## Random input for every reader: make fuzz SECONDS=3600 TARGET=scenario
	sh fuzz/run.sh $(or $(SECONDS),30) $(TARGET)

faults: .venv/.ready  ## Seed faults in a copy: each must turn a check of the validation suite red
	$(BIN)/python faults/run.py $(ARGS)

check: .venv/.ready-test build  ## Formatting, lints, types and prose, without changing anything
	rustfmt --edition 2024 --check $(RUST_FILES)
	cargo clippy --workspace --all-targets --release --config .cargo/checked.toml -- -D warnings
	$(BIN)/ruff format --check python tests docs/tools notebooks classroom bench faults fuzz
	$(BIN)/ruff check python tests docs/tools notebooks classroom bench faults fuzz
	$(BIN)/python -m mypy --strict python/dumbbell
	$(BIN)/python docs/tools/prose.py

web:  ## Build the script of the time page into the package, and run its tests; needs Node
	cd web && npm ci --silent && npm run --silent check && npm test --silent && npm run --silent build

lab: build  ## The laboratory as pages with the simulator inside: build/lab; needs a WebAssembly target
	$(BIN)/python docs/tools/lab.py "$$(sh web/build-lab.sh)" build/lab

test-lab: .venv/.ready-test lab  ## Tests of the laboratory, which `make test` skips where it is not built
	DUMBBELL_REQUIRE="lab browser node" $(BIN)/python -m pytest tests/view/test_lab.py

bench: build  ## What a simulated packet costs: make bench ARGS="--flows 10 --json"
	$(BIN)/dumbbell bench $(ARGS)

fabric-bench: build  ## The published benchmark of fat trees (minutes): make fabric-bench ARGS="8=1s 16=1s@2"
	$(BIN)/python bench/fabric.py $(ARGS)
	$(BIN)/python docs/tools/generate.py

page-bench: .venv/.ready-test  ## How fast pages of `view` open and pan, and their sizes; needs Chromium
	$(BIN)/python bench/page.py $(ARGS)

lab-bench: .venv/.ready-test lab  ## How fast the laboratory starts and follows a slider; needs Chromium
	$(BIN)/python bench/lab.py $(ARGS)

parts: .venv/.ready  ## The benchmarks of the parts: each AQM, each control, the agenda: make parts ARGS="aqm --quick"
	sh bench/run.sh $(ARGS)

compare: .venv/.ready-compare build  ## Speed beside ns-2 and ns-3 on the same work (minutes, on an idle machine)
	$(BIN)/dumbbell compare

compare-results: .venv/.ready-compare build  ## Results beside ns-2's, scenario by scenario
	$(BIN)/dumbbell compare --results

.venv/.ready-compare: .ci/system .venv/.ready
	@sh .ci/system $(PYTHON) compare
	@touch $@

agreement: .venv/.ready-compare build  ## The same scenarios in five places (live runs take half an hour): make agreement ARGS="--page"
	$(BIN)/python docs/tools/places.py $(ARGS)

linux: build  ## The profile linux beside Linux itself, cell by cell (a quarter of an hour): make linux ARGS="--cc cubic"
	$(BIN)/python docs/tools/agreement.py $(ARGS)

PAPERS := ea-red jumbo-frames packet-buffering-marker red-on-netfpga tcp-cae
power: build  ## What each verdict on a paper would have noticed (minutes): make power PAPERS=ea-red
	for each in $(PAPERS); do $(BIN)/dumbbell reproduce $$each --power --out build/power/$$each || exit 1; done
	$(BIN)/python docs/tools/power.py $(addprefix build/power/,$(PAPERS))

man: build  ## Write the manual page, build/man/dumbbell.1
	@mkdir -p build/man
	$(BIN)/dumbbell man > build/man/dumbbell.1

docs: build  ## Write the generated parts and the outputs of the examples into the pages; build the site
	$(BIN)/python docs/tools/generate.py
	$(BIN)/python docs/tools/examples.py --update
	@$(MAKE) --no-print-directory site

site: .venv/.ready-docs build  ## Build the site, with a page for each algorithm: build/docs/site; after `make lab` with live experiments
	$(BIN)/python docs/tools/website.py

gallery: build  ## Draw docs/gallery anew: five whole reproductions, a recorded run, a comparison
	$(BIN)/dumbbell reproduce red-on-netfpga --out build/gallery/reproduction
	$(BIN)/dumbbell reproduce ea-red --out build/gallery/ea-red
	$(BIN)/dumbbell reproduce tcp-cae --out build/gallery/tcp-cae
	$(BIN)/dumbbell reproduce packet-buffering-marker --out build/gallery/packet-buffering-marker
	$(BIN)/dumbbell reproduce jumbo-frames --out build/gallery/jumbo-frames
	$(BIN)/dumbbell run scenarios/first.toml --record-every "2 ms" -s record.packets=true --out build/gallery/first
	$(BIN)/dumbbell plot build/gallery/first cwnd goodput queue delay curve
	$(BIN)/dumbbell plot build/gallery/first phase --flow far --flow near.1 --from "20 s" --to "35 s"
	$(BIN)/dumbbell plot build/gallery/first timeseq --flow near.2 --from "8.2 s" --to "8.8 s"
	$(BIN)/dumbbell run scenarios/first.toml --record-every "2 ms" -s record.packets=true -s queue=drop_tail --out build/gallery/drop_tail
	$(BIN)/python docs/tools/screens.py build/gallery/first build/gallery/drop_tail
	$(BIN)/dumbbell compare drop_tail red ea_red codel --cc newreno cubic -o rtt=20ms,80ms,200ms --out build/gallery/schemes
	$(BIN)/python docs/tools/gallery.py build/gallery/reproduction build/gallery/first build/gallery/schemes build/gallery/ea-red build/gallery/tcp-cae build/gallery/packet-buffering-marker build/gallery/jumbo-frames
	$(BIN)/python docs/tools/generate.py

conformance: build  ## Judge the algorithms of docs/explanation/conformance.md anew: make conformance ARGS=queues
	$(BIN)/python docs/tools/conformance.py $(ARGS)
	$(BIN)/python docs/tools/generate.py

fmt: setup  ## Format Rust and Python
	rustfmt --edition 2024 $(RUST_FILES)
	$(BIN)/ruff format python tests docs/tools notebooks classroom bench faults fuzz
	$(BIN)/ruff check --fix python tests docs/tools notebooks classroom bench faults fuzz

clean:  ## Remove what the other targets made
	cargo clean
	rm -rf .venv results build python/dumbbell/_native*.so python/dumbbell/algorithms.pyi python/dumbbell/data/measured.pyi
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +
