// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The systemd unit of the server.
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "operate.h"
#include "paths.h"
#include "remote/server/process.h"

namespace sartor::server {
namespace {

using ::testing::HasSubstr;

/// The output of a command; empty if the command cannot be run.
std::string output_of(const std::string &command) {
  std::string all;
  // NOLINTNEXTLINE(bugprone-command-processor): the commands are those of this test
  FILE *from = popen((command + " 2>/dev/null").c_str(), "r");
  if (!from)
    return all;
  std::array<char, 4096> piece;
  for (std::size_t taken = 0; (taken = fread(piece.data(), 1, piece.size(), from)) > 0;)
    all.append(piece.data(), taken);
  pclose(from);
  return all;
}

TEST(TheUnit, IsConfined) {
  const std::string said =
      output_of("systemd-analyze security --no-pager --offline=true " + paths::unit());
  constexpr std::string_view begin = "Overall exposure level for sartor-server.service: ";
  const auto at = said.find(begin);
  if (at == std::string::npos)
    GTEST_SKIP() << "systemd-analyze of systemd 250 or later is not here";
  EXPECT_LE(std::stod(said.substr(at + begin.size())), 3.0) << said;
}

TEST(TheUnit, HasNoLineThatSystemdDoesNotKnow) {
  if (output_of("systemd-analyze --version").empty())
    GTEST_SKIP() << "systemd-analyze is not here";
  const std::string said = output_of("systemd-analyze verify " + paths::unit() + " 2>&1");
  EXPECT_THAT(said, ::testing::Not(HasSubstr("Unknown")));
}

/// Expands a group of system calls, including its nested groups, into names.
void expand(const std::string &name, const std::map<std::string, std::set<std::string>> &groups,
            std::set<std::string> &calls) {
  const auto group = groups.find(name);
  if (group == groups.end())
    calls.insert(name);
  else
    for (const std::string &each : group->second)
      expand(each, groups, calls);
}

/// The system calls that the SystemCallFilter= lines of the unit allow.
std::set<std::string> allowed_calls(const std::string &unit, const std::string &known) {
  std::map<std::string, std::set<std::string>> groups;
  std::string group;
  std::istringstream lines(known);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('@'))
      group = line;
    else if (line.starts_with("    ") && line[4] != '#')
      groups[group].insert(line.substr(4));
  std::set<std::string> allowed;
  std::istringstream settings(unit);
  for (std::string line; std::getline(settings, line);) {
    constexpr std::string_view begin = "SystemCallFilter=";
    if (!line.starts_with(begin))
      continue;
    const bool denies = line[begin.size()] == '~';
    std::istringstream words(line.substr(begin.size() + (denies ? 1 : 0)));
    std::set<std::string> calls;
    for (std::string word; words >> word;)
      expand(word, groups, calls);
    for (const std::string &call : calls)
      denies ? (void)allowed.erase(call) : (void)allowed.insert(call);
  }
  return allowed;
}

/// True if a variant can be compiled while this process and its children are confined as the unit
/// says.
bool compiles_with(const std::set<std::string> &allowed) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return false;
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  for (const std::string &each : allowed)
    if (const int number = seccomp_syscall_resolve_name(each.c_str()); number >= 0)
      (void)seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
  if (seccomp_load(filter) != 0)
    return false;
  const ServerProcess server;
  const auto failure = Program(server, "clients/one.key").ask();
  if (failure)
    std::fprintf(stderr, "%s\n%s", failure->text().c_str(), server.log().c_str());
  return !failure;
}

TEST(TheUnit, LetsCompilersWork) {
  const std::string known = output_of("systemd-analyze syscall-filter --no-pager");
  if (!known.contains("@system-service"))
    GTEST_SKIP() << "systemd-analyze is not here";
  const auto allowed = allowed_calls(content(paths::unit()), known);
  ASSERT_TRUE(allowed.contains("read"));
  ASSERT_FALSE(allowed.contains("mount"));
  EXPECT_EXIT(std::_Exit(compiles_with(allowed) ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

TEST(Systemd, IsNotifiedWhenTheServerIsReadyAndWhenItStops) {
  const Directory directory;
  const std::string path = directory / "notify";
  const int listening = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listening, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
  const auto hear = [&] {
    std::array<char, 100> text{};
    const ssize_t size = recv(listening, text.data(), text.size(), 0);
    return std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  };
  setenv("NOTIFY_SOCKET", path.c_str(), 1);
  {
    const ServerProcess server;
    EXPECT_EQ(hear(), "READY=1");
    server.signal(SIGTERM);
    EXPECT_EQ(hear(), "STOPPING=1");
  }
  unsetenv("NOTIFY_SOCKET");
  notify("READY=1"); // no process listens, and nothing happens
  close(listening);
}

} // namespace
} // namespace sartor::server
