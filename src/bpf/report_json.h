// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_REPORT_JSON_H
#define SARTOR_BPF_REPORT_JSON_H

#include <string>
#include <vector>

#include <sartor/bpf/runtime.hpp>

#include "base/result.h"

namespace sartor::bpf {

// JSON input and output of the C interface: fields by their names, durations in seconds.

/// Fails with bad_json.
Result<BpfOptions> options_from_json(const std::string &json);
/// Reads a list of strings. Fails with bad_json.
Result<std::vector<std::string>> labels_from_json(const std::string &json);

std::string text(const std::vector<std::string> &names);
std::string text(const BpfVariant &variant);
std::string text(const std::vector<BpfVariant> &variants);
std::string text(const std::vector<BpfMap> &maps);

} // namespace sartor::bpf

#endif
