// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/impl.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include <fcntl.h>

#include <bpf/bpf.h>

#include "base/environment.h"
#include "bpf/errors.h"
#include "bpf/pins.h"
#include "bpf/profile_map.h"
#include "core/profile/layout.h"
#include "core/space/fit.h"
#include "runtime/profiling.h"

namespace sartor {

namespace {

bool is_off() {
  return !base::is_on("SARTOR", base::read_environment().sartor, /*otherwise=*/true);
}

} // namespace

Result<void> BpfRuntime::Impl::Entry::put(std::shared_ptr<const bpf::Variant> next) {
  const int before = program();
  const int after = next ? next->program() : generic_program;
  for (std::size_t i = 0; i < attachments.size(); ++i)
    if (auto put = attachments[i].put(after); !put) {
      while (i-- > 0)
        (void)attachments[i].put(before);
      return put;
    }
  variant = std::move(next);
  return {};
}

Result<std::unique_ptr<BpfRuntime::Impl>> BpfRuntime::Impl::open(const std::string &object,
                                                                 BpfOptions options) {
  const bpf::Pins pins(options.pins);
  if (auto checked = pins.check(); !checked)
    return std::unexpected(std::move(checked.error()));
  auto loaded = bpf::Object::load(object, options.name, options.name,
                                  [&](bpf_object &opened) { return pins.use_maps(opened); });
  if (!loaded)
    return std::unexpected(std::move(loaded.error()));
  auto made = std::make_unique<Impl>(std::move(*loaded), std::move(options));
  auto begun = made->begin(object);
  if (begun) // after the rest has succeeded, so that a failure leaves nothing behind
    begun = pins.pin_maps(made->generic.get());
  if (!begun)
    return std::unexpected(std::move(begun.error()));
  return made;
}

Result<std::unique_ptr<BpfRuntime::Impl>>
BpfRuntime::Impl::adopt(bpf_object &object, const std::string &bytes, BpfOptions options) {
  if (!options.pins.empty())
    return std::unexpected(Failure{ErrorCode::bad_argument, "pins",
                                   "are of an object that the runtime opens",
                                   "pin the object's maps and links by libbpf"});
  auto lent = bpf::Object::lent(object, bytes, options.name);
  if (!lent)
    return std::unexpected(std::move(lent.error()));
  auto made = std::make_unique<Impl>(std::move(*lent), std::move(options));
  if (auto begun = made->begin(bytes); !begun)
    return std::unexpected(std::move(begun.error()));
  return made;
}

Result<void> BpfRuntime::Impl::begin(const std::string &bytes) {
  if (auto opened = open_verification(bytes); !opened)
    return opened;
  if (!is_off()) {
    auto opened = bpf::Compiler::open(options.name, bytes, options.compile_timeout);
    if (opened) {
      compiler = std::move(*opened);
      space = compiler->module().space;
    } else if (opened.error().code == ErrorCode::no_compiler) {
      no_compiler = std::move(opened.error());
    } else {
      return std::unexpected(std::move(opened.error()));
    }
  }
  failures.resize(space.points().size());
  auto found = bpf::Versions::of_object(generic.get());
  auto set = bpf::read_settings(generic.get());
  if (!found || !set)
    return std::unexpected(found ? set.error() : found.error());
  versions = std::move(*found);
  settings = std::move(*set);
  return find_programs();
}

Result<void> BpfRuntime::Impl::find_programs() {
  for (bpf_program *program : generic.programs()) {
    const int descriptor = bpf_program__fd(program);
    if (descriptor < 0) // a program of an adopted object that is not to be loaded
      continue;
    const auto info = bpf::info_of(descriptor);
    if (!info)
      return std::unexpected(info.error());
    const std::string name = bpf_program__name(program);
    Entry entry;
    entry.generic_program = descriptor;
    entry.generic = {name,
                     name,
                     {},
                     info->id,
                     info->instructions,
                     info->verified_instructions,
                     info->native_bytes,
                     {},
                     {},
                     {},
                     0,
                     {}};
    entries.emplace(name, std::move(entry));
  }
  if (compiler)
    for (const auto &handler : compiler->module().handlers)
      if (!generic.program(handler.name))
        return std::unexpected(
            Failure{ErrorCode::bad_bpf_object, handler.name,
                    "is a handler in a section that does not name the kind of program",
                    "give it a section: SEC(\"xdp\")"});
  return {};
}

bool BpfRuntime::Impl::is_handler(const std::string &name) const {
  return compiler && compiler->module().find(name).has_value();
}

Result<BpfRuntime::Impl::Entry *> BpfRuntime::Impl::find(const std::string &handler) {
  const auto found = entries.find(handler);
  if (found == entries.end())
    return std::unexpected(Failure{ErrorCode::unknown_handler, handler,
                                   "is no program of this object", "see BpfRuntime::handlers()"});
  return &found->second;
}

PointProfile BpfRuntime::Impl::profile_of(const Point &point) const {
  const auto &points = space.points();
  const auto place = static_cast<std::uint32_t>(&point - points.data());
  const core::Layout layout = core::layout_of(space);
  core::Seen seen;
  if (profile)
    if (auto read = bpf::read_profile_map(profile.number(), place, layout.places()[place].shape))
      seen = std::move(*read);
  return to_profile(point, seen, compiler->module());
}

Result<core::Answers> BpfRuntime::Impl::answers_of(const Point &point, std::size_t most) {
  if (point.reads_memory && !point.is_versioned)
    return std::unexpected(
        Failure{ErrorCode::untied_fast_path, point.label,
                point.function + "() reads memory that may change, without a version",
                "use sartor_fast_path_versioned()"});
  core::Answers answers;
  const PointProfile seen = profile_of(point);
  add_answers(answers, seen, most, compiler->module());
  core::Answers &given = answers_given[{point.label, most}];
  if (!are_about_as_good(given, answers, seen, compiler->module()))
    given = std::move(answers);
  return given;
}

Result<core::Context> BpfRuntime::Impl::context_of(const std::string &handler,
                                                   const Configuration &wanted,
                                                   const core::Context::Instrumented &seen) {
  core::Context context;
  context.handler = handler;
  context.configuration = space.restrict(wanted, handler);
  for (const auto &[label, setting] : context.configuration) {
    const Point &point = *space.find(label);
    if (point.kind == PointKind::custom) {
      const auto known = custom_kinds.find(point.custom_kind);
      if (known == custom_kinds.end())
        return std::unexpected(core::unknown_custom_kind(label, point.custom_kind));
      context.custom_kinds.emplace(*known);
    }
    if (point.kind != PointKind::fast_path)
      continue;
    auto answers = answers_of(point, setting.values.front().bits());
    if (!answers)
      return std::unexpected(std::move(answers.error()));
    context.answers.emplace(label, std::move(*answers));
  }
  for (const auto &[label, every] : seen)
    if (std::ranges::count(space.find(label)->handlers, handler) > 0)
      context.instrumented.emplace(label, every);
  return context;
}

Result<std::shared_ptr<const bpf::Variant>> BpfRuntime::Impl::make(const core::Context &context,
                                                                   std::vector<Remark> remarks) {
  const auto begun = std::chrono::steady_clock::now();
  const std::string name = bpf::program_name(context);
  if (quarantine)
    if (const auto key = quarantine_key(context); quarantine->contains(key.hash))
      return std::unexpected(quarantine->refusal(key, name));
  auto image = compiler->make(context, name);
  if (!image)
    return std::unexpected(std::move(image.error()));
  std::ranges::move(remarks, std::back_inserter(image->remarks));
  for (const auto &[map, why] : given_up)
    image->remarks.push_back({RemarkCode::map_invariant_ended, why});
  const auto made = std::chrono::steady_clock::now();
  const auto compared = compare(*image, context);
  if (!compared)
    return std::unexpected(compared.error());
  auto variant =
      bpf::Variant::load(*image, options.name, context, *generic.program(context.handler), shared,
                         static_cast<std::uint32_t>(space.points().size()), made - begun);
  if (variant)
    (*variant)->set_comparison(*compared);
  return variant;
}

// If keys are compared with constants in a loop, the verifier learns something else in each
// iteration, and visits all paths.
Result<std::shared_ptr<const bpf::Variant>>
BpfRuntime::Impl::make_without_maps(core::Context context, const Failure &refusal) {
  auto memory = std::make_shared<core::KernelMemory>();
  memory->settings = context.kernel->settings;
  context.kernel = std::move(memory);
  return make(context,
              {{RemarkCode::map_not_folded,
                "invariant maps are looked up as before, because with their content the code " +
                    refusal.message}});
}

Result<std::shared_ptr<const bpf::Variant>>
BpfRuntime::Impl::find_or_make(const core::Context &context) {
  std::string key = context.handler + text(context);
  for (const auto &[name, map] : context.kernel->maps)
    key += ' ' + name + '@' + std::to_string(map.version);
  if (const auto known = kept.find(key); known != kept.end())
    return known->second;
  auto variant = make(context);
  if (!variant && variant.error().code == ErrorCode::refused_by_verifier &&
      context.kernel->tied.empty() && !context.kernel->maps.empty())
    variant = make_without_maps(context, variant.error());
  if (variant && keeps)
    kept.emplace(std::move(key), *variant);
  return variant;
}

Result<void> BpfRuntime::Impl::specialize(const Configuration &wanted,
                                          const core::Context::Instrumented &seen) {
  if (no_compiler && !(wanted.empty() && seen.empty()))
    return std::unexpected(*no_compiler);
  if (!compiler)
    return {};
  const auto fitted = fit(wanted, space);
  if (!fitted)
    return std::unexpected(fitted.error());
  if (const auto problem = space.check(*fitted))
    return std::unexpected(*problem);
  if (auto effect = check_effect(*fitted, space))
    return std::unexpected(std::move(*effect));
  const auto memory = read_memory();
  if (!memory)
    return std::unexpected(memory.error());
  std::vector<Change> changes;
  for (auto &[handler, entry] : entries) {
    if (!is_handler(handler))
      continue;
    auto context = context_of(handler, *fitted, seen);
    if (!context)
      return std::unexpected(std::move(context.error()));
    context->kernel = *memory;
    if (auto tied = add_ties(*context); !tied)
      return tied;
    if (auto answered = check_answers(*context, space); !answered)
      return answered;
    if (context->configuration.empty() && context->instrumented.empty() &&
        (*memory)->maps.empty()) {
      changes.emplace_back(&entry, nullptr);
      continue;
    }
    auto variant = find_or_make(*context);
    if (!variant)
      return std::unexpected(std::move(variant.error()));
    if (!profile && (*variant)->profile() >= 0) {
      profile = bpf::Descriptor(fcntl((*variant)->profile(), F_DUPFD_CLOEXEC, 0));
      shared.add(bpf::kProfileMap, profile.number());
    }
    changes.emplace_back(&entry, std::move(*variant));
  }
  if (auto put = put_all(std::move(changes)); !put)
    return put;
  configuration = *fitted;
  instrumented = seen;
  depended_on = *memory;
  return {};
}

Result<void> BpfRuntime::Impl::put_all(std::vector<Change> changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    auto &[entry, variant] = changes[i];
    std::shared_ptr<const bpf::Variant> before = entry->variant;
    if (auto put = entry->put(variant); !put) {
      while (i-- > 0)
        (void)changes[i].first->put(changes[i].second);
      return put;
    }
    variant = std::move(before);
  }
  for (const auto &[entry, before] : changes)
    if (before)
      retire(before);
  return {};
}

