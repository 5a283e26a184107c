// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_WATCH_TABLE_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_WATCH_TABLE_H

#include <cstdint>
#include <string>
#include <vector>

namespace sartor::compiler {

/// A field, or a variable, with SARTOR_WATCHED.
struct WatchedField {
  std::string record; ///< Empty for a variable, which is its own object.
  std::string field;
  std::uint64_t record_size = 0; ///< In bytes, as all sizes and offsets here.
  std::uint64_t offset = 0;      ///< Offset in the record.
  std::uint64_t size = 0;

  [[nodiscard]] std::string name() const { return record.empty() ? field : record + "::" + field; }
  bool operator==(const WatchedField &) const = default;
};

/// The position of a watched field relative to a marked address.
struct WatchedPart {
  unsigned field = 0; ///< Index into WatchTable::fields.
  std::uint64_t offset = 0;
  bool is_beside = false; ///< The address is that of adjacent memory, not of the field.
  /// True for a field of array elements: it is also at other offsets after that one.
  bool is_repeated = false;

  /// True if bytes from `begin` to `end` may be bytes of the field, of the given size.
  [[nodiscard]] bool overlaps(std::uint64_t begin, std::uint64_t end, std::uint64_t size) const {
    return offset < end && (is_repeated || begin < offset + size);
  }
};

struct SourcePlace {
  std::string file;
  unsigned line = 0; ///< 0 if not known.

  bool operator==(const SourcePlace &) const = default;
};

/// An expression by whose address a watched field may be changed. The front-end half wraps the
/// address in a call with a number, by which the LLVM half finds this record:
///
///     %marked = call ptr @sartor.mark(ptr %address, i32 number)
struct MarkedPlace {
  SourcePlace place;
  std::vector<WatchedPart> parts;
  bool is_exact = false;  ///< True if the parts' offsets are known.
  std::uint64_t size = 0; ///< Size of the object at the marked address.
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
  std::string symbol; ///< For a static local variable in C, prefixed by its function's name.
  std::vector<WatchedPart> parts;
};

/// The results of the front-end half for the LLVM half, which runs later in the same process.
struct WatchTable {
  static WatchTable &of_this_file();

  bool is_written = false; ///< True if the front-end half has run.
  /// True if a watched field or variable was read from a module or a precompiled header.
  bool is_precompiled = false;
  std::vector<WatchedField> fields;
  std::vector<MarkedPlace> marks; ///< A mark without parts is of a place that needs no guard.
  std::vector<WatchedVariable> variables;
  std::vector<std::string> judged; ///< Symbols of static data whose addresses are proven or listed.
  std::vector<Unproven> unproven;

  unsigned index_of(const WatchedField &field);
};

/// The function that the front-end half calls to mark an address; the LLVM half removes it.
constexpr const char *kMarkFunction = "sartor.mark";
/// The annotation of a watched field.
constexpr const char *kWatchedAnnotation = "sartor.watched";

} // namespace sartor::compiler

#endif
