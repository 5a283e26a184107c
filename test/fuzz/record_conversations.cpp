// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// record_conversations BITCODE DIRECTORY: lets a program and a device ask a compiler for variants
// of the handlers in BITCODE (test/device/program/handlers.c), and writes both sides of the
// conversations into DIRECTORY/program_talk and DIRECTORY/device_talk.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <sys/socket.h>

#include "base/hash.h"
#include "core/compiler/find_compiler.h"
#include "fuzz/conversation.h"
#include "fuzz/program_side.h"
#include "fuzz/recorded_rules.h"
#include "remote/protocol/device_message.h"
#include "remote/server/compilers/service.h"

namespace sartor::remote {

namespace {

constexpr std::size_t kMost = std::size_t{1} << 26U;

[[noreturn]] void fail(const std::string &why) {
  std::fprintf(stderr, "record_conversations: %s\n", why.c_str());
  std::exit(1);
}

/// Compilers in this process, one for each connection.
class Compilers {
public:
  Compilers() : service_(**core::find_compiler(), kMost, [](ErrorCode) { std::abort(); }) {}

  std::unique_ptr<Stream> connect() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      fail("no sockets");
    std::thread([this, end = ends[1]] {
      service_.serve(std::make_unique<SocketStream>(end));
    }).detach();
    return std::make_unique<SocketStream>(ends[0]);
  }

private:
  Service service_;
};

/// Collects the frames of one direction as they become complete.
class Listener {
public:
  Listener(Conversation &to, bool by_server) : to_(to), by_server_(by_server) {}

  void hear(std::string_view bytes) {
    bytes_ += bytes;
    std::uint32_t length = 0;
    while (bytes_.size() >= sizeof length) {
      std::memcpy(&length, bytes_.data(), sizeof length);
      if (bytes_.size() - sizeof length < length)
        return;
      to_.push_back({by_server_, static_cast<Kind>(bytes_[sizeof length]),
                     bytes_.substr(sizeof length + 1, length - 1)});
      bytes_.erase(0, sizeof length + length);
    }
  }

private:
  Conversation &to_;
  bool by_server_;
  std::string bytes_;
};

class RecordingStream final : public Stream {
public:
  RecordingStream(std::unique_ptr<Stream> stream, Conversation &to)
      : stream_(std::move(stream)), server_(to, true), client_(to, false) {}

  Result<std::optional<std::size_t>> read(char *bytes, std::size_t most,
                                          std::chrono::milliseconds patience) override {
    auto taken = stream_->read(bytes, most, patience);
    if (taken && *taken)
      server_.hear({bytes, **taken});
    return taken;
  }
  Result<std::size_t> write(std::string_view bytes, std::chrono::milliseconds patience) override {
    auto sent = stream_->write(bytes, patience);
    if (sent)
      client_.hear(bytes.substr(0, *sent));
    return sent;
  }
  bool has_ended() override { return stream_->has_ended(); }
  void end() override { stream_->end(); }

private:
  std::unique_ptr<Stream> stream_;
  Listener server_;
  Listener client_;
};

class Recorder final : public Connector {
public:
  explicit Recorder(Compilers &compilers) : compilers_(compilers) {}

  Result<Connection> connect(const Channel::GoOn &) override {
    return Connection{std::make_unique<Channel>(
                          std::make_unique<RecordingStream>(compilers_.connect(), said), kMost),
                      {}};
  }
  Failure why_lost() override { fail("a compiler was lost"); }
  void give_up() override {}
  Result<void> prepare(const Pipeline &) override { return {}; }
  [[nodiscard]] bool is_server() const override { return false; }
  unsigned era() override { return 0; }

  Conversation said;

private:
  Compilers &compilers_;
};

/// The server between a compiler and a device: sends the requests and records the messages that
/// reach the device.
class Device {
public:
  Device(Compilers &compilers, const std::string &bitcode) : channel_(compilers.connect(), kMost) {
    fill_recorded_rules(reinterpret_cast<unsigned char *>(memory_.data()), kRecordedMemory);
    ask(Kind::device_hello, to_bytes(DeviceHello{kDeviceProtocol, "x86-64"}));
    ask(Kind::use_module, base::to_text(base::hash_of({bitcode})));
    if (said_.back().kind == Kind::unknown) { // handled by the server; the device does not see it
      said_.pop_back();
      send(Kind::give_module, bitcode);
      said_.push_back({true, receive().kind, {}});
    }
    if (said_.back().kind != Kind::done)
      fail("the compiler does not take the module");
  }

