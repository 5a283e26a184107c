// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lines.h"

#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <sartor/module.h>

#include "core/compiler/compiler.h"
#include "core/compiler/find_compiler.h"
#include "core/compiler/no_deadline.h"
#include "core/image/pack.h"
#include "harness.h"

namespace sartor::bench {

namespace {

constexpr std::size_t kRounds = 41;

template <class T> T value_of(Result<T> result) {
  if (!result)
    throw std::runtime_error(result.error().text());
  return std::move(*result);
}

/// The embedded bitcode of a file, as it is without lines.
std::string without_lines(const sartor_module &file) {
  llvm::LLVMContext context;
  const llvm::StringRef bytes(reinterpret_cast<const char *>(file.bitcode), file.bitcode_size);
  auto module =
      llvm::cantFail(llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, file.source), context));
  if (!llvm::StripDebugInfo(*module))
    throw std::runtime_error(std::string(file.source) + " has no lines");
  std::string stripped;
  llvm::raw_string_ostream stream(stripped);
  llvm::WriteBitcodeToFile(*module, stream);
  return stripped;
}

/// Compiles one variant of each handler.
class Compilation {
public:
  explicit Compilation(const std::vector<sartor_module> &files)
      : module_(std::make_shared<core::HandlerModule>(
            value_of(value_of(core::find_compiler())->load_embedded(files)))),
        maker_(value_of(core::find_compiler())->make_maker(module_)) {}

  /// `size` is that of the matrices.
  void run(std::uint64_t size) {
    debug_bytes = code_bytes = image_bytes = 0;
    for (const core::HandlerModule::Handler &handler : module_->handlers) {
      core::Context context;
      context.handler = handler.name;
      for (const Point &point : module_->space.points())
        context.configuration.set(
            point.label, point.choices.empty() ? Setting(size) : Setting(point.choices.front()));
      const auto draft =
          value_of(maker_->draft(context, handler.name + "{}", {}, core::NoDeadline()));
      const core::CodeImage image = value_of(draft->make(core::NoDeadline()));
      code_bytes += image.code.size();
      image_bytes += core::pack_image(image).size();
      for (const core::DebugSection &section : image.debug)
        debug_bytes += section.content.size();
    }
  }

  // Of the last run.
  std::size_t debug_bytes = 0;
  std::size_t code_bytes = 0;
  std::size_t image_bytes = 0;

private:
  std::shared_ptr<const core::HandlerModule> module_;
  std::unique_ptr<core::Maker> maker_;
};

Interval exact(double value) { return {value, value, value}; }

double quotient(std::size_t over, std::size_t under) {
  return static_cast<double>(over) / static_cast<double>(under);
}

} // namespace

std::vector<Figure> measure_lines() {
  const std::span files(__start_sartor_modules, __stop_sartor_modules);
  std::vector<sartor_module> with(files.begin(), files.end());
  std::vector<sartor_module> without = with;
  std::vector<std::string> stripped;
  std::size_t with_bytes = 0;
  std::size_t without_bytes = 0;
  for (const sartor_module &file : files)
    stripped.push_back(without_lines(file));
  for (std::size_t i = 0; i < without.size(); ++i) {
    without[i].bitcode = reinterpret_cast<const unsigned char *>(stripped[i].data());
    without[i].bitcode_size = stripped[i].size();
    with_bytes += with[i].bitcode_size;
    without_bytes += stripped[i].size();
  }
  Compilation lines(with);
  Compilation none(without);
  std::uint64_t size = 64;
  const auto samples = interleave({{"with lines", [&] { lines.run(size); }},
                                   {"without lines", [&] { none.run(size); }, [&] { size += 8; }}},
                                  kRounds);
  return {
      {"line_table_bytes_over_bitcode", "ratio",
       exact(quotient(with_bytes - without_bytes, without_bytes)), at_most(0.35)},
      {"compile_with_lines_over_without", "ratio", ratio(samples[0], samples[1]), at_most(1.10)},
      {"line_bytes_over_code", "ratio", exact(quotient(lines.debug_bytes, lines.code_bytes))},
      {"image_with_lines_over_without", "ratio",
       exact(quotient(lines.image_bytes, none.image_bytes))},
  };
}

} // namespace sartor::bench
