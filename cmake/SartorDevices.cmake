# Programs for devices of other architectures, in tests, studies and examples: compiled by
# cross-compilers, run in emulation. The device runtime is compiled from the sources in this tree.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH SARTOR_DEVICE_ROOT)
set(SARTOR_DEVICE_ROOT ${SARTOR_DEVICE_ROOT} CACHE INTERNAL "")
find_program(SARTOR_CLANG clang-${SARTOR_LLVM_VERSION} REQUIRED)
# The command: of this build, or of an installed Sartor.
set(SARTOR_DEVICE_COMMAND sartor_cli)
set(SARTOR_DEVICE_COMMAND_BUILT sartor_cli sartor_compiler)
if(NOT TARGET sartor_cli)
  set(SARTOR_DEVICE_COMMAND ${SARTOR_COMMAND})
  set(SARTOR_DEVICE_COMMAND_BUILT ${SARTOR_COMMAND})
endif()

# The names of each architecture elsewhere, and the clang options that correspond to gcc's target.
set(SARTOR_TRIPLE_aarch64 aarch64-linux-gnu)
set(SARTOR_TRIPLE_armv7 arm-linux-gnueabihf)
set(SARTOR_TRIPLE_riscv64 riscv64-linux-gnu)
set(SARTOR_EMULATOR_aarch64 qemu-aarch64)
set(SARTOR_EMULATOR_armv7 qemu-arm)
set(SARTOR_EMULATOR_riscv64 qemu-riscv64)
set(SARTOR_CLANG_OPTIONS_armv7 -march=armv7-a -mfpu=vfpv3-d16 -mfloat-abi=hard -marm)
set(SARTOR_CLANG_OPTIONS_riscv64 -march=rv64gc -mabi=lp64d)

# The architectures that can be built for here. A cross-compiler may be installed without its C
# library, since Debian's package only recommends it.
set(SARTOR_DEVICES "")
foreach(architecture IN ITEMS aarch64 armv7 riscv64)
  find_program(SARTOR_GCC_${architecture} ${SARTOR_TRIPLE_${architecture}}-gcc)
  find_program(SARTOR_QEMU_${architecture} ${SARTOR_EMULATOR_${architecture}})
  find_file(SARTOR_LIBC_${architecture} stdio.h PATHS /usr/${SARTOR_TRIPLE_${architecture}}/include NO_DEFAULT_PATH)
  find_path(SARTOR_SODIUM_SOURCE src/libsodium PATHS ${SARTOR_DEVICE_ROOT}/build/sources/libsodium NO_DEFAULT_PATH)
  set(needs GCC_${architecture} QEMU_${architecture} LIBC_${architecture} SODIUM_SOURCE)
  set(names ${SARTOR_TRIPLE_${architecture}}-gcc ${SARTOR_EMULATOR_${architecture}}
            "the C library of ${SARTOR_TRIPLE_${architecture}}" "libsodium's source")
  set(wants "")
  foreach(need name IN ZIP_LISTS needs names)
    if(NOT SARTOR_${need})
      list(APPEND wants "${name}")
    endif()
  endforeach()
  if(wants)
    list(JOIN wants ", " wants)
    message(STATUS "devices of ${architecture} are left out; missing: ${wants} (scripts/deps.sh, make sources)")
  else()
    list(APPEND SARTOR_DEVICES ${architecture})
  endif()
endforeach()

