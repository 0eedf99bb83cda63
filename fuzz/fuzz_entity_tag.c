/*
 * Any bytes as the list of If-None-Match: who names our tag has it, wherever it
 * stands behind a comma; who does not name it has not.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "rest/tag.h"

#define OURS "0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static bool contains(tr_str text, tr_str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++) {
        if (memcmp(text.ptr + i, part.ptr, part.len) == 0)
            return true;
    }
    return false;
}

static bool has_with(tr_str before, const char *middle, tr_str after)
{
    static const tr_str tag = TR_STR_INIT("W/\"" OURS "\"");
    struct tr_buf list;
    tr_buf_init(&list, TR_MIB(1));
    tr_buf_put(&list, before);
    tr_buf_put(&list, tr_str_from(middle));
    tr_buf_put(&list, after);
    must(list.failed == TR_OK);
    bool has = tr_rest_tag_is_in(tag, tr_buf_str(&list));
    tr_buf_done(&list);
    return has;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str list = {(const char *)data, size};
    tr_str none = TR_STR("");
    bool has = has_with(list, "", none);
    must(!has || contains(list, TR_STR("\"" OURS "\"")) ||
         tr_str_eq(tr_str_trim(list), TR_STR("*")));
    must(has_with(list, ",W/\"" OURS "\"", none));
    must(has_with(none, "\"" OURS "\" ,", list));
    must(has_with(list, ", \"" OURS "\"\t,", list));
    return 0;
}
