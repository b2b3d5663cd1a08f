#include "apps/support/solve_picture.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>
#include <utility>

#include "apps/support/run_options.hpp"
#include "apps/support/text.hpp"

namespace eigen_g::apps {

namespace {

constexpr const char* blue = "#0072b2";  // by Okabe and Ito

// Number of bytes of the UTF-8 character at `at`; 0: it is not valid.
std::size_t utf8_bytes(const std::string& text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = lead < 0x80                   ? 1
                            : lead >= 0xc2 && lead < 0xe0 ? 2
                            : lead >= 0xe0 && lead < 0xf0 ? 3
                            : lead >= 0xf0 && lead < 0xf5 ? 4
                                                          : 0;
  for (std::size_t k = 1; k < bytes; ++k)
    if (at + k >= text.size() || (static_cast<unsigned char>(text[at + k]) & 0xc0) != 0x80) return 0;
  return bytes;
}

std::string escaped(const std::string& text) {
  std::string xml;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = utf8_bytes(text, at);
    const char c = text[at];
    if (bytes == 0 || (c >= 0 && c < ' '))
      xml += '?';
    else if (c == '&' || c == '<' || c == '>')
      xml += c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;";
    else
      xml.append(text, at, bytes);
    at += std::max<std::size_t>(1, bytes);
  }
  return xml;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text, const char* more = "") {
  return print("<text x='%.1f' y='%.1f' text-anchor='%s'%s>", x, y, anchor, more) + escaped(text) +
         "</text>\n";
}

// Multiples of 1, 2 or 5 times a power of ten within [low, high], about five of them.
std::vector<double> ticks(double low, double high) {
  const double raw = (high - low) / 5, power = std::pow(10.0, std::floor(std::log10(raw)));
  const double step = power * (raw / power < 1.5 ? 1 : raw / power < 3.5 ? 2 : raw / power < 7.5 ? 5 : 10);
  std::vector<double> marks;
  const double first = std::ceil(low / step - 1e-9);
  for (int k = 0; k < 10 && (first + k) * step <= high + 1e-9 * step; ++k)
    marks.push_back((first + k) * step + 0.0);  // 0.0: no "-0"
  return marks;
}

// A panel with two linear axes. Its data are within [x0, x1] x [y0, y1].
class Panel {
 public:
  Panel(double left, double top, double width, double height, double x0, double x1, double y0, double y1)
      : left_(left), top_(top), width_(width), height_(height), x0_(x0), x1_(x1), y0_(y0), y1_(y1) {}

  double x(double value) const { return left_ + width_ * ((value - x0_) / (x1_ - x0_)); }
  double y(double value) const { return top_ + height_ * (1 - (value - y0_) / (y1_ - y0_)); }

  std::string frame(const std::string& title, const std::string& along, bool with_y) const {
    std::string svg = text_at(left_ + width_ / 2, top_ - 12, "middle", title, " font-size='15'");
    for (const double mark : ticks(x0_, x1_)) {
      svg += grid_line(x(mark), top_, x(mark), top_ + height_);
      svg += text_at(x(mark), top_ + height_ + 17, "middle", print("%.6g", mark));
    }
    for (const double mark : with_y ? ticks(y0_, y1_) : std::vector<double>()) {
      svg += grid_line(left_, y(mark), left_ + width_, y(mark));
      svg += text_at(left_ - 6, y(mark) + 4, "end", print("%.6g", mark));
    }
    svg += print("<path d='M%.1f %.1fV%.1fH%.1f' fill='none' stroke='black'/>\n", left_, top_, top_ + height_,
                 left_ + width_);
    return svg + text_at(left_ + width_ / 2, top_ + height_ + 36, "middle", along);
  }

  std::string bar(double from_x, double to_x, double from_y, double to_y) const {
    return print("<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='%s'/>\n", x(from_x), y(to_y),
                 x(to_x) - x(from_x), y(from_y) - y(to_y), blue);
  }

