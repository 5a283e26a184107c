// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"
#include "value_type.h"

namespace sartor {

inline auto python_members(ProfileEntry &it) {
  return std::tie(it.inputs, it.count, it.result, it.version);
}
inline auto python_members(PointProfile &it) {
  return std::tie(it.kind, it.type, it.arguments, it.count, it.entries, it.other, it.error_bound);
}

} // namespace sartor

namespace sartor::python {

namespace {

void bind_point_profile(nb::module_ &module) {
  nb::class_<ProfileEntry> entry(module, "ProfileEntry",
                                 "What a point has seen a number of times.");
  entry
      .def_ro("inputs", &ProfileEntry::inputs,
              "The value, or a call's arguments. Pointers are names of symbols where known, else "
              "addresses.")
      .def_ro("count", &ProfileEntry::count)
      .def_ro("result", &ProfileEntry::result,
              "Of a call: what it gave the last time; None where threads disagree about it.")
      .def_ro("version", &ProfileEntry::version,
              "Of a versioned fast path: the version at which it gave that.")
      .def("__repr__", [](const ProfileEntry &self) {
        return nb::str("<ProfileEntry {}: {}>").format(self.inputs, self.count);
      });
  add_state(entry);

  nb::class_<PointProfile> point(module, "PointProfile",
                                 R"(What one point has seen. Counts of sampled points are estimates.

The true count of an entry lies between `count` and `count + error_bound`; what is not among
`entries` has been seen `error_bound` times at most.)");
  point.def_prop_ro("kind", [](const PointProfile &self) { return to_string(self.kind); })
      .def_prop_ro("type", [](const PointProfile &self) { return self.type.text(); })
      .def_ro("count", &PointProfile::count, "Times that control came by.")
      .def_ro("entries", &PointProfile::entries, "Most frequent first.")
      .def_ro("other", &PointProfile::other, "Of `count`, what the entries do not account for.")
      .def_ro("error_bound", &PointProfile::error_bound)
      .def("share", &PointProfile::share, nb::arg("top"),
           "The part of all times that the `top` most frequent inputs account for, at least.");
  add_state(point);
  add_repr(point, {"kind", "type", "count", "entries", "other", "error_bound"});
}

} // namespace

void bind_profile(nb::module_ &module) {
  bind_point_profile(module);

  nb::class_<Profile> profile(module, "Profile", "What instrumentation has seen, by label.");
  profile.def_prop_ro("program", &Profile::program, "Tells handler modules apart.")
      .def_prop_ro("points",
                   [](const Profile &self) {
                     return std::map<std::string, PointProfile>(self.points().begin(),
                                                                self.points().end());
                   })
      .def("__getitem__",
           [](const Profile &self, const std::string &label) {
             const PointProfile *point = self.find(label);
             if (!point)
               throw nb::key_error(label.c_str());
             return *point;
           })
      .def("__contains__", [](const Profile &self,
                              const std::string &label) { return self.find(label) != nullptr; })
      .def(
          "merge", [](Profile &self, const Profile &other) { self.merge(Profile(other)); },
          nb::arg("other"),
          "Adds what another one of the same program has seen. Raises Error (wrong_profile), "
          "having changed nothing.")
      .def("json", &Profile::json)
      .def_static("from_json", &Profile::from_json, nb::arg("text"),
                  "Reads what json() writes. Raises Error (bad_json).")
      .def(
          "__eq__", [](const Profile &self, const Profile &other) { return self == other; },
          nb::is_operator(), nb::sig(kEquals))
      .def("__getstate__", &Profile::json)
      .def("__setstate__", [](Profile &self, const std::string &text) {
        new (&self) Profile(Profile::from_json(text));
      });
  add_repr(profile, {"program", "points"});
}

} // namespace sartor::python
