# shellcheck shell=bash
# Completion of --distributed= for srun, sbatch and salloc in bash; all else is left to Slurm's own
# completion. That one is bound to the same names: as bash-completion loads it only when it is needed, it
# is loaded here at the first need, its functions are remembered, and ours are bound again.

declare -gA _muster_slurms _muster_slurms_options

_muster_bind() {
  local command rule
  for command in srun sbatch salloc; do
    rule=$(complete -p "$command" 2>/dev/null)
    if [[ $rule =~ \ -F\ ([^ ]+) && ${BASH_REMATCH[1]} != _muster_srun ]]; then
      _muster_slurms[$command]=${BASH_REMATCH[1]}
      _muster_slurms_options[$command]=$(grep -oE -- '-o [a-z]+' <<<"$rule")
    fi
    complete -F _muster_srun "$command"
  done
}

# Slurm's own completion, if there is one.
_muster_load_slurms() {
  local command=$1
  [[ -v _muster_slurms[$command] ]] && return
  _muster_slurms[$command]=''
  complete -r "$command"
  if declare -F _comp_load >/dev/null; then
    _comp_load -- "$command"
  elif declare -F __load_completion >/dev/null; then
    __load_completion "$command"
  fi
  _muster_bind
}

_muster_slurms_words() {
  local command=${1##*/}
  _muster_load_slurms "$command"
  if [[ ! ${_muster_slurms[$command]} ]]; then
    compopt -o bashdefault -o default
    return 1
  fi
  # shellcheck disable=SC2086  # several options
  [[ ${_muster_slurms_options[$command]} ]] && compopt ${_muster_slurms_options[$command]//$'\n'/ }
  "${_muster_slurms[$command]}" "$@"
}

_muster_srun() {
  local line=${COMP_LINE:0:COMP_POINT} word kept='' status
  local -a found
  word=${line##*[[:space:]]}
  if [[ $word == --distributed=* ]]; then
    mapfile -t found < <(muster complete -- option "${word#*=}" 2>/dev/null)
    # Readline replaces only what follows the last of its word breaks.
    if [[ $COMP_WORDBREAKS == *=* ]]; then
      kept=${word#*=}
      [[ $kept == *=* ]] && kept=${kept%=*}= || kept=''
    else
      found=("${found[@]/#/--distributed=}")
    fi
    COMPREPLY=("${found[@]#"$kept"}")
    compopt -o nospace
    return 0
  fi
  _muster_slurms_words "$@"
  status=$?
  if [[ $word == --* && --distributed == "$word"* && " ${COMPREPLY[*]} " != *" --distributed"* ]] &&
     ((status != 124)); then
    COMPREPLY+=(--distributed=)
    ((${#COMPREPLY[@]} == 1)) && compopt -o nospace
    status=0
  fi
  return "$status"
}

_muster_bind
