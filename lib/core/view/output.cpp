#include "core/view/output.hpp"

#include "core/error.hpp"
#include "core/record/record.hpp"

#include <utility>

namespace muster::view {

std::string to_text(const OutputPiece& piece) {
  return record::write(piece);
}

bool is_output(std::string_view text) {
  return record::begins<OutputPiece>(text);
}

OutputPiece output_from_text(std::string_view text) {
  auto piece = record::read<OutputPiece>(text);
  if (!piece)
    throw Error(
        "a rank's output cannot be read; is the same muster version installed on every node?");
  return std::move(*piece);
}

}  // namespace muster::view
