/*
 * Any bytes as a value and as a key: refused, or the one form of what they say.
 * A value has a key, and a key that is not cut gives its value back.
 */
#include "base/limits.h"
#include "pack/key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Here the datatypes of XSD have the numbers of their types. */
static enum tr_rdf_xsd_type datatype_of(const struct tr_pack_value *value)
{
    return value->kind == TR_PACK_TYPED && value->number < TR_RDF_XSD_TYPES
               ? (enum tr_rdf_xsd_type)value->number
               : TR_RDF_XSD_UNKNOWN;
}

/* Texts of a store are UTF-8, which has no FE; languages have no NUL. */
static bool is_sound(const struct tr_pack_value *value)
{
    return !(value->text.len &&
             memchr(value->text.ptr, 0xFE, value->text.len)) &&
           !(value->language.len &&
             (memchr(value->language.ptr, 0xFE, value->language.len) ||
              memchr(value->language.ptr, 0, value->language.len)));
}

static void check_key(const struct tr_pack_value *value)
{
    tr_pack_key key;
    struct tr_pack_key_value back;
    tr_pack_key_make(value, datatype_of(value), &key);
    must(key.len <= TR_PACK_KEY_MAX);
    if (!is_sound(value))
        return;
    must(tr_pack_key_get(tr_pack_key_str(&key), &back, NULL) == TR_OK);
    must(back.is_cut || (back.value.kind == value->kind &&
                         back.value.scalar == value->scalar &&
                         tr_str_eq(back.value.text, value->text) &&
                         tr_str_eq(back.value.language, value->language)));
}

static void check_value(tr_str bytes)
{
    struct tr_buf out;
    struct tr_pack_value value;
    tr_status status = tr_pack_value_get(bytes, &value, NULL);
    must(status == TR_OK || status == TR_E_IO);
    must(tr_pack_value_cmp(bytes, bytes) == 0);
    if (status != TR_OK)
        return;
    tr_buf_init(&out, TR_MIB(1));
    tr_pack_value_put(&out, &value);
    must(tr_str_eq(tr_buf_str(&out), bytes));
    tr_buf_done(&out);
    if (value.kind != TR_PACK_LONG)
        check_key(&value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tr_pack_key_value value;
    tr_str bytes = {(const char *)data, size};
    check_value(bytes);
    tr_status status = tr_pack_key_get(bytes, &value, NULL);
    must(status == TR_OK || status == TR_E_IO);
    if (status == TR_OK && value.value.kind == TR_PACK_TYPED)
        must((value.value.number > 0) != (value.datatype.len > 0));
    return 0;
}
