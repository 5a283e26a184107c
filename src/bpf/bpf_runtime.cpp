// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/bpf/runtime.hpp>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <net/if.h>

#include <bpf/libbpf.h>

#include "bpf/errors.h"
#include "bpf/impl.h"
#include "bpf/profile_map.h"
#include "bpf/tcx.h"
#include "core/profile/layout.h"
#include "core/space/fit.h"

namespace sartor {

namespace {

Result<int> index_of(const std::string &interface) {
  const unsigned index = if_nametoindex(interface.c_str());
  if (index == 0)
    return std::unexpected(Failure{ErrorCode::bad_attachment, interface,
                                   "is no network interface here", "see `ip link`"});
  return static_cast<int>(index);
}

} // namespace

BpfRuntime::BpfRuntime(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BpfRuntime::~BpfRuntime() = default;
BpfRuntime::BpfRuntime(BpfRuntime &&) noexcept = default;
BpfRuntime &BpfRuntime::operator=(BpfRuntime &&) noexcept = default;

BpfRuntime BpfRuntime::open(std::string_view object, BpfOptions options) {
  return BpfRuntime(or_throw(Impl::open(std::string(object), std::move(options))));
}

BpfRuntime BpfRuntime::open_file(const std::filesystem::path &path, BpfOptions options) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file)
    throw Error(Failure{ErrorCode::file_error, path.string(), "cannot be read",
                        "give an object file of clang's for BPF"});
  return open(bytes, std::move(options));
}

BpfRuntime BpfRuntime::adopt(bpf_object *object, std::string_view bytes, BpfOptions options) {
  if (!object)
    throw Error(
        Failure{ErrorCode::bad_argument, "object", "is null", "give an object of libbpf's"});
  return BpfRuntime(or_throw(Impl::adopt(*object, std::string(bytes), std::move(options))));
}

const Space &BpfRuntime::space() const { return impl_->space; }

std::vector<std::string> BpfRuntime::handlers() const {
  std::vector<std::string> names;
  for (const auto &[name, entry] : impl_->entries)
    if (impl_->is_handler(name) || !impl_->compiler)
      names.push_back(name);
  return names;
}

std::vector<BpfVariant> BpfRuntime::specialize(const Configuration &configuration) {
  const std::lock_guard lock(impl_->mutex);
  or_throw(impl_->specialize(configuration, impl_->instrumented));
  std::vector<BpfVariant> reported;
  for (const std::string &name : handlers())
    reported.push_back(impl_->entries.find(name)->second.reported());
  return reported;
}

void BpfRuntime::instrument(const std::vector<std::string> &labels, unsigned every) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->no_compiler && !labels.empty())
    throw Error(*impl_->no_compiler);
  if (!impl_->compiler)
    return;
  if (every == 0)
    throw Error(Failure{ErrorCode::bad_value_type, "instrument()", "is to profile a call in 0",
                        "write 1 to profile each call"});
  core::Context::Instrumented wanted;
  for (const std::string &label : labels) {
    const Point *point = space().find(label);
    if (!point)
      throw Error(unknown_label(label, space()));
    if (std::string problem = core::instrument_problem(*point); !problem.empty())
      throw Error(Failure{ErrorCode::point_not_specializable, label, std::move(problem),
                          "profile another point"});
    wanted[label] = every;
  }
  or_throw(impl_->specialize(impl_->configuration, wanted));
}

Profile BpfRuntime::profile() const {
  if (!impl_->compiler)
    return {};
  const std::lock_guard lock(impl_->mutex);
  Profile::Points points;
  for (const Point &point : space().points())
    points.emplace(point.label, impl_->profile_of(point));
  return Profile(impl_->compiler->module().identity, std::move(points));
}

void BpfRuntime::clear_profile() {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->profile)
    or_throw(bpf::clear_profile_map(impl_->profile.number(),
                                    static_cast<std::uint32_t>(space().points().size())));
}

