# Short names for what is done often; each is one script.
.POSIX:
.PHONY: demo test extended as-cran articles deep campaigns problems sanitize valgrind mutate coverage rooms bench check doc site ctest clean

demo:
	sh tools/demo.sh

test:
	sh tools/test.sh

# and the slow tests: grids, simulations over many seeds, interrupts
extended:
	STURDY_EXTENDED_TESTS=true sh tools/test.sh

# the tests as CRAN runs them
as-cran:
	sh tools/as-cran.sh

# the long pages of the site, all of them
articles:
	sh tools/run.sh articles.R

# and what .ci/run leaves out: besides the slow tests of R those as CRAN runs them, all articles,
# valgrind and 32 bits
deep: extended as-cran articles
	$(MAKE) -C tools/ctest
	if command -v valgrind >/dev/null; then $(MAKE) -C tools/ctest valgrind; fi
	$(MAKE) -C tools/ctest m32

# what a change of the package changes in the answers to some 500 problems
problems:
	sh tools/run.sh ../tests/campaigns/problems.R run problems-after.csv
	sh tools/run.sh ../tests/campaigns/problems.R compare \
	  tests/campaigns/results/problems-before.csv.gz problems-after.csv

# attacks by the thousand: fuzzed calls, damaged files, killed sessions
campaigns:
	@status=0; for script in tests/campaigns/campaign-*.R; do \
	  sh tools/run.sh "../$$script" || status=1; \
	done; exit $$status

# the tests with the memory of the C code watched, by gcc's sanitizers and by valgrind
sanitize:
	sh tools/sanitize.sh asan

valgrind:
	sh tools/sanitize.sh valgrind

# deliberate bugs, one at a time: each must fail a test
mutate:
	sh tools/run.sh mutate.R

# lines of R and C that the tests reach
coverage:
	sh tools/run.sh coverage.R

# who calls whom, by rooms
rooms:
	Rscript --no-init-file tools/check-rooms.R --graph

# every script in tools/bench, on the package as it stands
bench:
	@for script in tools/bench/*.R; do \
	  sh tools/run.sh "$${script#tools/}" || exit 1; \
	done

# what continuous integration runs
check:
	bash .ci/run

# man/ and NAMESPACE from the roxygen comments
doc:
	Rscript -e 'roxygen2::roxygenise()'

# pages for the web in docs/, which git ignores
site:
	sh tools/run.sh site.R

ctest:
	$(MAKE) -C tools/ctest

clean:
	rm -rf .lib *.Rcheck sturdy_*.tar.gz src/*.o src/*.so