// Code that still runs may increment the counters; these increments are not reported.
void BpfRuntime::Impl::retire(const std::shared_ptr<const bpf::Variant> &variant) {
  std::erase_if(replaced, [](std::uint32_t program) { return !bpf::is_there(program); });
  const std::uint32_t program = variant->reported().program;
  replaced.insert(program);
  const auto more = uncounted_failures(*variant);
  std::vector<std::uint64_t> &all = counted_failures[program];
  all.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) {
    failures[i] += more[i];
    all[i] += more[i];
  }
  if (!keeps)
    counted_failures.erase(program);
}

std::vector<std::uint64_t> BpfRuntime::Impl::uncounted_failures(const bpf::Variant &variant) const {
  auto uncounted = variant.guard_failures(failures.size());
  if (const auto known = counted_failures.find(variant.reported().program);
      known != counted_failures.end())
    for (std::size_t i = 0; i < std::min(uncounted.size(), known->second.size()); ++i)
      uncounted[i] -= std::min(uncounted[i], known->second[i]);
  return uncounted;
}

void BpfRuntime::Impl::forget_counted() {
  std::erase_if(counted_failures, [this](const auto &each) {
    return std::ranges::none_of(entries, [&](const auto &entry) {
      return entry.second.variant && entry.second.variant->reported().program == each.first;
    });
  });
}

std::filesystem::path BpfRuntime::Impl::pin_for(const std::string &handler,
                                                const std::string &place) const {
  if (options.pins.empty())
    return {};
  std::string name = handler + '@' + place;
  for (char &letter : name) // bpffs reserves dots; slashes separate directories
    if (letter == '.' || letter == '/')
      letter = '_';
  return options.pins / name;
}

Result<void> BpfRuntime::Impl::attach(const std::string &handler,
                                      Result<bpf::Attachment> attachment) {
  if (!attachment)
    return std::unexpected(std::move(attachment.error()));
  entries.find(handler)->second.attachments.push_back(std::move(*attachment));
  return {};
}

} // namespace sartor
