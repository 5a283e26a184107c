// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_DOMAIN_H
#define SARTOR_LOADER_AGENTS_ISOLATE_DOMAIN_H

#include <cstddef>
#include <cstdint>

#include "agents/isolate/limits.h"
#include "agents/isolate/lock.h"

namespace sartor::isolate {

/// A range of memory. It consists of whole pages where it is to be closed.
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool holds(std::uintptr_t address) const {
    return address >= begin && address < end;
  }
};

/// A small set of ranges.
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

/// A set of libraries whose data only they can reach. The data is closed by a protection key, for
/// each thread separately. If no key is left, all access is removed for the whole process while no
/// thread is in the domain.
class Domain {
public:
  [[nodiscard]] const char *name() const { return name_; }
  /// Names of the domain's libraries, for error messages.
  [[nodiscard]] const char *libraries() const { return libraries_; }
  [[nodiscard]] bool has_key() const { return key_ > 0; }
  [[nodiscard]] bool holds_data(std::uintptr_t address) const { return data_.hold(address); }
  [[nodiscard]] bool holds_code(std::uintptr_t address) const { return code_.hold(address); }

  // The functions up to begin_anew() are called only while the process begins or ends.
  /// Begins an open domain, whose data every thread can reach.
  void begin(const char *name, const char *libraries);
  void add_data(Range range) { data_.add(range); }
  void add_code(Range range) { code_.add(range); }
  /// From now on, only threads that have entered the domain can reach its data.
  void close();
  /// Opens the domain for the rest of the process.
  void open_for_good();
  /// Resets the domain in a child of fork(), in which only the thread that called fork() exists.
  void begin_anew(bool is_inside);

  // The functions below use general registers only.
  /// Lets this thread reach the domain's data. With a key, returns the previous rights of the
  /// thread.
  std::uint32_t enter();
  /// Reverts enter(), whose result is `before`. Without a key, each thread that has entered must
  /// leave once, and no signal may be handled during enter() or leave().
  void leave(std::uint32_t before);
  /// Closes the domain for this thread. A new thread inherits its creator's rights to keys.
  void shut_out() const {
    if (has_key())
      write_rights(read_rights() | bits());
  }
  /// True if this thread can reach the domain's data. Only for a domain with a key.
  [[nodiscard]] bool is_open_here() const { return (read_rights() & bits()) == 0; }

private:
  void protect(int protection, int key) const;
  [[nodiscard]] std::uint32_t bits() const { return std::uint32_t{3} << (2 * key_); }

  const char *name_ = nullptr;
  const char *libraries_ = nullptr;
  Ranges data_;
  Ranges code_;
  int key_ = 0; ///< Key 0 applies to all memory, so 0 means that the domain has no key.
  // The following members are used without a key.
  Lock lock_;
  std::size_t inside_ = 1; ///< The number of threads in the domain, plus one until it is closed.
};

/// The domains of this process.
class Domains {
public:
  [[nodiscard]] Domain *begin() { return domains_; }
  [[nodiscard]] Domain *end() { return domains_ + count_; }
  /// Returns nullptr if there are too many domains.
  Domain *add() { return count_ < most_domains ? &domains_[count_++] : nullptr; }
  /// Returns the domain whose code contains an address; nullptr if there is none.
  [[nodiscard]] Domain *of_code(std::uintptr_t address);

private:
  Domain domains_[most_domains];
  std::size_t count_ = 0;
};

extern Domains domains;

} // namespace sartor::isolate

#endif
