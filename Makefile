# What a developer runs. "make test" is what has to pass; .ci/run calls it.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# The linters are pinned, with checksums, in a module of their own: the
# product does not depend on them.
TOOL := go tool -modfile=tools/go.mod

# The race detector would watch every access of SQLite, which was translated from C, locks for
# itself and is not ours: that alone is half of the time, and its pointers are not Go's.
RACE := -race -gcflags='modernc.org/...=-d=checkptr=0 -race=false'

# One PostgreSQL server for the tests of all packages.
WITH_POSTGRES := go run ./scripts/withpostgres

TESTFLAGS ?=
ifeq ($(CI),true)
TESTFLAGS += -count=1
endif

# How often the long crash suite kills the hub, on each store.
KILLS ?= 200

.PHONY: help build test race quick setup lint fmt tidy-check crash bridge schedules members mutate schemathesis bench peers conformance clients examples weigh screenshots picture page-speed soak cover clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

build: ## build bin/parley
	CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o bin/parley ./cmd/parley

# The race detector otherwise has each of the many programs that tests start sleep
# for a second before it ends.
# Three packages at once, since many of them wait for processes and servers, and the linters
# beside them; vet is among those, and nobody debugs what is linked here. Those that take
# longest and wait for nothing begin, so that they are not alone at the end.
test: setup ## check and test everything, under the race detector
	@$(MAKE) --no-print-directory -j 2 lint race

LONGEST := ./test/scenario ./internal/turn

race:
	CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 PARLEY_DAY=$$(($$(date +%s) / 86400)) $(WITH_POSTGRES) go test $(RACE) -p 3 -vet=off -ldflags=-w -timeout 25m $(TESTFLAGS) $(LONGEST) ./...

quick: ## the tests that need no server and no minutes: for the inner loop
	go test . ./internal/budget ./internal/claim ./internal/config ./internal/contact ./internal/keeper/... ./internal/policy ./internal/question \
		./internal/retention ./internal/store ./internal/turn ./internal/work ./test/rules

setup: ## install what the tests need, where it is missing
	@scripts/setup
	@scripts/axe

lint: ## gofmt, go vet, staticcheck, errcheck
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go vet -tags clients ./test/clients
	$(TOOL) staticcheck ./...
	$(TOOL) errcheck -ignoretests -exclude tools/errcheck.txt ./...

fmt: ## format all Go files
	gofmt -w .

tidy-check: ## fail if go.mod or go.sum is not tidy
	go mod tidy -diff
	go -C tools mod tidy -diff

crash: setup ## kill the hub KILLS=200 times under load, on both stores
	CGO_ENABLED=1 PARLEY_CRASH_KILLS=$(KILLS) go test $(RACE) -count=1 -timeout 60m -v ./test/crash

bridge: KILLS = 100
bridge: setup ## kill the hub KILLS=100 times while it talks with a chat program
	PARLEY_CRASH_KILLS=$(KILLS) go test -count=1 -timeout 30m -v -run TestABridge ./test/crash

schedules: KILLS = 100
schedules: setup ## kill three hubs that keep the same schedules KILLS=100 times, on PostgreSQL
	PARLEY_CRASH_KILLS=$(KILLS) go test -count=1 -timeout 60m -v -run TestScheduledWorkOfThreeHubs ./test/crash

# The members are programs with the official TypeScript SDK, which stays in a folder of its
# own below the user's cache.
MCPSDK := 1.32.2

members: KILLS = 50
members: setup ## kill outside agents (TypeScript SDK, curl) and the hub KILLS=50 times, on both stores; needs npm
	@set -e; sdk="$${XDG_CACHE_HOME:-$$HOME/.cache}/parley/mcp-sdk-$(MCPSDK)"; \
	if [ ! -d "$$sdk/node_modules" ]; then mkdir -p "$$sdk"; npm install --silent --no-fund --no-audit --prefix "$$sdk" @modelcontextprotocol/sdk@$(MCPSDK); fi; \
	PARLEY_CRASH_SDK="$$sdk" PARLEY_CRASH_KILLS=$(KILLS) go test -count=1 -timeout 60m -v -run TestMembersAreKilled ./test/crash

# The clients of other makers, and both lines of the TypeScript SDK, from npm. docs/join.md
# names the versions.
CLIENTS := @anthropic-ai/claude-code@2.1.325 @openai/codex@0.166.0 @google/gemini-cli@0.61.0 opencode-ai@1.18.33 \
	@modelcontextprotocol/sdk@$(MCPSDK) @modelcontextprotocol/client@2.4.0
CLIENT ?= .

