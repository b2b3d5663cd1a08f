// Suggests the intended word for a misspelt one.
#pragma once

#include <string>
#include <vector>

namespace eigen_g::apps {

// The word of `known` with the fewest edits from `word` (insertions, deletions, substitutions, swaps of neighbours). "" if no word is
// close enough: one edit for words of up to 5 letters, otherwise a third of the letters.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace eigen_g::apps
