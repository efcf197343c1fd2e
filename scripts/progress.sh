# shellcheck shell=bash
# Progress of a script's steps; sourced by scripts/setup and the other scripts next to it.
#
# On a terminal, one live line shows the step, how far it is and the time left. In a log, each step leaves exactly one
# line, with its duration. A step that fails shows what failed, keeps its log and prints the log's name.
#
#   plan_steps N                    the script has N steps
#   run_step KIND WHAT COMMAND...   runs COMMAND; KIND says how its output is read (progress.d/kinds.sh)
#   begin_step WHAT, end_step       around commands whose output is shown as it comes
#   run_script N COMMAND...         runs another script, which has N of the steps
#   clean_up                        runs at the end, even after a signal, if the script defines it

# shellcheck source=progress.d/kinds.sh
source "${BASH_SOURCE[0]%/*}/progress.d/kinds.sh"
# shellcheck source=progress.d/line.sh
source "${BASH_SOURCE[0]%/*}/progress.d/line.sh"

# The number of steps done before this script started, and the total of the script that called it.
read -r step steps <<<"${MUSTER_STEPS:-0 0}"
unset MUSTER_STEPS
kind='' step_pid='' has_begun=yes step_log='' step_what='' step_start=0
percent='' detail='' detail_start=0 has_estimate=yes drawn=no

plan_steps() { ((steps)) || steps=$1; }

begin_step() {
  step=$((step + 1)) step_what=$1 step_start=$SECONDS
}

# end_step [RESULT]
end_step() {
  erase_line
  echo "$(step_name)${1:+, $1}, $(duration $((SECONDS - step_start)))"
  step_what=
}

run_step() {
  local status=0
  kind=$1
  begin_step "$2"
  shift 2
  percent='' detail='' has_estimate=yes
  step_log=$(mktemp -t "muster-${0##*/}.XXXXXX")
  ! is_live || ! has "prepare_$kind" || "prepare_$kind" "$@"
  start_child "$@" >"$step_log" 2>&1
  ! is_live || watch_child
  wait_for_child || status=$?
  erase_line
  case $status in
    0) end_step && report ;;
    77) end_step "skipped: $(tail -n 1 "$step_log" | sed 's/^.*skipped, //')" ;; # the command cannot run here
    *) report && fail_step "$status" ;;
  esac
  end_log "$status"
  return "$status"
}

run_script() {
  local count=$1
  shift
  MUSTER_STEPS="$step $steps" start_child "$@"
  step=$((step + count))
  wait_for_child
}

has() { declare -F "$1" >/dev/null; }

step_name() { echo "step $step of $steps: $step_what"; }

# start_child COMMAND...: runs it in the background, because bash handles a signal only after a foreground command has
# ended. A background command would ignore Ctrl-C unless told otherwise; until it has started, Ctrl-C is lost.
start_child() {
  has_begun=no
  (trap - INT && exec "$@") &
  step_pid=$!
  await_begin
}

# Until the subshell becomes the command, its own command line is that of its parent.
await_begin() {
  local own=() words=()
  mapfile -d '' -t own <"/proc/$$/cmdline"
  while mapfile -d '' -t words 2>/dev/null <"/proc/$step_pid/cmdline" && [[ ${words[*]} == "${own[*]}" ]]; do :; done
  has_begun=yes
}

wait_for_child() {
  local status=0
  wait "$step_pid" || status=$?
  step_pid=
  return "$status"
}

# report: prints what is of interest whether or not the step failed.
report() { ! has "report_$kind" || "report_$kind"; }

# fail_step STATUS
fail_step() {
  if has "show_$kind"; then "show_$kind"; else show_end; fi >&2
  echo "${0##*/}: $(step_name): failed with code $1 after $(duration $((SECONDS - step_start)));" \
    "the whole log is in $step_log" >&2
  step_what=
}

# end_log STATUS: only a failed step's log is useful.
end_log() {
  rm -f "$step_log.weights"
  [[ $1 != @(0|77) ]] || rm -f "$step_log"
  step_log=
}

# on_signal SIGNAL CODE: waits until the command has ended. apt-get, for one, does not stop in the middle of a package.
on_signal() {
  if [[ -n $step_pid ]]; then
    local heard_key=$has_begun
    await_begin
    [[ $1 == INT && $heard_key == yes ]] && has_keyboard || kill -s "$1" "$step_pid" 2>/dev/null || true
    while kill -0 "$step_pid" 2>/dev/null; do wait "$step_pid" 2>/dev/null || true; done
  fi
  erase_line
  if [[ -n $step_log ]]; then report; fi
  [[ -z $step_what ]] ||
    echo "${0##*/}: $(step_name): interrupted after $(duration $((SECONDS - step_start)))" >&2
  exit "$2"
}

# has_keyboard: whether this is the terminal's foreground job. If so, Ctrl-C has also reached the command, and a second
# signal would interrupt its cleanup.
has_keyboard() {
  local group foreground
  read -r _ _ _ _ group _ _ foreground _ </proc/self/stat
  ((group == foreground))
}

on_exit() {
  local status=$?
  trap '' INT TERM HUP
  erase_line
  [[ -z $step_log ]] || rm -f "$step_log" "$step_log.weights"
  ! has clean_up || clean_up
  exit "$status"
}

trap on_exit EXIT
trap 'on_signal INT 130' INT
trap 'on_signal TERM 143' TERM
trap 'on_signal HUP 129' HUP
