# Completion of muster's own commands for fish. muster itself supplies the words.
complete -c muster -n 'not contains -- -- (commandline -opc)' -f \
    -a '(muster complete -- muster (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