.PHONY: clients
clients: ## have real clients join a team: needs npm, and 1.3 GB below bin (CLIENT=Codex for one of them)
	npm install --no-audit --no-fund --prefix bin/.clients $(CLIENTS)
	PARLEY_CLIENTS=$(CURDIR)/bin/.clients go test -count=1 -tags clients -timeout 20m -v -run '$(CLIENT)' ./test/clients

mutate: setup ## plant each fault of test/mutants and look whether a test notices (MUTANTS=contact for some)
	go run ./test/mutants -build $(MUTANTS)
	$(WITH_POSTGRES) go run ./test/mutants $(MUTANTS)

# schemathesis is for Python, and stays in a folder of its own below the user's cache. The hub
# is a new one with the first template, and has no pause after wrong tokens, which are tried
# here too. It is ended here, also when something fails.
SCHEMATHESIS := 4.32.0
SCHEMATHESISFLAGS ?= -n 50
SCHEMATHESISPORT ?= 7557

schemathesis: build ## have schemathesis try what /openapi.json says (needs python3; SCHEMATHESISFLAGS="-n 100 --seed 7")
	@set -e; venv="$${XDG_CACHE_HOME:-$$HOME/.cache}/parley/schemathesis-$(SCHEMATHESIS)"; \
	if [ ! -x "$$venv/bin/schemathesis" ]; then python3 -m venv "$$venv"; "$$venv/bin/pip" -q install schemathesis==$(SCHEMATHESIS); fi; \
	team=$$(mktemp -d); bin/parley init "$$team" >/dev/null; echo "door: {failures: 1000000}" >>"$$team/parley.yaml"; \
	bin/parley up "$$team" --listen 127.0.0.1:$(SCHEMATHESISPORT) >"$$team/up.log" 2>&1 & hub=$$!; \
	trap 'kill -INT $$hub 2>/dev/null || :; wait $$hub || :; rm -rf "$$team"' EXIT; \
	until bin/parley --dir "$$team" agents >/dev/null 2>&1; do kill -0 $$hub || { cat "$$team/up.log"; exit 1; }; done; \
	cd "$$team"; "$$venv/bin/schemathesis" --config-file "$(CURDIR)/tools/schemathesis.toml" run http://127.0.0.1:$(SCHEMATHESISPORT)/openapi.json \
		-H "Authorization: Bearer $$(cat "$$team/.parley/hub.token")" --exclude-path-regex '/live$$' --checks all --no-color $(SCHEMATHESISFLAGS)

# With the test servers and the labelled data that some lines need, and that nobody
# else does: a program of its own.
bench: ## measure this machine's limits and the hub beside them (BENCHFLAGS=--quick)
	CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -tags bench -o bin/parley-bench ./cmd/parley
	bin/parley-bench bench $(BENCHFLAGS)

# The frameworks are for Python, and stay in a folder below the user's cache. The databases are
# below bin, which is on a disk: /tmp may be memory.
peers: build ## measure an ask within an ask beside LangGraph and the OpenAI Agents SDK (needs python3; PEERSFLAGS="--rounds 3")
	python=$$(bench/peers/setup) && "$$python" -B bench/peers/run.py --program bin/parley --data bin $(PEERSFLAGS)

conformance: ## the official MCP conformance suite and the inspector against a real hub; needs npm
	go run ./test/conformance

SHOTS ?= /tmp/parley-screenshots

screenshots: setup ## pictures of every view of the page, into SHOTS=
	go run ./test/screenshots $(SHOTS)

picture: setup ## the pictures that README begins with, of the demo at work
	go run ./test/screenshots -picture docs

page-speed: setup ## how fast the page is in a browser
	go run ./test/measure

soak: setup ## watch the memory of a tab for SOAK=1h
	PARLEY_SOAK=$(or $(SOAK),1h) go test -count=1 -timeout 3h -v -run TestATabDoesNotGrow ./test/browser

weigh: ## what each dependency adds to the program and to its first build, in minutes
	go run ./scripts/weigh

cover: setup ## test coverage of all packages by all tests, as bin/cover.html
	@mkdir -p bin
	CGO_ENABLED=0 $(WITH_POSTGRES) go test -timeout 15m -coverpkg=./... -coverprofile=bin/cover.out ./...
	go tool cover -html=bin/cover.out -o bin/cover.html
	@go tool cover -func=bin/cover.out | tail -n 1

examples: ## run the examples that need packages from PyPI, with a model on this machine
	go test -count=1 -timeout 15m -tags examples -run Frameworks -v ./test/programs

clean: ## remove what was built
	rm -rf bin
