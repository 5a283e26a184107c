// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libsartor asks libsartor-relations for.
#include "engine/build_stamp.h"
#include "space/relation_library.h"

extern "C" const sartor::detail::RelationLibrary sartor_relations_0;
const sartor::detail::RelationLibrary sartor_relations_0{{sartor::engine::kBuildStamp},
                                                         &sartor::detail::read_relation};
