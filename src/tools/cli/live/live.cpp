// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <elf.h>
#include <sodium.h>

#include <nlohmann/json.hpp>

#include "base/raw_bytes.h"
#include "base/text/json.h"
#include "base/text/printable.h"
#include "core/cache/build_id.h"
#include "runtime/control/policy.h"
#include "tools/cli/commands.h"
#include "tools/cli/layout.h"
#include "tools/cli/live/connection.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

/// The machine code of a variant, as it lies in a process of this machine.
struct CodeFile {
  std::string name;
  std::uint64_t address = 0;
  std::string bytes;

  /// An ELF file with the code at its address, under its name.
  [[nodiscard]] std::string elf() const;
};

Elf64_Shdr section(std::uint32_t name, std::uint32_t type, std::size_t offset, std::size_t size) {
  Elf64_Shdr header{};
  header.sh_name = name;
  header.sh_type = type;
  header.sh_offset = offset;
  header.sh_size = size;
  header.sh_addralign = 1;
  return header;
}

std::string CodeFile::elf() const {
  static constexpr std::string_view kNames("\0.text\0.symtab\0.strtab\0.shstrtab\0", 33);
  const std::string strings = '\0' + name + '\0';
  std::array<Elf64_Sym, 2> symbols{};
  symbols[1].st_name = 1;
  symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbols[1].st_shndx = 1;
  symbols[1].st_value = address;
  symbols[1].st_size = bytes.size();

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
#if defined(__aarch64__)
  header.e_machine = EM_AARCH64;
#else
  header.e_machine = EM_X86_64;
#endif
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 5;
  header.e_shstrndx = 4;
  const std::size_t text = sizeof header;
  const std::size_t table = text + bytes.size();
  const std::size_t names = table + sizeof symbols;
  const std::size_t sections = names + strings.size();
  header.e_shoff = sections + kNames.size();

  std::string file;
  base::append_raw(file, header);
  file += bytes;
  base::append_raw(file, symbols);
  file += strings;
  file += kNames;
  base::append_raw(file, Elf64_Shdr{});
  Elf64_Shdr code = section(1, SHT_PROGBITS, text, bytes.size());
  code.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  code.sh_addr = address;
  base::append_raw(file, code);
  Elf64_Shdr symbol_table = section(7, SHT_SYMTAB, table, sizeof symbols);
  symbol_table.sh_link = 3;
  symbol_table.sh_info = 1; // the first symbol that is not local
  symbol_table.sh_entsize = sizeof(Elf64_Sym);
  base::append_raw(file, symbol_table);
  base::append_raw(file, section(15, SHT_STRTAB, names, strings.size()));
  base::append_raw(file, section(23, SHT_STRTAB, sections, kNames.size()));
  return file;
}

/// The bytes that hexadecimal digits stand for. Ends at the first that is no such digit.
std::string bytes_of(std::string_view digits) {
  std::string bytes(digits.size() / 2, '\0');
  std::size_t size = 0;
  (void)sodium_hex2bin(reinterpret_cast<unsigned char *>(bytes.data()), bytes.size(), digits.data(),
                       digits.size(), nullptr, &size, nullptr);
  bytes.resize(size);
  return bytes;
}

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNameShown = 60;

std::string shown(const Json &text) {
  return base::printable(text.get_ref<const std::string &>(), kMostNameShown);
}

/// Sends one command to a process.
Result<Json> ask(const std::string &process, Json request) {
  const auto number = Connection::find(process);
  if (!number)
    return std::unexpected(number.error());
  auto connection = Connection::open(*number);
  if (!connection)
    return std::unexpected(std::move(connection.error()));
  return connection->ask(std::move(request));
}

Result<void> done(Result<Json> answer) {
  return answer ? Result<void>() : std::unexpected(std::move(answer.error()));
}

/// One line of `sartor ps`.
std::vector<std::string> row_of(pid_t process, const Json &status) {
  std::size_t handlers = 0;
  std::size_t specialized = 0;
  std::size_t variants = 0;
  std::string overridden;
  for (const Json &runtime : status.at("runtimes")) {
    variants += runtime.at("statistics").at("variants").get<std::size_t>();
    for (const Json &handler : runtime.at("handlers")) {
      ++handlers;
      specialized += !handler.at("active").is_null() && !handler.at("off").get<bool>();
    }
    for (const Json &name : runtime.at("off"))
      overridden += (overridden.empty() ? "off: " : ", ") + shown(name);
    if (runtime.contains("pinned"))
      overridden += (overridden.empty() ? "" : "; ") + ("pinned " + dump(runtime.at("pinned")));
  }
  std::string exploring;
  for (const Json &explorer : status.at("explorers"))
    exploring += (exploring.empty() ? "" : ", ") + shown(explorer.at("state"));
  return {std::to_string(process),
          shown(status.at("program")),
          std::to_string(specialized) + "/" + std::to_string(handlers),
          std::to_string(variants),
          exploring.empty() ? "-" : exploring,
          overridden.empty() ? "-" : overridden};
}

