/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_LOADER_PASS_H
#define SARTOR_LOADER_PASS_H
/**
 * A pass of the loader: a shared library that exports one `struct sartor_pass` named `sartor_pass`.
 *
 * Passes run when a program is planned, not each time it starts: in a separate process, in which no
 * code of the program runs. A pass reads the prelink image (the program and the libraries that it
 * starts with) and changes it through the operations that it receives; it links against nothing of
 * Sartor. All functions are called from one thread. Strings and arrays that operations return live
 * as long as the image; addresses are those of the library's file.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SARTOR_PASS_ABI 5u

/** The program that is planned. Owned by the loader. */
typedef struct sartor_prelink_image sartor_prelink_image;

/** Permissions of memory; a set of bits. */
enum { SARTOR_READ = 1, SARTOR_WRITE = 2, SARTOR_EXECUTE = 4 };

typedef struct sartor_library {
  const char *path;
  const char *name;     /**< DT_SONAME, or the file's name. */
  const char *build_id; /**< Hexadecimal; empty if there is none. */
  int is_program;
  int is_relocatable; /**< True if it can be loaded at any address (ET_DYN). */
  uint64_t entry;     /**< Start address of a program; 0: none. */
  /** NULL if its data can be placed at other addresses than in the file; else the reason why
   *  not. */
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
  uint64_t size_in_file; /**< Bytes that can be read. */
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
  uint64_t slot;       /**< The word that holds the target of the call. */
  uint32_t relocation; /**< Index of the relocation that fills the slot. */
  uint8_t size;        /**< In bytes. */
  /** Target of the call: a library and an address in it. SIZE_MAX if that is not known. */
  size_t target_library;
  uint64_t target;
} sartor_call_site;

/**
 * Operations of a pass on a prelink image. Those that return `int` return 0, or -1 if an index or
 * an address is out of bounds or the change is impossible; then nothing is changed.
 */
