// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/commands.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/environment.h"
#include "remote/protocol/recorded_request.h"
#include "remote/server/replay.h"
#include "runtime/assumptions/hex.h"
#include "runtime/jit/choose_compiler.h"
#include "tools/cli/handlers_in.h"
#include "tools/cli/layout.h"
#include "tools/cli/replay/bisect.h"
#include "tools/cli/replay/reduce.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

constexpr std::size_t kMostShown = 8;

std::string hex(std::string_view bytes) {
  std::ostringstream text;
  text << std::hex;
  for (const char byte : bytes)
    text << "0123456789abcdef"[static_cast<unsigned char>(byte) / 16]
         << "0123456789abcdef"[static_cast<unsigned char>(byte) % 16];
  return text.str();
}

/// The value of a result, if it is a scalar.
std::string typed(const std::string &bytes, const core::HandlerModule::Handler &handler) {
  if (!handler.signature || handler.signature->result.kind != core::Parameter::Kind::scalar ||
      bytes.size() > sizeof(std::uint64_t) || bytes.empty())
    return {};
  const PointType &type = handler.signature->result.type;
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  std::ostringstream text;
  if (type.kind == PointType::Class::floating && bytes.size() == sizeof(float)) {
    float value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    text << value;
  } else if (type.kind == PointType::Class::floating && bytes.size() == sizeof(double)) {
    double value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    text << value;
  } else if (type.kind == PointType::Class::integer && type.is_signed) {
    const auto unused = static_cast<unsigned>(64 - 8 * bytes.size());
    text << (static_cast<std::int64_t>(bits << unused) >> unused);
  } else {
    text << bits;
  }
  return text.str();
}

std::vector<std::string> row(const std::string &name, const core::Difference::Side &side,
                             const core::HandlerModule::Handler &handler, std::uint64_t fault = 0) {
  std::string outcome = side.outcome.text();
  if (fault != 0)
    outcome += " at " + runtime::as_hex(fault);
  return {"  " + name, outcome, hex(side.result), typed(side.result, handler)};
}

/// Lists the bytes in memory that only one of two calls has written, or differently.
std::string memory_text(const core::Difference::Side &native,
                        const core::Difference::Side &variant) {
  std::vector<std::string> lines;
  const auto add = [&](const auto &from, const auto &other, const char *name) {
    for (const core::MemoryPiece &piece : from.written)
      if (std::ranges::find(other.written, piece) == other.written.end())
        lines.push_back("  " + runtime::as_hex(piece.address) + ": " + name + " writes " +
                        hex(std::string_view(piece.bytes).substr(0, 32)) + "\n");
  };
  add(native, variant, "generic code");
  add(variant, native, "the variant");
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < kMostShown; ++i)
    text += lines[i];
  if (lines.size() > kMostShown)
    text += "  and " + std::to_string(lines.size() - kMostShown) + " more\n";
  return text;
}

/// Repeats the command in a process with another layout, or returns if that was done often enough.
void try_another_layout() {
  constexpr long kTries = 8;
  const char *tries = std::getenv("SARTOR_REPLAY_TRIES");
  const long done = tries ? std::strtol(tries, nullptr, 10) : 0;
  if (done >= kTries || base::are_raised())
    return;
  setenv("SARTOR_REPLAY_TRIES", std::to_string(done + 1).c_str(), 1);
  std::string words;
  if (FILE *file = std::fopen("/proc/self/cmdline", "r")) {
    for (int each = 0; (each = std::fgetc(file)) != EOF;)
      words += static_cast<char>(each);
    std::fclose(file);
  }
  std::vector<char *> arguments;
  for (std::size_t i = 0; i < words.size(); i += std::strlen(&words[i]) + 1)
    arguments.push_back(&words[i]);
  arguments.push_back(nullptr);
  std::cout.flush();
  execv("/proc/self/exe", arguments.data());
}

/// Opens a recorded call. Memory is reserved first, before LLVM's libraries take addresses.
Result<RecordedCall> open(const std::string &directory, const std::string &program) {
  auto difference = core::read_difference(directory);
  if (!difference)
    return std::unexpected(std::move(difference.error()));
  auto request = remote::unpack_request(directory + "/request", difference->request);
  if (!request)
    return std::unexpected(std::move(request.error()));
  std::vector<core::MemoryPiece> pieces;
  if (request->order.memory)
    for (const auto &region : request->order.memory->regions)
      if (!region.bytes.empty())
        pieces.push_back({region.address, region.bytes});
  pieces.insert(pieces.end(), difference->memory.begin(), difference->memory.end());
  auto memory = MemoryLayout::reserve(std::move(pieces));
  if (!memory) {
    try_another_layout();
    return std::unexpected(std::move(memory.error()));
  }
  if (!difference->mutant.empty())
    setenv("SARTOR_MUTANT", difference->mutant.c_str(), 1);
  auto all = handlers_in(program.empty() ? difference->program : program);
  if (!all)
    return std::unexpected(std::move(all.error()));
  core::HandlerModule module = std::move(all->front().module);
  auto context = remote::to_context(*request, module);
  if (!context)
    return std::unexpected(std::move(context.error()));
  auto compiler = runtime::in_process_compiler();
  if (!compiler)
    return std::unexpected(std::move(compiler.error()));
  const core::Purpose &purpose = request->order.purpose;
  return RecordedCall{std::move(*difference),
                      std::make_shared<const core::HandlerModule>(std::move(module)),
                      std::move(*context),
                      {purpose.tier, purpose.pipeline},
                      *compiler,
                      std::move(*memory)};
}

