# fxlens: the targets are thin; the work is in scripts/.
.PHONY: run setup test lint fmt bench fuzz hlsl vuln release clean

run: ## build and open the bundled effect
	@scripts/run

setup: ## install what the tests need
	@scripts/setup

test: ## set-up, static checks, race detector, all tests
	@scripts/test

lint: ## gofmt, go vet, staticcheck, WebAssembly build of the core
	@scripts/lint

fmt: ## format all Go files
	gofmt -w $$(go list -f '{{.Dir}}' ./...)

bench: ## benchmarks with allocations, no tests; BENCH, COUNT and PACKAGES choose
	@scripts/bench

fuzz: ## fuzz every decoder, parser and screen; FUZZTIME is the time for each (1m)
	@scripts/fuzz

hlsl: ## compile testdata/hlsl anew (needs wine64, mingw-w64 and the npm packages)
	testdata/tools/compile-hlsl

vuln: ## known vulnerabilities in what is called, the standard library included
	@scripts/vuln

release: ## archives for all systems into dist/, with bills of materials and checksums
	@scripts/release

clean: ## remove what can be made again
	rm -rf bin build dist
