# shellcheck shell=bash
# The live line of a step on a terminal.

is_live() { [[ -t 1 && -z ${CI:-} && ${TERM:-dumb} != dumb ]]; }

watch_child() {
  while kill -0 "$step_pid" 2>/dev/null; do
    ! has "read_$kind" || "read_$kind"
    draw_line
    sleep 0.5
  done
}

draw_line() {
  local columns='' elapsed=$((SECONDS - step_start)) figures line
  { read -r _ columns < <(stty size <&9 2>/dev/null); } 9<&1 || true
  ((columns > 0)) || columns=80
  if [[ -z $percent ]]; then
    figures=", $(duration "$elapsed")"
  else
    figures=", $percent %"
    # An earlier estimate would be unreliable.
    [[ $has_estimate == no ]] || ((percent < 2 || elapsed < 2)) ||
      figures+=", $(duration $((elapsed * (100 - percent) / percent))) left"
  fi
  fit_line "$((columns - 1))" "$(step_name)" "$figures" "${detail:+ ($detail)}"
  printf '\r\e[K%s' "$line"
  drawn=yes
}

# fit_line WIDTH NAME FIGURES DETAIL: sets `line`. On a narrow terminal the figures are the last to be dropped, because
# they change.
fit_line() {
  local name=$2
  ((${#name} + ${#3} <= $1)) || name="step $step of $steps"
  line=$name$3$4
  ((${#line} <= $1)) || line=$name$3
  line=${line:0:$1}
}

erase_line() {
  [[ $drawn == no ]] || printf '\r\e[K'
  drawn=no
}

# duration SECONDS
duration() {
  if (($1 < 60)); then
    echo "$1 s"
  elif (($1 < 3600)); then
    echo "$(($1 / 60)) min $(($1 % 60)) s"
  else
    echo "$(($1 / 3600)) h $(($1 % 3600 / 60)) min"
  fi
}
