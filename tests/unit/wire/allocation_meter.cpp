#include "allocation_meter.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local bool measuring = false;
thread_local std::size_t allocated = 0;

}  // namespace

// The whole program's: the tests of the wire formats link nothing else that would mind.
void* operator new(std::size_t size) {
  if (measuring) allocated += size;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (measuring) allocated += size;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace muster::wire {

AllocationMeter::AllocationMeter() {
  allocated = 0;
  measuring = true;
}

AllocationMeter::~AllocationMeter() {
  measuring = false;
}

std::size_t AllocationMeter::bytes() const {
  return allocated;
}

}  // namespace muster::wire
