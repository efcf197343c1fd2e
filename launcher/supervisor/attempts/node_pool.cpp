#include "launcher/supervisor/attempts/node_pool.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/record/record.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

// A process that ends lets its lock go. Locks of open files would be shared after a fork.
class Lock {
 public:
  explicit Lock(int memory) : memory_(memory) {
    struct flock all {};
    all.l_type = F_WRLCK;
    while (fcntl(memory_, F_SETLKW, &all) != 0 && errno == EINTR) {
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    struct flock all {};
    all.l_type = F_UNLCK;
    fcntl(memory_, F_SETLK, &all);
  }

 private:
  int memory_;
};

groups::Pool read_from(int memory) {
  struct stat status {};
  if (fstat(memory, &status) != 0) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const auto got = pread(memory, text.data(), text.size(), 0);
  if (got != static_cast<ssize_t>(text.size())) return {};
  return record::read<groups::Pool>(text).value_or(groups::Pool());
}

// False if there is no memory, and then nothing has changed.
bool write_to(int memory, const groups::Pool& pool) {
  const auto text = record::write(pool);
  struct stat status {};
  if (fstat(memory, &status) != 0) return false;
  const auto size = static_cast<off_t>(text.size());
  if (size > status.st_size && ftruncate(memory, size) != 0) return false;
  if (pwrite(memory, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return false;
  return ftruncate(memory, size) == 0;
}

}  // namespace

NodePool::NodePool(const groups::Pool& pool) : memory_(memfd_create("muster-nodes", MFD_CLOEXEC)) {
  if (!memory_ || !write_to(memory_.get(), pool)) {
    throw Error(
        fmt::format("groups=: cannot share the list of nodes: {}; is the host out of memory?",
                    std::strerror(errno)));
  }
}

void NodePool::change(const std::function<void(groups::Pool&)>& change) {
  const Lock lock(memory_.get());
  auto pool = read_from(memory_.get());
  const auto before = pool;
  change(pool);
  if (pool != before) write_to(memory_.get(), pool);
}

groups::Pool NodePool::all() {
  groups::Pool all;
  change([&all](const auto& pool) { all = pool; });
  return all;
}

std::vector<std::string> NodePool::nodes_of(std::uint32_t group) {
  return groups::nodes_of(all(), group);
}

std::vector<groups::PoolNode> NodePool::open_to(std::uint32_t group) {
  return groups::open_to(all(), group);
}

bool NodePool::take(std::uint32_t group, std::span<const std::string> nodes) {
  bool taken = false;
  change([&](auto& pool) {
    taken = groups::take(pool, group, nodes);
    if (taken) std::erase(pool.short_of_nodes, group);
  });
  return taken;
}

// Each time that another group is faster, fewer nodes are left to choose from.
bool NodePool::take(std::uint32_t group, const std::function<std::vector<std::string>()>& choose) {
  auto nodes = choose();
  while (!nodes.empty() && !take(group, nodes)) nodes = choose();
  return !nodes.empty();
}

void NodePool::let_go(std::uint32_t group) {
  change([group](auto& pool) { groups::let_go(pool, group); });
}

void NodePool::lose(std::uint32_t group, const std::string& node, groups::Moment last_word) {
  change([&](auto& pool) { groups::lose(pool, group, node, last_word); });
}

void NodePool::remove(std::span<const std::string> nodes) {
  change([nodes](auto& pool) { groups::remove(pool, nodes); });
}

void NodePool::set_drained(std::span<const std::string> nodes) {
  change([nodes](auto& pool) { groups::set_drained(pool, nodes); });
}

std::vector<std::string> NodePool::drained_of(std::uint32_t group) {
  return groups::drained_of(all(), group);
}

bool NodePool::leave_drained(std::uint32_t group, std::size_t free) {
  bool leaves = false;
  change([&](auto& pool) { leaves = groups::leave_drained(pool, group, free); });
  return leaves;
}

void NodePool::set_short_of_nodes(std::uint32_t group) {
  change([group](auto& pool) {
    if (!contains(pool.short_of_nodes, group)) pool.short_of_nodes.push_back(group);
  });
}

void NodePool::set_lighthouse_lost(bool lost) {
  change([lost](auto& pool) { pool.lighthouse_lost = lost; });
}

bool NodePool::is_lighthouse_lost() {
  return all().lighthouse_lost;
}

bool NodePool::was_short_of_nodes(std::uint32_t group) {
  return contains(all().short_of_nodes, group);
}

}  // namespace muster::attempts
