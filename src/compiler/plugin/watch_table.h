// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WATCH_TABLE_H
#define SARTOR_COMPILER_PLUGIN_WATCH_TABLE_H

#include <cstdint>
#include <string>
#include <vector>

namespace sartor::compiler {

/// A field, or a variable, that SARTOR_WATCHED stands at.
struct WatchedField {
  std::string record; ///< Empty: of a variable, which is its own object.
  std::string field;
  std::uint64_t record_size = 0; ///< In bytes, as all of these.
  std::uint64_t offset = 0;      ///< In the record.
  std::uint64_t size = 0;

  [[nodiscard]] std::string name() const { return record.empty() ? field : record + "::" + field; }
  bool operator==(const WatchedField &) const = default;
};

/// Where a watched field lies, seen from a marked address.
struct WatchedPart {
  unsigned field = 0; ///< Index into WatchTable::fields.
  std::uint64_t offset = 0;
  bool is_beside = false; ///< The address is not its own, but of something beside it.
};

struct SourcePlace {
  std::string file;
  unsigned line = 0; ///< 0: not known.

  bool operator==(const SourcePlace &) const = default;
};

/// An expression by whose address a watched field may be changed. The front end's half puts a call
/// around the address, by whose number LLVM's half finds this again:
///
///     %marked = call ptr @sartor.mark(ptr %address, i32 number)
struct MarkedPlace {
  SourcePlace place;
  std::vector<WatchedPart> parts;
  bool is_exact = false;  ///< The parts' offsets are known.
  std::uint64_t size = 0; ///< Of the object at the marked address.
};

/// A place that may change a watched field without a guard.
struct Unproven {
  SourcePlace place;
  std::string field;
  std::string reason;

  bool operator==(const Unproven &) const = default;
};

/// A variable that is watched, or has watched fields.
struct WatchedVariable {
  std::string symbol; ///< Of a static local variable of C: with its function's name before it.
  std::vector<WatchedPart> parts;
};

/// What the front end's half tells LLVM's half, which runs in the same process after it.
struct WatchTable {
  static WatchTable &of_this_file();

  bool is_written = false; ///< The front end's half is there.
  std::vector<WatchedField> fields;
  std::vector<MarkedPlace> marks; ///< Without parts: a place that needs no guard.
  std::vector<WatchedVariable> variables;
  std::vector<std::string> judged; ///< Symbols of static data whose addresses are proven or listed.
  std::vector<Unproven> unproven;

  unsigned index_of(const WatchedField &field);
};

/// What the front end's half calls to mark an address; LLVM's half removes it.
constexpr const char *kMarkFunction = "sartor.mark";
/// What stands at a watched field.
constexpr const char *kWatchedAnnotation = "sartor.watched";

} // namespace sartor::compiler

#endif
