/*
 * base/poison.h - tell AddressSanitizer which memory may not be touched.
 * Nothing at all in builds without it.
 */
#ifndef TR_BASE_POISON_H
#define TR_BASE_POISON_H

#if defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define TR_HAS_ASAN
#    endif
#elif defined(__SANITIZE_ADDRESS__)
#    define TR_HAS_ASAN
#endif

#ifdef TR_HAS_ASAN
#    include <sanitizer/asan_interface.h>
#    define TR_POISON(memory, size)   ASAN_POISON_MEMORY_REGION(memory, size)
#    define TR_UNPOISON(memory, size) ASAN_UNPOISON_MEMORY_REGION(memory, size)
#else
#    define TR_POISON(memory, size)   ((void)(memory), (void)(size))
#    define TR_UNPOISON(memory, size) ((void)(memory), (void)(size))
#endif

#endif
