// Formats text for people and programs: numbers, names, rows of a report, JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace eigen_g::apps {

// std::snprintf into a string.
[[gnu::format(printf, 1, 2)]] std::string print(const char* format, ...);

std::string bytes_text(std::uint64_t bytes);                   // "0 B", "812 B", "1.5 GB": powers of 1000
std::string left_column(std::string text, std::size_t width);  // pads on the right; never truncates
// A line: the name, padded to 14 columns or followed by one blank where it is longer, and the text.
std::string report_row(const std::string& name, const std::string& text);
std::string words(std::string name);                        // "divide_and_conquer" -> "divide and conquer"
std::string joined(const std::vector<std::string>& parts);  // "a, b, c"
std::string today();                                        // "2026-11-21", UTC

// Indented by 1, with a final line feed. JSON must be UTF-8, but file names need not be: invalid bytes are replaced.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace eigen_g::apps
