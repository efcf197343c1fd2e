// YAML with bounds: no aliases, limited depth, a limited number of nodes, one document, no
// duplicate keys. Every error names file:line:column.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {
class Error;
}

namespace muster::file {

inline constexpr std::size_t max_yaml_depth = 16;
inline constexpr std::size_t max_yaml_nodes = 20000;

// A node that knows which file it comes from.
class Yaml {
 public:
  static Yaml parse(std::string_view text, std::string_view file);

  struct Entry;
  std::vector<Entry> entries() const;  // of a mapping; an empty value has none
  std::vector<Yaml> items() const;     // of a sequence; a scalar is its only item
  std::string text() const;            // of a scalar; throws Error if it is empty
  bool is_null() const;
  bool is_mapping() const;
  std::string where() const;                 // "file:line:column"
  Error error(std::string_view what) const;  // "file:line:column: what"

 private:
  struct Node;
  struct File;
  class Builder;
  Yaml(std::shared_ptr<const File> file, const Node& node);

  std::shared_ptr<const File> file_;
  const Node* node_;  // a node in that file
};

struct Yaml::Entry {
  std::string key;
  Yaml key_node;
  Yaml value;
};

// For a key that is not in `known`. `place` names what the keys belong to, such as "a profile".
Error unknown_key(const Yaml::Entry& entry, std::string_view place,
                  std::span<const std::string_view> known);

}  // namespace muster::file
