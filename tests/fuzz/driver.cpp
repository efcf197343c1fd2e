// Runs a target without libFuzzer: on its seeds, and on mutations of them that a seed number makes
// reproducible. It does not measure coverage, so it finds less than libFuzzer in the same time.
//
//   fuzz_NAME [--seed N] [--iterations N | --seconds N] [FILE...]    files: only these inputs
//
// The input that ends the program is left in ./failed-input.
#include "fixtures/random_text.hpp"
#include "target.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  unsigned seed = std::random_device{}();
  long iterations = -1;
  long seconds = 10;
  std::vector<std::string> files;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (!name.starts_with("--")) {
      options.files.push_back(name);
    } else if (i + 1 < argc) {
      const std::string value = argv[++i];
      if (name == "--seed") options.seed = static_cast<unsigned>(std::stoul(value));
      if (name == "--iterations") options.iterations = std::stol(value);
      if (name == "--seconds") options.seconds = std::stol(value);
    }
  }
  return options;
}

std::string current;  // for the signal handler, which may only write

void keep_input(int signal) {
  const int file = open("failed-input", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file >= 0 && write(file, current.data(), current.size()) >= 0) close(file);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(std::string input) {
  current = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

std::string next_input(muster::fixtures::RandomText& random,
                       const std::vector<std::string>& seeds) {
  auto text = random.below(16) == 0 ? random.bytes(200) : random.pick(seeds);
  if (random.below(4) == 0) {
    // The head of one input and the tail of another.
    const auto& other = random.pick(seeds);
    text = text.substr(0, random.below(text.size() + 1)) +
           other.substr(random.below(other.size() + 1));
  }
  for (auto changes = random.below(6); changes > 0; --changes) text = random.mutate(text);
  return text;
}

void run_files(const std::vector<std::string>& files) {
  for (const auto& name : files) {
    std::ifstream file(name, std::ios::binary);
    run({std::istreambuf_iterator<char>(file), {}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) std::signal(signal, keep_input);
  if (!options.files.empty()) {
    run_files(options.files);
    return 0;
  }
  const auto seeds = muster::fuzz::seeds();
  muster::fixtures::RandomText random(options.seed);
  const auto end = Clock::now() + std::chrono::seconds{options.seconds};
  for (const auto& seed : seeds) run(seed);
  long done = 0;
  while (options.iterations < 0 ? Clock::now() < end : done < options.iterations) {
    run(next_input(random, seeds));
    ++done;
  }
  std::printf("%s: %ld mutations of %zu seeds, --seed %u, without libFuzzer\n", argv[0], done,
              seeds.size(), options.seed);
  return 0;
}
