/*
 * Any bytes as the header traceparent: what is read as one is one by the
 * grammar of W3C Trace Context, 3.2.2, which is written down here once more.
 */
#include "gate/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static bool fits(const char *text)
{
    static const char form[] =
        "xx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";
    for (size_t i = 0; i < sizeof(form) - 1; i++) {
        bool is_hex = text[i] && strchr("0123456789abcdef", text[i]);
        if (form[i] == 'x' ? !is_hex : text[i] != form[i])
            return false;
    }
    return memcmp(text, "ff", 2) != 0 && strspn(text + 3, "0") < 32 &&
           strspn(text + 36, "0") < 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[64] = "";
    tr_str header = {(const char *)data, size};
    tr_str id = {NULL, 0};
    bool is_read = tr_gate_trace_parse(header, &id);
    if (size)
        memcpy(text, data, size < 56 ? size : 56);
    bool is_long = size > 55;
    bool ends_well =
        !is_long || (text[55] == '-' && memcmp(text, "00", 2) != 0);
    must(is_read == (size >= 55 && fits(text) && ends_well));
    must(!is_read || (id.ptr == header.ptr + 3 && id.len == TR_GATE_TRACE_LEN));
    return 0;
}
