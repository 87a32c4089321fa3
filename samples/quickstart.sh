#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh machine to a picture: installs what is missing, builds, records the reference MoE job with the naive schedule
# and with waves, reports, compares, draws and gates. No GPU needed. Usage: samples/quickstart.sh [OUT]
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
out=${1:-$root/quickstart-out}
build=${MOESCOPE_BUILD:-$root/build/release}
. samples/packages.sh

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n%s\n' "$*"; }

say "1/5  Packages"
if [ -n "${MOESCOPE_BUILD:-}" ]; then
  echo "not looked at: MOESCOPE_BUILD is set"
else
  # shellcheck disable=SC2086
  install_packages $MOESCOPE_PACKAGES
  need_cmake
  echo "all there"
fi

say "2/5  Build ($build)"
if [ -z "${MOESCOPE_BUILD:-}" ]; then
  if [ -t 1 ]; then show=/dev/stdout; else show=/dev/null; fi
  log=$(mktemp)
  cmake --preset release >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  cmake --build "$build" -j"$(nproc)" 2>"$log" >"$show" || { cat "$log" >&2; cmake --build "$build" -j1 | tail -n 30 >&2; exit 1; }
  rm -f "$log"
fi
export PATH=$build/bin:$PATH
moescope --version

say "3/5  Record: the same job, the same tokens, two schedules, five runs each (the gate has to know how runs differ)"
rm -rf "$out"
mkdir -p "$out"
job=(moescope-refmoe --clock paced --ranks 4 --layers 2 --steps 8 --experts 32 --routing zipf:0.5)
for run in 1 2 3 4 5; do
  moescope record -o "$out/naive-$run" -- "${job[@]}" --schedule naive --quiet
  moescope record -o "$out/wave-$run" -- "${job[@]}" --schedule wave --waves 4 --quiet
done

say "4/5  Read"
moescope report "$out/naive-1" | tee "$out/naive.txt"
echo
moescope report "$out/wave-1" | tee "$out/wave.txt"
echo
moescope compare "$out"/naive-? -- "$out"/wave-? | tee "$out/compare.txt"
if command -v moescope-gui >/dev/null; then
  moescope-gui --screenshot "$out/gantt.png" --size 1600x720 "$out/wave-1"
fi

say "5/5  Gate"
verdict() { case $1 in 0) echo pass ;; 1) echo regress ;; 3) echo inconclusive ;; *) echo "failed ($1)" ;; esac; }
code=0
moescope gate --base "$out"/naive-? --head "$out"/wave-? >"$out/gate-forward.txt" || code=$?
echo "waves where naive was the base:  $(verdict $code)"
code=0
moescope gate --base "$out"/wave-? --head "$out"/naive-? >"$out/gate-backward.txt" || code=$?
echo "naive where waves were the base: $(verdict $code)"
case $code in
  1) ;;
  3) echo "this machine was too busy for a verdict: the runs of one schedule differ too much; try again when it is quiet" ;;
  *) echo "the gate should have refused that" >&2; exit 1 ;;
esac

say "Done. What is there now, in $out"
echo "  naive-1 wave-1 …          run files (SQLite)"
echo "  naive.txt wave.txt        reports;  compare.txt, gate-*.txt  what changed"
[ ! -f "$out/gantt.png" ] || echo "  gantt.png                 the wave Gantt"
say "Next"
echo "  export PATH=$build/bin:\$PATH"
echo "  moescope-gui $out/wave-1"
echo "  moescope report --format json $out/wave-1"
echo "  moescope record -- python3 your_training.py      # your own job"
