// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/commands.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file/regular_file.h"
#include "core/cache/ahead_of_time.h"
#include "core/cache/stored_image.h"
#include "core/compiler/compiler.h"
#include "core/compiler/entry_symbols.h"
#include "core/compiler/no_deadline.h"
#include "core/compiler/stored_stub.h"
#include "core/image/pack.h"
#include "core/image/processor.h"
#include "core/space/fit.h"
#include "core/space/stored_module.h"
#include "runtime/jit/choose_compiler.h"
#include "runtime/request.h"
#include "tools/cli/layout.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::unexpected<Failure> bad(const std::string &where, std::string why) {
  return std::unexpected(Failure{
      ErrorCode::bad_json, where, std::move(why),
      R"(write configurations such as {"B":16}, one or an array of them, or name an explorer's file of best-known configurations)"});
}

/// Reads a configuration, or an explorer's file with its best-known configuration.
Configuration read_one(const json &parsed) {
  const auto best = parsed.find("best_known");
  return Configuration::from_json((best == parsed.end() ? parsed : *best).dump());
}

Result<std::vector<Configuration>> read_all(const std::string &text, const std::string &where) {
  std::vector<Configuration> all;
  const json whole = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (whole.is_object())
    return std::vector{read_one(whole)};
  if (whole.is_array()) {
    for (const json &one : whole)
      if (one.is_object())
        all.push_back(read_one(one));
      else
        return bad(where, "has something that is no configuration: " + one.dump());
    return all;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const json one = json::parse(line, nullptr, false); one.is_object())
      all.push_back(read_one(one));
    else if (!line.empty())
      return bad(where, "is no JSON, and has a line that is none: " + line.substr(0, 60));
  return all;
}

Result<std::vector<Configuration>> read_configurations(const std::vector<std::string> &said) {
  std::vector<Configuration> all;
  for (const std::string &one : said) {
    std::string text = one;
    if (!one.starts_with('{') && !one.starts_with('[')) {
      auto content = base::read_regular_file(one);
      if (!content)
        return std::unexpected(Failure{ErrorCode::file_error, one, content.error(),
                                       "name a file of configurations, or write one as JSON"});
      text = std::move(*content);
    }
    auto read = read_all(text, one);
    if (!read)
      return read;
    if (read->empty())
      return bad(one, "has no configuration");
    all.insert(all.end(), read->begin(), read->end());
  }
  return all;
}

/// Makes pieces for one processor.
class ProgramCompiler {
public:
  using Pieces = std::map<base::ContentKey, std::string>;

  /// `processor` is "native", or a level of x86-64. `compiler` and `pieces` must outlive it.
  static Result<ProgramCompiler> open(core::InProcessCompiler &compiler, const std::string &program,
                                      const std::string &processor, Pieces &pieces) {
    std::unique_ptr<core::InProcessCompiler> aimed;
    if (processor != kNative) {
      auto found = compiler.aimed_at(processor);
      if (!found)
        return std::unexpected(std::move(found.error()));
      aimed = std::move(*found);
    }
    auto module = (aimed ? *aimed : compiler).load_program(program);
    if (!module)
      return std::unexpected(std::move(module.error()));
    if (!module->left_out.empty())
      return std::unexpected(module->left_out.front());
    ProgramCompiler made(compiler, std::move(aimed),
                         std::make_shared<const core::HandlerModule>(std::move(*module)), processor,
                         pieces);
    made.add_opening();
    return made;
  }

  /// Makes variants of all handlers that the configuration concerns. Reports what it has made, and
  /// what not.
  Result<void> make(const Configuration &configuration) {
    const auto fitted = fit(configuration, module_->space);
    if (!fitted)
      return std::unexpected(fitted.error());
    bool concerns_one = false;
    for (const auto &handler : module_->handlers) {
      core::Context context;
      context.handler = handler.name;
      context.configuration = module_->space.restrict(*fitted, handler.name);
      if (context.configuration.empty())
        continue;
      concerns_one = true;
      if (auto made = make_variant(handler, context); !made)
        return made;
    }
    if (!concerns_one)
      return std::unexpected(Failure{ErrorCode::point_not_specializable, configuration.text(),
                                     "concerns no handler of this program",
                                     "see `sartor space` for its points"});
    return {};
  }

  [[nodiscard]] const std::vector<std::vector<std::string>> &lines() const { return lines_; }

private:
  static constexpr const char *kNative = "native";

  ProgramCompiler(core::InProcessCompiler &native, std::unique_ptr<core::InProcessCompiler> aimed,
                  std::shared_ptr<const core::HandlerModule> module, const std::string &processor,
                  Pieces &pieces)
      : aimed_(std::move(aimed)), compiler_(aimed_ ? *aimed_ : native), module_(std::move(module)),
        processor_(processor),
        making_(core::made_for(processor == kNative ? core::this_processor() : processor)),
        maker_(compiler_.make_maker(module_)), pieces_(pieces) {}

  void add_opening() {
    insert(*core::opening_key({module_->identity, module_->replaced}, making_),
           "(handlers and points)", "opening", core::pack_module(*module_));
  }

