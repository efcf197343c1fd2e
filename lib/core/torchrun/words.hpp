// torchrun's command line as `muster run` reads it: each flag, with its value as the user wrote it.
#pragma once

#include "core/environment.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::torchrun {

using Text = std::optional<std::string>;

struct Words {
  Text nnodes, nproc_per_node;
  Text rdzv_backend, rdzv_endpoint, rdzv_id, rdzv_conf;
  Text max_restarts, monitor_interval, start_method, event_log_handler, role;
  Text log_dir, redirects, tee, local_ranks_filter;
  Text duplicate_stdout_filters, duplicate_stderr_filters, logs_specs;
  Text node_rank, master_addr, master_port, local_addr;
  Text numa_binding, signals_to_handle, shutdown_timeout;
  bool standalone = false;
  bool module = false;
  bool no_python = false;
  bool run_path = false;
  bool virtual_local_rank = false;
  bool use_env = false;
  std::vector<std::string> program;  // the script or program, and its arguments
};

// One of the two pointers says where the flag's value goes.
struct Flag {
  std::string_view name;  // without its dashes
  std::string_view meaning;
  Text Words::*value = nullptr;
  bool Words::*is_set = nullptr;
  char letter = 0;
};

inline constexpr std::array flags{
    Flag{"nproc-per-node", "ranks on this machine: a number, auto, gpu, xpu or cpu (default 1)",
         &Words::nproc_per_node},
    Flag{"nnodes", "N or MIN:MAX; more than one node only inside a Slurm allocation (default 1)",
         &Words::nnodes},
    Flag{"standalone", "accepted: one machine is the default", nullptr, &Words::standalone},
    Flag{"module", "the script is a Python module", nullptr, &Words::module, 'm'},
    Flag{"no-python", "the program is not a Python script", nullptr, &Words::no_python},
    Flag{"max-restarts", "restart all ranks after a failure, at most N times (default 0)",
         &Words::max_restarts},
    Flag{"log-dir", "a directory for one file per rank and stream", &Words::log_dir},
    Flag{"redirects", "3: output goes only to files; 1 or 2: only one stream; 0:3,1:0: by rank",
         &Words::redirects, nullptr, 'r'},
    Flag{"tee", "3: output goes to files and console, each line with its rank", &Words::tee,
         nullptr, 't'},
    Flag{"local-ranks-filter", "show only these ranks, such as 0,2", &Words::local_ranks_filter},
    Flag{"role", "ROLE_NAME of the ranks (default \"default\")", &Words::role},
    Flag{"numa-binding", "node, socket, exclusive or core-complex", &Words::numa_binding},
    Flag{"signals-to-handle", "which signals end the run (default SIGTERM,SIGINT,SIGHUP,SIGQUIT)",
         &Words::signals_to_handle},
    Flag{"shutdown-timeout", "seconds between a signal and SIGKILL (default 30)",
         &Words::shutdown_timeout},
    Flag{"master-addr", "MASTER_ADDR of the ranks (default 127.0.0.1)", &Words::master_addr},
    Flag{"master-port", "MASTER_PORT of the ranks (default: a free port, which muster reserves)",
         &Words::master_port},
    Flag{"local-addr", "the same as --master-addr on one machine", &Words::local_addr},
    Flag{"node-rank", "must be 0 on one machine", &Words::node_rank},
    Flag{"rdzv-id", "TORCHELASTIC_RUN_ID of the ranks", &Words::rdzv_id},
    Flag{"rdzv-backend", "static or c10d; there is no rendezvous to configure",
         &Words::rdzv_backend},
    Flag{"rdzv-endpoint", "accepted but ignored", &Words::rdzv_endpoint},
    Flag{"rdzv-conf", "accepted but ignored", &Words::rdzv_conf},
    Flag{"monitor-interval", "accepted but ignored: muster notices at once when a rank exits",
         &Words::monitor_interval},
    Flag{"start-method", "accepted but ignored: spawn, fork or forkserver", &Words::start_method},
    Flag{"event-log-handler", "only null", &Words::event_log_handler},
    Flag{"run-path", "accepted but ignored: the script has its own Python process", nullptr,
         &Words::run_path},
    Flag{"virtual-local-rank", "refused", nullptr, &Words::virtual_local_rank},
    Flag{"use-env", "accepted but ignored: LOCAL_RANK is always set", nullptr, &Words::use_env},
    Flag{"logs-specs", "only default", &Words::logs_specs},
    Flag{"duplicate-stdout-filters", "refused", &Words::duplicate_stdout_filters},
    Flag{"duplicate-stderr-filters", "refused", &Words::duplicate_stderr_filters},
};

// "PET_NPROC_PER_NODE".
std::string variable_of(const Flag& flag);

// `words`, completed from PET_* variables for flags that the command line does not give. Throws Error.
Words with_variables(Words words, const Environment& environment);

}  // namespace muster::torchrun
