# rff: make run, make test; make help lists the rest.

GO ?= go
MODULE = github.com/rffgo/rff
FUZZTIME ?= 60s
# Without the tables of debuggers, which are a sixth of the time of a cold build (tracebacks
# have tables of their own), and with the commit that rff version says.
BUILD = -buildvcs=auto -gcflags=all=-dwarf=false -ldflags "-s -w"
# The optional real data sets; RFF_DATA in the environment wins.
RFF_DATA ?= $(abspath $(wildcard ../shared/data))
export RFF_DATA

# What is the same Go on every backend is not tested once more on OpenBLAS: searches and
# learning, which are many fits of one kind, losses, ranks and calibrations of held-out rows,
# checkpoints, progress, files and what reads them, and draws without data. Of searches and of
# losses the plainest are. Golden bits are those of the native backend.
SAME = ^Test(Auto.+|GramOfASearch|LogLossOf.*|Calibration.*|ModelOf.*|.*Resumes|Progress.*|Cancel.*|LearningNoise|ImportanceOfFewValues|RefinedResumes|Golden|Loss[^P].*|Quantiles.+|Coverage.*|.+Files|.*NumPy.*|Kill.*|ORFAgainstMonteCarlo|.+HasNoBias|.+AreUnbiased|ErrorFallsAsTheorySays)$$

.PHONY: run check test help build install rffbench bench site web results reproduce tidy lint race portability fuzz cover clean bench-paths bench-ridge wheel test-python test-openblas stress-openblas

# Without Brotli, and with the resolver of names in Go: the library of flags imports net,
# which would call a C compiler where there is one.
run: ## compare samplers on the built-in letters and write a report (under a minute)
	@mkdir -p out
	@echo "compiling bin/rff: some 20 seconds where nothing is compiled yet"
	@$(GO) build $(BUILD) -tags small,netgo -o bin/rff ./cmd/rff
	@./bin/rff compare --features 64,256,512 --html out/letter.html
	@echo "The command is bin/rff: try ./bin/rff --help"

check: ## what a change must pass in minutes: vet, lint, the short tests, the generators
	@GO="$(GO)" sh ci/check.sh

test: ## run every test that this machine can run, and say what it cannot
	@GO="$(GO)" sh ci/full.sh

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the command as bin/rff, with the decoder of Brotli, which make run leaves out
	@$(GO) build $(BUILD) -o bin/rff ./cmd/rff

install: ## install the command into Go's bin folder
	$(GO) install $(BUILD) ./cmd/rff

rffbench: ## build the command of the experiments and benchmarks as bin/rffbench
	@$(GO) -C bench build $(BUILD) -o ../bin/ ./cmd/rffbench

wheel: ## build the Python package into out/python (needs a C compiler)
	@GO="$(GO)" sh python/build.sh

test-python: ## build the Python package, and test it with scikit-learn from the package index
	@GO="$(GO)" sh ci/python.sh

bench: rffbench ## time every operation against this machine's own roof
	@./bin/rffbench roof

bench-paths: ## write bench/RESULTS-paths.md: every path, and the paper's timing claims
	env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE $(GO) -C bench run -tags openblas ./paths -o RESULTS-paths.md

bench-ridge: ## write bench/RESULTS-ridge.md: ridge fits against NumPy and SciPy
	@GO="$(GO)" sh bench/ridge/all.sh

test-openblas: ## the tests on OpenBLAS (Debian: gcc pkg-config libopenblas-dev)
	$(GO) vet -tags openblas . ./blas ./cgo
	RFF_TEST_REQUIRE=openblas $(GO) test -vet=off -count=1 -timeout 60m -tags openblas -skip Throughput ./cgo
	RFF_TEST_REQUIRE=openblas $(GO) test -vet=off -count=1 -timeout 60m -tags openblas -run OpenBLAS ./blas
	RFF_TEST_REQUIRE=openblas $(GO) -C bench test -vet=off -count=1 -timeout 60m -tags openblas ./roofline
	RFF_BACKEND=openblas $(GO) test -vet=off -count=1 -timeout 60m -short -tags openblas -skip '$(SAME)' ./krr ./sampling

stress-openblas: ## 200 rounds of 8 goroutines fitting on OpenBLAS, and their throughput
	$(GO) test -count=1 -tags openblas -run 'ManyGoroutines|Throughput' -v ./cgo

site: ## build the site from docs into out/site, and run what stands on its pages
	@$(GO) -C bench run ./site -o ../out/site

web: ## make out/rff.html, a page that fits CSV files in a browser, without a network
	@$(GO) -C bench run ./web -o ../out/rff.html

results: ## write the tables of the README and of bench/RESULTS*.md from the finished cells that are committed
	$(GO) -C bench test -count=1 ./cmd/rffbench ./landmarks -run TestCommittedResults -rewrite-results

reproduce: rffbench ## run the papers' experiments again (RFF_DATA), hours; writes out/reproduce, and goes on where it was stopped
	@sh bench/reproduce/all.sh

tidy: ## tidy all modules
	@GO="$(GO)" sh ci/tidy.sh

lint: ## staticcheck and deadcode, from the module proxy
	@GO="$(GO)" sh ci/lint.sh

race: ## the race detector, on the reference kernels
	@GO="$(GO)" sh ci/portability.sh race

portability: ## vet, assembly and tests for other CPUs (needs qemu-user-static and node)
	@GO="$(GO)" sh ci/portability.sh

fuzz: ## fuzz the readers of files and the kernels, FUZZTIME (60s, or 1000x) each
	$(GO) test ./asm -run '^$$' -fuzz FuzzBounds -fuzztime $(FUZZTIME)
	$(GO) test ./dataset -run '^$$' -fuzz FuzzRead -fuzztime $(FUZZTIME)
	$(GO) test ./krr -run '^$$' -fuzz FuzzUnmarshal -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	$(GO) test ./krr -run '^$$' -fuzz FuzzCheckpoint -fuzztime $(FUZZTIME) -fuzzminimizetime 5x

cover: ## test coverage of every package, the least first, and of all
	@mkdir -p out
	@$(GO) test -short -coverprofile out/cover.out $(MODULE)/... >out/cover.txt || { cat out/cover.txt; exit 1; }
	@sed -n 's|^.*$(MODULE)\(/[^[:space:]]*\)\{0,1\}[[:space:]].*coverage: \([0-9.]*%\).*|\2 .\1|p' out/cover.txt | sort -n
	@$(GO) tool cover -func out/cover.out | tail -n 1

clean: ## remove what was built
	rm -rf bin out
