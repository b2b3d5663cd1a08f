// Draws a solve as an SVG picture: the spectrum, the density of states, and the seconds of the stages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solver/api/types.hpp"

namespace CLI {
class App;
}

namespace eigen_g::apps {

// The option --plot. A file whose name does not end in .svg is a usage error.
void add_plot_option(CLI::App& command, std::string& file);

// values: finite and ascending. title: of the picture, such as the name of the matrix's file.
std::string solve_picture(const std::string& title, const std::vector<double>& values, const Report& report);

}  // namespace eigen_g::apps
