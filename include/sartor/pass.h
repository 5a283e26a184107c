/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_PASS_H
#define SARTOR_PASS_H
/**
 * A pass of the loader: a shared library that exports one `struct sartor_pass` named `sartor_pass`.
 *
 * Passes run when a program is planned, not each time it starts: in a process of their own, in
 * which nothing of the program runs. A pass looks at the image (the program and the libraries that
 * it starts with) and changes it through the operations that it is handed; it links against nothing
 * of Sartor. All functions are called from one thread. Strings and arrays that operations give out
 * live as long as the image; addresses are those of the library's file.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SARTOR_PASS_ABI 3u

/** What is planned. Owned by the loader. */
typedef struct sartor_image sartor_image;

/** What may be done with memory; a set of bits. */
enum { SARTOR_READ = 1, SARTOR_WRITE = 2, SARTOR_EXECUTE = 4 };

typedef struct sartor_library {
  const char *path;
  const char *name;     /**< DT_SONAME, or the file's name. */
  const char *build_id; /**< Hexadecimal; empty if there is none. */
  int is_program;
  int is_relocatable; /**< Whether it can lie anywhere (ET_DYN). */
  uint64_t entry;     /**< Where a program begins; 0: nowhere. */
  /** Whether its data can lie elsewhere than where the file has it: NULL, or why not. */
  const char *unmovable;
  size_t program_headers;
  size_t segments;
  size_t symbols;
  size_t relocations;
  size_t call_sites;
  size_t functions;
} sartor_library;

typedef struct sartor_segment {
  uint64_t address;
  uint64_t size;         /**< In memory, in bytes. */
  uint64_t size_in_file; /**< That can be read. */
  uint32_t protection;
} sartor_segment;

typedef struct sartor_library_symbol {
  const char *name;
  const char *version; /**< Empty if it has none. */
  uint64_t address;
  uint64_t size;
  uint8_t type;    /**< STT_FUNC, ... */
  uint8_t binding; /**< STB_GLOBAL, ... */
  uint8_t visibility;
  int is_defined;
} sartor_library_symbol;

typedef struct sartor_relocation {
  uint64_t address;
  uint32_t type;   /**< R_X86_64_GLOB_DAT, ... */
  uint32_t symbol; /**< Index of a symbol; 0 if there is none. */
  int64_t addend;
} sartor_relocation;

/** A function, or a part that the compiler has moved away from one. */
typedef struct sartor_function {
  uint64_t address;
  uint64_t size;
} sartor_function;

typedef struct sartor_call_site {
  uint64_t address;
  uint64_t slot;       /**< The word through which it leads elsewhere. */
  uint32_t relocation; /**< Which fills the slot: index. */
  uint8_t size;        /**< In bytes. */
  /** Where it leads to: a library and an address in it. SIZE_MAX if that is not known. */
  size_t target_library;
  uint64_t target;
} sartor_call_site;

/**
 * What a pass can do with an image. Those that return `int` return 0, or -1 if an index or an
 * address is out of bounds or the change is impossible; then nothing is changed.
 */
