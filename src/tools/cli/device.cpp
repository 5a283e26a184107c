// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/commands.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "base/file/regular_file.h"
#include "base/hash.h"
#include "core/compiler/compiler.h"
#include "core/compiler/find_compiler.h"
#include "core/compiler/no_deadline.h"
#include "core/request/context.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;

std::unexpected<Failure> file_error(const std::string &file, std::string why) {
  return std::unexpected(Failure{ErrorCode::file_error, file, std::move(why),
                                 "name a file that can be read, or written"});
}

/// Functions that a code generator may call and that are in no bitcode.
std::vector<std::string> library_functions(std::string_view target) {
  std::vector<std::string> names{"memcpy", "memmove", "memset"};
  if (target.starts_with("armv7"))
    for (const char *name :
         {"__aeabi_idiv",    "__aeabi_uidiv",    "__aeabi_idivmod", "__aeabi_uidivmod",
          "__aeabi_ldivmod", "__aeabi_uldivmod", "__aeabi_memcpy",  "__aeabi_memcpy4",
          "__aeabi_memcpy8", "__aeabi_memset",   "__aeabi_memset4", "__aeabi_memset8",
          "__aeabi_memclr",  "__aeabi_memclr4",  "__aeabi_memclr8", "__aeabi_memmove",
          "__aeabi_l2d",     "__aeabi_ul2d",     "__aeabi_d2lz",    "__aeabi_d2ulz",
          "__aeabi_l2f",     "__aeabi_ul2f",     "__aeabi_f2lz",    "__aeabi_f2ulz",
          "__aeabi_lmul",    "__aeabi_llsl",     "__aeabi_llsr",    "__aeabi_lasr"})
      names.emplace_back(name);
  return names;
}

/// Returns a string literal of C.
std::string c_string(std::string_view text) {
  std::ostringstream out;
  out << '"';
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < ' ' || byte >= 0x7f || letter == '"' || letter == '\\' || letter == '?')
      out << '\\' << static_cast<char>('0' + (byte >> 6))
          << static_cast<char>('0' + (byte >> 3 & 7)) << static_cast<char>('0' + (byte & 7));
    else
      out << letter;
  }
  out << '"';
  return out.str();
}

std::string text_of_count(std::uint64_t count) {
  if (count == SARTOR_ONCE)
    return "SARTOR_ONCE";
  return count == SARTOR_OFFERED ? "SARTOR_OFFERED" : std::to_string(count);
}

/// Writes the C file that is linked to a device's program.
class Table {
public:
  Table(const core::HandlerModule &module, std::string name)
      : module_(module), name_(std::move(name)) {}

  void need(const std::string &symbol) { names_.emplace(symbol, Need::strong); }
  /// Adds a symbol that the program may do without.
  void want(const std::string &symbol) { names_.emplace(symbol, Need::weak); }
  /// Adds a function that a server may call; its address is null if the program does not have it.
  void fold(const core::Foldable &function) {
    names_.emplace(function.name, Need::weak);
    foldables_.push_back(function);
  }

  [[nodiscard]] std::string text(const std::string &hash, const std::string &target) const {
    std::ostringstream out;
    out << "/* What variants of " << fs::path(module_.source).filename().string()
        << " refer to. Written by `sartor device`. */\n#include <sartor/device/device.h>\n\n";
    const Places places = declare_places(out);
    const auto handlers = declare_handlers(out);
    add_list(out, "const struct sartor_device_symbol symbols", symbols_of(places), "{0, 0}");
    add_list(out, "const struct sartor_device_symbol handlers", handlers, "{0, 0}");
    add_list(out, "const struct sartor_foldable foldables", declare_foldables(out, places),
             "{0, 0, 0, 0, 0}");
    std::vector<std::string> labels;
    for (const Point &point : module_.space.points())
      labels.push_back(c_string(point.label));
    add_list(out, "const char *const labels", labels, "0");
    out << "static int64_t guard_failures[" << labels.size() + 1 << "];\n\n"
        << "extern const struct sartor_device_module " << name_ << ";\n"
        << "const struct sartor_device_module " << name_ << " = {" << c_string(hash) << ", "
        << c_string(target) << ", symbols, " << places.size() << ", foldables, "
        << foldables_.size() << ", handlers, " << handlers.size() << ", labels, " << labels.size()
        << ", guard_failures};\n";
    return out.str();
  }

private:
  enum class Need { strong, weak };
  /// By symbol, the C expression for its address.
  using Places = std::map<std::string, std::string>;