  Conversation customize(const Customization &wanted) {
    ask(Kind::customize, to_bytes(wanted));
    while (said_.back().kind == Kind::page || said_.back().kind == Kind::call) {
      if (said_.back().kind == Kind::call) {
        ask(Kind::called, to_bytes(std::optional<std::uint64_t>(27)));
        continue;
      }
      const auto page = from_bytes<Page>(said_.back().body);
      ask(Kind::paged, memory_.substr(page->address - kRecordedMemory, page->size));
    }
    return said_;
  }

private:
  void send(Kind kind, const std::string &body) {
    if (!channel_.send(kind, body, always))
      fail("the compiler has gone");
  }
  Frame receive() {
    auto frame = channel_.receive(always);
    if (!frame || !*frame)
      fail("the compiler has gone");
    return std::move(**frame);
  }
  void ask(Kind kind, const std::string &body) {
    said_.push_back({false, kind, body});
    send(kind, body);
    Frame answer = receive();
    said_.push_back({true, answer.kind, std::move(answer.body)});
  }

  Channel channel_;
  std::string memory_ = std::string(recorded_bytes, '\0');
  Conversation said_;
};

std::size_t count(const Conversation &conversation, Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(conversation, kind, &Said::kind));
}

/// The kinds of all frames, with the texts of failures.
std::string reported(const Conversation &conversation) {
  std::string text;
  for (const Said &said : conversation) {
    const auto failure = said.kind == Kind::failed ? from_bytes<Failure>(said.body) : std::nullopt;
    text += (said.by_server ? " <" : " >") + std::to_string(static_cast<unsigned>(said.kind)) +
            (failure ? " " + failure->text() : "");
  }
  return text;
}

int record(const std::string &bitcode, const std::filesystem::path &directory) {
  const auto write = [&](const char *fuzzer, const char *name, const Conversation &conversation) {
    std::filesystem::create_directories(directory / fuzzer);
    std::ofstream(directory / fuzzer / name, std::ios::binary) << to_text(conversation);
    std::printf("%s/%s: %zu frames, %zu bytes\n", fuzzer, name, conversation.size(),
                to_text(conversation).size());
  };
  static auto &compilers = *new Compilers; // its threads may outlive main()
  Recorder program(compilers);
  ask_for_everything(program, bitcode);
  if (count(program.said, Kind::drafted) < 3 || count(program.said, Kind::call) == 0 ||
      count(program.said, Kind::image) < 4 || count(program.said, Kind::failed) == 0)
    fail("the program's conversation is not what it should be: " + reported(program.said));
  for (std::size_t begin = 0, number = 0; begin < program.said.size(); ++number) {
    std::size_t end = begin + 1; // connections begin with a greeting
    while (end < program.said.size() && program.said[end].kind != Kind::hello)
      ++end;
    write("program_talk", std::to_string(number).c_str(),
          {program.said.begin() + static_cast<std::ptrdiff_t>(begin),
           program.said.begin() + static_cast<std::ptrdiff_t>(end)});
    begin = end;
  }

  // A device's requests are read against a module, which the server has.
  const auto module = std::ranges::find(program.said, Kind::give_module, &Said::kind);
  const std::map<std::string, std::uint64_t> symbols{{"weight_of", kRecordedFunction}};
  const auto device = [&](const char *name, const Customization &wanted, Kind end) {
    const Conversation said = Device(compilers, bitcode).customize(wanted);
    if (said.back().kind != end)
      fail(std::string(name) + " has another end: " + reported(said));
    write("device_talk", name, said);
    return said;
  };
  const Conversation about_memory =
      device("memory",
             {"verdict",
              {},
              {{0, Value(static_cast<std::int64_t>(kRecordedMemory))}},
              false,
              {{0, kRecordedMemory, kRecordedBytes, ""}},
              symbols},
             Kind::customized);
  Conversation to_compiler = about_memory;
  to_compiler.insert(to_compiler.begin(), *module);
  write("program_talk", "customize", to_compiler);
  if (count(about_memory, Kind::page) == 0 || count(about_memory, Kind::call) == 0)
    fail("the device was asked for no page, or no call");
  device("point", {"sums", {{"count", Value(12), true}}, {}, false, {}, {}}, Kind::customized);
  device("small", {"sums", {}, {}, true, {}, {}}, Kind::customized);
  Conversation impostor = device("impostor", {"sums", {}, {}, true, {}, {}}, Kind::customized);
  impostor.insert(impostor.begin() + 1, {true, Kind::opened, std::string(128, 'x')});
  write("device_talk", "impostor", impostor);
  device("refused", {"sums", {{"nosuch", Value(1), true}}, {}, false, {}, {}}, Kind::failed);
  return 0;
}

} // namespace

} // namespace sartor::remote

int main(int count, char **words) {
  if (count != 3)
    return std::puts("usage: record_conversations BITCODE DIRECTORY"), 2;
  std::ifstream file(words[1], std::ios::binary);
  const std::string bitcode{std::istreambuf_iterator<char>(file), {}};
  const int status = sartor::remote::record(bitcode, words[2]);
  std::fflush(nullptr);
  std::_Exit(status); // the compilers' threads end with the process
}
