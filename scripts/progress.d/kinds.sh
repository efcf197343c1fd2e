# shellcheck shell=bash
# The kinds of output that a step's command can have. prepare_KIND COMMAND... runs before it on a terminal; read_KIND
# sets `percent` and `detail`; report_KIND prints what is always of interest; show_KIND prints what failed. Each is
# optional.

# last_match REGEX: matches the last line of the log that fits REGEX. It reads only the end of the log.
last_match() {
  local lines i
  mapfile -t lines < <(tail -c 4000 "$step_log" | tr -d '\0')
  for ((i = ${#lines[@]} - 1; i >= 0; i--)); do
    [[ ! ${lines[i]} =~ $1 ]] || return 0
  done
  return 1
}

# plain has none of these functions, so the end of the log is shown.
show_end() { tail -n 40 "$step_log"; }

# notes: a benchmark's "bench: 12:34:56 text".
read_notes() { ! last_match '^bench: [0-9:]+ (.*)' || detail=${BASH_REMATCH[1]}; }

# pip: the package that it is working on.
read_pip() { ! last_match '^ *((Collecting|Downloading|Installing) [^ ]+)' || detail=${BASH_REMATCH[1]}; }

# chroot: what mmdebstrap is doing.
read_chroot() { ! last_match '^I: (.*)\.\.\.$' || detail=${BASH_REMATCH[1]}; }

# lint: everything that was found.
show_lint() { cat "$step_log"; }

# packages: apt-get with APT::Status-Fd. Downloading counts as one half, unpacking and configuring as the other.
read_packages() {
  last_match '^(dl|pm)status:[^ ]*:([0-9]+)(\.[0-9]+)?:(.*)' || return 0
  detail=${BASH_REMATCH[4]}
  percent=$((BASH_REMATCH[2] / 2))
  [[ ${BASH_REMATCH[1]} == dl ]] || percent=$((percent + 50))
}
show_packages() { grep -v -E '^(dl|pm)status:' "$step_log" | tail -n 20 || true; }

# ninja, with its status as [n/m].
export NINJA_STATUS='[%f/%t] '
read_ninja() {
  last_match '^\[([0-9]+)/([1-9][0-9]*)\]' || return 0
  percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
}
# The beginning of an error says the most; an error in a template can be thousands of lines long.
show_ninja() {
  local failed
  failed=$(awk '/^\[[0-9]+\/[0-9]+\]/ { failed = 0 } /^FAILED: / { failed = 1 } failed' "$step_log")
  if [[ -n $failed ]]; then head -n 200 <<<"$failed"; else show_end; fi
}

# ctest: one test can take as long as all the others together, so each is weighted by the time of its last run, which
# ctest keeps in the build. A test that has not run yet counts as one second, and the time left cannot be estimated in
# that case.
prepare_ctest() {
  local listed build
  listed=$("$@" -N 2>/dev/null)
  build=$(sed -n 's/^Test project //p' <<<"$listed")
  awk '
    FILENAME == ARGV[1] { if (NF == 3 && $3 > 0) took[$1] = $3; next }
    sub(/^ *Test *#[0-9]+: /, "") { print 1000 * (($1 in took) ? took[$1] : 1), ($1 in took), $0 }
  ' <(cat "$build/Testing/Temporary/CTestCostData.txt" 2>/dev/null) - <<<"$listed" >"$step_log.weights"
}
# Several tests run at the same time; show the one that takes longest.
read_ctest() {
  local all ended weight timed running now
  read -r all ended weight timed running < <(awk '
    BEGIN { timed = 1 }
    FILENAME == ARGV[1] { all += $1; timed *= $2; weight[$3] = $1; next }
    /^ *Start +[0-9]+: / { sub(/^ *Start +[0-9]+: /, ""); running[$1] }
    /^ *[0-9]+\/[0-9]+ Test +#/ { sub(/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /, ""); ended += weight[$1]; delete running[$1] }
    END {
      for (name in running) if (!longest || weight[name] > weight[longest]) longest = name
      print int(all), int(ended), int(weight[longest]), timed, longest
    }
  ' "$step_log.weights" "$step_log")
  ((all > 0)) || return 0
  [[ $running == "$detail" ]] || { detail=$running; detail_start=$SECONDS; }
  now=$((1000 * (SECONDS - detail_start)))
  percent=$((100 * (ended + (now < weight ? now : weight)) / all))
  ((timed && now <= weight + 1000)) && has_estimate=yes || has_estimate=no
}
# The failed tests' output and ctest's last lines: how many tests passed, and which did not run.
report_ctest() {
  awk '
    /^ *Start +[0-9]+: / { failed = 0 }
    /^ *[0-9]+\/[0-9]+ Test +#/ { failed = /\*\*\*/ && !/\*\*\*Skipped/ }
    /^[0-9]+% tests passed/ || /^No tests were found/ { closing = 1 }
    failed || closing
  ' "$step_log"
}
show_ctest() { grep -q '% tests passed' "$step_log" || show_end; }

# pytest --verbose with workers: "[gw0] [ 50%] PASSED tests/live/test_a.py::test_one".
read_pytest() {
  last_match '^\[gw[0-9]+\] \[ *([0-9]+)%\] [A-Z]+ ([^ ]+::[^ ]+)' || return 0
  percent=${BASH_REMATCH[1]}
  detail=${BASH_REMATCH[2]##*/}
}
# Every test that ran, the tests that were not selected with the reason, and the count of each outcome.
report_pytest() { grep -E '^(not selected: |\[gw[0-9]+\] \[ *[0-9]+%\] [A-Z]+ |SKIPPED |=+ .* in [0-9.]+s)' "$step_log" || true; }
show_pytest() {
  local failed
  failed=$(sed -n '/^=* \(ERRORS\|FAILURES\) =*$/,$p' "$step_log")
  if [[ -n $failed ]]; then head -n 400 <<<"$failed"; else show_end; fi
}
# fuzz: one line for each target.
report_fuzz() { grep -E '^[a-z_]+: ([0-9]+ runs|FAILED), ' "$step_log" || true; }
