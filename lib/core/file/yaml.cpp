#include "core/file/yaml.hpp"

#include "core/error.hpp"
#include "core/file/yaml_comments.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"

#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace muster::file {

enum class YamlKind { nothing, text, list, mapping };

namespace {

std::string_view name_of(YamlKind kind) {
  switch (kind) {
    case YamlKind::mapping:
      return "a mapping";
    case YamlKind::list:
      return "a list";
    case YamlKind::text:
      return "a plain value";
    default:
      return "nothing";
  }
}

std::string position(std::string_view file, const YAML::Mark& mark) {
  if (mark.is_null()) return text::printable_path(file);
  return fmt::format("{}:{}:{}", text::printable_path(file), mark.line + 1, mark.column + 1);
}

}  // namespace

struct Yaml::Node {
  YamlKind kind = YamlKind::nothing;
  YAML::Mark mark = YAML::Mark::null_mark();
  std::string text;
  std::vector<Node> parts;  // a mapping's keys and values in turn
};

struct Yaml::File {
  std::string path;
  Node root;
};

// Builds the tree while the parser reads, within bounds: a small file must not expand into a large tree.
// The library's own tree would need a second pass, which takes longer than everything else.
class Yaml::Builder final : public YAML::EventHandler {
 public:
  explicit Builder(std::string_view file) : file_(file) {}

  Node root() { return open_.front().parts.empty() ? Node() : std::move(open_.front().parts[0]); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add({YamlKind::nothing, mark, {}, {}});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Error(
        fmt::format("{}: aliases are not supported; write the value out", position(file_, mark)));
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& text) override {
    add({YamlKind::text, mark, text, {}});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    enter({YamlKind::list, mark, {}, {}});
  }
  void OnSequenceEnd() override { leave(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    enter({YamlKind::mapping, mark, {}, {}});
  }
  void OnMapEnd() override { leave(); }

 private:
  void add(Node node) {
    count(node.mark);
    open_.back().parts.push_back(std::move(node));
  }
  void enter(Node node) {
    count(node.mark);
    if (open_.size() > max_yaml_depth) {
      throw Error(fmt::format("{}: nested too deeply: the limit is {}; flatten it",
                              position(file_, node.mark), max_yaml_depth));
    }
    open_.push_back(std::move(node));
  }
  void leave() {
    auto node = std::move(open_.back());
    open_.pop_back();
    open_.back().parts.push_back(std::move(node));
  }
  void count(const YAML::Mark& mark) {
    if (++nodes_ <= max_yaml_nodes) return;
    throw Error(fmt::format("{}: too many values: the limit is {}; shorten the file",
                            position(file_, mark), max_yaml_nodes));
  }

  std::string file_;
  // The document and the collections that are still open.
  std::vector<Node> open_ = std::vector<Node>(1);
  std::size_t nodes_ = 0;
};

Yaml::Yaml(std::shared_ptr<const File> file, const Node& node)
    : file_(std::move(file)), node_(&node) {}

Yaml Yaml::parse(std::string_view text, std::string_view file) {
  try {
    std::istringstream stream{shorten_comments(text)};
    YAML::Parser parser(stream);
    Builder document(file);
    Builder second(file);
    if (parser.HandleNextDocument(document) && parser.HandleNextDocument(second)) {
      throw Error(fmt::format(
          "{}: a second document after '---': only one document is allowed; remove the second",
          text::printable_path(file)));
    }
    auto whole = std::make_shared<const File>(std::string(file), document.root());
    return {whole, whole->root};
  } catch (const YAML::Exception& fault) {
    throw Error(fmt::format("{}: not valid YAML: {}; correct the file", position(file, fault.mark),
                            text::printable(fault.msg)));
  }
}

std::vector<Yaml::Entry> Yaml::entries() const {
  if (is_null()) return {};
  if (!is_mapping()) {
    throw error(fmt::format("{} where a mapping is expected; write 'KEY: VALUE' lines",
                            name_of(node_->kind)));
  }
  std::vector<Entry> all;
  std::set<std::string> seen;
  for (std::size_t i = 0; i + 1 < node_->parts.size(); i += 2) {
    const Yaml key(file_, node_->parts[i]);
    std::string name = key.text();
    if (!seen.insert(name).second) {
      throw key.error(
          fmt::format("{} twice: only one can apply; remove one", text::in_quotes(name)));
    }
    all.push_back({std::move(name), key, Yaml(file_, node_->parts[i + 1])});
  }
  return all;
}

std::vector<Yaml> Yaml::items() const {
  if (is_null()) return {};
  if (node_->kind == YamlKind::text) return {*this};
  if (node_->kind != YamlKind::list) {
    throw error(
        fmt::format("{} where a list is expected; write '- VALUE' lines", name_of(node_->kind)));
  }
  std::vector<Yaml> all;
  for (const auto& item : node_->parts) all.push_back(Yaml(file_, item));
  return all;
}

std::string Yaml::text() const {
  if (node_->kind == YamlKind::text) return node_->text;
  throw error(fmt::format("{} where a plain value is expected; write one word or a quoted string",
                          name_of(node_->kind)));
}

bool Yaml::is_null() const {
  return node_->kind == YamlKind::nothing;
}

bool Yaml::is_mapping() const {
  return node_->kind == YamlKind::mapping;
}

std::string Yaml::where() const {
  return position(file_->path, node_->mark);
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
