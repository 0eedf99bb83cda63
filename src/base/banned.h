/*
 * base/banned.h - functions that are too easy to misuse do not compile here.
 *
 * The headers that declare or use them come first, so that only ours are
 * caught. Every header includes this one through base/compiler.h. The few files
 * of base/ that wrap the allocator define TR_MAY_ALLOCATE before their
 * includes.
 */
#ifndef TR_BASE_BANNED_H
#define TR_BASE_BANNED_H

/* IWYU pragma: begin_exports */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __SSE2__
#    include <emmintrin.h> /* brings <mm_malloc.h> */
#endif
/* IWYU pragma: end_exports */

#define TR_BANNED(function) function##_is_banned_see_base_banned_h

/* Unbounded copies: use tr_buf, tr_str or memcpy with a known length. */
#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#define strcpy(to, from)     TR_BANNED(strcpy)
#define strcat(to, from)     TR_BANNED(strcat)
#define strncpy(to, from, n) TR_BANNED(strncpy)
#define strncat(to, from, n) TR_BANNED(strncat)

/* Unbounded formatting and input: use tr_buf_putf or snprintf. */
#undef sprintf
#undef vsprintf
#undef gets
#define sprintf(...)  TR_BANNED(sprintf)
#define vsprintf(...) TR_BANNED(vsprintf)
#define gets(to)      TR_BANNED(gets)

/* Hidden state: use tr_str_cut, base/time.h and a generator you pass. */
#undef strtok
#define strtok(text, separators) TR_BANNED(strtok)
#define gmtime(clock)            TR_BANNED(gmtime)
#define localtime(clock)         TR_BANNED(localtime)
#define ctime(clock)             TR_BANNED(ctime)
#define asctime(parts)           TR_BANNED(asctime)
#define rand()                   TR_BANNED(rand)
#define srand(seed)              TR_BANNED(srand)

/* No way to tell an error from zero: use tr_str_to_i64. */
#undef atoi
#undef atol
#undef atof
#define atoi(text) TR_BANNED(atoi)
#define atol(text) TR_BANNED(atol)
#define atof(text) TR_BANNED(atof)

/* Memory comes from an arena or a tr_buf, or from calloc in a create. */
#ifndef TR_MAY_ALLOCATE
#    define malloc(size)            TR_BANNED(malloc)
#    define realloc(memory, size)   TR_BANNED(realloc)
#    define strdup(text)            TR_BANNED(strdup)
#    define strndup(text, max)      TR_BANNED(strndup)
#    define asprintf(out, ...)      TR_BANNED(asprintf)
#    define vasprintf(out, f, args) TR_BANNED(vasprintf)
#endif

#endif
