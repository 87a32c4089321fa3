#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the tests need, builds, runs every test through ctest. With CI=true, or --sanitizers, the sanitizer builds
# run first. Ends with ctest's own summary; exits with 1 where anything failed.
set -euo pipefail
cd "$(dirname "$0")/.."
. samples/packages.sh
sanitizers=${CI:+yes}
for argument in "$@"; do
  case $argument in
    --sanitizers) sanitizers=yes ;;
    *) echo "usage: tests/run.sh [--sanitizers]" >&2; exit 2 ;;
  esac
done

# shellcheck disable=SC2086
install_packages $MOESCOPE_PACKAGES $MOESCOPE_TEST_PACKAGES
need_cmake
jobs=$(nproc)
failed=()

# suite PRESET: configure, build, run; remembers a failure and goes on, so that one run shows all there is to see.
suite() {
  local preset=$1 log=build/$1/ctest.log
  echo "== $preset: configure and build"
  mkdir -p "build/$preset"
  cmake --preset "$preset" >"build/$preset/configure.log" 2>&1 || { cat "build/$preset/configure.log"; failed+=("$preset"); return; }
  grep -A8 'what will be built' "build/$preset/configure.log" || true
  cmake --build "build/$preset" -j"$jobs" >"build/$preset/build.log" 2>&1 ||
    { grep -E 'error|warning|FAILED' "build/$preset/build.log" | head -n 40; tail -n 5 "build/$preset/build.log"; failed+=("$preset"); return; }
  echo "== $preset: test"
  ctest --test-dir "build/$preset" -j"$jobs" --output-on-failure >"$log" 2>&1 || failed+=("$preset")
  if printf '%s\n' "${failed[@]:-}" | grep -qx "$preset"; then cat "$log"; fi
  # ctest names the skipped tests; here is why.
  awk '/^[0-9]+\/[0-9]+ Test: /{sub(/^[0-9]+\/[0-9]+ Test: /,""); test=$0} /^\[skipped\] /{sub(/^\[skipped\] /,""); print "skipped: " test ": " $0}' \
    "build/$preset/Testing/Temporary/LastTest.log" | sort -u
}

if [ -n "$sanitizers" ]; then
  suite asan-ubsan
  suite tsan
fi
suite dev

sed -n '/tests passed\|tests failed/,$p' build/dev/ctest.log || true
if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}"
  exit 1
fi