std::uint64_t BpfRuntime::guard_failures(std::string_view label) const {
  if (!impl_->compiler)
    return 0;
  const std::lock_guard lock(impl_->mutex);
  const Point *point = space().find(label);
  if (!point)
    throw Error(unknown_label(std::string(label), space()));
  const auto place = static_cast<std::size_t>(point - space().points().data());
  std::uint64_t sum = impl_->failures[place];
  for (const auto &[name, entry] : impl_->entries)
    if (entry.variant)
      if (const auto counted = impl_->uncounted_failures(*entry.variant); !counted.empty())
        sum += counted[place];
  return sum;
}

BpfVariant BpfRuntime::active(const std::string &handler) const {
  const std::lock_guard lock(impl_->mutex);
  return or_throw(impl_->find(handler))->reported();
}

int BpfRuntime::program(const std::string &handler) const {
  const std::lock_guard lock(impl_->mutex);
  return or_throw(impl_->find(handler))->program();
}

int BpfRuntime::generic_program(const std::string &handler) const {
  return or_throw(impl_->find(handler))->generic_program;
}

int BpfRuntime::map(const std::string &name) const {
  return bpf_map__fd(or_throw(impl_->find_map(name)));
}

void BpfRuntime::attach_xdp(const std::string &handler, const std::string &interface) {
  const std::lock_guard lock(impl_->mutex);
  const int program = or_throw(impl_->find(handler))->program();
  const int index = or_throw(index_of(interface));
  or_throw(impl_->attach(handler, bpf::Attachment::link(program, index, BPF_XDP, 0,
                                                        handler + " at " + interface,
                                                        impl_->pin_for(handler, interface))));
}

void BpfRuntime::attach_tc(const std::string &handler, const std::string &interface, bool egress) {
  const std::lock_guard lock(impl_->mutex);
  const int program = or_throw(impl_->find(handler))->program();
  const int index = or_throw(index_of(interface));
  const bpf_attach_type type = egress ? bpf::kTcxEgress : bpf::kTcxIngress;
  const std::string place = interface + (egress ? " egress" : " ingress");
  or_throw(impl_->attach(handler,
                         bpf::Attachment::link(program, index, type, 0, handler + " at " + place,
                                               impl_->pin_for(handler, place))));
}

void BpfRuntime::attach_cgroup(const std::string &handler, const std::filesystem::path &group) {
  const std::lock_guard lock(impl_->mutex);
  const int program = or_throw(impl_->find(handler))->program();
  const bpf::Descriptor directory(::open(group.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory)
    throw Error(bpf::from_kernel(group.string(), errno, "is no control group"));
  const bpf_attach_type type = bpf_program__expected_attach_type(impl_->generic.program(handler));
  or_throw(impl_->attach(handler, bpf::Attachment::link(program, directory.number(), type, 0,
                                                        handler + " at " + group.string(),
                                                        impl_->pin_for(handler, group.string()))));
}

void BpfRuntime::attach_socket(const std::string &handler, int socket) {
  const std::lock_guard lock(impl_->mutex);
  const int program = or_throw(impl_->find(handler))->program();
  or_throw(
      impl_->attach(handler, bpf::Attachment::socket(program, socket, handler + " at a socket")));
}

void BpfRuntime::attach_link(const std::string &handler, int link) {
  const std::lock_guard lock(impl_->mutex);
  const Impl::Entry &entry = *or_throw(impl_->find(handler));
  or_throw(impl_->attach(handler, bpf::Attachment::lent(entry.program(), entry.generic_program,
                                                        link, handler + " at a link")));
}

void BpfRuntime::attach_slot(const std::string &handler, const std::string &map,
                             std::uint32_t index) {
  const int array = this->map(map);
  const std::lock_guard lock(impl_->mutex);
  const int program = or_throw(impl_->find(handler))->program();
  or_throw(impl_->attach(
      handler, bpf::Attachment::slot(program, array, index,
                                     handler + " at " + map + "[" + std::to_string(index) + "]")));
}

void BpfRuntime::detach(const std::string &handler) {
  const std::lock_guard lock(impl_->mutex);
  auto &attachments = or_throw(impl_->find(handler))->attachments;
  for (bpf::Attachment &attachment : attachments)
    attachment.detach();
  attachments.clear();
}

} // namespace sartor
