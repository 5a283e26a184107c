// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"
#include "value_type.h"

#include <algorithm>
#include <utility>

namespace sartor {

inline auto python_members(Site &it) {
  return std::tie(it.function, it.file, it.line, it.problem, it.unreached);
}
inline auto python_members(Seen::Input &it) { return std::tie(it.values, it.share); }
inline auto python_members(Seen &it) { return std::tie(it.count, it.error_bound, it.top); }
inline auto python_members(Point &it) {
  return std::tie(it.label, it.kind, it.type, it.choices, it.sites, it.handlers, it.function,
                  it.arguments, it.custom_kind, it.is_versioned, it.reads_memory, it.is_operand,
                  it.seen);
}
inline auto python_members(Condition &it) { return std::tie(it.label, it.values); }
inline auto python_members(Constraints &it) {
  return std::tie(it.relations, it.conditions, it.forbidden);
}
inline auto python_members(Dimension &it) { return std::tie(it.label, it.settings, it.is_ordered); }

} // namespace sartor

namespace sartor::python {

namespace {

void bind_point(nb::module_ &module) {
  nb::class_<Site> site(module, "Site", "Where a point stands in the source.");
  site.def_ro("function", &Site::function, "Demangled.")
      .def_ro("file", &Site::file)
      .def_ro("line", &Site::line)
      .def_ro("problem", &Site::problem,
              "Why this place cannot be specialized and stays generic; empty where it can.")
      .def_ro("unreached", &Site::unreached,
              "Why no handler reaches this place; empty where one does.");
  add_state(site);
  add_repr(site, {"function", "file", "line", "problem", "unreached"});

  nb::class_<Point> point(module, "Point", "A label and all the places that carry it.");
  point.def_ro("label", &Point::label)
      .def_prop_ro(
          "kind", [](const Point &self) { return to_string(self.kind); },
          R"("enum", "range", "generic", "assume", "fast_path" or "custom".)")
      .def_prop_ro(
          "type", [](const Point &self) { return self.type.text(); },
          R"(Of its value: "u64", "i8", "bool", "f32", "ptr".)")
      .def_ro("choices", &Point::choices,
              "An enum's and a custom point's; a range's bounds; else empty.")
      .def_ro("sites", &Point::sites)
      .def_ro("handlers", &Point::handlers, "The handlers that can reach it, by name.")
      .def_ro("function", &Point::function, "Of a call point: what it calls.")
      .def_ro("custom_kind", &Point::custom_kind)
      .def("values", &Point::values,
           "Every value that an exploration may set it to; nothing for a generic point.")
      .def("__repr__", [](const Point &self) {
        return "<Point " + self.label + ": " + std::string(to_string(self.kind)) + ">";
      });
  add_state(point);

  nb::class_<Space> space(
      module, "Space",
      "All the points of a handler module, and the constraints between them. Read only.");
  space
      .def_prop_ro(
          "points", [](const Space &self) { return self.points(); },
          "In the order of their labels.")
      .def_prop_ro("constraints", [](const Space &self) { return self.constraints(); })
      .def(
          "find",
          [](const Space &self, const std::string &label) -> std::optional<Point> {
            const Point *point = self.find(label);
            return point ? std::optional(*point) : std::nullopt;
          },
          nb::arg("label"), "None if there is no such label.")
      .def(
          "check",
          [](const Space &self, const Configuration &configuration) {
            if (auto failure = self.check(configuration))
              throw Error(std::move(*failure));
          },
          nb::arg("configuration"),
          nb::sig("def check(self, configuration: " SARTOR_PYTHON_CONFIGURATION ") -> None"),
          "Raises Error if this configuration cannot be: unknown_label (with the nearest labels), "
          "value_outside_choices, bad_value_type, forbidden_configuration.")
      .def("json", &Space::json)
      .def("__getstate__",
           [](const Space &self) {
             return nb::object(
                 nb::make_tuple(to_state(self.points()), to_state(self.constraints())));
           })
      .def("__setstate__", [](Space &self, const nb::object &state) {
        std::vector<Point> points;
        Constraints constraints;
        from_state(state[0], points);
        from_state(state[1], constraints);
        Space made(std::move(points));
        made.constrain(std::move(constraints));
        new (&self) Space(std::move(made));
      });
  add_repr(space, {"points", "constraints"});
}

void bind_constraints(nb::module_ &module) {
  nb::class_<Condition> condition(
      module, "Condition", "Holds where `label` is set, and to nothing but some of `values`.");
  condition
      .def(
          "__init__",
          [](Condition *self, std::string label, std::vector<Value> values) {
            new (self) Condition{std::move(label), std::move(values)};
          },
          nb::arg("label"), nb::arg("values"))
      .def_ro("label", &Condition::label)
      .def_ro("values", &Condition::values)
      .def(
          "__eq__", [](const Condition &self, const Condition &other) { return self == other; },
          nb::is_operator(), nb::sig(kEquals));
  add_state(condition);
  add_repr(condition, {"label", "values"});

  nb::class_<Constraints> constraints(module, "Constraints",
                                      R"(What keeps points from being set independently.

`relations` between numeric points, as "Ti * Tj <= 4096"; one that names a point that is left
generic holds. `conditions`: what must hold for a label to be set to anything. `forbidden`:
combinations that a configuration may not contain. Read only.)");
  constraints
      .def(
          "__init__",
          [](Constraints *self, std::vector<std::string> relations,
             std::map<std::string, Condition> conditions, std::vector<Configuration> forbidden) {
            new (self)
                Constraints{std::move(relations), std::move(conditions), std::move(forbidden)};
          },
          nb::arg("relations") = std::vector<std::string>(),
          nb::arg("conditions") = std::map<std::string, Condition>(),
          nb::arg("forbidden") = std::vector<Configuration>())
      .def_ro("relations", &Constraints::relations)
      .def_ro("conditions", &Constraints::conditions)
      .def_ro("forbidden", &Constraints::forbidden)
      .def("json", &Constraints::json)
      .def_static("from_json", &Constraints::from_json, nb::arg("text"),
                  "Reads what json() writes. Raises Error (bad_json).")
      .def(
          "__eq__", [](const Constraints &self, const Constraints &other) { return self == other; },
          nb::is_operator(), nb::sig(kEquals));
  add_state(constraints);
  add_repr(constraints, {"relations", "conditions", "forbidden"});
}

Dimension dimension(std::string label, const nb::iterable &settings, std::optional<bool> ordered) {
  Dimension made{.label = std::move(label), .settings = {}};
  for (const nb::handle setting : settings)
    made.settings.push_back(to_setting(made.label, setting));
  made.is_ordered = ordered.value_or(std::ranges::none_of(made.settings, [](const auto &setting) {
    return setting.values.size() > 1 || setting.values.front().is_symbol();
  }));
  if (made.is_ordered)
    std::ranges::sort(made.settings);
  return made;
}

std::vector<Dimension> dimensions(const nb::object &from) {
  std::vector<Dimension> made;
  if (PyDict_Check(from.ptr())) {
    for (const auto &[label, settings] : nb::cast<nb::dict>(from))
      made.push_back(
          dimension(nb::cast<std::string>(label), nb::cast<nb::iterable>(settings), std::nullopt));
    return made;
  }
  return nb::cast<std::vector<Dimension>>(from);
}

/// Chooses by the state of Python's generator: the same state gives the same configuration.
Configuration random(const SearchSpace &space, const nb::object &generator) {
  const nb::object source = generator.is_none() ? nb::module_::import_("random") : generator;
  std::mt19937_64 bits(nb::cast<std::uint64_t>(source.attr("getrandbits")(64)));
  return space.at(space.random(bits));
}

void bind_search_space(nb::module_ &module) {
  nb::class_<Dimension> dimension_type(module, "Dimension",
                                       R"(What an exploration may set one point to.

`settings` leave the generic one out; in ascending order if `is_ordered`, which says whether
neighbours are alike. Numbers are ordered unless said otherwise, symbols are not. Read only.)");
  dimension_type
      .def(
          "__init__",
          [](Dimension *self, std::string label, const nb::iterable &settings,
             std::optional<bool> is_ordered) {
            new (self) Dimension(dimension(std::move(label), settings, is_ordered));
          },
          nb::arg("label"), nb::arg("settings"), nb::arg("is_ordered") = nb::none(),
          nb::sig("def __init__(self, label: str, settings: collections.abc.Iterable[Setting | int "
                  "| float | str], "
                  "is_ordered: bool | None = None) -> None"))
      .def_ro("label", &Dimension::label)
      .def_ro("settings", &Dimension::settings)
      .def_ro("is_ordered", &Dimension::is_ordered)
      .def(
          "__eq__", [](const Dimension &self, const Dimension &other) { return self == other; },
          nb::is_operator(), nb::sig(kEquals));
  add_state(dimension_type);
  add_repr(dimension_type, {"label", "settings", "is_ordered"});

  nb::class_<SearchSpace> search_space(module, "SearchSpace",
                                       R"(What an exploration chooses from: a value.

Some points, each with the settings that may be tried (or left generic), and the constraints between
them. A configuration of it is also a *place*: for each dimension, in the order of labels, 0 for
generic or 1 + the index of its setting.

Made from dimensions, or a dict from labels to values. Raises Error: bad_objective for a dimension
without settings, unknown_label, bad_constraint.)");
  search_space
      .def(
          "__init__",
          [](SearchSpace *self, const nb::object &from, const Constraints &constraints) {
            new (self) SearchSpace(dimensions(from), constraints);
          },
          nb::arg("dimensions"), nb::arg("constraints") = Constraints(),
          nb::sig("def __init__(self, dimensions: collections.abc.Sequence[Dimension] | dict[str, "
                  "collections.abc.Iterable[Setting | int | float | str]], constraints: "
                  "Constraints = ...) -> None"))
      .def_static(
          "of",
          [](const Space &space, const std::map<std::string, std::vector<Value>> &choices,
             const std::set<std::string> &unguarded) {
            return SearchSpace(space, choices, unguarded);
          },
          nb::arg("space"), nb::arg("choices") = std::map<std::string, std::vector<Value>>(),
          nb::arg("unguarded") = std::set<std::string>(),
          "All points of `space` that can be specialized, each with its own values or with "
          "those of `choices`; labels in `unguarded` get settings without a guard.")
      .def_prop_ro(
          "dimensions", [](const SearchSpace &self) { return self.dimensions(); },
          "In the order of their labels.")
      .def_prop_ro("constraints", [](const SearchSpace &self) { return self.constraints(); })
      .def_prop_ro("combinations", &SearchSpace::combinations,
                   "Of all settings and generic, allowed or not; 2**64 - 1 stands for more.")
      .def(
          "allows",
          [](const SearchSpace &self, const Configuration &configuration) {
            return self.allows(configuration);
          },
          nb::arg("configuration"),
          nb::sig("def allows(self, configuration: " SARTOR_PYTHON_CONFIGURATION ") -> bool"),
          "Whether it keeps to the dimensions' settings and to the constraints.")
      .def(
          "allows",
          [](const SearchSpace &self, const std::vector<std::int64_t> &coordinates) {
            return std::ranges::all_of(coordinates, std::in_range<std::uint32_t, std::int64_t>) &&
                   self.allows(SearchSpace::Coordinates(coordinates.begin(), coordinates.end()));
          },
          nb::arg("coordinates"))
      .def(
          "at",
          [](const SearchSpace &self, const SearchSpace::Coordinates &coordinates) {
            const auto &all = self.dimensions();
            if (coordinates.size() != all.size())
              throw nb::value_error("a place has a number for each dimension");
            for (std::size_t i = 0; i < coordinates.size(); ++i)
              if (coordinates[i] > all[i].settings.size())
                throw nb::index_error(all[i].label.c_str());
            return self.at(coordinates);
          },
          nb::arg("coordinates"), "The configuration at a place, allowed or not.")
      .def("coordinates_of", &SearchSpace::coordinates_of, nb::arg("configuration"),
           nb::sig("def coordinates_of(self, configuration: " SARTOR_PYTHON_CONFIGURATION
                   ") -> list[int] | None"),
           "None if a setting is not among the dimensions'.")
      .def("all", &SearchSpace::all, nb::arg("most") = 4096,
           "All configurations that are allowed, the generic code first. Raises Error "
           "(bad_objective) if there are more than `most` combinations.")
      .def("random", &random, nb::arg("generator") = nb::none(),
           nb::sig("def random(self, generator: random.Random | None = None) -> Configuration"),
           "One that is allowed.")
      .def("json", &SearchSpace::json)
      .def_static("from_json", &SearchSpace::from_json, nb::arg("text"),
                  "Reads what json() writes. Raises Error (bad_json).")
      .def(
          "__eq__", [](const SearchSpace &self, const SearchSpace &other) { return self == other; },
          nb::is_operator(), nb::sig(kEquals))
      .def("__getstate__", &SearchSpace::json)
      .def("__setstate__", [](SearchSpace &self, const std::string &text) {
        new (&self) SearchSpace(SearchSpace::from_json(text));
      });
  add_repr(search_space, {"dimensions", "constraints"});
}

} // namespace

void bind_space(nb::module_ &module) {
  bind_point(module);
  bind_constraints(module);
  bind_search_space(module);
}

} // namespace sartor::python
