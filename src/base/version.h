/*
 * base/version.h - the version of the program, here and nowhere else.
 */
#ifndef TR_BASE_VERSION_H
#define TR_BASE_VERSION_H

#define TR_VERSION "0.1.0"

#endif
