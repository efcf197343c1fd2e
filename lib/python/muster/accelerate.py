"""Accelerate's configuration file without `accelerate launch`.

    srun --distributed=accelerate python -m muster.accelerate --config_file=fsdp.yaml train.py [ARGUMENT]...

Takes the arguments of `accelerate launch` and the file of `accelerate config`. Their settings for precision, FSDP,
DeepSpeed, Megatron-LM and dynamo reach the program through Accelerate's own variables. The step decides how many
processes there are, where they run and where they rendezvous, so the file's settings for these have no effect. Needs
accelerate 1.0 or newer.
"""

import os
import sys
from typing import Any, Dict, Mapping

from muster._program import run

# What Accelerate() and its plugins read. All other variables belong to the step or the user.
_ACCELERATES = ("ACCELERATE_", "FSDP_", "MEGATRON_LM_", "PARALLELISM_CONFIG_")


def environment_of(arguments: Any) -> Dict[str, str]:
    """The variables that `accelerate launch` would give its processes. Modifies arguments, which its parser
    returned."""
    from accelerate.commands import launch
    from accelerate.utils import launch as prepare

    arguments.num_processes = int(os.environ["WORLD_SIZE"])
    arguments, defaults, precision_of_file = launch._validate_launch_command(arguments)
    # As on one machine, because nothing is launched here.
    arguments.num_machines, arguments.machine_rank = 1, 0
    arguments.main_process_ip = arguments.main_process_port = None
    if arguments.cpu:
        return prepare.prepare_simple_launcher_cmd_env(arguments)[1]
    if arguments.use_deepspeed:
        fields = list(defaults.deepspeed_config) if defaults else []
        arguments.deepspeed_fields_from_accelerate_config = ",".join(
            fields + (["mixed_precision"] if precision_of_file else []))
        return prepare.prepare_deepspeed_cmd_env(arguments)[1]
    if arguments.use_fsdp or arguments.use_megatron_lm or arguments.multi_gpu:
        return prepare.prepare_multi_gpu_env(arguments)
    return prepare.prepare_simple_launcher_cmd_env(arguments)[1]


def news(given: Mapping[str, str], present: Mapping[str, str]) -> Dict[str, str]:
    """Accelerate's own variables among the given ones, if their values are new."""
    return {name: value for name, value in given.items()
            if name.startswith(_ACCELERATES) and present.get(name) != value}


def main() -> None:
    try:
        from accelerate.commands.launch import launch_command_parser
    except ImportError as error:
        sys.exit(f"muster.accelerate: {error}; pip install accelerate")
    if "WORLD_SIZE" not in os.environ:
        sys.exit("muster.accelerate: this is not a muster step; start it with srun --distributed=accelerate")
    arguments = launch_command_parser().parse_args()
    program = [arguments.training_script, *arguments.training_script_args]
    os.environ.update(news(environment_of(arguments), os.environ))
    if arguments.no_python:
        os.execvp(program[0], program)
    run(program, module=arguments.module)


if __name__ == "__main__":
    main()