file(GLOB SARTOR_DEVICE_SOURCES CONFIGURE_DEPENDS ${SARTOR_DEVICE_ROOT}/src/device/*.c ${SARTOR_DEVICE_ROOT}/src/device/*.h
     ${SARTOR_DEVICE_ROOT}/src/base/contain.[ch] ${SARTOR_DEVICE_ROOT}/src/base/float_defaults.h
     ${SARTOR_DEVICE_ROOT}/include/sartor/device/device.h)

# The device runtime for each architecture: a target sartor_device_${architecture}, its directory in
# SARTOR_DEVICE_LIBRARY_${architecture}.
foreach(architecture IN LISTS SARTOR_DEVICES)
  set(directory ${PROJECT_BINARY_DIR}/devices/${architecture})
  set(SARTOR_DEVICE_LIBRARY_${architecture} ${directory})
  add_custom_command(OUTPUT ${directory}/libsartor-device.a
                     COMMAND ${SARTOR_DEVICE_ROOT}/scripts/device-library.sh ${SARTOR_GCC_${architecture}} ${directory}
                     DEPENDS ${SARTOR_DEVICE_SOURCES} ${SARTOR_DEVICE_ROOT}/scripts/device-library.sh VERBATIM)
  add_custom_target(sartor_device_${architecture} DEPENDS ${directory}/libsartor-device.a)
endforeach()

# sartor_device_bitcode(architecture source output [option...]): compiles a handler file for an
# architecture, or for this machine (x86_64), to bitcode in `output`.
function(sartor_device_bitcode architecture source output)
  set(triple x86_64-linux-gnu)
  set(headers "")
  if(NOT architecture STREQUAL x86_64)
    set(triple ${SARTOR_TRIPLE_${architecture}})
    set(headers -isystem /usr/${triple}/include)
  endif()
  add_custom_command(OUTPUT ${output}
                     COMMAND ${SARTOR_CLANG} --target=${triple} ${SARTOR_CLANG_OPTIONS_${architecture}} ${headers} -std=c11
                             -O1 -Xclang -disable-llvm-passes -ffp-contract=off -fno-asynchronous-unwind-tables
                             -DSARTOR_POINTS=1 -I${SARTOR_DEVICE_ROOT}/include ${ARGN} -c -emit-llvm -MD -MF
                             ${output}.d -o ${output} ${source}
                     DEPENDS ${source} ${SARTOR_DEVICE_ROOT}/include/sartor/points.h DEPFILE ${output}.d VERBATIM)
endfunction()

# sartor_device_table(name architecture bitcode directory modules [option...]): runs `sartor device`
# on it with these options, which writes `directory`/${name}.c, and
# ${modules}/${name}_${architecture}.module for a server.
function(sartor_device_table name architecture bitcode directory modules)
  set(target ${architecture})
  if(architecture STREQUAL x86_64)
    set(target x86-64-v2)
  endif()
  file(MAKE_DIRECTORY ${directory} ${modules})
  set(module ${modules}/${name}_${architecture}.module)
  add_custom_command(OUTPUT ${directory}/${name}.c ${module}
                     COMMAND ${SARTOR_DEVICE_COMMAND} device ${bitcode} --target ${target} --output ${directory}/${name} ${ARGN}
                     COMMAND ${CMAKE_COMMAND} -E rename ${directory}/${name}.module ${module}
                     DEPENDS ${SARTOR_DEVICE_COMMAND_BUILT} ${bitcode} VERBATIM)
endfunction()

# sartor_device_program(program architecture SOURCES file...): links `program` with the device
# runtime. The target make_<its file's name> builds it.
function(sartor_device_program program architecture)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES")
  get_filename_component(name ${program} NAME)
  get_filename_component(directory ${program} DIRECTORY)
  set(library ${SARTOR_DEVICE_LIBRARY_${architecture}})
  add_custom_command(OUTPUT ${program}
                     COMMAND ${SARTOR_GCC_${architecture}} -std=c11 -O2 -Wall -Wextra -Werror -ffp-contract=off
                             -Wl,--gc-sections -I${SARTOR_DEVICE_ROOT}/include -I${CMAKE_CURRENT_SOURCE_DIR} -MD -MF
                             ${program}.d -o ${program} ${arg_SOURCES} ${library}/libsartor-device.a ${library}/libsodium.a
                             -lm -pthread
                     DEPENDS ${arg_SOURCES} ${library}/libsartor-device.a sartor_device_${architecture} VERBATIM)
  add_custom_target(make_${name} ALL DEPENDS ${program})
endfunction()