  Result<void> make_variant(const core::HandlerModule::Handler &handler,
                            const core::Context &context) {
    const std::string name = variant_name(context);
    if (!handler.native_only.empty())
      return refuse(name, "its handler has no variants: " + handler.native_only);
    for (const auto &[label, setting] : context.configuration) {
      const PointKind kind = module_->space.find(label)->kind;
      if (kind == PointKind::fast_path)
        return refuse(name, label + " answers what a running program has seen");
      if (kind == PointKind::custom)
        return refuse(name, label + " is written by a generator of the running program's");
    }
    const auto key = core::request_key(*module_, context, {}, making_);
    if (pieces_.contains(*key))
      return {};
    auto draft = maker_->draft(context, name, {}, core::NoDeadline());
    if (!draft)
      return std::unexpected(std::move(draft.error()));
    const auto image = (*draft)->make(core::NoDeadline());
    if (!image)
      return std::unexpected(image.error());
    insert(*key, name, "full", core::pack_image(*image));
    if (auto added = add_entry(handler); !added)
      return added;
    if (auto added = add_checking_stub(handler); !added)
      return added;
    lines_.push_back({name, processor_, std::to_string(image->code.size()) + " bytes of code"});
    for (const Remark &remark : image->remarks)
      lines_.push_back({"  " + remark.text()});
    return {};
  }

  // Makes the function of the handler's type, for programs that use a pointer: with and without the
  // dependency on membarrier.
  Result<void> add_entry(const core::HandlerModule::Handler &handler) {
    for (const bool inlined : {true, false}) {
      const auto key = core::entry_key(*module_, handler.name, inlined, making_);
      if (pieces_.contains(*key))
        continue;
      const auto image = maker_->entry_function(handler.name, {}, inlined, core::NoDeadline());
      if (!image && image.error().code == ErrorCode::point_not_specializable)
        return {}; // a handler with a variable number of arguments has no such function
      if (!image)
        return std::unexpected(image.error());
      insert(*key, core::entry_symbol(handler.name), "entry", core::pack_image(*image));
    }
    return {};
  }

  // Makes the code with which calls are compared where no compiler is installed.
  Result<void> add_checking_stub(const core::HandlerModule::Handler &handler) {
    const auto key = core::stub_key(*module_, handler.name, making_);
    if (pieces_.contains(*key))
      return {};
    const auto stub = maker_->checking_stub(handler.name, core::NoDeadline());
    if (!stub)
      return std::unexpected(stub.error());
    insert(*key, core::checking_symbol(handler.name), "check", core::pack_stub(*stub));
    return {};
  }

  static Result<void> refuse(const std::string &variant, std::string why) {
    return std::unexpected(Failure{ErrorCode::point_not_specializable, variant,
                                   "cannot be compiled ahead of time: " + std::move(why),
                                   "leave it out: it is made when the program runs"});
  }

  // The entry has no time, so that a program is the same whenever it is built.
  void insert(const base::ContentKey &key, const std::string &variant, const char *tier,
              const std::string &piece) {
    const core::Toolchain toolchain = *compiler_.toolchain();
    pieces_.emplace(key, core::pack_stored(key,
                                           {variant, "", module_->source, tier, toolchain.cpu,
                                            toolchain.llvm, toolchain.sartor, 0},
                                           piece));
  }

  std::unique_ptr<core::InProcessCompiler> aimed_; ///< Null for the processor of this machine.
  core::InProcessCompiler &compiler_;
  std::shared_ptr<const core::HandlerModule> module_;
  std::string processor_;
  core::Making making_;
  std::unique_ptr<core::Maker> maker_;
  Pieces &pieces_;
  std::vector<std::vector<std::string>> lines_;
};

} // namespace

CompileCommand::CompileCommand(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "compile", "Compile variants of a program ahead of time, and add them to its file.");
  command->add_option("PROGRAM", program_, "A program or library with handlers")->required();
  command
      ->add_option("--config", configurations_,
                   R"(Settings of points, such as {"B":16}, or a file with configurations)")
      ->required();
  command
      ->add_option("--cpu", processors_,
                   "Processors to compile for: native, or a level, such as x86-64-v3")
      ->capture_default_str();
  command->add_option("--output", output_, "Write this file, and leave PROGRAM unchanged");
  add_example(*command, R"(sartor compile ./program --config '{"B":16}' --output ./program.fast)");
}

Result<void> CompileCommand::run() const {
  const auto configurations = read_configurations(configurations_);
  if (!configurations)
    return std::unexpected(configurations.error());
  auto compiler = runtime::in_process_compiler();
  if (!compiler)
    return std::unexpected(std::move(compiler.error()));
  ProgramCompiler::Pieces pieces;
  std::vector<std::vector<std::string>> lines;
  for (const std::string &processor : processors_) {
    auto made = ProgramCompiler::open(**compiler, program_, processor, pieces);
    if (!made)
      return std::unexpected(std::move(made.error()));
    for (const Configuration &configuration : *configurations)
      if (auto done = made->make(configuration); !done)
        return done;
    lines.insert(lines.end(), made->lines().begin(), made->lines().end());
  }
  const std::string target = output_.empty() ? program_ : output_;
  if (!output_.empty()) {
    std::error_code error;
    fs::copy_file(program_, output_, fs::copy_options::overwrite_existing, error);
    if (error)
      return std::unexpected(Failure{ErrorCode::file_error, output_, error.message(),
                                     "name a file that can be written"});
  }
  if (auto put =
          (*compiler)->put_section(target, core::kAheadOfTimeSection, core::pack_pieces(pieces));
      !put)
    return put;
  std::cout << table(lines);
  return {};
}

} // namespace sartor::cli
