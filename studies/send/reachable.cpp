// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reachable.h"

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace sartor::send {

namespace {

using Address = std::uint64_t;

struct Function {
  std::size_t size = 0;
  std::set<Address> called;
};

template <class Each> void each_line(const std::string &command, Each each) {
  // NOLINTNEXTLINE(bugprone-command-processor): the study's own command
  const std::unique_ptr<FILE, int (*)(FILE *)> out(popen(command.c_str(), "r"), pclose);
  if (!out)
    throw std::runtime_error("cannot run " + command);
  std::string line;
  for (int next = std::fgetc(out.get()); next != EOF; next = std::fgetc(out.get())) {
    if (next != '\n') {
      line.push_back(static_cast<char>(next));
      continue;
    }
    each(line);
    line.clear();
  }
}

class Program {
public:
  explicit Program(const std::string &file) {
    each_line("nm -S '" + file + "'", [this](const std::string &line) {
      std::istringstream words(line);
      std::string address;
      std::string size;
      std::string kind;
      std::string name;
      if (words >> address >> size >> kind >> name && (kind == "t" || kind == "T")) {
        functions_[number(address)].size = number(size);
        by_name_[name] = number(address);
      }
    });
    Function *current = nullptr;
    const std::regex begins("^([0-9a-f]+) <.*>:$");
    const std::regex calls("(call|j[a-z]+) +([0-9a-f]+) <[^+>]+>");
    each_line("objdump -d --no-show-raw-insn '" + file + "'", [&](const std::string &line) {
      std::smatch found;
      if (std::regex_search(line, found, begins)) {
        const auto known = functions_.find(number(found[1]));
        current = known == functions_.end() ? nullptr : &known->second;
      } else if (current != nullptr && line.find('<') != std::string::npos &&
                 std::regex_search(line, found, calls)) {
        current->called.insert(number(found[2]));
      }
    });
  }

  [[nodiscard]] std::size_t bytes_from(const std::vector<std::string> &names) const {
    std::set<Address> seen;
    std::vector<Address> open;
    const auto add = [&](Address function) {
      if (functions_.contains(function) && seen.insert(function).second)
        open.push_back(function);
    };
    for (const std::string &name : names) {
      const auto known = by_name_.find(name);
      if (known == by_name_.end())
        throw std::runtime_error("the program has no function " + name);
      add(known->second);
    }
    std::size_t bytes = 0;
    while (!open.empty()) {
      const Function &function = functions_.at(open.back());
      open.pop_back();
      bytes += function.size;
      for (const Address next : function.called)
        add(next);
    }
    return bytes;
  }

private:
  static Address number(const std::string &text) { return std::stoull(text, nullptr, 16); }

  std::map<Address, Function> functions_;
  std::map<std::string, Address> by_name_;
};

} // namespace

std::size_t reachable_bytes(const std::string &program, const std::vector<std::string> &functions) {
  return Program(program).bytes_from(functions);
}

std::vector<std::string> functions_of_sending() {
  return {
      "lwip_send",     "lwip_netconn_do_send", "lwip_netconn_do_write",  "event_callback",
      "etharp_output", "ethip6_output",        "netif_loop_output_ipv4", "netif_loop_output_ipv6"};
}

} // namespace sartor::send
