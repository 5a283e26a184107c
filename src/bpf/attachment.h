// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_ATTACHMENT_H
#define SARTOR_BPF_ATTACHMENT_H

#include <cstdint>
#include <filesystem>
#include <string>

#include <linux/bpf.h>

#include "base/result.h"
#include "bpf/descriptor.h"

namespace sartor::bpf {

/// A place in the kernel that calls a program: an entry. The program is replaced without a gap. The
/// attachment ends with this object, unless it is pinned.
class Attachment {
public:
  /// Creates a link to `target`, whose meaning depends on the type: an interface's index, or a
  /// control group's descriptor. `where` is for people. If the pin exists already, takes that link
  /// over. Fails with bad_attachment, not_permitted, kernel_lacks.
  static Result<Attachment> link(int program, int target, bpf_attach_type type, std::uint32_t flags,
                                 std::string where, const std::filesystem::path &pin);
  /// Uses a link of the caller, who keeps it. It is switched back to `generic` in the end.
  static Result<Attachment> lent(int program, int generic, int link, std::string where);
  /// A socket's filter. `socket` is owned by the caller, and must stay open.
  static Result<Attachment> socket(int program, int socket, std::string where);
  /// A slot of a program array. `map` must stay open.
  static Result<Attachment> slot(int program, int map, std::uint32_t index, std::string where);

  ~Attachment();
  Attachment(Attachment &&) = default;
  Attachment &operator=(Attachment &&) = delete;

  /// From now on the place calls this program, which must exist until the next call. Fails as
  /// above, also if another process has switched it to another program, and leaves it as it was.
  Result<void> put(int program);
  /// Removes our program and the pin. If another process has switched the place to another program,
  /// that stays.
  void detach();
  [[nodiscard]] const std::string &where() const { return where_; }

private:
  enum class Kind : unsigned char { link, lent, socket, slot };
  Attachment(Kind kind, std::string where) : kind_(kind), where_(std::move(where)) {}

  Result<void> take_over(int program, int target, bpf_attach_type type);
  Result<void> put_at_link(int program);
  /// True if the link calls the program that this object has set.
  [[nodiscard]] bool is_ours() const;
  /// The same for a slot.
  [[nodiscard]] bool is_in_slot() const;

  Kind kind_;
  std::string where_;
  Descriptor link_;
  int program_ = -1; ///< The program that the link or slot was switched to; -1 before that.
  int generic_ = -1; ///< The program that a lent link calls in the end.
  std::filesystem::path pin_;
  Descriptor target_; ///< A duplicate of a socket or a map.
  std::uint32_t index_ = 0;
};

} // namespace sartor::bpf

#endif
