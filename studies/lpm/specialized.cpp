// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialized.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "invariant.h"
#include "tree.h"
#include "tree_source.h"

namespace lpm {

template <class Address>
Specialized<Address>::Specialized(const std::shared_ptr<const RouteSet<Address>> &set,
                                  const TableOwner<Address> &table, Settings settings,
                                  std::span<const Address> sample)
    : table_(table.table()), invariant_(invariant(table)),
      handler_(runtime_.template handler<Family<Address>::lookup>()) {
  using F = Family<Address>;
  runtime_.add_custom(F::kind,
                      [set](const sartor::GeneratorInput &point) {
                        return sartor::GeneratedCode{.text = tree_in_c(*set, point.setting.bits())};
                      },
                      {std::begin(kLeafSizes), std::end(kLeafSizes)});
  sartor::Configuration configuration;
  if (settings.leaf_size != 0)
    configuration.set(F::tree, settings.leaf_size);
  if (settings.answers != 0) {
    runtime_.tie(F::fast_path, invariant_);
    runtime_.instrument({{F::fast_path, 1}});
    std::vector<std::uint32_t> hops(sample.size());
    (*this)(sample.data(), hops.data(), sample.size());
    runtime_.instrument({});
    configuration.set(F::fast_path, settings.answers);
  }
  for (const sartor::VariantInfo &variant : runtime_.specialize(configuration)) {
    compile_milliseconds_ +=
        std::chrono::duration<double, std::milli>(variant.compile_time).count();
    code_bytes_ += variant.code_bytes;
  }
}

template class Specialized<Address4>;
template class Specialized<Address6>;

} // namespace lpm