  static std::vector<std::string> symbols_of(const Places &places) {
    std::vector<std::string> all;
    for (const auto &[symbol, place] : places)
      all.push_back("{" + c_string(symbol) + ", (void *)" + place + "}");
    return all;
  }
  /// `otherwise` is the element of a list that would be empty.
  static void add_list(std::ostream &out, const char *what, const std::vector<std::string> &list,
                       const char *otherwise) {
    out << "static " << what << "[] = {";
    for (const std::string &each : list)
      out << "\n    " << each << ",";
    out << (list.empty() ? otherwise : "") << "};\n";
  }

  Places declare_places(std::ostream &out) const {
    Places places;
    for (const auto &constant : module_.constants)
      if (names_.contains(constant.name)) // the others are the points' labels
        places.emplace(constant.name, add_constant(out, places.size(), constant));
    for (const auto &[symbol, need] : names_)
      if (!places.contains(symbol))
        places.emplace(symbol, add_name(out, places.size(), symbol, need));
    return places;
  }
  std::vector<std::string> declare_foldables(std::ostream &out, const Places &places) const {
    std::vector<std::string> rows;
    for (const auto &[name, result, arguments, extents] : foldables_) {
      const std::string number = std::to_string(rows.size());
      out << "static const unsigned char types_" << number << "[] = {"
          << unsigned{std::to_underlying(result)};
      for (const auto type : arguments)
        out << ", " << unsigned{std::to_underlying(type)};
      out << "};\n";
      if (extents) {
        out << "static const struct sartor_extent extents_" << number << "[] = {";
        for (const auto &[bytes, count] : *extents)
          out << "{" << bytes << "u, " << text_of_count(count) << "}, ";
        out << "{0, 0}};\n";
      }
      rows.push_back("{" + c_string(name) + ", (void *)" + places.at(name) + ", types_" + number +
                     ", " + std::to_string(arguments.size()) +
                     (extents ? ", extents_" + number + "}" : ", 0}"));
    }
    return rows;
  }
  std::vector<std::string> declare_handlers(std::ostream &out) const {
    std::vector<std::string> handlers;
    for (const auto &handler : module_.handlers) {
      const std::string own = "handler_" + std::to_string(handlers.size());
      out << declaration(own, handler.native_name, Need::weak);
      handlers.push_back("{" + c_string(handler.name) + ", (void *)" + own + "}");
    }
    return handlers;
  }

  static std::string declaration(const std::string &own, const std::string &symbol, Need need) {
    return "extern char " + own + "[] __asm__(" + c_string(symbol) + ")" +
           (need == Need::weak ? " __attribute__((weak))" : "") + ";\n";
  }
  static std::string add_name(std::ostream &out, std::size_t number, const std::string &symbol,
                              Need need) {
    std::string own = "symbol_" + std::to_string(number);
    out << declaration(own, symbol, need);
    return own;
  }
  static std::string add_constant(std::ostream &out, std::size_t number,
                                  const core::HandlerModule::Constant &constant) {
    std::string own = "constant_" + std::to_string(number);
    out << "static const unsigned char " << own << "[] __attribute__((aligned("
        << constant.alignment << "))) = {";
    for (std::size_t i = 0; i < constant.bytes.size(); ++i)
      out << (i % 20 == 0 ? "\n    " : "")
          << static_cast<unsigned>(static_cast<unsigned char>(constant.bytes[i])) << ",";
    out << (constant.bytes.empty() ? "0" : "") << "};\n";
    return own;
  }

  const core::HandlerModule &module_;
  std::string name_;
  std::map<std::string, Need> names_;
  std::vector<core::Foldable> foldables_;
};

/// Returns the symbols that the optimized generic code of all handlers refers to, including
/// functions that LLVM calls on its own.
Result<std::set<std::string>> symbols_of_generic_code(core::Maker &maker,
                                                      const core::HandlerModule &module) {
  std::set<std::string> symbols;
  for (const auto &handler : module.handlers) {
    if (!handler.native_only.empty())
      continue;
    core::Context context;
    context.handler = handler.name;
    auto draft = maker.draft(context, handler.name + "{}", {core::Tier::full, {}, false, false},
                             core::NoDeadline());
    if (!draft)
      return std::unexpected(std::move(draft.error()));
    const auto image = (*draft)->make(core::NoDeadline());
    if (!image)
      return std::unexpected(image.error());
    for (const core::Symbol &symbol : image->symbols)
      symbols.insert(symbol.name);
  }
  return symbols;
}

