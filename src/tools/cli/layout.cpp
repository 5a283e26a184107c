// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/layout.h"

#include <algorithm>

#include <sys/ioctl.h>
#include <unistd.h>

namespace sartor::cli {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kTab = 8;
constexpr std::size_t kContinuation = 4;
constexpr std::size_t kNarrowest = 20;

std::string without_tabs(std::string_view line) {
  std::string result;
  for (const char c : line)
    if (c == '\t')
      result.append(kTab - result.size() % kTab, ' ');
    else
      result += c;
  return result;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string line = without_tabs(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = std::min(line.find_first_not_of(' ') + kContinuation, width / 2);
    while (line.size() > width) {
      const auto space = line.rfind(' ', width);
      const auto cut = space == std::string::npos || space <= indent ? width : space;
      lines.push_back(line.substr(0, cut));
      line = std::string(indent, ' ') + line.substr(line[cut] == ' ' ? cut + 1 : cut);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void pad(std::string &line, std::size_t width) {
  if (line.size() < width)
    line.append(width - line.size(), ' ');
}

void end_line(std::string &text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

} // namespace

std::string joined(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string &part : parts) {
    if (!text.empty())
      text += separator;
    text += part;
  }
  return text;
}

std::string table(std::span<const std::vector<std::string>> rows) {
  std::vector<std::size_t> widths;
  for (const auto &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    std::size_t column = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      pad(line, column);
      line += row[i];
      column += widths[i] + kGap;
    }
    end_line(line);
    text += line;
  }
  return text;
}

std::string side_by_side(std::string_view left, std::string_view right, std::size_t width) {
  constexpr std::string_view separator = " | ";
  const std::size_t half =
      std::max(kNarrowest, (std::max(width, separator.size()) - separator.size()) / 2);
  const auto lefts = wrapped(left, half);
  const auto rights = wrapped(right, half);
  std::string text;
  for (std::size_t i = 0; i < std::max(lefts.size(), rights.size()); ++i) {
    std::string line = i < lefts.size() ? lefts[i] : "";
    pad(line, half);
    line += separator;
    line += i < rights.size() ? rights[i] : "";
    end_line(line);
    text += line;
  }
  return text;
}

std::size_t output_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 160;
}

} // namespace sartor::cli
