// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/page.h"

#include <fstream>
#include <iterator>
#include <string_view>

#include "tools/cli/installation.h"

namespace sartor::view {

namespace {

constexpr std::string_view kData = "%DATA%";
constexpr std::string_view kConnect = "%CONNECT%";
constexpr std::string_view kPolicy = "http-equiv=\"Content-Security-Policy\" content=\"";

} // namespace

Result<Page> Page::read(Connect connect) {
  const auto here = cli::Installation::of_this_command();
  if (!here)
    return std::unexpected(here.error());
  const auto fail = [&](std::string why) {
    return std::unexpected(Failure{ErrorCode::file_error, here->page.string(), std::move(why),
                                   "build Sartor where npm is installed, or with "
                                   "-DSARTOR_PAGE=FILE of another build"});
  };
  std::ifstream file(here->page, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || text.empty())
    return fail("the page was not built");
  const std::size_t permission = text.find(kConnect);
  if (permission == std::string::npos)
    return fail("is not the page of this version");
  text.replace(permission, kConnect.size(),
               connect == Connect::to_its_server ? "'self'" : "'none'");
  const std::size_t data = text.find(kData);
  if (data == std::string::npos)
    return fail("is not the page of this version");
  Page page;
  page.head_ = text.substr(0, data);
  page.tail_ = text.substr(data + kData.size());
  return page;
}

std::string Page::policy() const {
  const std::size_t begin = head_.find(kPolicy);
  if (begin == std::string::npos)
    return "default-src 'none'";
  const std::size_t text = begin + kPolicy.size();
  return head_.substr(text, head_.find('"', text) - text) + "; frame-ancestors 'none'";
}

std::string data_element(const std::string &attributes, const std::string &json) {
  return "<script type=\"application/json\" " + attributes + ">" + json + "</script>\n";
}

} // namespace sartor::view
