// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PASS_PASS_IMAGE_H
#define SARTOR_LOADER_LIB_PASS_PASS_IMAGE_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loader/lib/image/copyable.h"
#include "loader/lib/image/prelink_image.h"
#include "loader/lib/pass/pass_manager.h"
#include "loader/lib/settings/settings.h"

/// The image as passes see it. Data that passes receive lives as long as this object.
struct sartor_prelink_image {
  sartor::loader::PrelinkImage image;
  std::map<std::string, sartor::loader::PassOptions> options; ///< Options by pass.
  std::string pass;                                           ///< The running pass.
  std::vector<std::string> reports;
  std::optional<std::string> refusal;
  std::unique_ptr<sartor::loader::Copyable> copyable; ///< Set as soon as a function is copied.
};

namespace sartor::loader {

/// An image that passes run over.
class PassImage : public PassTarget {
public:
  /// `image` must be bound.
  PassImage(PrelinkImage image, const Settings &settings);

  sartor_prelink_image *image() override { return &image_; }
  const sartor_prelink_operations &operations() override;
  void begin(const std::string &pass) override;
  void undo() override;
  [[nodiscard]] std::optional<std::string> refusal() const override { return image_.refusal; }

  /// Returns the passes' reports: "pass: line".
  [[nodiscard]] const std::vector<std::string> &reports() const { return image_.reports; }
  PrelinkImage take() && { return std::move(image_.image); }

private:
  sartor_prelink_image image_;
  Changes before_;
  std::size_t reports_before_ = 0;
};

} // namespace sartor::loader

#endif
