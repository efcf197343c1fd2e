// Arguments and environment variables as the exec functions take them.
#pragma once

#include <string>
#include <vector>

namespace muster::successor {

// Into `words`, and a null pointer at the end.
inline std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (auto& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace muster::successor
