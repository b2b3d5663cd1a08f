// What a misspelt word may have meant.
#pragma once

#include <string>
#include <vector>

namespace eigen_g::apps {

// The nearest of `known` by letters put in, left out, exchanged or swapped, where so few of them explain it that it is likely: one for
// words of up to 5 letters, else up to a third of them. "": none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace eigen_g::apps
