// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_FOLDED_JSON_H
#define SARTOR_BASE_FOLDED_JSON_H

#include <string>
#include <vector>

#include <sartor/folded.hpp>
#include <sartor/remark.hpp>

#include "base/json.h"

namespace sartor {

/// Its fields by their names; what is zero or empty is left out, but `leant_on`.
nlohmann::ordered_json to_json(const Folded &folded);

nlohmann::ordered_json to_json(const std::vector<Remark> &remarks);

/// Which promises have changed nothing in the code: some of them, and how many more.
std::vector<Remark> remarks_of(const Folded &folded);

/// `promise 12`, or `the fact "size"`.
std::string name_of(const FoldedPromise &promise);

} // namespace sartor

#endif
