// How much memory a call asks for: a hostile length must not become an allocation.
#pragma once

#include <cstddef>

namespace muster::wire {

// Sums what this thread allocates while it lives, in bytes.
class AllocationMeter {
 public:
  AllocationMeter();
  AllocationMeter(const AllocationMeter&) = delete;
  AllocationMeter& operator=(const AllocationMeter&) = delete;
  ~AllocationMeter();

  std::size_t bytes() const;
};

}  // namespace muster::wire