typedef struct sartor_prelink_operations {
  size_t (*libraries)(const sartor_prelink_image *);
  int (*library)(const sartor_prelink_image *, size_t library, sartor_library *);
  int (*program_header)(const sartor_prelink_image *, size_t library, size_t index, Elf64_Phdr *);
  /** The value of a tag (DT_...) of the dynamic section that occurs once. */
  int (*tag)(const sartor_prelink_image *, size_t library, int64_t tag, uint64_t *value);
  int (*segment)(const sartor_prelink_image *, size_t library, size_t index, sartor_segment *);
  int (*symbol)(const sartor_prelink_image *, size_t library, size_t index,
                sartor_library_symbol *);
  int (*relocation)(const sartor_prelink_image *, size_t library, size_t index,
                    sartor_relocation *);
  int (*call_site)(const sartor_prelink_image *, size_t library, size_t index, sartor_call_site *);
  int (*function)(const sartor_prelink_image *, size_t library, size_t index, sartor_function *);
  /** Reads the file's bytes, as changed by other passes; they must be in one segment's file. */
  int (*read)(const sartor_prelink_image *, size_t library, uint64_t address, void *to,
              size_t size);

  /** Makes a call site call its target directly. Fails if the target is not known. */
  int (*bind)(sartor_prelink_image *, size_t library, size_t call_site);
  /** Changes bytes that are not writable when the program runs. */
  int (*write)(sartor_prelink_image *, size_t library, uint64_t address, const void *from,
               size_t size);
  /**
   * Packs a library together with the others that are packed: parts of the same protection, on
   * pages of 2 MiB if the system has them, in the order in which they are searched. `gap`: number
   * of free pages before it. Fails if it is unmovable, in a domain, or the program.
   */
  int (*pack)(sartor_prelink_image *, size_t library, unsigned gap);
  /**
   * Puts a library into a domain; all begin in "". Its data stays at the file's addresses, on pages
   * of its own, so that an agent can isolate it when the program runs. Fails if it is packed
   * already, or a relocation of it or to it is settled.
   */
  int (*set_domain)(sartor_prelink_image *, size_t library, const char *domain);
  /** Sets an environment variable for the program, also if the start has set it. */
  int (*set_environment)(sartor_prelink_image *, const char *name, const char *value);
  /**
   * Makes the program start with one more library, as LD_PRELOAD does, before those that are named
   * there at the start. The program sees it in its environment. `path`: absolute, without spaces
   * and colons. Passes run again then, over an image that has it.
   */
  int (*preload)(sartor_prelink_image *, const char *path);
  /**
   * Makes calls of a function, given by its address in its library, go through slots, so that an
   * agent can redirect them when the program runs: call sites cannot be bound to it any more, and
   * relocations not settled. Fails if one is already: run before `bind` and `settle`.
   */
  int (*keep)(sartor_prelink_image *, size_t library, uint64_t function);
  /** Plans the program anew when this file changes, or appears. */
  int (*depend_on)(sartor_prelink_image *, const char *path);
  /** Forbids to start the program. `why` names the file and a remedy. */
  void (*refuse)(sartor_prelink_image *, const char *why);
  /** Adds a line to the report of the pass. */
  void (*report)(sartor_prelink_image *, const char *line);
  /** Random bits, for values that should be different each time. */
  uint64_t (*random)(sartor_prelink_image *);
  /** The option of this pass with this name in the configuration; NULL if there is none. */
  const char *(*option)(const sartor_prelink_image *, const char *name);
  /** The names of the options of this pass in the configuration, by index; NULL after the last. */
  const char *(*option_name)(const sartor_prelink_image *, size_t index);
  /**
   * Restricts later loads of the program, with dlopen(), to admitted files, in their present state,
   * and those that it starts with. The program is planned anew when one of them changes. `path`:
   * absolute; NULL only restricts.
   */
  int (*admit)(sartor_prelink_image *, const char *path);
  /**
   * Makes the stock loader write the value of a relocation without a symbol look-up: the address of
   * the symbol, relative to the library. Returns NULL, or the reason why that is impossible: few
   * words, such as "thread-local", the same for all similar ones; then nothing is changed.
   * Relocations of and to libraries in domains, and to functions that are kept, cannot be settled.
   * Code that finds slots by their relocations when the program runs does not find settled ones.
   */
  const char *(*settle)(sartor_prelink_image *, size_t library, size_t relocation);
  /**
   * Copies a function, given by its address in its library. Copies of all libraries lie together,
   * in the order of the calls, and are unwound as the originals are. All calls and jumps that name
   * their target lead to the copy. Addresses, slots and everything else stay the original's. At
   * least one library must be packed. Returns NULL, or the reason why that is impossible: few
   * words, such as "with branches into an instruction", the same for all similar ones; then nothing
   * is changed. `write` cannot change the function afterwards, nor `keep` keep it, nor
   * `set_domain` move its library.
   */
  const char *(*copy)(sartor_prelink_image *, size_t library, uint64_t function);
  /**
   * Compares a file that the pass has opened with the one that is planned for this path, of a
   * library or an admitted file. Returns 0 if it is the same file and has not changed. A pass that
   * judges the content of files calls this after reading.
   */
  int (*is_planned)(const sartor_prelink_image *, const char *path, int file);
} sartor_prelink_operations;

/** Names consist of a-z, 0-9, `_` and `-`. */
struct sartor_pass {
  uint32_t abi;     /**< SARTOR_PASS_ABI. */
  const char *name; /**< The file's name without `.so`. */
  /**
   * Names of passes that must run before this one; ended by NULL; may itself be NULL, as the other
   * lists may. Each must be enabled; if one of them fails, this one does not run.
   */
  const char *const *needs;
  /** Names of passes that must not be enabled as well. */
  const char *const *conflicts;
  /** Names of passes after which this one runs, if they are enabled. */
  const char *const *after;
  /** Names of passes before which this one runs, if they are enabled. */
  const char *const *before;
  /**
   * Changes the image. Returns NULL, or the reason of a failure: then all its changes are undone.
   * The text must last until the pass is unloaded.
   */
  const char *(*run)(sartor_prelink_image *, const sartor_prelink_operations *);
  /**
   * Nonzero: it judges programs. A program starts in the form that this pass has judged, or not at
   * all: any reason that prevents planning it, or starting it as planned, prevents its start.
   */
  int judges;
};

#ifdef __cplusplus
}
#endif
#endif
