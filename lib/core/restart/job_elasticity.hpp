// spares= and nodes= that were set for a whole job (by sbatch, salloc, a variable or a file), applied to one
// of its steps. They are meant for the job's training. A step with a size of its own, such as one that copies
// data to every node, does without what it cannot have. Pure.
#pragma once

#include "core/restart/step_shape.hpp"
#include "core/srun/step_size.hpp"

#include <cstdint>
#include <string>

namespace muster::restart {

// The keys that this step may do without.
struct Dispensable {
  bool spares = false;
  bool nodes = false;
};

struct ElasticStep {
  Elasticity elasticity;  // without the keys that the step does without
  StepShape shape;
  std::string line = {};  // for the user, if there are such keys
};

// `nodes`: the allocation's number of nodes. Throws an Error of one line like step_shape().
ElasticStep elastic_step(const Elasticity& elasticity, const Dispensable& dispensable,
                         const srun::StepSize& asked, std::uint32_t nodes);

// Whether other steps of the job have nodes beside this one, apart from those in reserve.
bool leaves_nodes(const ElasticStep& step, std::uint32_t nodes);

// Whether the step uses fewer nodes than the job's run may have, so it is only a part of the job's work.
bool is_smaller_than_run(const Elasticity& elasticity, const srun::StepSize& asked,
                         std::uint32_t nodes);

}  // namespace muster::restart
