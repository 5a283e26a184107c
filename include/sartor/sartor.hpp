// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The complete C++20 interface of Sartor.
#ifndef SARTOR_SARTOR_HPP
#define SARTOR_SARTOR_HPP

// Without the rest, which would only add errors about concepts.
#if __cplusplus < 202002L
#error "sartor/sartor.hpp needs C++20 or a later standard; compile with -std=c++20"
#else
#include <sartor/binding.hpp>
#include <sartor/configuration.hpp>
#include <sartor/constraints.hpp>
#include <sartor/economy.hpp>
#include <sartor/error.hpp>
#include <sartor/explorer.hpp>
#include <sartor/fleet.hpp>
#include <sartor/fold_report.hpp>
#include <sartor/generator.hpp>
#include <sartor/guest_programs.hpp>
#include <sartor/handler.hpp>
#include <sartor/histogram.hpp>
#include <sartor/invariant.hpp>
#include <sartor/metrics.hpp>
#include <sartor/objective.hpp>
#include <sartor/options.hpp>
#include <sartor/points.h>
#include <sartor/quasi_invariant.hpp>
#include <sartor/race.hpp>
#include <sartor/runtime.hpp>
#include <sartor/space.hpp>
#include <sartor/strategies.hpp>
#include <sartor/strategy.hpp>
#include <sartor/value.hpp>
#include <sartor/variant_info.hpp>
#endif

#endif
