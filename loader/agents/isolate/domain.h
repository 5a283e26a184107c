// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_DOMAIN_H
#define SARTOR_LOADER_AGENTS_ISOLATE_DOMAIN_H

#include <cstddef>
#include <cstdint>

#include "agents/isolate/limits.h"
#include "agents/isolate/lock.h"

namespace sartor::isolate {

/// Memory, in whole pages where it is to be closed.
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool holds(std::uintptr_t address) const {
    return address >= begin && address < end;
  }
};

/// A few ranges.
class Ranges {
public:
  void add(Range range);
  [[nodiscard]] bool hold(std::uintptr_t address) const;
  [[nodiscard]] const Range *begin() const { return ranges_; }
  [[nodiscard]] const Range *end() const { return ranges_ + count_; }

private:
  Range ranges_[4 * most_libraries];
  std::size_t count_ = 0;
};

/// Libraries whose data only they can reach: by a protection key, for each thread by itself, or, if
/// there is none left, by taking away all access for the whole process while no thread is inside.
class Domain {
public:
  [[nodiscard]] const char *name() const { return name_; }
  /// Of its libraries, as whoever reads an error knows them.
  [[nodiscard]] const char *libraries() const { return libraries_; }
  [[nodiscard]] bool has_key() const { return key_ > 0; }
  [[nodiscard]] bool holds_data(std::uintptr_t address) const { return data_.hold(address); }
  [[nodiscard]] bool holds_code(std::uintptr_t address) const { return code_.hold(address); }

  // While the process has but begun, or ends.
  /// It is open for all.
  void begin(const char *name, const char *libraries);
  void add_data(Range range) { data_.add(range); }
  void add_code(Range range) { code_.add(range); }
  /// From now on its data can be reached only by who has entered it.
  void close();
  /// Never closed again.
  void open_for_good();
  /// In a process that has begun by fork(): only the thread that has called it is there.
  void begin_anew(bool is_inside);

  // What follows uses general registers only.
  /// Lets this thread reach its data. With a key: what it might do before.
  std::uint32_t enter();
  /// Takes that back: `before` is what `enter` has returned. Without a key, each thread that has
  /// entered must leave once, and no signal may be handled in either.
  void leave(std::uint32_t before);
  /// A thread that begins may do with keys what the one might that has made it.
  void shut_out() const {
    if (has_key())
      write_rights(read_rights() | bits());
  }
  /// Only of a domain with a key: whether this thread can reach its data.
  [[nodiscard]] bool is_open_here() const { return (read_rights() & bits()) == 0; }

private:
  void protect(int protection, int key) const;
  [[nodiscard]] std::uint32_t bits() const { return std::uint32_t{3} << (2 * key_); }

  const char *name_ = nullptr;
  const char *libraries_ = nullptr;
  Ranges data_;
  Ranges code_;
  int key_ = 0; ///< 0 is everybody's: then it has none.
  // Without a key:
  Lock lock_;
  std::size_t inside_ = 1; ///< How many threads are; with them, who has not closed it yet.
};

/// Those that there are.
class Domains {
public:
  [[nodiscard]] Domain *begin() { return domains_; }
  [[nodiscard]] Domain *end() { return domains_ + count_; }
  /// nullptr if there are too many.
  Domain *add() { return count_ < most_domains ? &domains_[count_++] : nullptr; }
  /// Whose code lies at an address; nullptr if it is nobody's.
  [[nodiscard]] Domain *of_code(std::uintptr_t address);

private:
  Domain domains_[most_domains];
  std::size_t count_ = 0;
};

extern Domains domains;

} // namespace sartor::isolate

#endif
