/*
 * base/compiler.h - the compiler attributes the house uses, and the version of
 * the program.
 */
#ifndef TR_BASE_COMPILER_H
#define TR_BASE_COMPILER_H

#include "base/banned.h"

/* The result must be looked at. */
#define TR_NODISCARD __attribute__((warn_unused_result))

/* Arguments are checked like printf's: format and first argument, from 1. */
#define TR_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Kept out of its callers, whose common path would pay for its frame. */
#define TR_NOINLINE __attribute__((noinline))

/* Number of elements of an array. */
#define TR_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* The version of the program, here and nowhere else. */
#define TR_VERSION "0.1.0"

#endif
