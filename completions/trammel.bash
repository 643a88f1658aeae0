# The words of the line are handed over as arguments and never evaluated; where nothing is answered, bash completes files.
_trammel() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <(trammel complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _trammel trammel
