#include "launcher/channel/step/step_request.hpp"

#include "core/option/keys.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_record.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::step {
namespace {

StepRequest attempt() {
  StepRequest made{.request = {},
                   .number = 3,
                   .key = secret::make_key(),
                   .program_elsewhere = true,
                   .channel = {.port = 40000, .addresses = {"10.0.0.1", "fd00::1"}},
                   .hint = "nomultithread",
                   .draw = "node7",
                   .quiet = true,
                   .chose_cpus = true,
                   .batch_host = "node1",
                   .job = {"7", "5", "2", "sweep", "alice", "node1"},
                   .beside_other_step = true};
  made.request.profile = "none";
  made.request.ranks = option::Ranks::contiguous;
  made.request.sources[option::Key("ranks")] = {Origin::option, "--distributed"};
  return made;
}

void expect_refused(const std::string& text) {
  fixtures::expect_error([&] { step_request_from_text(text); },
                         "is the same muster version installed on every node?");
}

TEST(StepRequest, ComesBackAsItWas) {
  const auto made = attempt();
  const auto read = step_request_from_text(to_text(made));
  EXPECT_EQ(read.request, made.request);
  EXPECT_EQ(read.number, made.number);
  EXPECT_EQ(read.key, made.key);
  EXPECT_TRUE(read.program_elsewhere);
  EXPECT_TRUE(read.quiet);
  EXPECT_TRUE(read.chose_cpus);
  EXPECT_EQ(read.channel, made.channel);
  EXPECT_EQ(read.hint, "nomultithread");
  EXPECT_EQ(read.draw, made.draw);
  EXPECT_EQ(read.batch_host, "node1");
  EXPECT_EQ(read.job, made.job);
  EXPECT_TRUE(read.beside_other_step);
  EXPECT_EQ(to_text(read), to_text(made));
}

TEST(StepRequest, TravelsWithAUsersWordsOfAnyBytes) {
  auto made = attempt();
  made.hint = "multi\xff";
  made.draw = "node\x1b\xfe";
  const auto read = step_request_from_text(to_text(made));
  EXPECT_EQ(read.hint, made.hint);
  EXPECT_EQ(read.draw, made.draw);
}

TEST(StepRequest, IsRefusedTruncatedLengthenedAndFromAnotherVersion) {
  fixtures::expect_one_form<StepRequest>({to_text(request::Request{}), to_text(attempt().request)});
  const auto text = to_text(attempt());
  for (std::size_t size = 0; size < text.size(); ++size) expect_refused(text.substr(0, size));
  expect_refused("1 " + text);
  expect_refused("{}");
  expect_refused("0.1 " + text);
}

TEST(StepRequest, NamesTheVersionsIfTheyDiffer) {
  const auto text = to_text(attempt());
  const auto record = text.substr(text.find(' '));
  const auto own = text.substr(0, text.find(' '));
  for (const auto* other : {"0.1.9", "10.0.0", "0.9.0rc1"}) {
    fixtures::expect_error([&] { step_request_from_text(other + record); },
                           "srun's host has muster " + std::string(other) +
                               ", and this node has muster " + own +
                               ": install the same version on all nodes");
  }
}

// What another version would have to send with the same fields, but other keys or defaults of the request.
TEST(StepRequest, IsRefusedWithARequestOfAnotherVersion) {
  const auto text = to_text(attempt());
  auto other = to_text(attempt().request);
  const auto place = text.find(other);
  ASSERT_NE(place, std::string::npos);
  other.front() = other.front() == '1' ? '2' : '1';
  expect_refused(text.substr(0, place) + other);
}

TEST(StepRequest, IsRefusedWithTextsThatAreTooLong) {
  for (const auto field : {&StepRequest::hint, &StepRequest::draw, &StepRequest::batch_host,
                           &StepRequest::supervisor_step}) {
    auto made = attempt();
    made.*field = std::string(300, 'x');
    expect_refused(to_text(made));
  }
  auto made = attempt();
  made.channel.addresses.assign(channel::max_addresses + 1, "10.0.0.1");
  expect_refused(to_text(made));
  made.channel.addresses = {std::string(65, '1')};
  expect_refused(to_text(made));
}

TEST(StepRequest, IsAnErrorWhereItDoesNotFitIntoAVariable) {
  auto made = attempt();
  made.job.name = std::string(max_request_bytes, 'x');
  fixtures::expect_error([&] { to_text(made); }, "shorten its values");
}

}  // namespace
}  // namespace muster::step
