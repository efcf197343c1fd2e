# shellcheck shell=bash disable=SC2207
# Completion of muster's own commands for bash. The words come from muster itself.

_muster() {
  local line=${COMP_LINE:0:COMP_POINT} breaks='' kept word
  local -a words found
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  word=${words[-1]}
  mapfile -t found < <("${words[0]}" complete -- muster "${words[@]:1}" 2>/dev/null)
  if ((${#found[@]} == 0)); then
    compopt -o bashdefault -o default
    return
  fi
  # Readline replaces only what follows the last of its word breaks.
  [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
  [[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
  kept=''
  [[ $breaks && $word == *["$breaks"]* ]] && kept=${word%"${word##*["$breaks"]}"}
  COMPREPLY=("${found[@]#"$kept"}")
  [[ ${found[0]} == *= || $word == *,* ]] && compopt -o nospace
  return 0
}
complete -F _muster muster
