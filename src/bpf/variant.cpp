// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/variant.h"

#include <algorithm>
#include <cctype>
#include <chrono>

#include <bpf/bpf.h>

#include "bpf/profile_map.h"
#include "core/request/kernel_names.h"
#include "core/space/readable_name.h"

namespace sartor::bpf {

namespace {

// Linux does not accept longer names of functions.
constexpr std::size_t kLongestName = 120;

} // namespace

void set_alike(bpf_program &program, const bpf_program &generic) {
  bpf_program__set_type(&program, bpf_program__type(&generic));
  bpf_program__set_expected_attach_type(&program, bpf_program__expected_attach_type(&generic));
  bpf_program__set_flags(&program, bpf_program__flags(&generic));
}

std::string program_name(const core::Context &context) {
  std::string name = context.handler + '.' + context.configuration.text();
  for (const auto &[label, every] : context.instrumented)
    name += ".seen_" + label;
  for (char &letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '.')
      letter = '_';
  name.resize(std::min(name.size(), kLongestName));
  return name;
}

Result<std::shared_ptr<Variant>>
Variant::load(const core::CodeImage &image, const std::string &object, const core::Context &context,
              const bpf_program &generic, const SharedMaps &shared, std::uint32_t points,
              std::chrono::nanoseconds compile_time) {
  const auto begun = std::chrono::steady_clock::now();
  auto loaded =
      Object::load(image.code, object, image.name, [&](bpf_object &opened) -> Result<void> {
        if (bpf_map *seen = bpf_object__find_map_by_name(&opened, kProfileMap))
          bpf_map__set_max_entries(seen, std::max(points, 1U));
        if (bpf_program *program = bpf_object__find_program_by_name(&opened, image.name.c_str()))
          set_alike(*program, generic);
        return shared.share_with(opened);
      });
  if (!loaded)
    return std::unexpected(std::move(loaded.error()));
  std::shared_ptr<Variant> made(new Variant(std::move(*loaded)));
  bpf_program *program = made->object_.program(image.name);
  made->program_ = bpf_program__fd(program);
  const auto info = info_of(made->program_);
  if (!info)
    return std::unexpected(info.error());
  made->reported_ = {image.name,
                     context.handler,
                     context.configuration,
                     info->id,
                     info->instructions,
                     info->verified_instructions,
                     info->native_bytes,
                     compile_time,
                     std::chrono::steady_clock::now() - begun,
                     image.remarks,
                     0,
                     {}};
  return made;
}

std::vector<std::uint64_t> Variant::guard_failures(std::size_t points) const {
  bpf_map *counters = object_.map(core::kKernelSection);
  if (!counters || bpf_map__value_size(counters) != points * sizeof(std::uint64_t))
    return {};
  std::vector<std::uint64_t> failures(points);
  const std::uint32_t first = 0;
  if (bpf_map_lookup_elem(bpf_map__fd(counters), &first, failures.data()) != 0)
    return {};
  return failures;
}

int Variant::profile() const {
  bpf_map *seen = object_.map(kProfileMap);
  return seen ? bpf_map__fd(seen) : -1;
}

} // namespace sartor::bpf