/// How calls of a variant are compared with the native code, in a column.
std::string compared_text(const Json &variant) {
  if (variant.at("comparison").is_null())
    return "-";
  return sartor::dump(variant.at("compared")) + " calls" +
         (variant.at("differs").get<bool>() ? ", differs" : "");
}

/// A line for each handler of which it is decided how calls are compared.
std::string comparisons_text(const Json &variants) {
  std::map<std::string, std::string> lines;
  for (const Json &each : variants)
    if (const Json &comparison = each.at("comparison");
        !comparison.is_null() && comparison.at("how") != "undecided")
      lines[shown(each.at("handler"))] =
          shown(each.at("handler")) + " is compared " +
          base::printable(comparison.at("text").get_ref<const std::string &>()) + "\n";
  std::string text;
  for (const auto &[handler, line] : lines)
    text += line;
  return text.empty() ? text : "\n" + text;
}

/// The rule of this user's policy that switches a name off in the program of a process.
Result<OffRule> rule_for(const std::string &process, const std::string &name) {
  const auto number = Connection::find(process);
  if (!number)
    return std::unexpected(number.error());
  const auto program = "/proc/" + std::to_string(*number) + "/exe";
  auto build_id = core::build_id_in_file(program);
  if (!build_id)
    return std::unexpected(Failure{ErrorCode::bad_elf, program, "has no build id",
                                   "link the program with -Wl,--build-id"});
  return OffRule{std::move(*build_id), name};
}

Result<void> change_policy(const OffRule &rule, bool off) {
  const auto path = users_policy();
  auto policy = Policy::read(path);
  if (!policy)
    return std::unexpected(std::move(policy.error()));
  // Without a name, all rules of the program.
  std::erase_if(policy->off, [&](const OffRule &each) {
    return each == rule || (!off && rule.name.empty() && each.build_id == rule.build_id);
  });
  if (off)
    policy->off.push_back(rule);
  return policy->write(path);
}

} // namespace

CLI::App *LiveCommands::add(CLI::App &app, const char *name, const char *help, Run run,
                            const char *example) {
  CLI::App *command = app.add_subcommand(name, help);
  command->add_option("PID", process_, "A process that has a control socket")->required();
  add_example(*command, example);
  commands_[command] = run;
  return command;
}

LiveCommands::LiveCommands(CLI::App &app) {
  CLI::App *all = app.add_subcommand("ps", "List running programs that have a control socket.");
  all->add_flag("--json", json_, "Write JSON");
  add_example(*all, "sartor ps");
  commands_[all] = &LiveCommands::list;
  add(app, "variants", "List the variants of a running program.", &LiveCommands::variants,
      "sartor variants 4711")
      ->add_flag("--json", json_, "Write JSON");
  add(app, "metrics", "Write the metrics of a running program as OpenMetrics text.",
      &LiveCommands::metrics, "sartor metrics 4711");
  CLI::App *off = add(app, "off", "Let calls reach native code in a running program.",
                      &LiveCommands::off, "sartor off 4711 blend");
  CLI::App *on = add(app, "on", "Undo `sartor off`.", &LiveCommands::on, "sartor on 4711 blend");
  for (CLI::App *command : {off, on}) {
    command->add_option("NAME", name_, "A handler, or a label of points (default: all handlers)");
    command->add_flag("--permanent", permanent_,
                      "Change this user's policy file, too, which programs read at their start");
  }
  add(app, "pin", "Keep a configuration active in a running program.", &LiveCommands::pin,
      R"(sartor pin 4711 '{"B":16}')")
      ->add_option("CONFIGURATION", configuration_, "Settings of points by label, as JSON")
      ->required();
  add(app, "unpin", "Undo `sartor pin`.", &LiveCommands::unpin, "sartor unpin 4711");
  add(app, "explore", "Make the explorers of a running program explore now.",
      &LiveCommands::explore, "sartor explore 4711");
  add(app, "invalidate", "Invalidate a quasi-invariant of a running program.",
      &LiveCommands::invalidate, "sartor invalidate 4711 no_sharing")
      ->add_option("NAME", name_, "A quasi-invariant")
      ->required();
  CLI::App *dumped =
      add(app, "dump", "Write the machine code of a variant to an ELF file, for objdump and gdb.",
          &LiveCommands::dump, "sartor dump 4711 'blend{B=16}' -o blend.elf");
  dumped->add_option("VARIANT", name_, "A name that `sartor variants` lists")->required();
  dumped->add_option("-o,--output", output_, "The file to write")->required();
}

