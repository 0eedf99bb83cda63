#include "prov/digest.h"

#include "base/test.h"
#include "json/build.h"

static void add_by_hand(struct tr_crypto_siphash *sip, uint32_t kind,
                        size_t len, tr_str text)
{
    const uint32_t head[2] = {kind, (uint32_t)len};
    tr_crypto_siphash_add(sip, (tr_str){(const char *)head, sizeof(head)});
    tr_crypto_siphash_add(sip, text);
}

/* So many times the same text: each is its kind, its length, its bytes. */
static void check_array(const struct tr_prov_key *key, tr_str text,
                        size_t count)
{
    unsigned char ours[TR_PROV_DIGEST_BYTES];
    unsigned char by_hand[TR_PROV_DIGEST_BYTES];
    struct tr_json items[3];
    struct tr_crypto_siphash sip;
    const struct tr_json tree = {
        .kind = TR_JSON_ARRAY, .len = (uint32_t)count, .as.items = items};
    tr_crypto_siphash_init(&sip, &key->key);
    add_by_hand(&sip, TR_JSON_ARRAY, count, TR_STR(""));
    for (size_t i = 0; i < count; i++) {
        items[i] = tr_json_make_text(TR_JSON_STRING, text);
        add_by_hand(&sip, TR_JSON_STRING, text.len, text);
    }
    tr_crypto_siphash_done(&sip, by_hand);
    CHECK_INT(tr_prov_digest_json(key, &tree, ours), count * text.len);
    CHECK(memcmp(ours, by_hand, sizeof(ours)) == 0);
}

/* Stores keep digests: how they are computed must not change them. */
TEST(the_digest_of_a_tree_is_that_of_its_bytes)
{
    static const struct tr_prov_key key = {{1, 2}};
    static char text[1200];
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)(i * 31 + i / 97);
    for (size_t len = 0; len <= sizeof(text); len++) {
        for (size_t count = 0; count <= 3; count++)
            check_array(&key, (tr_str){text, len}, count);
    }
}
