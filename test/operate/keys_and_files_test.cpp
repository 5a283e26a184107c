// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guarantees for an operator: keys can be removed, existing files are not touched, and log entries
// cannot be forged.
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "../server/line.h"
#include "../server/server_process.h"
#include "base/file/acl.h"
#include "operate.h"
#include "remote/protocol/device_message.h"
#include "remote/server/clients/clients.h"
#include "remote/server/local_socket.h"
#include "remote/server/log.h"
#include "remote/server/modules.h"

namespace sartor::server {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

void make_keys(const fs::path &name) { ASSERT_TRUE(base::make_keys(name)) << name; }

TEST(ARemovedKey, EndsItsConnections) {
  const ServerProcess server;
  server.make_key("clients/two");
  reread(server, "2 clients");
  Program one(server, "clients/one.key");
  Program two(server, "clients/two.key");
  ASSERT_EQ(one.ask(), std::nullopt);
  ASSERT_EQ(two.ask(), std::nullopt);
  fs::remove(server.file("clients/one.pub"));
  reread(server, "1 clients");
  EXPECT_THAT(server.log(), HasSubstr("; 1 connections of removed keys are closed"));
  EXPECT_TRUE(one.ask());
  EXPECT_EQ(two.ask(), std::nullopt);
  // Removing the last key also takes effect.
  fs::remove(server.file("clients/two.pub"));
  reread(server, "0 clients");
  EXPECT_TRUE(two.ask());
  EXPECT_TRUE(Program(server, "clients/two.key").ask());
  EXPECT_THAT(server.log(), HasSubstr("no_keys"));
}

TEST(ARemovedKey, MayHaveASuccessorThatIsValidBefore) {
  const ServerProcess server;
  server.make_key("clients/one@new");
  reread(server, "files_read");
  Program before(server, "clients/one.key");
  Program after(server, "clients/one@new.key");
  EXPECT_EQ(before.ask(), std::nullopt);
  EXPECT_EQ(after.ask(), std::nullopt);
  fs::remove(server.file("clients/one.pub"));
  reread(server, "; 1 connections of removed keys are closed");
  EXPECT_TRUE(before.ask());
  EXPECT_EQ(after.ask(), std::nullopt);
}

TEST(TheServersKey, MayHaveASuccessorThatIsValidBefore) {
  const Directory directory;
  make_keys(directory / "new");
  const std::string new_key = directory / "new.pub";
  const ServerProcess server({"--key", directory / "new.key"});
  Program before(server, "clients/one.key");
  Program after(server, "clients/one.key", new_key);
  EXPECT_EQ(before.ask(), std::nullopt);
  EXPECT_EQ(after.ask(), std::nullopt);
  // The old server key is replaced; connections that it has opened end.
  fs::copy_file(directory / "new.key", server.file("server.key"),
                fs::copy_options::overwrite_existing);
  reread(server, "; 1 connections of removed keys are closed");
  EXPECT_TRUE(before.ask());
  EXPECT_EQ(after.ask(), std::nullopt);
  EXPECT_EQ(Program(server, "clients/one.key", new_key).ask(), std::nullopt);
}

TEST(AFileThatCannotBeRead, ChangesNothing) {
  const ServerProcess server;
  Program one(server, "clients/one.key");
  ASSERT_EQ(one.ask(), std::nullopt);
  fs::remove(server.file("clients/one.pub"));
  write(server.file("clients/bad.pub"), "no key\n");
  reread(server, "files_not_read");
  EXPECT_THAT(server.log(), HasSubstr("bad.pub"));
  EXPECT_EQ(one.ask(), std::nullopt);
  EXPECT_EQ(Program(server, "clients/one.key").ask(), std::nullopt);
}

TEST(ARole, AllowsNoOther) {
  const ServerProcess server;
  const auto why = Program(server, "devices/device.key").ask();
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ErrorCode::server_refused);
  EXPECT_TRUE(comes_true([&] { return server.log().contains("reason=wrong_role"); }));
  EXPECT_THAT(server.log(), HasSubstr("client=device role=device"));
}

TEST(AnUnknownKey, IsNamedInTheLog) {
  const ServerProcess server;
  server.make_key("stranger");
  EXPECT_TRUE(Program(server, "stranger.key").ask());
  const auto key = base::read_public_key(server.file("stranger.pub"));
  ASSERT_TRUE(key);
  EXPECT_TRUE(comes_true([&] { return server.log().contains("reason=unknown_key"); }));
  EXPECT_THAT(server.log(), HasSubstr("key=" + base::fingerprint(*key)));
  EXPECT_THAT(server.log(), HasSubstr("peer=127.0.0.1:"));
}