bool LiveCommands::is_meant() const {
  return std::ranges::any_of(commands_, [](const auto &each) { return each.first->parsed(); });
}

Result<void> LiveCommands::run() const {
  const auto meant =
      std::ranges::find_if(commands_, [](const auto &each) { return each.first->parsed(); });
  return (this->*meant->second)();
}

Result<void> LiveCommands::list() const {
  std::vector<std::vector<std::string>> rows{
      {"PID", "PROGRAM", "SPECIALIZED", "VARIANTS", "EXPLORERS", "OVERRIDDEN"}};
  Json all = Json::array();
  for (const pid_t process : Connection::processes()) {
    auto connection = Connection::open(process);
    if (!connection) // it has ended meanwhile
      continue;
    const auto status = connection->ask({{"do", "status"}});
    if (!status) {
      rows.push_back({std::to_string(process), status.error().message, "-", "-", "-", "-"});
      continue;
    }
    rows.push_back(row_of(process, *status));
    all.push_back(*status);
  }
  if (json_)
    std::cout << sartor::dump(all) << '\n';
  else if (rows.size() == 1)
    std::cerr << "No process of yours has a control socket. Start programs with "
                 "SARTOR_CONTROL=1.\n";
  else
    std::cout << table(rows);
  return {};
}

Result<void> LiveCommands::variants() const {
  const auto answer = ask(process_, {{"do", "variants"}});
  if (!answer)
    return std::unexpected(answer.error());
  if (json_) {
    std::cout << sartor::dump(answer->at("variants")) << '\n';
    return {};
  }
  std::vector<std::vector<std::string>> rows{
      {"ACTIVE", "VARIANT", "CODE", "MEMORY", "COMPILED", "COMPARED"}};
  for (const Json &each : answer->at("variants")) {
    const long milliseconds = std::lround(each.at("compile_seconds").get<double>() * 1000);
    rows.push_back({each.at("active").get<bool>() ? "*" : "", shown(each.at("name")),
                    sartor::dump(each.at("code_bytes")) + " B",
                    sartor::dump(each.at("resident_bytes")) + " B",
                    std::to_string(milliseconds) + " ms" + (each.at("quick") ? ", quick" : ""),
                    compared_text(each)});
  }
  std::cout << table(rows) << comparisons_text(answer->at("variants"));
  return {};
}

Result<void> LiveCommands::metrics() const {
  const auto answer = ask(process_, {{"do", "metrics"}});
  if (!answer)
    return std::unexpected(answer.error());
  std::cout << answer->at("text").get_ref<const std::string &>();
  return {};
}

Result<void> LiveCommands::off() const {
  const Json request{{"do", "off"}, {"name", name_}};
  if (!permanent_)
    return done(ask(process_, request));
  const auto rule = rule_for(process_, name_);
  if (!rule)
    return std::unexpected(rule.error());
  const auto before = Policy::read(users_policy());
  if (!before)
    return std::unexpected(before.error());
  if (auto changed = change_policy(*rule, /*off=*/true); !changed)
    return changed;
  auto switched = done(ask(process_, request));
  if (!switched)
    (void)before->write(users_policy());
  return switched;
}

Result<void> LiveCommands::on() const {
  if (permanent_) {
    const auto rule = rule_for(process_, name_);
    if (!rule)
      return std::unexpected(rule.error());
    if (auto changed = change_policy(*rule, /*off=*/false); !changed)
      return changed;
  }
  return done(ask(process_, {{"do", "on"}, {"name", name_}}));
}

Result<void> LiveCommands::pin() const {
  auto configuration = parse_json(configuration_);
  if (!configuration)
    return std::unexpected(std::move(configuration.error()));
  return done(ask(process_, {{"do", "pin"}, {"configuration", std::move(*configuration)}}));
}

Result<void> LiveCommands::unpin() const { return done(ask(process_, {{"do", "unpin"}})); }

Result<void> LiveCommands::explore() const { return done(ask(process_, {{"do", "explore"}})); }

Result<void> LiveCommands::invalidate() const {
  return done(ask(process_, {{"do", "invalidate"}, {"name", name_}}));
}

Result<void> LiveCommands::dump() const {
  const auto answer = ask(process_, {{"do", "dump"}, {"variant", name_}});
  if (!answer)
    return std::unexpected(answer.error());
  const CodeFile code{name_, answer->at("variant").at("address").get<std::uint64_t>(),
                      bytes_of(answer->at("code").get_ref<const std::string &>())};
  std::ofstream file(output_, std::ios::binary);
  file << code.elf();
  file.close();
  if (!file)
    return std::unexpected(Failure{ErrorCode::file_error, output_, "cannot be written",
                                   "name a file in a directory that you can write to"});
  std::cout << code.bytes.size() << " bytes; `objdump -d " << output_ << "` shows them\n";
  return {};
}

} // namespace sartor::cli
