// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion of the kernel's errors to failures.
#ifndef SARTOR_BPF_ERRORS_H
#define SARTOR_BPF_ERRORS_H

#include <string>

#include <sartor/error.hpp>

namespace sartor::bpf {

/// True if a system error means that this process has no permission.
bool is_about_rights(int error);
/// True if it can mean that the verifier has refused a program.
bool is_about_code(int error);

/// Creates a bad_bpf_object failure.
Failure bad_object(const std::string &name, const std::string &said);
Failure kernel_lacks(const std::string &subject, const std::string &what);
/// Creates a refused_by_verifier failure.
Failure refused_by_verifier(const std::string &name, const std::string &lines);
/// Creates a not_permitted, kernel_lacks, bad_attachment or bad_bpf_object failure, depending on
/// the error. `what` describes the attempted operation, or is libbpf's message.
Failure from_kernel(const std::string &subject, int error, const std::string &what);

} // namespace sartor::bpf

#endif