TEST(AServerWithoutKeys, StartsAndSaysSo) {
  ServerProcess server;
  server.make_key("one");
  server.stop();
  fs::remove_all(server.file("clients"));
  server.start();
  EXPECT_THAT(server.log(), HasSubstr("no client is let in"));
  EXPECT_TRUE(Program(server, "one.key").ask());
}

TEST(KnownKeys, HaveOneRoleAndOneName) {
  const Directory directory;
  for (const char *role : {"clients", "devices"})
    fs::create_directory(directory / role);
  const KeyDirectories where{directory / "clients", directory / "devices", directory / "missing"};
  make_keys(directory / "clients/one");
  make_keys(directory / "clients/one@2");
  make_keys(directory / "devices/two");
  auto read = Clients::read(where);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->count(Role::client), 1U);
  EXPECT_EQ(read->count(Role::admin), 0U);
  const auto key = base::read_public_key(directory / "clients/one@2.pub");
  EXPECT_EQ(read->find(*key)->name, "one");

  const auto refused = [&](const std::string &from, const std::string &to) {
    fs::copy_file(directory / from, directory / to);
    const auto again = Clients::read(where);
    fs::remove(directory / to);
    return again ? "" : again.error().message;
  };
  EXPECT_THAT(refused("clients/one.pub", "devices/three.pub"), HasSubstr("a client's already"));
  EXPECT_THAT(refused("clients/one.pub", "clients/zwei.pub"), HasSubstr("same key as one"));
  EXPECT_THAT(refused("clients/one@2.pub", "clients/uid 0.pub"), HasSubstr("cannot be a client's"));
  make_keys(directory / "other");
  EXPECT_THAT(refused("other.pub", "devices/one.pub"), HasSubstr("a client's already"));
}

TEST(TheSocketsPath, IsLeftAloneUnlessItsServerHasEnded) {
  const Directory directory;
  const std::string path = directory / "socket";
  const auto refusal = [&] {
    const auto listening = LocalSocket::listen(path, std::nullopt);
    return listening ? "" : listening.error().message;
  };
  write(path, "notes");
  EXPECT_THAT(refusal(), HasSubstr("a regular file"));
  EXPECT_EQ(content(path), "notes");
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_THAT(refusal(), HasSubstr("a directory"));
  EXPECT_TRUE(fs::is_directory(path));
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("a FIFO"));
  EXPECT_TRUE(fs::is_fifo(path));
  fs::remove(path);
  fs::create_symlink(directory / "nowhere", path);
  EXPECT_THAT(refusal(), HasSubstr("a symbolic link"));
  EXPECT_TRUE(fs::is_symlink(path));
  fs::remove(path);

  auto first = LocalSocket::listen(path, std::nullopt);
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_THAT(refusal(), HasSubstr("another process listens"));
  EXPECT_TRUE(fs::is_socket(path));
  // The state that a killed server leaves behind: the descriptor is closed, the file stays.
  fs::rename(path, directory / "aside");
  {
    const LocalSocket gone = std::move(*first);
  }
  fs::rename(directory / "aside", path);
  auto second = LocalSocket::listen(path, getegid());
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0660));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 1);
}

TEST(TheSocketsPath, IsNotRemovedOnceItIsSomebodyElses) {
  const Directory directory;
  const std::string path = directory / "socket";
  {
    auto mine = LocalSocket::listen(path, std::nullopt);
    ASSERT_TRUE(mine);
    fs::remove(path);
    write(path, "notes");
  }
  EXPECT_EQ(content(path), "notes");
}

TEST(TheSocketsPath, IsNotReplacedByAServer) {
  const Directory directory;
  write(directory / "notes.txt", "notes");
  try {
    const ServerProcess server({"--listen", "unix:" + (directory / "notes.txt").string()});
    ADD_FAILURE() << "it has started";
  } catch (const std::exception &error) {
    EXPECT_THAT(error.what(), HasSubstr("is a regular file"));
  }
  EXPECT_EQ(content(directory / "notes.txt"), "notes");
}

