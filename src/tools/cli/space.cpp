// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/space.h"

#include <algorithm>

#include "tools/cli/layout.h"

namespace sartor::cli {

namespace {

std::string name_of(const core::HandlerModule &module, const std::string &handler) {
  const auto found =
      std::ranges::find(module.handlers, handler, &core::HandlerModule::Handler::name);
  return found == module.handlers.end() ? handler : found->readable_name();
}

std::string handlers_text(const core::HandlerModule &module, const Point &point) {
  std::vector<std::string> names;
  for (const std::string &handler : point.handlers)
    names.push_back(name_of(module, handler));
  return names.empty() ? "none" : joined(names);
}

std::string site_text(const Site &site) {
  std::string text = site.file + ":" + std::to_string(site.line) + " " +
                     site.function.substr(0, site.function.find('('));
  if (!site.problem.empty())
    text += " (stays generic: " + site.problem + ")";
  else if (!site.unreached.empty())
    text += " (no handler reaches it: " + site.unreached + ")";
  return text;
}

} // namespace

std::string choices_text(const Point &point) {
  std::vector<std::string> texts;
  for (const Value &choice : point.choices)
    texts.push_back(choice.text());
  switch (point.kind) {
  case PointKind::enumeration:
    return joined(texts);
  case PointKind::range:
    return joined(texts, " to ");
  case PointKind::assume:
    return "true";
  case PointKind::generic:
    return "any value";
  case PointKind::fast_path:
    return "number of answers of " + point.function + "()";
  case PointKind::custom:
    return "generator " + point.custom_kind;
  }
  std::unreachable();
}

std::string space_text(const core::HandlerModule &module) {
  if (module.space.points().empty())
    return "no points: no file with handlers has any. Points are marked where SARTOR_POINTS is "
           "defined, as sartor_add_handler() and sartor-cc do\n";
  std::vector<std::vector<std::string>> rows{
      {"LABEL", "KIND", "TYPE", "CHOICES", "HANDLERS", "SITES"}};
  for (const Point &point : module.space.points()) {
    rows.push_back({point.label, std::string(to_string(point.kind)), point.type.text(),
                    choices_text(point), handlers_text(module, point)});
    for (const Site &site : point.sites) {
      if (&site != &point.sites.front())
        rows.push_back({"", "", "", "", ""});
      rows.back().push_back(site_text(site));
    }
  }
  return table(rows);
}

} // namespace sartor::cli