 private:
  static std::string grid_line(double x0, double y0, double x1, double y1) {
    return print("<path d='M%.1f %.1fL%.1f %.1f' stroke='#dddddd'/>\n", x0, y0, x1, y1);
  }
  double left_, top_, width_, height_, x0_, x1_, y0_, y1_;
};

// An interval around [low, high] that is not empty.
std::pair<double, double> widened(double low, double high) {
  const double margin = high > low ? 0.03 * (high - low) : std::max(1.0, std::fabs(low)) / 2;
  return {low - margin, high + margin};
}

std::string spectrum(const std::vector<double>& values, std::int64_t first_index) {
  const auto [y0, y1] = widened(values.front(), values.back());
  const auto count = static_cast<double>(values.size());
  const auto first = static_cast<double>(first_index);
  const auto [x0, x1] = widened(first, first + count - 1);
  const Panel panel(80, 70, 380, 250, x0, x1, y0, y1);
  std::string svg = panel.frame("Spectrum: eigenvalue by index", "index", true);
  // A picture has fewer columns than a large matrix has values.
  const std::size_t step = std::max<std::size_t>(1, values.size() / 2000);
  std::string points;
  for (std::size_t k = 0; k < values.size(); k += step)
    points += print("%.2f,%.2f ", panel.x(first + static_cast<double>(k)), panel.y(values[k]));
  if ((values.size() - 1) % step != 0)
    points += print("%.2f,%.2f ", panel.x(first + count - 1), panel.y(values.back()));
  svg += "<polyline fill='none' stroke='" + std::string(blue) + "' stroke-width='1.5' points='" + points +
         "'/>\n";
  for (std::size_t k = 0; values.size() <= 100 && k < values.size(); ++k)
    svg += print("<circle cx='%.2f' cy='%.2f' r='2.5' fill='%s'/>\n", panel.x(first + static_cast<double>(k)),
                 panel.y(values[k]), blue);
  return svg;
}

std::string density(const std::vector<double>& values) {
  auto [low, high] = std::pair(values.front(), values.back());
  if (!((high - low) / 200 > 0)) std::tie(low, high) = widened(low, high);
  const auto count = static_cast<double>(values.size());
  const auto bins = static_cast<std::size_t>(std::clamp(std::round(std::sqrt(count)), 1.0, 200.0));
  const double width = (high - low) / static_cast<double>(bins);
  std::vector<double> heights(bins);
  for (const double w : values)
    heights[std::min(bins - 1, static_cast<std::size_t>((w - low) / width))] += 1 / (count * width);
  const auto [x0, x1] = widened(low, high);
  const Panel panel(550, 70, 380, 250, x0, x1, 0, 1.05 * *std::max_element(heights.begin(), heights.end()));
  std::string svg = panel.frame("Density of states", "eigenvalue", true);
  for (std::size_t k = 0; k < bins; ++k) {
    const double left = low + static_cast<double>(k) * width;
    svg += panel.bar(left, left + 0.94 * width, 0, heights[k]);
  }
  return svg;
}

std::string stages(const Report& report) {
  std::vector<std::pair<std::string, double>> bars;
  for (const StageWork& work : report.stages) {
    const std::string label = words(name(work.stage));
    const auto same = [&](const auto& bar) { return bar.first == label; };
    if (std::none_of(bars.begin(), bars.end(), same)) bars.emplace_back(label, report.seconds_of(work.stage));
  }
  double most = 0;
  for (const auto& bar : bars) most = std::max(most, bar.second);
  if (most <= 0) return "";
  const bool seconds = most >= 1;
  const double scale = seconds ? 1 : 1e3, height = 22 * static_cast<double>(bars.size());
  const Panel panel(160, 430, 700, height, 0, 1.02 * scale * most, static_cast<double>(bars.size()), 0);
  std::string svg = panel.frame(print("Stages: %.3g %s in all", scale * report.seconds, seconds ? "s" : "ms"),
                                seconds ? "seconds" : "milliseconds", false);
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const auto at = static_cast<double>(k);
    svg += panel.bar(0, scale * bars[k].second, at + 0.85, at + 0.15);
    svg += text_at(panel.x(0) - 6, panel.y(at + 0.5) + 4, "end", bars[k].first);
    svg += text_at(panel.x(scale * bars[k].second) + 5, panel.y(at + 0.5) + 4, "start",
                   print("%.3g", scale * bars[k].second));
  }
  return svg;
}

}  // namespace

void add_plot_option(CLI::App& command, std::string& file) {
  named_output(command.add_option(
                   "--plot", file,
                   "Draw spectrum, density of states and stages into an SVG file; eigen_g.plot in Python "
                   "also makes .png"))
      ->check([](const std::string& name) {
        return std::filesystem::path(name).extension() == ".svg"
                   ? std::string()
                   : name + " must end in .svg; eigen_g.plot in Python makes .png and other pictures";
      })
      ->option_text("FILE.svg");
}

std::string solve_picture(const std::string& title, const std::vector<double>& values, const Report& report) {
  const std::string bars = stages(report);
  const double height = bars.empty() ? 380 : 500 + 22 * static_cast<double>(report.stages.size());
  std::string svg = print(
      "<svg xmlns='http://www.w3.org/2000/svg' width='960' height='%.0f' viewBox='0 0 960 %.0f' "
      "font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
      height, height);
  svg += text_at(480, 28, "middle",
                 std::filesystem::path(title).filename().string() + print(", %zu eigenvalues", values.size()),
                 " font-size='17'");
  if (!values.empty() && std::isfinite(values.back() - values.front()))
    svg += spectrum(values, report.first_index) + density(values);
  return svg + bars + "</svg>\n";
}

}  // namespace eigen_g::apps
