# The dependencies of Sartor. scripts/deps.sh installs all of them.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(FFI REQUIRED IMPORTED_TARGET libffi)
pkg_check_modules(HIREDIS REQUIRED IMPORTED_TARGET hiredis)
pkg_check_modules(NCURSES REQUIRED IMPORTED_TARGET ncursesw)
pkg_check_modules(BPF REQUIRED IMPORTED_TARGET libbpf)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(OPENSSL REQUIRED IMPORTED_TARGET openssl>=3.0)
pkg_check_modules(PROMETHEUS REQUIRED IMPORTED_TARGET prometheus-cpp-core)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(zydis REQUIRED)

include(SartorLlvm)
file(REAL_PATH ${SARTOR_LLVM_libdir}/libLLVM-${SARTOR_LLVM_VERSION}.so SARTOR_LLVM_LIBRARY)

# LLVM as one shared library; system headers, so that they cause no warnings.
add_library(sartor_llvm INTERFACE)
target_include_directories(sartor_llvm SYSTEM INTERFACE ${SARTOR_LLVM_includedir})
target_compile_definitions(sartor_llvm INTERFACE SARTOR_LLVM_VERSION=${SARTOR_LLVM_VERSION})

target_link_libraries(sartor_llvm INTERFACE
                      ${SARTOR_LLVM_LIBRARY})

# clang, for the plugin: the library that contains the compiler itself.
find_library(SARTOR_CLANG_CPP NAMES libclang-cpp.so.${SARTOR_LLVM_VERSION}.1
             libclang-cpp.so.${SARTOR_LLVM_VERSION} clang-cpp
             HINTS ${SARTOR_LLVM_libdir} NO_DEFAULT_PATH REQUIRED)
add_library(sartor_clang INTERFACE)
target_include_directories(sartor_clang SYSTEM INTERFACE ${SARTOR_LLVM_includedir})
target_link_libraries(sartor_clang INTERFACE ${SARTOR_CLANG_CPP})