TEST(DevicesModules, AreFilesThatOthersCannotChange) {
  const Directory directory;
  write(directory / "good.module", "bitcode");
  write(directory / "other", "elsewhere");
  fs::create_symlink(directory / "other", directory / "link.module");
  ASSERT_EQ(mkfifo((directory / "fifo.module").c_str(), 0600), 0);
  auto read = DeviceModules::read(directory.path(), 100);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->by_hash.size(), 1U);
  EXPECT_EQ(read->skipped.size(), 2U);

  write(directory / "large.module", std::string(101, 'x'));
  EXPECT_THAT(DeviceModules::read(directory.path(), 100).error().message, HasSubstr("100 bytes"));
  EXPECT_TRUE(DeviceModules::read(directory.path(), 101));
  fs::permissions(directory / "good.module", fs::perms(0666));
  EXPECT_THAT(DeviceModules::read(directory.path(), 101).error().message,
              HasSubstr("written by others"));
  fs::permissions(directory / "good.module", fs::perms(0600));
  fs::permissions(directory.path(), fs::perms(0777));
  EXPECT_THAT(DeviceModules::read(directory.path(), 101).error().message,
              HasSubstr("written by others"));
}

TEST(DevicesModules, MayHaveAFifoAmongThemThatNoServerWaitsFor) {
  const Directory directory;
  ASSERT_EQ(mkfifo((directory / "fifo.module").c_str(), 0600), 0);
  const ServerProcess server({"--modules", directory.path()});
  EXPECT_THAT(server.log(), HasSubstr("module_skipped"));
  reread(server, "files_read");
  EXPECT_EQ(Program(server, "clients/one.key").ask(), std::nullopt);
}

/// A POSIX ACL in Linux's extended-attribute format.
std::string acl(std::initializer_list<std::array<std::uint32_t, 3>> entries) {
  std::string bytes("\2\0\0\0", 4);
  for (const auto &[tag, rights, id] : entries) {
    const std::array<std::uint16_t, 2> two{static_cast<std::uint16_t>(tag),
                                           static_cast<std::uint16_t>(rights)};
    bytes.append(reinterpret_cast<const char *>(two.data()), sizeof two);
    bytes.append(reinterpret_cast<const char *>(&id), sizeof id);
  }
  return bytes;
}
constexpr std::uint32_t kNone = 0xffffffff;

TEST(AnAccessControlList, CountsAsGroupRightsForOthersOnly) {
  const auto of = [](const std::string &bytes) {
    return base::group_bits(std::as_bytes(std::span(bytes)), 1000);
  };
  const auto with = [&](std::array<std::uint32_t, 3> entry, std::uint32_t mask) {
    return of(acl({{1, 4, kNone}, entry, {4, 0, kNone}, {0x10, mask, kNone}, {0x20, 0, kNone}}));
  };
  EXPECT_EQ(with({2, 4, 1000}, 4), 0U);                     // the server's user
  EXPECT_EQ(with({2, 4, 0}, 4), 0U);                        // root
  EXPECT_EQ(with({2, 4, 1001}, 4), mode_t{S_IRGRP});        // another user
  EXPECT_EQ(with({2, 4, 1001}, 0), 0U);                     // masked
  EXPECT_EQ(with({8, 6, 7}, 7), mode_t{S_IRGRP | S_IWGRP}); // a group
  EXPECT_EQ(of(acl({{1, 6, kNone}, {4, 4, kNone}, {0x20, 0, kNone}})), mode_t{S_IRGRP});
  EXPECT_EQ(of(std::string("\2\0\0\0\1", 5)), std::nullopt);
  EXPECT_EQ(of(std::string("\3\0\0\0", 4)), std::nullopt);
}

TEST(ASecretKey, MayBeGivenToUsByAnAccessControlList) {
  const Directory directory;
  make_keys(directory / "server");
  const fs::path file = directory / "server.key";
  const auto give_to = [&](uid_t user) {
    const std::string bytes =
        acl({{1, 4, kNone}, {2, 4, user}, {4, 0, kNone}, {0x10, 4, kNone}, {0x20, 0, kNone}});
    return setxattr(file.c_str(), "system.posix_acl_access", bytes.data(), bytes.size(), 0) == 0;
  };
  if (!give_to(geteuid()))
    GTEST_SKIP() << "the file system of " << directory.path() << " has no ACLs";
  struct stat status{};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  ASSERT_EQ(status.st_mode & 0777, 0440U); // the mode that stat() reports
  const auto read = base::SecretKey::read(file);
  EXPECT_TRUE(read) << read.error().text();
  ASSERT_TRUE(give_to(geteuid() + 4711));
  EXPECT_FALSE(base::SecretKey::read(file));
}

/// The lines that a log has written.
class Written {
public:
  explicit Written(LogFormat format)
      : file_(open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)), log(format, file_) {}
  ~Written() { close(file_); }
  Written(const Written &) = delete;
  Written &operator=(const Written &) = delete;
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    std::istringstream stream(content("/proc/self/fd/" + std::to_string(file_)));
    for (std::string line; std::getline(stream, line);)
      lines.push_back(line);
    return lines;
  }