Result<void> show_module(const RecordedCall &call, const Execution &native,
                         const std::string &file) {
  std::ifstream in(file);
  if (shows_difference(call, native, {std::istreambuf_iterator<char>(in), {}}))
    return {};
  return std::unexpected(Failure{ErrorCode::bad_argument, file, "does not show the difference",
                                 "give a module with which the call differs after optimization, "
                                 "and does not without it"});
}

const core::PassLimit kAll{.most = std::numeric_limits<std::uint64_t>::max()};

} // namespace

ReplayCommand::ReplayCommand(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "replay", "Repeat a call in which a variant differed from the native code.");
  command->add_option("DIRECTORY", directory_, "A directory that Sartor has written")->required();
  command->add_option("--program", program_,
                      "The program that has recorded it (default: at its recorded path)");
  auto *bisecting = command->add_flag("--bisect", bisect_,
                                      "Find the optimization pass after which the variant differs");
  command
      ->add_option("--reduce", reduced_,
                   "Write the code before and after that pass to this directory, and a module that "
                   "llvm-reduce makes smaller")
      ->needs(bisecting);
  command
      ->add_option("--module", module_,
                   "Succeed only if this IR shows the difference in place of the variant's module")
      ->check(CLI::ExistingFile)
      ->excludes(bisecting);
  add_example(*command, "sartor replay --bisect ~/.local/state/sartor/differences/blend-1");
}

Result<void> ReplayCommand::run() const {
  const auto call = open(directory_, program_);
  if (!call)
    return std::unexpected(call.error());
  const core::Difference &recorded = call->difference;
  const auto handler = call->module->find(recorded.handler);
  if (!handler)
    return std::unexpected(handler.error());
  const auto native = execute(*call, Side::native, kAll);
  if (!native)
    return std::unexpected(native.error());
  if (!module_.empty())
    return show_module(*call, *native, module_);
  const auto variant = execute(*call, Side::variant, kAll);
  if (!variant)
    return std::unexpected(variant.error());
  std::cout << recorded.variant << "\n\n"
            << table(std::vector<std::vector<std::string>>{
                   {"", "outcome", "result", ""},
                   row("native, recorded", recorded.native, **handler),
                   row("variant, recorded", recorded.changed, **handler),
                   row("generic code, now", native->effects, **handler, native->fault),
                   row("variant, now", variant->effects, **handler, variant->fault)});
  const auto is_as_recorded = [&](const Execution &now, const core::Difference::Side &then) {
    return !differ(recorded, now.effects, {then.outcome, then.result, now.effects.written});
  };
  if (native->effects.outcome != recorded.native.outcome)
    return std::unexpected(Failure{
        ErrorCode::file_error, directory_,
        "cannot be repeated: generic code " + native->effects.outcome.text() +
            (native->fault != 0
                 ? " at " + runtime::as_hex(native->fault) + ", whose memory may not be recorded"
                 : std::string()),
        "look at the recorded results"});
  if (!is_as_recorded(*native, recorded.native))
    std::cout << "\nGeneric code has another result than the native code had: the call depends on "
                 "something that is not recorded.\n";
  const bool is_different = differ(recorded, native->effects, variant->effects);
  std::cout << "\n"
            << (!is_different                                ? "no difference any more"
                : is_as_recorded(*variant, recorded.changed) ? "the same difference as recorded"
                                                             : "another difference than recorded")
            << "\n"
            << memory_text(native->effects, variant->effects);
  if (!is_different && !recorded.mutant.empty())
    std::cout << "The variant had the mutant " << recorded.mutant
              << ", which only a compiler library for tests makes (SARTOR_COMPILER_LIBRARY).\n";
  return bisect_ && is_different ? find_pass(*call, *native, *variant) : Result<void>();
}

Result<void> ReplayCommand::find_pass(const RecordedCall &call, const Execution &native,
                                      const Execution &variant) const {
  const auto culprit = bisect(call, native, variant);
  if (!culprit)
    return std::unexpected(culprit.error());
  if (!*culprit) {
    std::cout << "It differs without any optional pass: specialization or code generation is at "
                 "fault.\n";
    return {};
  }
  std::cout << "It differs from pass " << (*culprit)->number << " of " << (*culprit)->all
            << " on: " << (*culprit)->pass << ", of " << (*culprit)->function << "\n";
  if (reduced_.empty())
    return {};
  // First, because it is there without llvm-reduce.
  if (auto written = write_report(call, **culprit, {}, reduced_); !written)
    return written;
  std::cout << "The code before and after it is in " << reduced_ << std::endl;
  unsetenv("SARTOR_REPLAY_TRIES");
  std::error_code ignored;
  std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe", ignored),
                                   "replay", std::filesystem::absolute(directory_)};
  if (!program_.empty())
    command.insert(command.end(), {"--program", std::filesystem::absolute(program_)});
  command.emplace_back("--module");
  const auto reduced = reduce(call, native, command, std::filesystem::absolute(reduced_));
  if (!reduced)
    return std::unexpected(reduced.error());
  if (auto written = write_report(call, **culprit, *reduced, reduced_); !written)
    return written;
  std::cout << "reduced.ll, which llvm-reduce has made, differs from pass "
            << reduced->culprit.number << " of " << reduced->culprit.all
            << " on: " << reduced->culprit.pass << ", of " << reduced->culprit.function << "\n";
  return {};
}

} // namespace sartor::cli
