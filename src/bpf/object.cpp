// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/object.h"

#include <cerrno>

#include <bpf/bpf.h>

#include "bpf/descriptor.h"
#include "bpf/errors.h"
#include "bpf/log.h"
#include "bpf/shared_maps.h"

namespace sartor::bpf {

namespace {

/// The detail of a verifier's log.
struct LogLevel {
  std::uint32_t number;
  std::size_t bytes;
};
// The statistics at the end (BPF_LOG_STATS).
constexpr LogLevel kEnd{4, std::size_t{64} << 10};
// A line for each instruction that it visits; only the last lines are of interest.
constexpr LogLevel kEach{1, std::size_t{16} << 20};

// BPF_COMPLEXITY_LIMIT_INSNS. A program that has more instructions than the verifier visits is
// never accepted.
constexpr std::size_t kMostInstructions = 1000000;

/// A log for each program. Without one, libbpf has a refused program verified again for a log of
/// its own.
class Logs {
public:
  explicit Logs(LogLevel level) : level_(level), text_(level.bytes, '\0') {}

  void listen(bpf_object &object) {
    bpf_program *program = nullptr;
    bpf_object__for_each_program(program, &object) {
      bpf_program__set_log_buf(program, text_.data(), text_.size());
      bpf_program__set_log_level(program, level_.number);
    }
  }
  [[nodiscard]] std::string decisive() const { return decisive_lines(text_.c_str()); }

private:
  LogLevel level_;
  std::string text_;
};

struct Attempt {
  bpf_object *object = nullptr;
  int error = 0;
};

bpf_object *open_bytes(std::string_view bytes, const std::string &name) {
  bpf_object_open_opts options{};
  options.sz = sizeof options;
  options.object_name = name.c_str();
  return bpf_object__open_mem(bytes.data(), bytes.size(), &options);
}

Result<void> check_lengths(bpf_object &object) {
  bpf_program *program = nullptr;
  bpf_object__for_each_program(program, &object) {
    const std::size_t length = bpf_program__insn_cnt(program);
    if (length > kMostInstructions)
      return std::unexpected(
          Failure{ErrorCode::refused_by_verifier, bpf_program__name(program),
                  "has " + std::to_string(length) + " instructions, and the kernel allows " +
                      std::to_string(kMostInstructions) + " at most; it was not loaded",
                  "the active variants stay active; change the setting or the handler"});
  }
  return {};
}

/// Returns the name of a feature that an object needs and this kernel does not have; empty if
/// libbpf finds none.
std::string missing_feature(const bpf_object &object) {
  bpf_program *program = nullptr;
  bpf_object__for_each_program(program, &object) {
    const bpf_prog_type type = bpf_program__type(program);
    if (bpf_program__autoload(program) && libbpf_probe_bpf_prog_type(type, nullptr) == 0)
      return std::string("programs of type ") + libbpf_bpf_prog_type_str(type) + " (" +
             bpf_program__name(program) + ")";
  }
  bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &object) {
    const bpf_map_type type = bpf_map__type(map);
    if (bpf_map__fd(map) < 0 && libbpf_probe_bpf_map_type(type, nullptr) == 0)
      return std::string("maps of type ") + libbpf_bpf_map_type_str(type) + " (" +
             bpf_map__name(map) + ")";
  }
  return {};
}

Result<Attempt> attempt(std::string_view bytes, const std::string &name, const std::string &subject,
                        const Object::Prepare &prepare, Logs &logs, const Listener &heard) {
  bpf_object *object = open_bytes(bytes, name);
  if (!object)
    return std::unexpected(bad_object(subject, heard.warnings()));
  auto prepared = prepare(*object);
  if (prepared)
    prepared = check_lengths(*object);
  if (!prepared) {
    bpf_object__close(object);
    return std::unexpected(std::move(prepared.error()));
  }
  logs.listen(*object);
  return Attempt{object, bpf_object__load(object)};
}

} // namespace

Result<ProgramInfo> info_of(int program) {
  bpf_prog_info reported{};
  std::uint32_t size = sizeof reported;
  if (bpf_obj_get_info_by_fd(program, &reported, &size) != 0)
    return std::unexpected(from_kernel("a program", errno, "cannot be asked about"));
  return ProgramInfo{reported.id, reported.name,
                     static_cast<std::uint32_t>(reported.xlated_prog_len / sizeof(bpf_insn)),
                     reported.jited_prog_len, reported.verified_insns};
}

bool is_there(std::uint32_t program) {
  return static_cast<bool>(Descriptor(bpf_prog_get_fd_by_id(program)));
}

Result<Object> Object::load(std::string_view bytes, const std::string &name,
                            const std::string &subject, const Prepare &prepare) {
  const Listener heard;
  Logs brief(kEnd);
  auto first = attempt(bytes, name, subject, prepare, brief, heard);
  if (!first)
    return std::unexpected(std::move(first.error()));
  if (first->error == 0)
    return Object(first->object);
  const Object refused(first->object);
  if (is_about_rights(-first->error))
    return std::unexpected(from_kernel(subject, -first->error, heard.warnings()));
  if (const std::string missing = missing_feature(*first->object); !missing.empty())
    return std::unexpected(kernel_lacks(subject, "this kernel has no " + missing));
  if (!is_about_code(-first->error))
    return std::unexpected(from_kernel(subject, -first->error, heard.warnings()));
  if (const std::string why = brief.decisive(); first->error == -E2BIG && !why.empty())
    // It has visited too many instructions.
    return std::unexpected(refused_by_verifier(subject, why));
  // A second attempt, for the detailed log.
  Logs full(kEach);
  auto second = attempt(bytes, name, subject, prepare, full, heard);
  if (!second)
    return std::unexpected(std::move(second.error()));
  Object object(second->object);
  if (second->error == 0)
    return object;
  const std::string why = full.decisive();
  if (why.empty())
    return std::unexpected(from_kernel(subject, -second->error, heard.warnings()));
  return std::unexpected(refused_by_verifier(subject, why));
}

Result<Object> Object::lent(bpf_object &object, std::string_view bytes,
                            const std::string &subject) {
  const Listener heard;
  const Object file(open_bytes(bytes, subject));
  if (!file.object_)
    return std::unexpected(bad_object(subject, heard.warnings()));
  Object made(&object, /*is_lent=*/true);
  bool is_loaded = false;
  for (bpf_program *program : file.programs()) {
    const bpf_program *loaded = made.program(bpf_program__name(program));
    if (!loaded)
      return std::unexpected(Failure{ErrorCode::bad_bpf_object, bpf_program__name(program),
                                     "is no program of the object that was loaded",
                                     "give the bytes that it was opened from"});
    is_loaded |= bpf_program__fd(loaded) >= 0;
  }
  if (!is_loaded)
    return std::unexpected(Failure{ErrorCode::bad_bpf_object, subject, "is not loaded",
                                   "call bpf_object__load(), or the skeleton's, before"});
  return made;
}

bpf_program *Object::program(const std::string &name) const {
  return bpf_object__find_program_by_name(object_.get(), name.c_str());
}

bpf_map *Object::map(std::string_view name) const {
  bpf_map *map = nullptr;
  bpf_object__for_each_map(map, object_.get()) if (shared_name(*map) == name) return map;
  return nullptr;
}

std::vector<bpf_program *> Object::programs() const {
  std::vector<bpf_program *> found;
  bpf_program *program = nullptr;
  bpf_object__for_each_program(program, object_.get()) found.push_back(program);
  return found;
}

} // namespace sartor::bpf
