// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libsartor asks libsartor-tls for.
#include "engine/build_stamp.h"
#include "tls/tls_library.h"
#include "tls/tls_stream.h"

extern "C" const sartor::tls::TlsLibrary sartor_tls_0;
const sartor::tls::TlsLibrary sartor_tls_0{{sartor::engine::kBuildStamp},
                                           &sartor::tls::TlsStream::connect};
