// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_OBJECT_H
#define SARTOR_BPF_OBJECT_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <bpf/libbpf.h>

#include "base/result.h"

namespace sartor::bpf {

/// The kernel's information about a program.
struct ProgramInfo {
  std::uint32_t id = 0;
  std::string name; ///< The first 15 characters.
  /// The number of BPF instructions, as the kernel has rewritten them.
  std::uint32_t instructions = 0;
  std::uint32_t native_bytes = 0; ///< The size of the machine code.
  /// The number of instructions that the verifier has visited.
  std::uint32_t verified_instructions = 0;
};
Result<ProgramInfo> info_of(int program);
/// True if the kernel has a program of that number.
bool is_there(std::uint32_t program);

/// An object file in the kernel: its programs and maps, which exist as long as this object or
/// another user holds them.
class Object {
public:
  /// Called for an opened object before it is loaded: shares maps, excludes programs.
  using Prepare = std::function<Result<void>(bpf_object &)>;

  /// `name` is the object's, which begins the names of its maps of variables; `subject` is for
  /// messages. Fails with bad_bpf_object, refused_by_verifier (with the decisive lines; without
  /// asking the kernel if a program is too long in any case), not_permitted, kernel_lacks, and as
  /// `prepare` does.
  static Result<Object> load(std::string_view bytes, const std::string &name,
                             const std::string &subject, const Prepare &prepare);
  /// Uses an object that the caller has loaded and keeps, made of these bytes. Fails with
  /// bad_bpf_object.
  static Result<Object> lent(bpf_object &object, std::string_view bytes,
                             const std::string &subject);

  [[nodiscard]] bpf_object &get() const { return *object_; }
  /// Returns null if there is none of that name; names of maps are shared_name()s.
  [[nodiscard]] bpf_program *program(const std::string &name) const;
  [[nodiscard]] bpf_map *map(std::string_view name) const;
  [[nodiscard]] std::vector<bpf_program *> programs() const;

private:
  struct Close {
    bool is_lent = false;
    void operator()(bpf_object *object) const {
      if (!is_lent)
        bpf_object__close(object);
    }
  };
  explicit Object(bpf_object *object, bool is_lent = false) : object_(object, Close{is_lent}) {}

  std::unique_ptr<bpf_object, Close> object_;
};

} // namespace sartor::bpf

#endif
