// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PASS_PASS_IMAGE_H
#define SARTOR_LOADER_LIB_PASS_PASS_IMAGE_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loader/lib/image/image.h"
#include "loader/lib/pass/pass_manager.h"
#include "loader/lib/settings/settings.h"

/// What passes see of an image. What they are shown lives as long as this.
struct sartor_image {
  sartor::loader::Image image;
  std::map<std::string, sartor::loader::PassOptions> options; ///< By pass.
  std::string pass;                                           ///< Which runs.
  std::vector<std::string> reports;
  std::optional<std::string> refusal;
};

namespace sartor::loader {

/// An image that passes run over.
class PassImage : public PassTarget {
public:
  /// `image`: bound.
  PassImage(Image image, const Settings &settings);

  sartor_image *image() override { return &image_; }
  const sartor_image_operations &operations() override;
  void begin(const std::string &pass) override;
  void undo() override;
  [[nodiscard]] std::optional<std::string> refusal() const override { return image_.refusal; }

  /// What passes have reported: "pass: line".
  [[nodiscard]] const std::vector<std::string> &reports() const { return image_.reports; }
  Image take() && { return std::move(image_.image); }

private:
  sartor_image image_;
  Changes before_;
  std::size_t reports_before_ = 0;
};

} // namespace sartor::loader

#endif
