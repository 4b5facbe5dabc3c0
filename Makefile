# Short names for what is done often; each is one script.
.POSIX:
.PHONY: demo test bench check doc ctest clean

demo:
	sh tools/demo.sh

test:
	sh tools/test.sh

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

ctest:
	$(MAKE) -C tools/ctest

clean:
	rm -rf .lib *.Rcheck sturdy_*.tar.gz src/*.o src/*.so
