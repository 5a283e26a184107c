// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPACE_RELATION_LIBRARY_H
#define SARTOR_SPACE_RELATION_LIBRARY_H

#include "engine/own_library.h"
#include "space/relation.h"

namespace sartor::detail {

/// What libsartor-relations shows, under the name `sartor_relations_0`.
struct RelationLibrary : engine::OwnLibrary {
  decltype(&read_relation) read;
};

constexpr const char *kRelationLibrary = "libsartor-relations.so.0";
constexpr const char *kRelationSymbol = "sartor_relations_0";

} // namespace sartor::detail

#endif
