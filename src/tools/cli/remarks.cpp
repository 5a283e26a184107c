// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/remarks.h"

#include "base/remark_help.h"
#include "base/text/fold_report_json.h"

namespace sartor::cli {

std::string remarks_text(const std::vector<Remark> &remarks) {
  std::string text = remarks.empty() ? "" : "  changed nothing, or less than was asked for\n";
  for (const Remark &remark : remarks) {
    const RemarkHelp help = help_on(remark.code);
    text += "    " + remark.text() + "\n      " + std::string(help.meaning) +
            "\n      fix: " + std::string(help.fix) + " See " + anchor_of(remark.code) + ".\n";
  }
  return text;
}

nlohmann::ordered_json remarks_json(const std::vector<Remark> &remarks) {
  nlohmann::ordered_json json = to_json(remarks);
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    const RemarkHelp help = help_on(remarks[i].code);
    json[i]["meaning"] = help.meaning;
    json[i]["fix"] = help.fix;
    json[i]["reference"] = anchor_of(remarks[i].code);
  }
  return json;
}

} // namespace sartor::cli
