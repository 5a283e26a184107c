// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that libsartor uses of libsartor-tls.
#include "base/build_stamp.h"
#include "remote/tls/tls_library.h"
#include "remote/tls/tls_stream.h"

extern "C" const sartor::tls::TlsLibrary sartor_tls_0;
const sartor::tls::TlsLibrary sartor_tls_0{{sartor::base::kBuildStamp},
                                           &sartor::tls::TlsStream::connect};
