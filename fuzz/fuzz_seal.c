/*
 * Any bytes as a sealed text: never a payload, unless they are what we sealed.
 * The first byte says how the rest is used: as it is, or as changes to a text
 * that was sealed here, plain or as a secret.
 */
#include "base/limits.h"
#include "sealing.h"

#define NOW 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_text(struct tr_arena *arena, tr_str purpose, tr_str text,
                     bool is_secret, bool is_ours)
{
    struct tr_crypto_unseal how = {keys_of_the_run(), purpose, NOW, is_secret};
    struct tr_err err = {0};
    tr_str payload;
    tr_status st = tr_crypto_unseal(arena, &how, text, &payload, &err);
    must(st == TR_OK || st == TR_E_INVALID);
    must((st == TR_OK) == is_ours);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tr_arena arena;
    bool is_secret = size > 0 && data[0] & 2;
    struct tr_crypto_seal how = {keys_of_the_run(), TR_STR("state"), NOW + 1,
                                 is_secret};
    tr_str sealed = {NULL, 0};
    tr_str rest = tr_str_skip((tr_str){(const char *)data, size}, 1);

    tr_arena_init(&arena, TR_MIB(4));
    if (size == 0 || data[0] % 2 == 0) {
        /* Nothing is sealed for this: the fuzzer learns texts that are. */
        try_text(&arena, TR_STR("other"), rest, is_secret, false);
    } else if (rest.len < TR_KIB(32)) {
        must(tr_crypto_seal(&arena, &how, rest, &sealed, NULL) == TR_OK);
        try_text(&arena, how.purpose, sealed, is_secret, true);
        try_text(&arena, how.purpose, sealed, !is_secret, false);
        char *changed = tr_arena_alloc(&arena, sealed.len);
        must(changed != NULL);
        memcpy(changed, sealed.ptr, sealed.len);
        for (size_t i = 0; i < rest.len && i < sealed.len; i++)
            changed[i] = (char)(changed[i] ^ (rest.ptr[i] & 3));
        tr_str text = {changed, sealed.len};
        try_text(&arena, how.purpose, text, is_secret, tr_str_eq(text, sealed));
    }
    tr_arena_done(&arena);
    return 0;
}
