// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel says, as errors.
#ifndef SARTOR_BPF_ERRORS_H
#define SARTOR_BPF_ERRORS_H

#include <string>

#include <sartor/error.hpp>

namespace sartor::bpf {

/// Whether an error of the system's says that this process may not.
bool is_about_rights(int error);
/// Whether it may say that the verifier has refused a program.
bool is_about_code(int error);

/// bad_bpf_object.
Failure bad_object(const std::string &name, const std::string &said);
Failure kernel_lacks(const std::string &subject, const std::string &what);
/// refused_by_verifier.
Failure refused_by_verifier(const std::string &name, const std::string &lines);
/// not_permitted, kernel_lacks, bad_attachment or bad_bpf_object, as the error is. `what` says what
/// was tried, or what libbpf had to say.
Failure from_kernel(const std::string &subject, int error, const std::string &what);

} // namespace sartor::bpf

#endif
