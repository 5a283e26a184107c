// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"

#include <nanobind/make_iterator.h>
#include <nanobind/operators.h>

namespace sartor::python {

namespace {

Error bad_value(std::string_view label, nb::handle from) {
  return Error({ErrorCode::bad_value_type, std::string(label),
                "cannot be set to " + std::string(nb::repr(from).c_str()),
                "give an int of at most 64 bits, a float, a str, or several in a list"});
}

/// The values of a setting as in a literal: a single value by itself, several in a list.
nb::object values_of(const Setting &setting) {
  if (setting.values.size() == 1)
    return from_value(setting.values.front());
  nb::list several;
  for (const Value &value : setting.values)
    several.append(from_value(value));
  return several;
}

nb::object plain(const Setting &setting) {
  return setting.guarded ? values_of(setting) : nb::cast(setting);
}

std::string text(const Setting &setting) { // same format as Configuration::text()
  std::string written;
  for (const Value &value : setting.values)
    written += (written.empty() ? "" : "|") + value.text();
  return written + (setting.guarded ? "" : "!");
}

std::size_t hash(const Setting &setting) {
  return std::hash<Configuration>()(Configuration{{"", setting}});
}

Setting make_setting(const nb::object &values, bool guarded) {
  Setting setting = to_setting("Setting", values);
  setting.guarded = guarded && setting.guarded;
  return setting;
}

const Setting &at(const Configuration &configuration, const std::string &label) {
  const Setting *setting = configuration.find(label);
  if (!setting)
    throw nb::key_error(label.c_str());
  return *setting;
}

Configuration merged(Configuration configuration, const nb::object &more) {
  for (const auto &[label, setting] : to_configuration(more))
    configuration.set(label, setting);
  return configuration;
}

nb::dict to_dict(const Configuration &configuration) {
  nb::dict settings;
  for (const auto &[label, setting] : configuration)
    settings[nb::cast(label)] = plain(setting);
  return settings;
}

/// Also equal to a mapping that converts to the same configuration.
bool equal(const Configuration &configuration, nb::handle other) {
  if (nb::isinstance<Configuration>(other))
    return configuration == nb::cast<const Configuration &>(other);
  if (!PyDict_Check(other.ptr()))
    return false;
  try {
    return configuration == to_configuration(other);
  } catch (const Error &) {
    return false;
  } catch (const nb::builtin_exception &) { // a key is no string
    return false;
  }
}

void bind_setting(nb::module_ &module) {
  nb::class_<Setting>(module, "Setting", R"(The setting of one point: one value, or several.

With several, the guard is a switch over specialized bodies. Without a guard, what happens when
another value comes along is undefined. Immutable.)")
      .def(nb::init_implicit<Value>(), nb::arg("value"))
      .def(
          "__init__",
          [](Setting *self, const nb::object &values, bool guarded) {
            new (self) Setting(make_setting(values, guarded));
          },
          nb::arg("values"), nb::arg("guarded") = true,
          nb::sig("def __init__(self, values: int | float | str | collections.abc.Iterable[int | "
                  "float | str], "
                  "guarded: bool = True) -> None"))
      .def_prop_ro(
          "values", [](const Setting &self) { return nb::tuple(nb::cast(self.values)); },
          nb::sig("def values(self) -> tuple[int | float | str, ...]"),
          "In ascending order, without repetitions, never empty.")
      .def_ro("guarded", &Setting::guarded)
      .def_prop_ro(
          "value",
          [](const Setting &self) {
            if (self.values.size() != 1)
              throw nb::value_error("a setting of several values has no single one");
            return self.values.front();
          },
          "The only value; raises ValueError if there are several.")
      .def(
          "__eq__", [](const Setting &self, const Setting &other) { return self == other; },
          nb::is_operator(), nb::sig(kEquals))
      .def("__hash__", &hash)
      .def("__str__", &text)
      .def("__repr__",
           [](const Setting &self) {
             return std::string("Setting(") + nb::repr(values_of(self)).c_str() +
                    (self.guarded ? ")" : ", guarded=False)");
           })
      .def(
          "__getstate__",
          [](const Setting &self) { return nb::object(nb::make_tuple(self.values, self.guarded)); })
      .def("__setstate__", [](Setting &self, const nb::object &state) {
        new (&self) Setting(make_setting(nb::object(state[0]), nb::cast<bool>(state[1])));
      });

  module.def(
      "any_of", [](const nb::args &values) { return make_setting(values, true); },
      nb::sig("def any_of(*values: int | float | str) -> Setting"),
      "A setting that holds any of several values.");
  module.def(
      "unguarded", [](const nb::object &setting) { return make_setting(setting, false); },
      nb::arg("setting"),
      nb::sig("def unguarded(setting: Setting | int | float | str | collections.abc.Iterable[int | "
              "float | str]) "
              "-> Setting"),
      "The same setting without its guard: the program never has another value.");
}

} // namespace

Setting to_setting(std::string_view label, nb::handle from) {
  if (nb::isinstance<Setting>(from))
    return nb::cast<const Setting &>(from);
  if (auto value = to_value(from))
    return {std::move(*value)};
  std::vector<Value> values;
  const auto iterator = nb::steal(PyObject_GetIter(from.ptr()));
  if (!iterator.is_valid()) {
    PyErr_Clear();
    throw bad_value(label, from);
  }
  while (const auto item = nb::steal(PyIter_Next(iterator.ptr()))) {
    auto value = to_value(item);
    if (!value)
      throw bad_value(label, from);
    values.push_back(std::move(*value));
  }
  if (PyErr_Occurred())
    throw nb::python_error();
  if (values.empty())
    throw bad_value(label, from);
  return Setting(std::move(values));
}

Configuration to_configuration(nb::handle from) {
  if (nb::isinstance<Configuration>(from))
    return nb::cast<const Configuration &>(from);
  if (!nb::hasattr(from, "keys"))
    throw nb::type_error("neither a Configuration nor a mapping from labels to settings");
  nb::dict settings;
  if (PyDict_Update(settings.ptr(), from.ptr()) != 0)
    throw nb::python_error();
  Configuration configuration;
  for (const auto &[label, setting] : settings) {
    if (!PyUnicode_Check(label.ptr()))
      throw nb::type_error("labels are strings");
    auto name = nb::cast<std::string>(label);
    Setting to = to_setting(name, setting);
    configuration.set(std::move(name), std::move(to));
  }
  return configuration;
}

void bind_configuration(nb::module_ &module) {
  bind_setting(module);

  nb::class_<Configuration>(module, "Configuration", R"(label → Setting: the settings of points.

Labels that are not named are left generic; an empty configuration is the generic code. Made from a
mapping, and usable as one. Immutable: `c | {"B": 16}` and `c.without("B")` give others.)")
      .def(
          "__init__",
          [](Configuration *self, const nb::object &settings) {
            new (self)
                Configuration(settings.is_none() ? Configuration() : to_configuration(settings));
          },
          nb::arg("settings") = nb::none(),
          nb::sig("def __init__(self, settings: collections.abc.Mapping[str, Setting | int | float "
                  "| str | "
                  "collections.abc.Iterable[int | float | str]] | Configuration | None = None) -> "
                  "None"))
      .def("__getitem__", &at, nb::arg("label"), nb::rv_policy::copy)
      .def(
          "get",
          [](const Configuration &self, const std::string &label, nb::object other) {
            const Setting *setting = self.find(label);
            return setting ? nb::cast(*setting, nb::rv_policy::copy) : std::move(other);
          },
          nb::arg("label"), nb::arg("default") = nb::none(),
          nb::sig("def get(self, label: str, default: Setting | None = None) -> Setting | None"))
      .def("__contains__", [](const Configuration &self,
                              const std::string &label) { return self.find(label) != nullptr; })
      .def("__contains__", [](const Configuration &, nb::handle) { return false; })
      .def("__len__", &Configuration::size)
      .def(
          "__iter__",
          [](const Configuration &self) {
            return nb::make_key_iterator(nb::type<Configuration>(), "_labels", self.begin(),
                                         self.end());
          },
          nb::keep_alive<0, 1>())
      .def(
          "keys",
          [](const Configuration &self) {
            std::vector<std::string> labels;
            for (const auto &entry : self)
              labels.push_back(entry.first);
            return labels;
          },
          "The labels that are set, in ascending order.")
      .def("values",
           [](const Configuration &self) {
             std::vector<Setting> settings;
             for (const auto &entry : self)
               settings.push_back(entry.second);
             return settings;
           })
      .def(
          "items",
          [](const Configuration &self) {
            std::vector<nb::tuple> items;
            for (const auto &[label, setting] : self)
              items.push_back(nb::make_tuple(label, setting));
            return items;
          },
          nb::sig("def items(self) -> list[tuple[str, Setting]]"))
      .def("__or__", &merged, nb::arg("more"),
           nb::sig(
               "def __or__(self, more: collections.abc.Mapping[str, Setting | int | float | str | "
               "collections.abc.Iterable[int | float | str]] | Configuration) -> Configuration"),
           "This with more labels set, or set otherwise.")
      .def(
          "without", [](Configuration self, const std::string &label) { return self.unset(label); },
          nb::arg("label"), "This with one label left generic.")
      .def("to_dict", &to_dict, nb::sig("def to_dict(self) -> dict[str, typing.Any]"),
           "Plain values: one by itself, several as a list; unguarded settings stay Settings.")
      .def("text", &Configuration::text, "`{B=16,N=64|256}`; an unguarded setting reads `B=16!`.")
      .def("json", &Configuration::json)
      .def_static("from_json", &Configuration::from_json, nb::arg("text"),
                  "Reads what json() writes. Raises Error (bad_json).")
      .def("__eq__", &equal, nb::arg("other").none(), nb::is_operator(),
           nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__hash__", [](const Configuration &self) { return std::hash<Configuration>()(self); })
      .def("__str__", &Configuration::text)
      .def("__repr__",
           [](const Configuration &self) {
             return std::string("Configuration(") + nb::repr(to_dict(self)).c_str() + ")";
           })
      .def("__getstate__", &Configuration::json)
      .def("__setstate__", [](Configuration &self, const std::string &text) {
        new (&self) Configuration(Configuration::from_json(text));
      });
  nb::implicitly_convertible<nb::dict, Configuration>();
}

} // namespace sartor::python