Result<void> write(const std::string &file, const std::string &content) {
  std::ofstream stream(file, std::ios::binary);
  stream << content;
  stream.close();
  return stream ? Result<void>() : file_error(file, "cannot be written");
}

/// Example: `build/my-handlers` → `my_handlers`.
std::string name_in_c(const std::string &output) {
  std::string name = fs::path(output).filename().string();
  for (char &letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0)
      letter = '_';
  return name;
}

} // namespace

DeviceCommand::DeviceCommand(CLI::App &app) {
  auto *command = app.add_subcommand(
      "device", "Prepare handlers for a device that gets its variants from a server.");
  command
      ->add_option("bitcode", bitcode_,
                   "The handler file, compiled by clang --target=... -DSARTOR_POINTS=1 -O1 "
                   "-Xclang -disable-llvm-passes -emit-llvm -c")
      ->required()
      ->type_name("HANDLERS.bc");
  command
      ->add_option("--target", target_,
                   "aarch64, armv7, riscv64 or a level of x86-64, with extensions of the device: "
                   "aarch64+lse")
      ->required();
  command
      ->add_option("--output", output_,
                   "Write NAME.module for the server's --modules, and NAME.c, which defines "
                   "`NAME_module` and is linked into the device's program")
      ->required()
      ->type_name("NAME");
  command
      ->add_option(
          "--native", native_,
          "Write the generic code of the handlers as bitcode, to be compiled by clang and "
          "linked into the device's program instead of the handler file; the file may then "
          "have static variables and functions that variants use")
      ->type_name("FILE.bc");
  command->add_option(
      "--symbol", symbols_,
      "A function or variable of the device that variants refer to, but the handler "
      "file does not");
  add_example(*command, "sartor device handlers.bc --target armv7 --output handlers");
}

Result<void> DeviceCommand::run() const {
  auto read = base::read_regular_file(bitcode_);
  if (!read)
    return file_error(bitcode_, read.error());
  std::string content = std::move(*read);
  auto found = core::find_compiler();
  if (!found)
    return std::unexpected(std::move(found.error()));
  auto compiler = (*found)->aimed_at(target_);
  if (!compiler)
    return std::unexpected(std::move(compiler.error()));
  if (!native_.empty()) {
    auto published = (*compiler)->publish(bitcode_, content);
    if (!published)
      return std::unexpected(std::move(published.error()));
    if (auto written = write(native_, published->native); !written)
      return written;
    content = std::move(published->module);
  }
  auto loaded = (*compiler)->load_file(bitcode_, content);
  if (!loaded)
    return std::unexpected(std::move(loaded.error()));
  if (loaded->handlers.empty())
    return std::unexpected(Failure{ErrorCode::no_handler_module, bitcode_, "has no handlers",
                                   "write SARTOR_HANDLER before them"});
  const auto module = std::make_shared<const core::HandlerModule>(std::move(*loaded));
  const auto maker = (*compiler)->make_maker(module);
  const auto used = symbols_of_generic_code(*maker, *module);
  if (!used)
    return std::unexpected(used.error());
  const core::Wanted wanted = (*compiler)->make_inspector(*module)->wanted();
  Table table(*module, name_in_c(output_) + "_module");
  for (const std::string &name : *used)
    if (name != core::kFailureCounters)
      table.need(name);
  for (const auto &names : {library_functions(target_), symbols_})
    for (const std::string &name : names)
      table.need(name);
  // The handler file names more than optimized code does: checks at compile time, by functions that
  // exist nowhere, and what only a variant for some invariant memory calls.
  for (const std::string &name : wanted.names)
    table.want(name);
  for (const core::Foldable &function : wanted.folded) {
    table.fold(function);
    if (!function.extents)
      std::cerr << "sartor: " << function.name
                << ": a server cannot request calls of it, because its arguments decide what it "
                   "reads: declare SARTOR_FOLD_READS\n";
  }
  // The server reads it with its own version of Sartor, which may be a later one.
  const std::string hash = base::to_text(base::hash_of({content}));
  if (auto written = write(output_ + ".module", content); !written)
    return written;
  if (auto written = write(output_ + ".c", table.text(hash, target_)); !written)
    return written;
  std::cout << output_ << ".module: " << content.size() << " bytes, for the server's --modules\n"
            << output_ << ".c: link it into the device's program\n";
  if (!native_.empty())
    std::cout << native_ << ": compile it with clang, and link it instead of the handler file\n";
  return {};
}

} // namespace sartor::cli
