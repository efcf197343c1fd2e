// The request and the attempt in a variable of the step, which its user can forge, and the value of
// --distributed. The first letter of an input says which it is.
#include "core/request/request.hpp"

#include "core/request/precedence.hpp"
#include "launcher/channel/step/step_request.hpp"
#include "target.hpp"

namespace {

using namespace muster;

void same(const request::Request& request) {
  fuzz::expect(request::request_from_text(to_text(request)) == request, "a request changes");
}

void read_attempt(std::string_view text) {
  const auto again = to_text(step::step_request_from_text(text));
  fuzz::expect(to_text(step::step_request_from_text(again)) == again, "an attempt changes");
}

void read_option(std::string_view text) {
  const auto merged = request::merge_sources(text, {}, {}, {});
  if (merged.action != option::Action::launch) return;
  const auto request = request::make_request(merged.settings);
  same(request);
  const auto option = to_option(request);
  const auto again = request::make_request(request::merge_sources(option, {}, {}, {}).settings);
  fuzz::expect(to_option(again) == option, "an option changes");
}

void read_input(std::string_view text) {
  if (text.empty()) return;
  const auto rest = text.substr(1);
  if (text.front() == 'a') return read_attempt(rest);
  if (text.front() == 'o') return read_option(rest);
  if (const auto request = request::request_from_text(rest)) same(*request);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const step::StepRequest attempt{.request = {},
                                  .number = 1,
                                  .key = {1, 2, 3},
                                  .program_elsewhere = true,
                                  .channel = {.port = 40000, .addresses = {"10.0.0.1", "fd00::1"}},
                                  .hint = "nomultithread",
                                  .draw = "*"};
  const auto merged = request::merge_sources("torch,bind=none,port=2000-3000", {}, {}, {});
  return {"r" + to_text(request::Request{}),
          "r" + to_text(request::make_request(merged.settings)),
          "a" + to_text(attempt),
          "otorch,bind=none,port=20000-21000,verbose",
          "otorch,restarts=3,norestart=93+3,progress=step.txt,nodes=2:4,spares=1",
          "ompi,ranks=contiguous,smt=all,network=ib0+eth0,gpus=all",
          "ooff"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 4U << 20, .per_byte = 4096}, read_input);
}
