# The words of the line are handed over as arguments and never evaluated; fish adds the files that fit.
function __trammel_complete
    set -l words (commandline -opc) (commandline -ct)
    trammel complete -- $words[2..] 2>/dev/null
end
complete -c trammel -a '(__trammel_complete)'
