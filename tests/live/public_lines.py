"""Lines of batch scripts as people write them, following the habits of public examples, framework documentation and
computing centres' pages. Each is a bash script in a job of three nodes with two tasks each.

`differs`: output that is documented to be different under muster, or that differs from run to run, as a pattern of
lines to ignore on both sides.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    name: str
    script: str
    differs: str = ""
    errors: bool = True  # whether to compare stderr as well; after a failure it contains muster's report


def failing(name: str, script: str, differs: str = "") -> Line:
    return Line(name, script, differs, errors=False)


CODE = r"\d+$"  # a line with an exit code

# A rank that prints which signals arrive, in order, and exits on the second one.
CATCH = r"""cat >catch.py <<'E'
import os, signal, sys, time
def heard(number, frame):
    os.write(1, f"{os.environ['SLURM_PROCID']} got {signal.Signals(number).name}\n".encode())
    sys.exit(0)  # muster ends the other ranks of one that fails
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGCONT):
    signal.signal(number, heard)
os.close(os.open(f"ready.{os.environ['SLURM_PROCID']}", os.O_CREAT))
time.sleep(20)
print("no signal")
E
ready() { until [ "$(ls ready.* 2>/dev/null | wc -l)" = "$1" ]; do sleep 0.05; done; }
"""

@dataclass(frozen=True)
class Job:
    """A separate script, whose output is in its files out*."""

    name: str
    options: str
    script: str


HET = "#SBATCH -N1 -n1 -o out\n#SBATCH hetjob\n#SBATCH -N2 -n2\n"
JOBS = [
    Job("array", "--array=0-2%2 -N1 -n2 -o out-%a", """rates=(0.1 0.2 0.3)
srun --label sh -c "echo ${rates[$SLURM_ARRAY_TASK_ID]} \\$SLURM_ARRAY_TASK_ID of \\$SLURM_ARRAY_TASK_COUNT" """),
    Job("array_that_fails", "--array=1-2 -N1 -n1 -o out-%a", "srun sh -c 'exit $SLURM_ARRAY_TASK_ID' 2>/dev/null\necho $?"),
    Job("het_one_program", "", HET + "srun --het-group=0,1 --label sh -c 'echo $SLURM_PROCID $(hostname)'"),
    Job("het_two_programs", "", HET + "srun --label sh -c 'echo learner $SLURM_PROCID' : sh -c 'echo actor $SLURM_PROCID'"),
    Job("het_groups_apart", "", HET + "srun --het-group=1 hostname &\nsrun --het-group=0 echo first\nwait"),
    Job("exported", "--export=ALL,EPOCHS=3 -n1 -o out", "srun sh -c 'echo $EPOCHS'"),
    Job("export_none", "--export=NONE -n1 -o out", "export HERE=1\nsrun /bin/sh -c 'echo ${HERE-unset}'"),
    Job("directory", "-n1 -D /tmp -o /home/alice/public/directory/out", "srun pwd"),
    Job("arguments", "-n2 -o out", "srun printf '<%s>' \"$@\"\n# with: --lr 1e-4"),
    Job("signal_to_the_script", "-n1 -o out", """trap 'echo asked to stop; touch stop' USR1
srun sh -c 'touch up; until [ -e stop ]; do sleep 0.05; done; echo saved' & step=$!
until [ -e up ]; do sleep 0.05; done
scancel --batch --signal=USR1 $SLURM_JOB_ID
until wait $step; do :; done"""),
]

LINES = [
    # --- one program on all tasks
    Line("hostname", "srun hostname"),
    Line("label", "srun --label hostname"),
    Line("numbers", """srun bash -c 'echo "$SLURM_PROCID of $SLURM_NTASKS, $SLURM_LOCALID on node $SLURM_NODEID"'"""),
    Line("quotes", r"""srun -n1 printf '<%s>\n' "a b" 'c"d' '$HOME' '*' '' "it's" '\n' 'ü'"""),
    Line("dashes", "srun -n1 -- printf '<%s>' --distributed=none -n 3 --"),
    Line("double_quotes", 'name=resnet\nsrun -n2 bash -c "echo training $name as \\$SLURM_PROCID"'),
    Line("login_shell", "srun -n2 bash -lc 'echo $SLURM_PROCID'"),
    Line("one_per_node", """srun --ntasks="$SLURM_NNODES" --ntasks-per-node=1 bash -c 'echo $SLURM_NODEID $(hostname)'"""),
    Line("one_node", """srun -N1 -n1 -w "$(scontrol show hostnames "$SLURM_JOB_NODELIST" | tail -n 1)" hostname"""),
    Line("relative_node", "srun -N1 -n1 -r1 hostname"),
    Line("cyclic", "srun -l --distribution=cyclic hostname"),
    Line("block", "srun -l --distribution=block hostname"),
    Line("working_directory", "mkdir -p deep/er\nsrun -n1 --chdir=deep/er sh -c 'basename \"$PWD\"'"),
    Line("job_name", "srun -n1 -J training sh -c 'echo $SLURM_JOB_NAME'"),
    Line("wrapper_script", """cat >wrapper.sh <<'E'
