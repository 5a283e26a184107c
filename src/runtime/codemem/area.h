// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_AREA_H
#define SARTOR_RUNTIME_CODEMEM_AREA_H

#include <cstddef>
#include <utility>

namespace sartor::runtime {

/// Memory for code, in whole pages, near an address of the program. No page is ever both writable
/// and executable, and no page changes from the one to the other while code next to it runs: it is
/// mapped as executable only, and the system writes to it (/proc/self/mem), as it does for
/// debuggers. So debuggers can set breakpoints in it, and a child process has its own copy. Where
/// the system does not, memory is mapped twice: code is written in one view and executed in the
/// other. Where it does not map memory twice, there is one view, which is written first and sealed
/// once.
class Area {
public:
  /// The result is empty (`code` is null) if there is no memory for it, or if areas already use
  /// half of the mappings that a process may have (vm.max_map_count).
  static Area map_private(const void *anchor, std::size_t bytes);
  static Area map_twice(const void *anchor, std::size_t bytes);
  static Area map_once(const void *anchor, std::size_t bytes);

  Area(Area &&other) noexcept
      : code_(std::exchange(other.code_, nullptr)),
        writable_(std::exchange(other.writable_, nullptr)), bytes_(other.bytes_) {}
  Area &operator=(Area &&) = delete;
  ~Area();

  [[nodiscard]] std::byte *code() const { return code_; }
  /// The writable view of the same memory; null if the system writes to it.
  [[nodiscard]] std::byte *writable() const { return writable_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_private() const { return code_ && !writable_; }
  [[nodiscard]] bool is_mapped_twice() const { return writable_ && code_ != writable_; }

  /// True if the system writes to private areas. A process may lose that: without /proc, or after a
  /// change of its user.
  static bool can_write_private();
  /// Writes to a private area. Returns false if the system refuses.
  [[nodiscard]] bool write(std::size_t begin, const std::byte *content, std::size_t bytes) const;

  /// Makes an area that is mapped once executable, permanently. Returns false if the system
  /// refuses.
  [[nodiscard]] bool seal() const;
  /// Returns the memory of whole pages to the system until they are written again.
  void empty(std::size_t begin, std::size_t bytes) const;

private:
  Area(std::byte *code, std::byte *writable, std::size_t bytes);

  std::byte *code_;
  std::byte *writable_;
  std::size_t bytes_;
};

} // namespace sartor::runtime

#endif
