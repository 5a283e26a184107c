// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/usual_symbols.h"

#include <dlfcn.h>

namespace sartor::runtime {

namespace {

constexpr const char *kNames[] = {
    // memory and text
    "memcpy", "memmove", "memset", "memcmp", "bcmp", "memchr", "memrchr", "mempcpy", "strlen",
    "strnlen", "strcmp", "strncmp", "strcpy", "strncpy", "stpcpy", "stpncpy", "strchr", "strrchr",
    "strcat", "strncat", "strstr", "malloc", "calloc", "realloc", "free", "puts", "putchar",
    "fputc", "fputs", "fwrite", "printf", "abort",
    // exceptions and the stack
    "_Unwind_Resume", "__cxa_allocate_exception", "__cxa_free_exception", "__cxa_throw",
    "__cxa_rethrow", "__cxa_begin_catch", "__cxa_end_catch", "__cxa_call_unexpected",
    "__gxx_personality_v0", "__gcc_personality_v0", "_ZSt9terminatev", "__stack_chk_fail",
    "__tls_get_addr",
    // numbers
    "fmod", "fmodf", "fmodl", "fma", "fmaf", "exp", "expf", "exp2", "exp2f", "exp10", "exp10f",
    "log", "logf", "log2", "log2f", "log10", "log10f", "pow", "powf", "sqrt", "sqrtf", "sin",
    "sinf", "cos", "cosf", "tan", "tanf", "sincos", "sincosf", "floor", "floorf", "ceil", "ceilf",
    "trunc", "truncf", "round", "roundf", "roundeven", "roundevenf", "rint", "rintf", "nearbyint",
    "nearbyintf", "lrint", "lrintf", "llrint", "lround", "llround", "fmax", "fmaxf", "fmin",
    "fminf", "fabs", "copysign", "ldexp", "ldexpf", "frexp", "cbrt",
    // operations that processors have no instruction for
    "__divti3", "__udivti3", "__modti3", "__umodti3", "__multi3", "__mulodi4", "__ashlti3",
    "__lshrti3", "__ashrti3", "__popcountdi2", "__floattidf", "__floattisf", "__floatuntidf",
    "__fixdfti", "__fixunsdfti", "__extendhfsf2", "__truncsfhf2", "__truncdfhf2", "__powidf2",
    "__powisf2"};

} // namespace

std::map<std::string, void *, std::less<>> usual_symbols() {
  std::map<std::string, void *, std::less<>> found;
  void *program = dlopen(nullptr, RTLD_LAZY);
  if (!program)
    return found;
  for (const char *name : kNames)
    if (void *address = dlsym(program, name))
      found.emplace(name, address);
  dlclose(program);
  return found;
}

} // namespace sartor::runtime
