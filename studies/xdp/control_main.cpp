// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file xdp_control: writes and reads the tables of loaded handlers through their pins. Only one
/// instance may run at a time; handlers keep running.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "balancer_tables.h"
#include "firewall_tables.h"
#include "forward_tables.h"
#include "outcome_names.h"
#include "plan.h"
#include "routes.h"

namespace {

/// Maps by the directory in which they are pinned; no other process may write to them meanwhile.
class Pins {
public:
  explicit Pins(const std::string &directory)
      : directory_(directory), lock_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (lock_ < 0 || flock(lock_, LOCK_EX) != 0)
      throw std::runtime_error(directory + ": " + std::strerror(errno));
  }
  ~Pins() {
    for (const int map : open_)
      close(map);
    close(lock_);
  }
  Pins(const Pins &) = delete;
  Pins &operator=(const Pins &) = delete;

  /// Valid as long as this object.
  xdp::MapSource maps() {
    return [this](std::string name) {
      for (char &letter : name)
        if (letter == '.')
          letter = '_';
      const std::string pin = directory_ + "/maps/" + name;
      const int map = bpf_obj_get(pin.c_str());
      if (map < 0)
        throw std::runtime_error(pin + ": " + std::strerror(errno));
      open_.push_back(map);
      return map;
    };
  }

private:
  std::string directory_;
  int lock_;
  std::vector<int> open_;
};

struct Arguments {
  std::string pins;
  std::string file;
  std::string text;
  std::uint32_t number = 0;
  bool is_gone = false;
};

template <class Plan>
Plan read(const std::string &path, Plan (*reader)(std::istream &, const std::string &)) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path + ": cannot be read");
  return reader(file, path);
}

void show_outcomes(const xdp::MapSource &maps) {
  const xdp::KernelMap outcomes(maps("outcomes"));
  for (std::uint32_t i = 0; i < outcome_count; ++i)
    if (const auto count = outcomes.sums(i).at(0); count != 0)
      std::cout << xdp::kOutcomeNames.at(i) << ' ' << count << '\n';
}

using Command = std::function<void(const xdp::MapSource &)>;

/// Adds a command that is called with the maps.
CLI::App *add(CLI::App &app, const char *name, const char *what, Command &chosen, Command command) {
  CLI::App *made = app.add_subcommand(name, what);
  made->callback([&chosen, command = std::move(command)] { chosen = command; });
  return made;
}

void add_forward(CLI::App &app, Arguments &to, Command &chosen) {
  CLI::App *forward = app.add_subcommand("forward", "routes");
  forward->require_subcommand(1);
  add(*forward, "load", "all of a file", chosen,
      [&](const auto &maps) {
        xdp::ForwardTables(maps).load(read(to.file, xdp::read_forward_plan));
      })
      ->add_option("file", to.file)
      ->required();
  CLI::App *one = add(*forward, "add", "a route", chosen, [&](const auto &maps) {
    xdp::ForwardTables(maps).add(router::read_network(to.text), to.number);
  });
  one->add_option("network", to.text)->required();
  one->add_option("hop", to.number, "0: the machine itself")
      ->required()
      ->check(CLI::Range(0, max_hops - 1));
  add(*forward, "remove", "a route", chosen,
      [&](const auto &maps) { xdp::ForwardTables(maps).remove(router::read_network(to.text)); })
      ->add_option("network", to.text)
      ->required();
  add(*forward, "show", "routes and counts", chosen, [](const auto &maps) {
    show_outcomes(maps);
    for (const auto &[network, hop] : xdp::ForwardTables(maps).routes())
      std::cout << "route " << router::text_of(network.prefix) << '/' << network.length << ' '
                << hop << '\n';
  });
}

void add_firewall(CLI::App &app, Arguments &to, Command &chosen) {
  CLI::App *firewall = app.add_subcommand("firewall", "rules");
  firewall->require_subcommand(1);
  add(*firewall, "load", "all of a file", chosen,
      [&](const auto &maps) { xdp::FirewallTables(maps).load(read(to.file, xdp::read_rules)); })
      ->add_option("file", to.file)
      ->required();
  CLI::App *one = add(*firewall, "insert", "a rule", chosen, [&](const auto &maps) {
    std::istringstream words(to.text);
    xdp::FirewallTables(maps).insert(to.number, xdp::read_rule(words));
  });
  one->add_option("place", to.number, "before the rule that is there")->required();
  one->add_option("rule", to.text, "as in a file")->required();
  add(*firewall, "remove", "a rule", chosen,
      [&](const auto &maps) { xdp::FirewallTables(maps).remove(to.number); })
      ->add_option("place", to.number)
      ->required();
  add(*firewall, "show", "counts", chosen, [](const auto &maps) {
    show_outcomes(maps);
    const xdp::FirewallTables tables(maps);
    for (std::uint32_t i = 0; i <= max_rules; ++i)
      if (const RuleCount count = tables.count(i); count.packets != 0)
        std::cout << "rule " << i << ' ' << count.packets << ' ' << count.bytes << '\n';
  });
}

void add_balancer(CLI::App &app, Arguments &to, Command &chosen) {
  CLI::App *balancer = app.add_subcommand("balancer", "services and back ends");
  balancer->require_subcommand(1);
  add(*balancer, "load", "all of a file", chosen,
      [&](const auto &maps) {
        xdp::BalancerTables(maps).load(read(to.file, xdp::read_balancer_plan));
      })
      ->add_option("file", to.file)
      ->required();
  CLI::App *one = add(*balancer, "add", "a back end", chosen, [&](const auto &maps) {
    std::istringstream words(to.text);
    xdp::BalancerTables(maps).add(to.number, xdp::next_address(words));
  });
  one->add_option("number", to.number)->required();
  one->add_option("address", to.text)->required();
  CLI::App *remove = add(*balancer, "remove", "a back end", chosen, [&](const auto &maps) {
    xdp::BalancerTables(maps).remove(to.number, to.is_gone);
  });
  remove->add_option("number", to.number)->required();
  remove->add_flag("--gone", to.is_gone, "flows that it has go to others");
  add(*balancer, "show", "counts", chosen, [](const auto &maps) {
    show_outcomes(maps);
    const xdp::BalancerTables tables(maps);
    for (std::uint32_t i = 0; i < max_services; ++i)
      if (const ServiceCount count = tables.count(i); count.packets != 0)
        std::cout << "service " << i << ' ' << count.packets << ' ' << count.bytes << '\n';
  });
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  Command command;
  CLI::App app("Tables of handlers in the kernel.", "xdp_control");
  app.add_option("pins", arguments.pins, "the directory that xdp_agent was given")->required();
  app.require_subcommand(1);
  add_forward(app, arguments, command);
  add_firewall(app, arguments, command);
  add_balancer(app, arguments, command);
  CLI11_PARSE(app, argc, argv)
  try {
    Pins pins(arguments.pins);
    command(pins.maps());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "xdp_control: %s\n", error.what());
    return 1;
  }
  return 0;
}
