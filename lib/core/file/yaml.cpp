#include "core/file/yaml.hpp"

#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"

#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

namespace muster::file {
namespace {

std::string position(std::string_view file, const YAML::Mark& mark) {
  if (mark.is_null()) return text::printable_path(file);
  return fmt::format("{}:{}:{}", text::printable_path(file), mark.line + 1, mark.column + 1);
}

// Runs before any tree is built, so that a small file cannot expand into a large one.
class BoundsCheck final : public YAML::EventHandler {
 public:
  explicit BoundsCheck(std::string_view file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { count(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Error(
        fmt::format("{}: aliases are not supported; write the value out", position(file_, mark)));
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    count(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    enter(mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    enter(mark);
  }
  void OnMapEnd() override { --depth_; }

 private:
  void enter(const YAML::Mark& mark) {
    count(mark);
    if (++depth_ <= max_yaml_depth) return;
    throw Error(fmt::format("{}: nested too deeply: the limit is {}; flatten it",
                            position(file_, mark), max_yaml_depth));
  }
  void count(const YAML::Mark& mark) {
    if (++nodes_ <= max_yaml_nodes) return;
    throw Error(fmt::format("{}: too many values: the limit is {}; shorten the file",
                            position(file_, mark), max_yaml_nodes));
  }

  std::string file_;
  std::size_t depth_ = 0;
  std::size_t nodes_ = 0;
};

void check_bounds(std::string_view text, std::string_view file) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  BoundsCheck check(file);
  if (!parser.HandleNextDocument(check)) return;
  if (parser.HandleNextDocument(check)) {
    throw Error(fmt::format("{}: a second document after '---': only one is read; remove it",
                            text::printable_path(file)));
  }
}

std::string_view kind(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map:
      return "a mapping";
    case YAML::NodeType::Sequence:
      return "a list";
    case YAML::NodeType::Scalar:
      return "a plain value";
    default:
      return "nothing";
  }
}

}  // namespace

Yaml::Yaml(const YAML::Node& node, std::string file) : node_(node), file_(std::move(file)) {}

Yaml Yaml::parse(std::string_view text, std::string_view file) {
  try {
    check_bounds(text, file);
    return {YAML::Load(std::string(text)), std::string(file)};
  } catch (const YAML::Exception& fault) {
    throw Error(fmt::format("{}: not valid YAML: {}; correct the file", position(file, fault.mark),
                            text::printable(fault.msg)));
  }
}

std::vector<Yaml::Entry> Yaml::entries() const {
  if (node_.IsNull()) return {};
  if (!node_.IsMap()) {
    throw error(
        fmt::format("{} where a mapping is expected; write 'KEY: VALUE' lines", kind(node_)));
  }
  std::vector<Entry> all;
  std::set<std::string> seen;
  for (const auto& pair : node_) {
    const Yaml key(pair.first, file_);
    std::string name = key.text();
    if (!seen.insert(name).second) {
      throw key.error(
          fmt::format("{} twice: only one can hold; remove one", text::in_quotes(name)));
    }
    all.push_back({std::move(name), key, Yaml(pair.second, file_)});
  }
  return all;
}

std::vector<Yaml> Yaml::items() const {
  if (node_.IsNull()) return {};
  if (node_.IsScalar()) return {*this};
  if (!node_.IsSequence()) {
    throw error(fmt::format("{} where a list is expected; write '- VALUE' lines", kind(node_)));
  }
  std::vector<Yaml> all;
  for (const auto& item : node_) all.push_back(Yaml(item, file_));
  return all;
}

std::string Yaml::text() const {
  if (node_.IsScalar()) return node_.Scalar();
  throw error(fmt::format("{} where a plain value is expected; write one word or a quoted text",
                          kind(node_)));
}

bool Yaml::is_null() const {
  return node_.IsNull();
}

bool Yaml::is_mapping() const {
  return node_.IsMap();
}

std::string Yaml::where() const {
  return position(file_, node_.Mark());
}

Error Yaml::error(std::string_view what) const {
  return Error{fmt::format("{}: {}", where(), what)};
}

Error unknown_key(const Yaml::Entry& entry, std::string_view place,
                  std::span<const std::string_view> known) {
  return entry.key_node.error(fmt::format("unknown key {}: not part of {}; {}",
                                          text::in_quotes(entry.key), place,
                                          text::suggestion(entry.key, known)));
}

}  // namespace muster::file
