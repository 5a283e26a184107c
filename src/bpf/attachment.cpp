// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/attachment.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <bpf/bpf.h>

#include "bpf/errors.h"
#include "bpf/object.h"
#include "bpf/tcx.h"

namespace sartor::bpf {

namespace {

Descriptor doubled(int number) { return Descriptor(fcntl(number, F_DUPFD_CLOEXEC, 0)); }

std::unexpected<Failure> failed(const std::string &where, const char *what) {
  Failure problem = from_kernel(where, errno, what);
  if (problem.code == ErrorCode::bad_bpf_object) { // the object is correct, the place is not
    problem.code = ErrorCode::bad_attachment;
    problem.remedy = "see the handler's section, and docs/guides/kernel_handlers.md for what it "
                     "may be attached to";
  }
  return std::unexpected(std::move(problem));
}

bool is_tcx(bpf_attach_type type) { return type == kTcxIngress || type == kTcxEgress; }

std::uint32_t link_type_of(bpf_attach_type type) {
  return type == BPF_XDP ? BPF_LINK_TYPE_XDP : is_tcx(type) ? kTcxLink : BPF_LINK_TYPE_CGROUP;
}

// A control group is identified by the number of its directory.
bool is_at_group(const bpf_link_info &link, int group, bpf_attach_type type) {
  struct stat status{};
  return fstat(group, &status) == 0 && link.cgroup.cgroup_id == status.st_ino &&
         link.cgroup.attach_type == static_cast<std::uint32_t>(type);
}

} // namespace

// A pinned link of another device, or of another kind, belongs to another program.
Result<void> Attachment::take_over(int program, int target, bpf_attach_type type) {
  bpf_link_info reported{};
  std::uint32_t size = sizeof reported;
  if (bpf_obj_get_info_by_fd(link_.number(), &reported, &size) != 0)
    return failed(where_, "the pinned link cannot be asked about");
  const std::uint32_t expected = link_type_of(type);
  // The interface's index is the first field.
  const bool has_interface = expected != BPF_LINK_TYPE_CGROUP;
  if (reported.type != expected ||
      (has_interface ? reported.xdp.ifindex != static_cast<std::uint32_t>(target)
                     : !is_at_group(reported, target, type)))
    return std::unexpected(Failure{ErrorCode::bad_attachment, pin_.string(),
                                   "is a link to something else, or to a place that is gone",
                                   "remove the pin, or give another directory for pins"});
  return put(program);
}

Result<Attachment> Attachment::link(int program, int target, bpf_attach_type type,
                                    std::uint32_t flags, std::string where,
                                    const std::filesystem::path &pin) {
  Attachment made(Kind::link, std::move(where));
  made.pin_ = pin;
  if (!pin.empty()) {
    made.link_ = Descriptor(bpf_obj_get(pin.c_str()));
    if (made.link_) {
      if (auto taken = made.take_over(program, target, type); !taken) {
        made.pin_.clear();
        return std::unexpected(std::move(taken.error()));
      }
      return made;
    }
  }
  bpf_link_create_opts options{};
  options.sz = sizeof options;
  options.flags = flags;
  made.link_ = Descriptor(bpf_link_create(program, target, type, &options));
  if (!made.link_)
    return failed(made.where_, errno == EBUSY ? "has a program of somebody else's already"
                                              : "cannot be attached to");
  made.program_ = program;
  if (!pin.empty() && bpf_obj_pin(made.link_.number(), pin.c_str()) != 0) {
    made.pin_.clear();
    return failed(pin.string(), "the link cannot be pinned");
  }
  return made;
}

Result<Attachment> Attachment::lent(int program, int generic, int link, std::string where) {
  Attachment made(Kind::lent, std::move(where));
  made.link_ = doubled(link);
  bpf_link_info reported{};
  std::uint32_t size = sizeof reported;
  if (!made.link_ || bpf_obj_get_info_by_fd(made.link_.number(), &reported, &size) != 0)
    return failed(made.where_, "is no link");
  if (auto put = made.put(program); !put)
    return std::unexpected(std::move(put.error()));
  made.generic_ = generic;
  return made;
}

Result<Attachment> Attachment::socket(int program, int socket, std::string where) {
  Attachment made(Kind::socket, std::move(where));
  made.target_ = doubled(socket);
  if (auto put = made.put(program); !put)
    return std::unexpected(std::move(put.error()));
  return made;
}

Result<Attachment> Attachment::slot(int program, int map, std::uint32_t index, std::string where) {
  Attachment made(Kind::slot, std::move(where));
  made.target_ = doubled(map);
  made.index_ = index;
  if (auto put = made.put(program); !put)
    return std::unexpected(std::move(put.error()));
  return made;
}

Attachment::~Attachment() {
  if (kind_ == Kind::lent && link_ && generic_ >= 0)
    (void)put_at_link(generic_);
  if (kind_ == Kind::slot && target_ && is_in_slot()) // only the array refers to the program
    bpf_map_delete_elem(target_.number(), &index_);
}

Result<void> Attachment::put_at_link(int program) {
  bpf_link_update_opts options{};
  options.sz = sizeof options;
  if (program_ >= 0) {
    options.flags = BPF_F_REPLACE;
    options.old_prog_fd = static_cast<std::uint32_t>(program_);
  }
  if (bpf_link_update(link_.number(), program, &options) == 0) {
    program_ = program;
    return {};
  }
  if (errno == ENOLINK)
    return std::unexpected(Failure{ErrorCode::bad_attachment, where_,
                                   "is gone, or somebody has detached it",
                                   "attach the handler again"});
  if (errno == EPERM && program_ >= 0 && !is_ours())
    return std::unexpected(
        Failure{ErrorCode::bad_attachment, where_, "has another program, attached by somebody else",
                "end one of two runtimes with the same pins or the same link, or "
                "detach the handler; see `bpftool link`"});
  return failed(where_, "cannot be given another program");
}

bool Attachment::is_ours() const {
  bpf_link_info link{};
  std::uint32_t size = sizeof link;
  const auto program = info_of(program_);
  return program && bpf_obj_get_info_by_fd(link_.number(), &link, &size) == 0 &&
         link.prog_id == program->id;
}

bool Attachment::is_in_slot() const {
  std::uint32_t id = 0; // the kernel returns the program's
  const auto program = info_of(program_);
  return program && bpf_map_lookup_elem(target_.number(), &index_, &id) == 0 && id == program->id;
}

Result<void> Attachment::put(int program) {
  switch (kind_) {
  case Kind::link:
  case Kind::lent:
    return put_at_link(program);
  case Kind::socket:
    if (setsockopt(target_.number(), SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof program) == 0)
      return {};
    return failed(where_, "takes no such filter");
  case Kind::slot:
    if (bpf_map_update_elem(target_.number(), &index_, &program, BPF_ANY) != 0)
      return failed(where_, "does not take the program");
    program_ = program;
    return {};
  }
  return {};
}

void Attachment::detach() {
  if (kind_ == Kind::link && !is_ours())
    return;
  if (!pin_.empty()) {
    std::error_code unpinned;
    std::filesystem::remove(pin_, unpinned);
  }
  if (kind_ == Kind::link)
    bpf_link_detach(link_.number());
  if (kind_ == Kind::socket) {
    const int unused = 0;
    setsockopt(target_.number(), SOL_SOCKET, SO_DETACH_BPF, &unused, sizeof unused);
  }
}

} // namespace sartor::bpf
