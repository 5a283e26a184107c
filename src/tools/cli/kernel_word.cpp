// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/kernel_word.h"

#include <memory>
#include <stdexcept>

#include <dlfcn.h>

#include <sartor/bpf/bpf.h>

#include "base/text/json.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kLibrary = "libsartor-bpf.so.0";

/// libsartor-bpf, which depends on libbpf and is loaded only when the kernel is asked. All
/// functions throw Error, or std::runtime_error. It stays loaded.
class Library {
public:
  Library() : handle_(dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_)
      throw std::runtime_error(dlerror());
    open = find<decltype(open)>("sartor_bpf_open");
    close = find<decltype(close)>("sartor_bpf_close");
    active = find<decltype(active)>("sartor_bpf_active");
    handlers = find<decltype(handlers)>("sartor_bpf_handlers");
    update = find<decltype(update)>("sartor_bpf_update");
    invariant = find<decltype(invariant)>("sartor_bpf_declare_invariant");
    specialize = find<decltype(specialize)>("sartor_bpf_specialize");
    free = find<decltype(free)>("sartor_free");
    error_code = find<decltype(error_code)>("sartor_last_error_code");
    error_subject = find<decltype(error_subject)>("sartor_last_error_subject");
    error_message = find<decltype(error_message)>("sartor_last_error_message");
    error_remedy = find<decltype(error_remedy)>("sartor_last_error_remedy");
  }

  void must(sartor_status status) const {
    if (status != SARTOR_OK)
      throw Error(Failure{static_cast<ErrorCode>(error_code()), error_subject(), error_message(),
                          error_remedy()});
  }
  /// Returns the report of one of the functions.
  template <class... Arguments>
  Json reported(sartor_status (*report)(const sartor_bpf_runtime *, Arguments..., char **),
                const sartor_bpf_runtime *runtime,
                std::type_identity_t<Arguments>... arguments) const {
    char *text = nullptr;
    must(report(runtime, arguments..., &text));
    const std::unique_ptr<char, decltype(free)> owner(text, free);
    return Json::parse(text);
  }

  decltype(&sartor_bpf_open) open;
  decltype(&sartor_bpf_close) close;
  decltype(&sartor_bpf_active) active;
  decltype(&sartor_bpf_handlers) handlers;
  decltype(&sartor_bpf_update) update;
  decltype(&sartor_bpf_declare_invariant) invariant;
  decltype(&sartor_bpf_specialize) specialize;
  decltype(&sartor_free) free;
  decltype(&sartor_last_error_code) error_code;
  decltype(&sartor_last_error_subject) error_subject;
  decltype(&sartor_last_error_message) error_message;
  decltype(&sartor_last_error_remedy) error_remedy;

private:
  template <class Function> Function find(const char *name) const {
    void *found = dlsym(handle_, name);
    if (!found)
      throw std::runtime_error(dlerror());
    return reinterpret_cast<Function>(found);
  }

  void *handle_;
};

/// An object in the kernel, loaded by those functions.
class Loaded {
public:
  Loaded(const Library &library, const std::string &object)
      : library_(library), runtime_(nullptr, library.close) {
    sartor_bpf_runtime *opened = nullptr;
    library.must(library.open(object.data(), object.size(), R"({"name":"explained"})", &opened));
    runtime_.reset(opened);
  }

  [[nodiscard]] std::map<std::string, KernelCounts, std::less<>> counts() const {
    std::map<std::string, KernelCounts, std::less<>> counts;
    for (const Json &handler : library_.reported(library_.handlers, runtime_.get())) {
      const auto name = handler.get<std::string>();
      const Json reported =
          library_.reported<const char *>(library_.active, runtime_.get(), name.c_str());
      counts[name] = {reported.at("verified_instructions").get<std::uint64_t>(),
                      reported.at("native_bytes").get<std::uint64_t>()};
    }
    return counts;
  }
  void invariant(const std::string &name, const core::KernelMap &map) const {
    for (const auto &[key, value] : map.entries)
      library_.must(library_.update(runtime_.get(), name.c_str(), key.data(), key.size(),
                                    value.data(), value.size()));
    library_.must(library_.invariant(runtime_.get(), name.c_str(), SARTOR_BPF_OURS));
  }
  void specialize(const Configuration &configuration) const {
    library_.must(library_.specialize(runtime_.get(), configuration.json().c_str()));
  }

private:
  const Library &library_;
  std::unique_ptr<sartor_bpf_runtime, decltype(&sartor_bpf_close)> runtime_;
};

} // namespace

KernelWord ask_kernel(const std::string &object, const Configuration &configuration,
                      const KernelMaps &maps) {
  KernelWord word;
  try {
    static const Library library;
    const Loaded loaded(library, object);
    word.generic = loaded.counts();
    if (configuration.empty() && maps.empty())
      return word;
    for (const auto &[name, map] : maps)
      loaded.invariant(name, map);
    loaded.specialize(configuration);
    word.variant = loaded.counts();
  } catch (const Error &error) {
    word.not_reported = error.what();
    if (error.code() == ErrorCode::refused_by_verifier)
      word.refused = error.failure();
  } catch (const std::exception &error) { // errors of the library itself
    word.not_reported = error.what();
  }
  return word;
}

} // namespace sartor::cli
