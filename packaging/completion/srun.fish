# Completion of --distributed= for srun, sbatch and salloc in fish, alongside any other. fish reads this file at start,
# and completions that are bound to these names when they are needed.
for command in srun sbatch salloc
    complete -c $command -l distributed -x -d 'start a training job' \
        -a '(muster complete -- option (string replace -r "^--distributed=" "" -- (commandline -ct)) 2>/dev/null)'
end