private:
  int file_;

public:
  Log log;
};

TEST(TheLog, CannotBeForged) {
  const std::string evil = "x\n2026-01-01T00:00:00.000Z info keys_read\x1b[2J\x7f\u0085\u202e";
  for (const LogFormat format : {LogFormat::text, LogFormat::json}) {
    Written written(format);
    written.log.write(Level::warning, "refused", "", {{"detail", evil}});
    written.log.write(Level::warning, "refused", evil);
    const auto lines = written.lines();
    ASSERT_EQ(lines.size(), 2U);
    for (const std::string &line : lines) {
      EXPECT_THAT(line, HasSubstr("\\x1b"));
      for (const char *bad : {"\x1b", "\x7f", "\u0085", "\u202e"})
        EXPECT_THAT(line, Not(HasSubstr(bad)));
    }
  }
}

TEST(TheLog, HasOneJsonObjectALine) {
  Written written(LogFormat::json);
  written.log.write(Level::info, "listening", "listens at unix:/x", {{"address", "unix:/x"}});
  const auto line = nlohmann::json::parse(written.lines().at(0));
  EXPECT_EQ(line.at("event"), "listening");
  EXPECT_EQ(line.at("level"), "info");
  EXPECT_EQ(line.at("address"), "unix:/x");
  EXPECT_TRUE(line.contains("time"));
}

TEST(TheLog, CountsWhatAFloodRepeats) {
  Written written(LogFormat::text);
  const auto begin = Log::Clock::time_point(1h);
  for (int i = 0; i < 130; ++i)
    written.log.write_some(Level::warning, "refused", "unknown_key a", {{"i", i}}, begin);
  EXPECT_EQ(written.lines().size(), 10U);
  written.log.write_some(Level::warning, "refused", "unknown_key b", {{"i", 0}}, begin);
  EXPECT_EQ(written.lines().size(), 11U); // messages about another subject are still logged
  written.log.report_left_out(begin + 1s);
  EXPECT_EQ(written.lines().size(), 11U);
  written.log.report_left_out(begin + 11s);
  ASSERT_EQ(written.lines().size(), 12U);
  EXPECT_THAT(written.lines().back(), HasSubstr("120 more like this: refused unknown_key a"));
}

TEST(TheLog, StaysSmallWhateverNamesAreMadeUp) {
  Written written(LogFormat::text);
  const auto begin = Log::Clock::time_point(1h);
  for (int i = 0; i < 5000; ++i)
    written.log.write_some(Level::warning, "refused", std::to_string(i), {{"i", i}}, begin);
  EXPECT_LE(written.lines().size(), 300U);
}

TEST(AClientsText, ForgesNoLineOfTheServersLog) {
  const ServerProcess server;
  Line line(server.file("socket"));
  auto hello = good_hello();
  hello.build = "x\nsartor-server: listens at tcp://evil:1\x1b[2J";
  line.ask(remote::Kind::hello, to_bytes(hello));
  const auto refusal = line.refusal();
  ASSERT_TRUE(refusal);
  EXPECT_TRUE(comes_true([&] { return server.log().contains("reason=request_refused"); }));
  EXPECT_THAT(server.log(), HasSubstr("\\x1b"));
  EXPECT_THAT(server.log(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(server.log(), Not(HasSubstr("\nsartor-server: listens at tcp://evil")));
}

TEST(AConfiguration, WithAnUnknownNameIsAnError) {
  const Directory directory;
  const fs::path file = directory / "server.conf";
  write(file, "workers = 1\nkeyy = 1\n");
  try {
    const ServerProcess server({"--config", file});
    ADD_FAILURE() << "it has started";
  } catch (const std::exception &error) {
    EXPECT_THAT(error.what(), HasSubstr("keyy"));
  }
  write(file, "workers = 1\n");
  const ServerProcess server({"--config", file});
}

TEST(ADevice, AsksNothingButWhatDevicesAsk) {
  const ServerProcess server;
  Line line(server.file("socket"));
  remote::DeviceHello hello;
  hello.target = "x86_64";
  line.ask(remote::Kind::device_hello, to_bytes(hello));
  (void)line.hear();
  line.ask(remote::Kind::load_file, to_bytes(remote::ModuleFile{"f", "bitcode"}));
  const auto refusal = line.refusal();
  ASSERT_TRUE(refusal);
  EXPECT_THAT(refusal->message, HasSubstr("after such a greeting"));
}

} // namespace
} // namespace sartor::server
