/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Replaces the output of grep's configure script: the settings of its searching functions for
 * this C library. Also renames functions for each build; MODES_WAY comes from the command line. */
#ifndef MODES_GREP_CONFIG_H
#define MODES_GREP_CONFIG_H

#define _GNU_SOURCE 1
#define GNULIB_XALLOC 1
#define FLEXIBLE_ARRAY_MEMBER
#define _GL_INLINE static inline
#define _GL_EXTERN_INLINE static inline
#define _GL_INLINE_HEADER_BEGIN
#define _GL_INLINE_HEADER_END
#define _GL_UNUSED __attribute__((__unused__))
#define _GL_ATTRIBUTE_PURE __attribute__((__pure__))
#define _GL_ATTRIBUTE_CONST __attribute__((__const__))
#define _GL_ATTRIBUTE_MALLOC
#define _GL_ATTRIBUTE_ALLOC_SIZE(arguments)
#define _GL_ATTRIBUTE_DEALLOC(function, argument)
#define _GL_ATTRIBUTE_DEALLOC_FREE
#define _GL_ATTRIBUTE_RETURNS_NONNULL
#define _GL_ATTRIBUTE_NODISCARD
#define _GL_ATTRIBUTE_COLD

#define MODES_JOINED(way, name) way##_##name
#define MODES_JOIN(way, name) MODES_JOINED(way, name)
#define MODES_NAME(name) MODES_JOIN(MODES_WAY, name)
#define localeinfo MODES_NAME(localeinfo)
#define init_localeinfo MODES_NAME(init_localeinfo)
#define case_folded_counterparts MODES_NAME(case_folded_counterparts)
#define match_icase MODES_NAME(match_icase)
#define match_words MODES_NAME(match_words)
#define match_lines MODES_NAME(match_lines)
#define eolbyte MODES_NAME(eolbyte)
#define wordinit MODES_NAME(wordinit)
#define wordchars_size MODES_NAME(wordchars_size)
#define wordchar_next MODES_NAME(wordchar_next)
#define wordchar_prev MODES_NAME(wordchar_prev)
#define mb_goback MODES_NAME(mb_goback)
#define fgrep_to_grep_pattern MODES_NAME(fgrep_to_grep_pattern)
#define GEAcompile MODES_NAME(GEAcompile)
#define EGexecute MODES_NAME(EGexecute)
#define Fcompile MODES_NAME(Fcompile)
#define Fexecute MODES_NAME(Fexecute)
#define kwsinit MODES_NAME(kwsinit)
#define kwsalloc MODES_NAME(kwsalloc)
#define kwsincr MODES_NAME(kwsincr)
#define kwswords MODES_NAME(kwswords)
#define kwsprep MODES_NAME(kwsprep)
#define kwsexec MODES_NAME(kwsexec)
#define kwsfree MODES_NAME(kwsfree)
#define memchr2 MODES_NAME(memchr2)
#define xmalloc MODES_NAME(xmalloc)
#define ximalloc MODES_NAME(ximalloc)
#define xpalloc MODES_NAME(xpalloc)
#define xalloc_die MODES_NAME(xalloc_die)

#endif
