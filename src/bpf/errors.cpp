// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/errors.h"

#include <cerrno>
#include <cstring>

namespace sartor::bpf {

namespace {

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
    text.replace(at, 1, "; ");
  return text;
}

} // namespace

bool is_about_rights(int error) { return error == EPERM; }

bool is_about_code(int error) {
  return error == EACCES || error == EINVAL || error == E2BIG || error == ENOSPC ||
         error == EFAULT || error == ERANGE || error == EOPNOTSUPP;
}

Failure bad_object(const std::string &name, const std::string &said) {
  return {ErrorCode::bad_bpf_object, name, "cannot be read as a BPF object: " + one_line(said),
          "use an object file for BPF by clang, with debug information (-g)"};
}

Failure kernel_lacks(const std::string &subject, const std::string &what) {
  return {ErrorCode::kernel_lacks, subject, what,
          "see docs/guides/kernel_handlers.md for what needs which kernel"};
}

Failure refused_by_verifier(const std::string &name, const std::string &lines) {
  return {ErrorCode::refused_by_verifier, name, "is refused by the kernel's verifier: " + lines,
          "the active variants stay active; change the setting or the handler"};
}

Failure from_kernel(const std::string &subject, int error, const std::string &what) {
  const std::string message = one_line(what) + ": " + std::strerror(error);
  switch (error) {
  case EPERM:
    return {ErrorCode::not_permitted, subject, message,
            "run as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON; on kernels before 5.11 "
            "with a larger limit of locked memory (ulimit -l)"};
  case ENOSYS:
  case EOPNOTSUPP:
    return kernel_lacks(subject, message);
  case ENOMEM:
    return {ErrorCode::not_permitted, subject, message,
            "the active variants stay active; allow this process more memory in the kernel: "
            "memory.max of "
            "its control group, or on kernels before 5.11 the limit of locked memory (ulimit -l)"};
  case EBUSY:
  case EEXIST:
  case ENODEV:
  case ENXIO:
  case ENOENT:
    return {ErrorCode::bad_attachment, subject, message, "see `bpftool net` and `bpftool link`"};
  default:
    return {ErrorCode::bad_bpf_object, subject, message,
            "the active variants stay active; see `bpftool feature` for what this kernel takes"};
  }
}

} // namespace sartor::bpf
