// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_AUTO_CASES_H
#define STUDIES_AUTO_CASES_H

#include <string>
#include <vector>

namespace automatic {

/// Work of one of the study's programs: a line of cases.txt.
struct Case {
  std::string name;
  std::string program;
  std::vector<std::string> words;
};

/// Returns the cases whose programs are built and, if STUDY_AUTO_ONLY is set, whose names begin
/// with one of its words, which commas separate.
std::vector<Case> cases();

/// One process, as driver.c reports it.
struct Run {
  double rate = 0;    ///< Units of work per second of the working thread's processor time.
  double elapsed = 0; ///< Units of work per second that passed.
  long units = 0;     ///< Units that were counted.
  std::string hash;   ///< Of the result's bits.
  double value = 0;   ///< Of the result.
  double seconds = 0; ///< Processor time of the process.
  double mebibytes = 0;
};

/// Runs the program of a case that was built as `kind`: gcc, clang or auto. Throws
/// std::runtime_error if it fails, or if its result changes meanwhile.
Run run(const Case &of, const std::string &kind, double seconds);

} // namespace automatic

#endif
