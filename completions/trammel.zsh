#compdef trammel
# The words of the line are handed over as arguments and never evaluated; where nothing is answered, zsh completes files.
_trammel() {
  local -a found values shown
  found=("${(@f)$(trammel complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(${found:#})
  if (( ${#found} == 0 )); then
    _files
    return
  fi
  values=("${(@)found%%$'\t'*}")
  shown=("${(@)found//$'\t'/  }")
  compadd -l -d shown -a values
}
if [ "${funcstack[1]}" = _trammel ]; then
  _trammel "$@"
else
  compdef _trammel trammel
fi