#!/bin/bash
export CUDA_VISIBLE_DEVICES=$SLURM_LOCALID
exec "$@"
E
chmod +x wrapper.sh
srun -n4 ./wrapper.sh bash -c 'echo "$0 $1 $CUDA_VISIBLE_DEVICES"' --lr "1e-4 5" """),
    Line("local_children", """srun -n3 --ntasks-per-node=1 bash -c '
for local in 0 1; do echo "rank $((SLURM_NODEID * 2 + local))" & done
wait'"""),
    Line("multi_prog", "printf '0 echo master %%t\\n1-5 echo worker %%o\\n' >programs\nsrun --multi-prog programs"),
    Line("node_local_stage", """seq 100 >data
srun -N3 -n3 --ntasks-per-node=1 cp data /tmp/public-data
srun -N3 -n3 --ntasks-per-node=1 sh -c 'wc -l </tmp/public-data; rm /tmp/public-data'"""),
    Line("bcast", "printf '#!/bin/sh\\necho sent\\n' >sent.sh; chmod +x sent.sh\nsrun -n3 --bcast=/tmp/public-sent ./sent.sh\n"
         "srun -N3 -n3 --ntasks-per-node=1 rm -f /tmp/public-sent"),
    Line("prolog_of_tasks", """printf '#!/bin/sh\\necho export FROM_PROLOG=yes\\necho print prolog\\n' >prolog.sh; chmod +x prolog.sh
srun -n2 --task-prolog=$PWD/prolog.sh sh -c 'echo $FROM_PROLOG'"""),
    Line("srun_prolog", """printf '#!/bin/sh\\necho before\\n' >before.sh; printf '#!/bin/sh\\necho after\\n' >after.sh; chmod +x *.sh
srun -n1 --prolog=./before.sh --epilog=./after.sh echo between"""),
    Line("empty_environment", "srun -n1 env -i /bin/echo clean"),
    Line("threads", "srun -n3 -c1 --ntasks-per-node=1 sh -c 'echo $SLURM_CPUS_PER_TASK'"),
    Line("own_binding", "srun -n2 --ntasks-per-node=1 --cpu-bind=none sh -c 'grep Cpus_allowed_list /proc/self/status'"),
    Line("without_mpi", "srun --mpi=none -n2 sh -c 'echo ${PMIX_RANK-none}'"),
    Line("resources", "srun --mem=0 --gres=none -n2 echo fits"),
    Line("plane", "srun -l -w node1,node2 -n4 --distribution=plane=2 hostname"),
    Line("left_out_node", """srun -N2 -n2 -x "$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)" hostname"""),
    Line("job_by_number", "srun --jobid=$SLURM_JOB_ID -n1 echo x"),
    Line("time_limit", "srun -n1 --time=1 echo x"),
    Line("patience_with_the_others", "srun --wait=60 --kill-on-bad-exit=1 -n2 echo x"),
    Line("hint", "srun -n2 --hint=nomultithread echo x"),
    Line("cores_by_variable", "export SRUN_CPUS_PER_TASK=1\nsrun -n3 sh -c 'echo $SLURM_CPUS_PER_TASK'"),
    Line("one_shard", "srun -n1 env SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=1 sh -c 'echo $SLURM_ARRAY_TASK_ID'"),
    Line("script_with_arguments", """printf '%s\\n' 'echo "$# $1 $SLURM_PROCID"' >task.sh
srun bash task.sh "$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)" 29500 &
wait"""),

    # --- addresses and ports, as scripts without muster choose them
    Line("head_node_address", """nodes=($(scontrol show hostnames "$SLURM_JOB_NODELIST"))
head=${nodes[0]}
address=$(srun --nodes=1 --ntasks=1 -w "$head" hostname --ip-address)
echo "<${address%% *}>" """),
    Line("exported_rendezvous", """export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=$((10000 + SLURM_JOB_ID % 100))
srun sh -c 'test "$MASTER_PORT" = '$MASTER_PORT' && echo $MASTER_ADDR $SLURM_PROCID'"""),
    Line("ranks_in_the_line", "srun bash -c 'export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID; echo $RANK $LOCAL_RANK'"),
    Line("address_from_the_list", """srun bash -c 'echo $(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1) $SLURM_PROCID'"""),
    Line("nodes_from_srun", "nodes=($(srun hostname | sort -u))\necho ${#nodes[@]} ${nodes[0]}"),
    Line("counted_by_node", "srun hostname | awk '{n[$1]++} END {for (h in n) print h, n[h]}'"),
    Line("only_rank_0", "head=$(srun sh -xeuc 'if test $SLURM_PROCID -eq 0; then hostname; fi' 2>/dev/null)\necho $head"),

    # --- the environment
    Line("export_all", "srun -n2 --export=ALL,LR=0.1,NAME='a b' sh -c 'echo $LR $NAME'"),
    Line("export_none", "export LR=1\nsrun -n2 --export=NONE /bin/sh -c 'echo ${LR-unset} $SLURM_PROCID'"),
    Line("export_some", "export LR=1 BS=2\nsrun -n2 --export=LR,PATH sh -c 'echo $LR ${BS-unset}'"),
    Line("export_by_variable", "export LR=1\nSLURM_EXPORT_ENV=NONE srun -n2 /bin/sh -c 'echo ${LR-unset}'"),
    Line("own_threads", "OMP_NUM_THREADS=3 srun -n2 sh -c 'echo $OMP_NUM_THREADS'"),
    Line("shell_function", "module() { echo loaded \"$1\"; }\nexport -f module\nsrun -n2 bash -c 'module cuda'"),
    Line("odd_values", "export ODD=$'two\\nlines' EMPTY= EQUALS=a=b=c\nsrun -n1 bash -c 'printf \"<%s>\" \"$ODD\" \"${EMPTY-unset}\" \"$EQUALS\"'"),
    Line("label_by_variable", "SLURM_LABELIO=1 srun -n3 echo x"),
    Line("sourced", "echo 'export STAGE=two' >env.sh\nsource ./env.sh\nsrun -n2 sh -c 'echo $STAGE'"),
    # On all nodes, because newer Slurm releases start each step on a different one.
    Line("whole_environment", "srun -N3 -n3 --ntasks-per-node=1 env",
         differs=r"(SLURM_(STEP|SRUN|LAUNCH_NODE|TASK_PID|JOB_?ID|JOB_(NAME|SLUID|START_TIME|END_TIME)|CPU_BIND|MPI_TYPE|PMI)|PMI|OMPI_MCA_orte|_=)"),

    # --- what a process inherits
    Line("limits", "ulimit -n 512; ulimit -c 0\nsrun -n2 bash -c 'ulimit -Sn; ulimit -c'"),
    Line("all_limits", "srun -n2 bash -c 'ulimit -a -S; ulimit -a -H'"),
    Line("umask", "umask 027\nsrun -n2 sh -c umask"),
    Line("signal_masks", "srun -n2 grep -E '^(Sig(Blk|Ign)|Groups|Uid|CapEff|NoNewPrivs|Seccomp):' /proc/self/status"),
    Line("niceness", "srun -n1 sh -c 'nice; cat /proc/self/oom_score_adj'"),
    Line("descriptors", r"srun --mpi=none -n1 sh -c 'ls -l /proc/self/fd | sed s/[0-9:]//g'"),
    Line("ignored_signals", "trap '' USR2 PIPE\nsrun -n1 grep SigIgn /proc/self/status"),

    # --- output
    Line("files_by_task", """srun -o out-%t -e err-%t bash -c 'echo out $SLURM_PROCID; echo err $SLURM_PROCID >&2'
head out-* err-*"""),
    Line("files_by_name", "srun -n3 -o %x-%N-%n.log -J fit echo x\nls *.log | wc -l; cat *.log"),
    Line("files_by_job", """mkdir logs
srun -n2 --output=logs/%j.out --error=logs/%j.err --label sh -c 'echo out; echo err >&2'
sort logs/$SLURM_JOB_ID.out logs/$SLURM_JOB_ID.err"""),
    Line("files_by_job_and_task", """readonly launch='srun --output=%x-%j.%t.out'
$launch -J fit bash -c 'echo $SLURM_PROCID' &
wait
cat *-$SLURM_JOB_ID.*.out"""),
    Line("both_streams_to_tee", "srun -N2 -n2 sh -c 'echo out; echo err >&2' 2>&1 | tee -a kept | sort\nwc -l <kept"),
    Line("timed", "TIMEFORMAT='took some time'\ntime srun -n2 echo x"),
    Line("timed_into_a_file", "{ time srun -n2 echo x; } 2>times\ngrep -c real times"),
    Line("by_lines", "stdbuf -oL srun -n1 echo x"),
    Line("terminal_of_its_own", "srun -n1 --pty sh -c 'test -t 1 && echo x'"),
    Line("append", "srun -n2 -o log --open-mode=append echo one\nsrun -n2 -o log --open-mode=append echo two\nsort log"),
    Line("truncate", "srun -n2 -o log echo one\nsrun -n2 -o log echo two\ncat log"),
    Line("output_of_one", "srun -n3 --output=1 sh -c 'echo $SLURM_PROCID'"),
    Line("no_output", "srun -n3 --output=none sh -c 'echo $SLURM_PROCID'"),
    Line("pipe_of_output", "srun -n4 echo x | tee kept | wc -l\nwc -l <kept"),
    Line("redirected", "srun -N2 -n2 sh -c 'echo out; echo err >&2' >both 2>&1\nsort both"),
    Line("separate_streams", "srun -N2 -n2 sh -c 'echo out; echo err >&2' 2>errors\ncat errors"),
    Line("captured", "count=$(srun -n3 hostname | sort -u | wc -l)\necho $count"),
    Line("process_substitution", "while read -r word; do echo got $word; done < <(srun -n2 echo x)"),
    Line("bytes", r"srun -n1 printf '\0\1\377no newline' | od -c"),
    Line("much_output", "srun -n2 sh -c 'yes 0123456789 | head -n 4000' | wc"),
    Line("long_line", "srun -n1 sh -c 'head -c 60000 /dev/zero | tr \"\\0\" x' | wc -c"),
    Line("unbuffered", "srun -u -n1 sh -c 'printf a; printf b; printf \"\\n\"'"),
    failing("reader_that_leaves", "srun -n1 seq 1 200000 | head -n 2"),
    Line("quiet", "srun --quiet -n1 echo x"),

    # --- input
    Line("piped_input", "seq 5 | srun -n1 wc -l"),
    Line("input_to_all", "seq 3 | srun -n3 cat"),
    Line("input_to_one", "seq 3 | srun -n3 --input=1 sh -c 'echo $SLURM_PROCID $(wc -l)'"),
    Line("input_file", "seq 4 >numbers\nsrun -n2 -i numbers wc -l"),
    Line("no_input", "seq 3 | srun -n2 --input=none wc -l"),
    Line("here_document", "srun -n2 bash <<'E'\necho rank $SLURM_PROCID\nE"),
    Line("here_document_expanded", "lr=0.1\nsrun -n1 python3 - --lr $lr <<E\nimport sys\nprint(sys.argv, $lr)\nE"),
    Line("here_string", 'srun -n1 cat <<<"one line"'),
    Line("big_input", "seq 100000 | srun -n1 md5sum"),
    Line("loop_that_loses_its_input", "seq 3 | while read -r i; do srun -n1 echo $i; done"),
    Line("loop_that_keeps_its_input", "seq 3 | while read -r i; do srun -n1 echo $i </dev/null; done"),

    # --- several at once
    Line("background", """for i in 0 1 2; do srun -N1 -n1 --exact sh -c "sleep 0.2; echo $i" & done
wait"""),
    Line("background_on_nodes", """for host in $(scontrol show hostnames "$SLURM_JOB_NODELIST"); do
  srun -N1 -n1 -w $host --overlap hostname &
done
wait"""),
    Line("codes_of_the_background", """srun -N1 -n1 --exact sh -c 'exit 3' 2>/dev/null & first=$!
srun -N1 -n1 --exact true & second=$!
wait $first; echo $?
wait $second; echo $?""", differs="muster"),
    Line("xargs", "seq 4 | xargs -P 3 -I{} srun -N1 -n1 --exact echo run {}"),
    Line("nohup", "nohup srun -N1 -n1 echo x >kept 2>&1 &\nwait\ngrep -v nohup kept"),
    Line("exclusive", "for seed in 1 2 3; do srun --exclusive -N1 -n1 sh -c \"echo seed $seed\" & done\nwait"),
    Line("numbers_of_processes", """pids=()
for i in 0 4; do srun -N1 -n1 --exact sh -c "exit $i" 2>/dev/null & pids+=($!); done
for pid in "${pids[@]}"; do wait $pid || echo failed with $?; done"""),
    failing("server_and_client", """srun -N1 -n1 --overlap sh -c 'touch up; exec sleep 30' 2>/dev/null & server=$!
until [ -e up ]; do sleep 0.05; done
srun -N1 -n1 --overlap echo client
kill $server; wait $server; echo $?""", differs=CODE),  # 143: muster forwards SIGTERM, while plain srun kills
    Line("one_after_the_other", "srun -n1 true && srun -n2 echo second"),
    Line("setsid", "setsid --wait srun -n1 echo x"),
    Line("locked", "flock lock srun -n1 echo x"),
    Line("from_python", """python3 - <<'E'
import subprocess
done = subprocess.run(["srun", "-N2", "-n2", "echo", "x"], capture_output=True, text=True)
print(done.returncode, done.stdout.split(), done.stderr)
E"""),
    Line("coprocess", "coproc srun -n1 cat\necho hello >&${COPROC[1]}\nread -r line <&${COPROC[0]}\nexec {COPROC[1]}>&-\nwait\necho $line"),
    Line("training_and_monitor", """srun -N1 -n1 --overlap sh -c 'until [ -e done ]; do sleep 0.05; done; echo monitor' &
srun -n2 --overlap echo train
touch done
wait"""),
    Line("exec", "exec srun -n2 echo last"),
    Line("functions", "launch() { srun \"$@\"; }\nlaunch -n2 echo x"),
    Line("eval", "line='srun -n2 echo \"a  b\"'\neval \"$line\""),
    Line("array_of_words", "words=(srun -n2 printf '<%s>\\n' 'a b')\n\"${words[@]}\""),
    Line("nested", "srun -N1 -n1 sh -c 'srun --overlap -N1 -n1 echo inner </dev/null; echo outer'"),

    # --- failures
    failing("code", "srun -n1 sh -c 'exit 3'\necho $?"),
    failing("code_of_one", "srun -n2 sh -c 'exit $((SLURM_PROCID * 5))'\necho $?"),
    failing("code_255", "srun -n1 sh -c 'exit 255'\necho $?"),
    failing("killed", "srun -n1 sh -c 'kill -9 $$'\necho $?"),
    failing("aborted", "srun -n1 sh -c 'kill -ABRT $$'\necho $?"),
    failing("terminated", "srun -n1 sh -c 'kill -TERM $$'\necho $?"),
    failing("no_program", "srun -n1 ./nosuch\necho $?", differs=CODE),  # 1: muster refuses it immediately
    failing("no_permission", "touch plain\nsrun -n1 ./plain\necho $?", differs=CODE),  # the same
    failing("set_e", "set -euo pipefail\nsrun -n1 sh -c 'exit 4'\necho never"),
    failing("pipefail", "set -o pipefail\nsrun -n1 sh -c 'echo x; exit 4' | cat\necho $? ${PIPESTATUS[@]}"),
    failing("or", "srun -n1 false || echo failed with $?"),
    failing("if", "if srun -n1 false; then echo yes; else echo no; fi"),
    failing("loop_of_tries", "for try in 1 2 3; do srun -n1 test $try = 3 && break; echo again; done; echo $try"),
    failing("all_end", "srun -n2 --kill-on-bad-exit=1 sh -c '[ $SLURM_PROCID = 0 ] && exit 6; exec sleep 10'\necho $?",
            differs=CODE),  # the first failure's own code (exit=first)
    failing("others_go_on", "srun -n2 -K0 sh -c '[ $SLURM_PROCID = 0 ] && exit 6; sleep 0.5; echo on'\necho $?"),
    failing("time_is_up", "timeout 2 srun -n2 sleep 10\necho $?"),
    failing("error_code_by_variable", "SLURM_EXIT_ERROR=9 srun -n1 --nosuchoption true\necho $?"),
    failing("too_many", "srun -N9 true\necho $?"),

    # --- traps and signals
    Line("trap_at_exit", "trap 'echo bye' EXIT\nsrun -n1 echo x"),
    failing("trap_and_wait", CATCH + """trap 'echo forwarded; kill -USR1 $step' USR1
srun -n2 python3 catch.py & step=$!
ready 2
kill -USR1 $$
wait $step; wait $step; echo $?"""),
    *(failing(f"scancel_{name.lower()}", CATCH + f"""srun -n2 python3 catch.py & step=$!
ready 2
scancel --signal={name} $SLURM_JOB_ID.$(squeue -h -s -j $SLURM_JOB_ID -o %i | sed 's/.*\\.//' | grep -E '^[0-9]+$' | tail -n 1)
wait $step; echo $?""") for name in ("USR1", "USR2", "TERM", "CONT")),
    failing("kill_int", CATCH + """srun -n2 python3 catch.py & step=$!
ready 2
kill -USR2 $step
wait $step; echo $?"""),
]
