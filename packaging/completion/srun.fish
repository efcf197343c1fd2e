# Completion of --distributed= for srun, sbatch and salloc in fish, beside any other. fish reads it when it
# starts, and completions that are bound to these names when they are needed.
for command in srun sbatch salloc
    complete -c $command -l distributed -x -d 'start a training job' \
        -a '(muster complete -- option (string replace -r "^--distributed=" "" -- (commandline -ct)) 2>/dev/null)'
end
