#include "launcher/channel/watch/outbox.hpp"

#include "core/report/peer_loss.hpp"

#include <algorithm>
#include <utility>

namespace muster::watch {
namespace {

constexpr std::size_t max_others = 32;  // the most events besides the ends of ranks
constexpr std::size_t max_texts = 16;
constexpr std::size_t max_beats = 16;

}  // namespace

void Outbox::make_room(std::size_t ranks) {
  room_ = std::max(room_, ranks + max_others);
}

const std::string* Outbox::add(FromAgent event) {
  if (messages_.size() >= room_) return nullptr;
  if (auto* const ended = std::get_if<Ended>(&event)) {
    auto& end = ended->end;
    const bool has_text = end.exception || !end.last_lines.empty();
    if (has_text && ++texts_ > max_texts) {
      end.blamed_peer = report::lost_peer(end);
      end.exception.reset();
      end.last_lines.clear();
    }
  }
  return &messages_.emplace_back(to_text(event));
}

void Outbox::connected(const std::function<void(const std::string&)>& write) {
  beats_.clear();
  for (const auto& message : messages_) write(message);
  written_ = messages_.size();
}

void Outbox::beat(std::chrono::nanoseconds sent) {
  beats_.push_back({sent, heard_ + written_});
  if (beats_.size() > max_beats) beats_.pop_front();
}

bool Outbox::answered(std::chrono::nanoseconds sent) {
  const auto beat = std::find_if(beats_.begin(), beats_.end(),
                                 [&](const auto& each) { return each.sent == sent; });
  if (beat == beats_.end()) return false;
  for (; heard_ < beat->heard; ++heard_, --written_) messages_.pop_front();
  beats_.erase(beats_.begin(), beat + 1);
  return true;
}

}  // namespace muster::watch
