// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The control socket: rights to connect, wrong requests, forks, lost descriptors.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

namespace {

using nlohmann::json;

TEST_F(Controlled, OnlyThisUserCanReachTheSocket) {
  struct stat status;
  ASSERT_EQ(stat(Client::path_of(getpid()).c_str(), &status), 0);
  EXPECT_TRUE(S_ISSOCK(status.st_mode));
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_EQ(stat(Client::path_of(getpid()).parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(Controlled, StatusDescribesTheProcess) {
  runtime_.specialize(factor(3));
  const json status = client_.ask({{"do", "status"}});
  EXPECT_EQ(status.at("pid"), getpid());
  EXPECT_EQ(status.at("program"), std::filesystem::read_symlink("/proc/self/exe").string());
  bool found = false;
  for (const json &handler : runtime_status().at("handlers"))
    if (handler.at("handler") == "scale") {
      found = true;
      EXPECT_EQ(handler.at("active").at("configuration"),
                (json{{"factor", {{"guard", false}, {"values", {3}}}}}));
      EXPECT_GT(handler.at("active").at("text_bytes"), 0);
    }
  EXPECT_TRUE(found);
  EXPECT_EQ(runtime_status().at("statistics").at("compiles"), runtime_.statistics().compiles);
}

TEST_F(Controlled, WrongRequestsAreAnsweredAndTheConnectionGoesOn) {
  client_.send("this is no JSON\n");
  EXPECT_EQ(json::parse(client_.line()).at("error").at("code"), "bad_json");
  client_.send(R"({"version":2,"do":"status"})"
               "\n[1]\n{}\n");
  EXPECT_EQ(json::parse(client_.line()).at("error").at("subject"), "version");
  EXPECT_EQ(json::parse(client_.line()).at("error").at("subject"), "version");
  EXPECT_EQ(json::parse(client_.line()).at("error").at("subject"), "version");
  EXPECT_EQ(error_of({{"do", "sing"}}).at("subject"), "sing");
  EXPECT_EQ(error_of({{"do", 1}}).at("subject"), "do");
  EXPECT_EQ(error_of({{"do", "events"}, {"after", -1}}).at("subject"), "after");
  EXPECT_EQ(error_of({{"do", "invalidate"}, {"name", "nothing"}}).at("subject"), "nothing");
  EXPECT_EQ(error_of({{"do", "dump"}, {"variant", "nothing{}"}}).at("subject"), "nothing{}");
  client_.send(std::string(1000, '[') + "\n");
  EXPECT_EQ(json::parse(client_.line()).at("error").at("code"), "bad_json");
  do_it({{"do", "status"}});
}

TEST_F(Controlled, ARequestWithoutEndEndsTheConnection) {
  client_.send(std::string(200'000, 'x'));
  EXPECT_EQ(client_.line(), "");
  Client another(getpid());
  EXPECT_EQ(another.ask({{"do", "status"}}).at("ok"), true);
}

TEST_F(Controlled, ClientsThatDoNotReadDoNotStopOthers) {
  std::vector<std::unique_ptr<Client>> lazy;
  for (int i = 0; i < 4; ++i) {
    lazy.push_back(std::make_unique<Client>(getpid()));
    for (int request = 0; request < 2000; ++request)
      lazy.back()->send(R"({"version":1,"do":"metrics"})"
                        "\n");
  }
  do_it({{"do", "status"}});
}

TEST_F(Controlled, TooManyClientsAreDisconnected) {
  std::vector<std::unique_ptr<Client>> many;
  for (int i = 0; i < 40; ++i)
    many.push_back(std::make_unique<Client>(getpid()));
  do_it({{"do", "status"}});
  EXPECT_TRUE(many.back()->ask({{"do", "status"}}).is_discarded());
}

TEST_F(Controlled, EventsAreKept) {
  const auto before = client_.ask({{"do", "events"}, {"after", 0}}).at("next");
  runtime_.specialize(factor(3));
  runtime_.log_event("phase", R"({"size":7})");
  json page = client_.ask({{"do", "events"}, {"after", before}});
  std::multiset<std::string> kinds;
  for (const json &event : page.at("events"))
    kinds.insert(event.at("event"));
  EXPECT_THAT(kinds, testing::IsSupersetOf({"compile", "switch", "phase"}));
  // Other threads may have logged more, but nothing is sent twice.
  for (const json &event : client_.ask({{"do", "events"}, {"after", page.at("next")}}).at("events"))
    EXPECT_NE(event.at("event"), "phase");
}

TEST_F(Controlled, FrequentEventsDoNotDisplaceRareOnes) {
  runtime_.log_event("rare", "{}");
  for (int i = 0; i < 3000; ++i)
    runtime_.log_event("frequent", "{}");
  std::size_t rare = 0;
  std::size_t frequent = 0;
  for (json page = client_.ask({{"do", "events"}, {"after", 0}}); !page.at("events").empty();
       page = client_.ask({{"do", "events"}, {"after", page.at("next")}}))
    for (const json &event : page.at("events")) {
      rare += event.at("event") == "rare" ? 1 : 0;
      frequent += event.at("event") == "frequent" ? 1 : 0;
    }
  EXPECT_EQ(rare, 1U);
  EXPECT_EQ(frequent, 512U);
}

TEST_F(Controlled, CodeIsDumped) {
  runtime_.specialize(factor(3));
  std::string name;
  for (const json &variant : client_.ask({{"do", "variants"}}).at("variants"))
    if (variant.at("handler") == "scale" && variant.at("active"))
      name = variant.at("name");
  const json dumped = client_.ask({{"do", "dump"}, {"variant", name}});
  EXPECT_EQ(dumped.at("code").get<std::string>().size(),
            2 * dumped.at("variant").at("text_bytes").get<std::size_t>());
}

TEST_F(Controlled, AForkedChildHasASocketOfItsOwn) {
  runtime_.specialize(factor(3));
  const pid_t child = fork();
  if (child == 0) {
    while (scale_(7, 2, 1) == kVariant)
      usleep(1000);
    std::exit(0); // NOLINT: the test's own end of a child
  }
  {
    Client to_child(child);
    ASSERT_TRUE(to_child.is_connected());
    EXPECT_EQ(to_child.ask({{"do", "status"}}).at("pid"), child);
    EXPECT_EQ(to_child.ask({{"do", "off"}}).at("ok"), true);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(call(), kVariant); // the parent is not concerned
  do_it({{"do", "status"}});
  EXPECT_FALSE(std::filesystem::exists(Client::path_of(child)));
}

TEST_F(Controlled, AProgramForksWhileItIsAsked) {
  std::atomic<bool> stop = false;
  std::thread asking([&] {
    while (!stop)
      Client(getpid()).ask({{"do", "status"}});
  });
  for (int i = 0; i < 100; ++i) {
    const pid_t child = fork();
    if (child == 0)
      _exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  asking.join();
}

/// Returns how long a child takes to exit after it has closed all descriptors.
std::chrono::nanoseconds exit_without_descriptors() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    (void)Client(getpid()).ask({{"do", "status"}}); // until the child has its socket
    if (write(ends[1], "x", 1) != 1)
      _exit(1);
    closefrom(STDERR_FILENO + 1);
    std::exit(0); // NOLINT: the test's own end of a child
  }
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 1);
  close(ends[0]);
  const auto begin = std::chrono::steady_clock::now();
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return std::chrono::steady_clock::now() - begin;
}

// Running threads are waited for at exit, for three seconds. A loaded machine may take as long for
// a child.
TEST_F(Controlled, ExitDoesNotWaitIfTheProgramHasClosedTheDescriptors) {
  bool is_fast = false;
  for (int i = 0; i < 10 && !is_fast; ++i)
    is_fast = exit_without_descriptors() < std::chrono::milliseconds(2500);
  EXPECT_TRUE(is_fast);
}

TEST_F(Controlled, TheStandardStreamsAreLeftToTheProgram) {
  runtime_.specialize(factor(3));
  const int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ASSERT_GE(kept, 0);
  close(STDIN_FILENO);
  const pid_t child = fork();
  if (child == 0) {
    while (scale_(7, 2, 1) == kVariant)
      usleep(1000);
    struct stat status; // a descriptor without a type is that of an event
    const bool is_taken = fstat(STDIN_FILENO, &status) == 0 &&
                          (S_ISSOCK(status.st_mode) || (status.st_mode & S_IFMT) == 0);
    std::exit(is_taken ? 1 : 0); // NOLINT: the test's own end of a child
  }
  EXPECT_EQ(dup2(kept, STDIN_FILENO), STDIN_FILENO);
  close(kept);
  Client to_child(child); // connected until the child has looked
  EXPECT_TRUE(to_child.is_connected());
  EXPECT_EQ(to_child.ask({{"do", "off"}}).at("ok"), true);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Controlled, AClosedSocketIsOpenedAgain) {
  std::error_code error;
  std::filesystem::remove(Client::path_of(getpid()), error);
  Client again(getpid());
  ASSERT_TRUE(again.is_connected());
  EXPECT_EQ(again.ask({{"do", "status"}}).at("pid"), getpid());
}

} // namespace
