// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel/attachment.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/socket.h>

#include <bpf/bpf.h>

#include "kernel/errors.h"

namespace sartor::kernel {

namespace {

Descriptor doubled(int number) { return Descriptor(fcntl(number, F_DUPFD_CLOEXEC, 0)); }

std::unexpected<Failure> failed(const std::string &where, const char *what) {
  return std::unexpected(from_kernel(where, errno, what));
}

} // namespace

// A pinned link of another device, or of another kind, is somebody else's.
Result<void> Attachment::take_over(int program, int target, bpf_attach_type type) {
  bpf_link_info told{};
  std::uint32_t size = sizeof told;
  if (bpf_obj_get_info_by_fd(link_.number(), &told, &size) != 0)
    return failed(where_, "the pinned link cannot be asked about");
  const bool is_xdp = type == BPF_XDP;
  if (is_xdp != (told.type == BPF_LINK_TYPE_XDP) ||
      (is_xdp && told.xdp.ifindex != static_cast<std::uint32_t>(target)))
    return std::unexpected(Failure{ErrorCode::bad_attachment, pin_.string(),
                                   "is a link to something else, or to an interface that is gone",
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
  if (!pin.empty() && bpf_obj_pin(made.link_.number(), pin.c_str()) != 0) {
    made.pin_.clear();
    return failed(pin.string(), "the link cannot be pinned");
  }
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
  if (kind_ == Kind::slot && target_) // which nobody but the array holds
    bpf_map_delete_elem(target_.number(), &index_);
}

Result<void> Attachment::put(int program) {
  switch (kind_) {
  case Kind::link:
    if (bpf_link_update(link_.number(), program, nullptr) == 0)
      return {};
    if (errno == ENOLINK)
      return std::unexpected(Failure{ErrorCode::bad_attachment, where_,
                                     "is gone, or somebody has detached it",
                                     "attach the handler again"});
    return failed(where_, "cannot be led to another program");
  case Kind::socket:
    if (setsockopt(target_.number(), SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof program) == 0)
      return {};
    return failed(where_, "takes no such filter");
  case Kind::slot:
    if (bpf_map_update_elem(target_.number(), &index_, &program, BPF_ANY) == 0)
      return {};
    return failed(where_, "does not take the program");
  }
  return {};
}

void Attachment::detach() {
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

} // namespace sartor::kernel
