// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/control/policy.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/file/file_handle.h"
#include "base/text/json.h"
#include "base/trust.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

constexpr off_t kMostBytes = 1 << 20;

std::unexpected<Failure> bad_file(const std::filesystem::path &path, std::string message,
                                  std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::file_error, path.string(), std::move(message), std::move(remedy)});
}

std::unexpected<Failure> bad_rule(const std::filesystem::path &path, std::string message) {
  return std::unexpected(Failure{ErrorCode::bad_json, path.string(), std::move(message),
                                 R"(write {"off":[{"build_id":"5f2a..."},{"name":"matmul"}]})"});
}

/// Nothing if the file does not exist.
Result<std::optional<std::string>> text_of(const std::filesystem::path &path) {
  const base::FileHandle file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 && (errno == ENOENT || errno == ENOTDIR))
    return std::nullopt;
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0)
    return bad_file(path, std::generic_category().message(errno), "make it readable");
  if (!S_ISREG(status.st_mode) || status.st_size > kMostBytes)
    return bad_file(path, "is not a file of at most 1 MiB", "replace it");
  if (auto why = base::distrust(path, status, S_IWGRP | S_IWOTH))
    return bad_file(path, std::move(why->what), std::move(why->remedy));
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t count = pread(file.get(), text.data(), text.size(), 0);
  if (count < 0)
    return bad_file(path, std::generic_category().message(errno), "make it readable");
  text.resize(static_cast<std::size_t>(count));
  return text;
}

Result<OffRule> rule_of(const std::filesystem::path &path, const Json &json) {
  if (!json.is_object())
    return bad_rule(path, "has a rule that is not an object");
  OffRule rule;
  for (const auto &[field, value] : json.items()) {
    std::string *const to = field == "build_id" ? &rule.build_id
                            : field == "name"   ? &rule.name
                                                : nullptr;
    if (!to || !value.is_string() || value.get_ref<const std::string &>().empty())
      return bad_rule(path, "has a rule with a wrong field: " + field);
    *to = value.get<std::string>();
  }
  return rule;
}

} // namespace

Result<Policy> Policy::read(const std::filesystem::path &path) {
  const auto text = text_of(path);
  if (!text)
    return std::unexpected(text.error());
  Policy policy;
  if (!*text)
    return policy;
  const auto json = parse_json(**text);
  if (!json)
    return bad_rule(path, "is not JSON: " + json.error().message);
  if (!json->is_object() || json->size() != 1 || !json->contains("off") ||
      !json->at("off").is_array())
    return bad_rule(path, "is not an object with the list \"off\" alone");
  for (const Json &each : json->at("off")) {
    auto rule = rule_of(path, each);
    if (!rule)
      return std::unexpected(std::move(rule.error()));
    policy.off.push_back(std::move(*rule));
  }
  return policy;
}

Result<void> Policy::write(const std::filesystem::path &path) const {
  if (path.empty())
    return bad_file("policy file", "is not known", "set HOME, XDG_CONFIG_HOME or SARTOR_POLICY");
  Json rules = Json::array();
  for (const OffRule &rule : off) {
    Json fields = Json::object();
    if (!rule.build_id.empty())
      fields["build_id"] = rule.build_id;
    if (!rule.name.empty())
      fields["name"] = rule.name;
    rules.push_back(std::move(fields));
  }
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const std::string made = path.string() + "." + std::to_string(getpid());
  {
    std::ofstream file(made);
    file << dump(Json{{"off", std::move(rules)}}) << '\n';
    file.close();
    if (!file)
      return bad_file(path, "cannot be written", "make its directory writable");
  }
  std::filesystem::permissions(
      made, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, error);
  std::filesystem::rename(made, path, error);
  if (error) {
    std::filesystem::remove(made, error);
    return bad_file(path, "cannot be replaced", "make its directory writable");
  }
  return {};
}

std::filesystem::path users_policy() {
  if (base::are_raised())
    return {};
  if (const auto named = base::read_environment().policy; named && !named->empty())
    return *named;
  if (const char *config = std::getenv("XDG_CONFIG_HOME"); config && *config == '/')
    return std::filesystem::path(config) / "sartor/policy.json";
  const char *home = std::getenv("HOME");
  return home && *home == '/' ? std::filesystem::path(home) / ".config/sartor/policy.json"
                              : std::filesystem::path();
}

std::filesystem::path machines_policy() { return "/etc/sartor/policy.json"; }

std::set<std::string> names_off(const std::function<bool(const std::string &build_id)> &is_own,
                                std::vector<Failure> &problems) {
  std::set<std::string> names;
  for (const auto &path : {machines_policy(), users_policy()}) {
    auto policy = path.empty() ? Policy() : Policy::read(path);
    if (!policy) {
      problems.push_back(std::move(policy.error()));
      names.insert("");
      continue;
    }
    for (const OffRule &rule : policy->off)
      if (rule.build_id.empty() || is_own(rule.build_id))
        names.insert(rule.name);
  }
  return names;
}

} // namespace sartor