typedef struct sartor_image_operations {
  size_t (*libraries)(const sartor_image *);
  int (*library)(const sartor_image *, size_t library, sartor_library *);
  int (*program_header)(const sartor_image *, size_t library, size_t index, Elf64_Phdr *);
  /** What the dynamic section says of a tag (DT_...) that comes once. */
  int (*tag)(const sartor_image *, size_t library, int64_t tag, uint64_t *value);
  int (*segment)(const sartor_image *, size_t library, size_t index, sartor_segment *);
  int (*symbol)(const sartor_image *, size_t library, size_t index, sartor_library_symbol *);
  int (*relocation)(const sartor_image *, size_t library, size_t index, sartor_relocation *);
  int (*call_site)(const sartor_image *, size_t library, size_t index, sartor_call_site *);
  int (*function)(const sartor_image *, size_t library, size_t index, sartor_function *);
  /** The file's bytes, as other passes have changed them; they must lie in one segment's file. */
  int (*read)(const sartor_image *, size_t library, uint64_t address, void *to, size_t size);

  /** Has a call site lead to its target directly. Fails if the target is not known. */
  int (*bind)(sartor_image *, size_t library, size_t call_site);
  /** Changes bytes that are not writable when the program runs. */
  int (*write)(sartor_image *, size_t library, uint64_t address, const void *from, size_t size);
  /**
   * Packs a library together with the others that are packed: what they have of the same
   * protection, on pages of 2 MiB where the system has them, in the order in which they are
   * searched. `gap`: pages that are left free before it. Fails if it is unmovable, in a domain, or
   * the program.
   */
  int (*pack)(sartor_image *, size_t library, unsigned gap);
  /**
   * Puts a library into a domain; all begin in "". Its data stays where the file has it, on pages
   * of its own, for whoever isolates it when the program runs. Fails if it is packed already, or
   * anything of it or to it is settled.
   */
  int (*set_domain)(sartor_image *, size_t library, const char *domain);
  /** Sets an environment variable for the program, unless whoever starts it has set it. */
  int (*set_environment)(sartor_image *, const char *name, const char *value);
  /**
   * Has the program start with one more library, as LD_PRELOAD does, before those that whoever
   * starts it has named there. The program sees it in its environment. `path`: absolute, without
   * spaces and colons. Passes run again then, over an image that has it.
   */
  int (*preload)(sartor_image *, const char *path);
  /**
   * Keeps calls of a function, by the address that it has in its library, going through slots, for
   * somebody who leads them elsewhere when the program runs: call sites cannot be bound to it any
   * more, and relocations not settled. Fails if one is already: run before `bind` and `settle`.
   */
  int (*keep)(sartor_image *, size_t library, uint64_t function);
  /** The program is planned anew when this file changes, or appears. */
  int (*depend_on)(sartor_image *, const char *path);
  /** The program must not be started at all. `why` names the file and what to do. */
  void (*refuse)(sartor_image *, const char *why);
  /** A line for whoever asks what the pass has done. */
  void (*report)(sartor_image *, const char *line);
  /** Random bits, for what should be different each time. */
  uint64_t (*random)(sartor_image *);
  /** What the configuration says of this pass by this name; NULL if nothing. */
  const char *(*option)(const sartor_image *, const char *name);
  /** The names of what it says of this pass, by index; NULL behind the last. */
  const char *(*option_name)(const sartor_image *, size_t index);
  /**
   * Has the program load nothing later, with dlopen(), but files that are admitted, as they are
   * now, and those that it starts with. The program is planned anew when one of them changes.
   * `path`: absolute; NULL: that alone.
   */
  int (*admit)(sartor_image *, const char *path);
  /**
   * Has the stock loader write what a relocation comes to without looking for its symbol: where
   * the symbol is, relative to the library. NULL, or why that cannot be: few words, such as
   * "thread-local", the same for all that are alike; then nothing is changed. Nothing is settled
   * of and to libraries in domains, and to functions that are kept. Whoever looks for slots by
   * their relocations when the program runs may find none of those that are settled.
   */
  const char *(*settle)(sartor_image *, size_t library, size_t relocation);
} sartor_image_operations;

/** Names are made of a-z, 0-9, `_` and `-`. */
struct sartor_pass {
  uint32_t abi;     /**< SARTOR_PASS_ABI. */
  const char *name; /**< That of the file, without `.so`. */
  /**
   * Names of passes that must have run before; ended by NULL; may itself be NULL, as the other
   * lists may. Each must be enabled; if one of them fails, this one does not run.
   */
  const char *const *needs;
  /** Names of passes that must not be enabled as well. */
  const char *const *conflicts;
  /** Names of passes after which this one runs, those of them that are enabled. */
  const char *const *after;
  /** Names of passes before which this one runs, those of them that are enabled. */
  const char *const *before;
  /**
   * Changes the image. NULL, or why it could not: then all that it did is undone. The text must
   * last until the pass is unloaded.
   */
  const char *(*run)(sartor_image *, const sartor_image_operations *);
  /**
   * Nonzero: it judges programs. A program starts as this pass has seen it, or not at all: whatever
   * keeps it from being planned, or from starting as planned, keeps it from starting.
   */
  int judges;
};

#ifdef __cplusplus
}
#endif
#endif
