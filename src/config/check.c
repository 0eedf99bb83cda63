#include "config/section.h"

bool tr_config_is_plain(tr_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if (c <= ' ' || c >= 0x7F || c == '"' || c == '\\')
            return false;
    }
    return value.len <= 255;
}

const char *tr_config_check_url(tr_str value)
{
    bool is_url = tr_str_starts(value, TR_STR("https://")) ||
                  tr_str_starts(value, TR_STR("http://"));
    return is_url && tr_config_is_plain(value) ? NULL : "must be a URL";
}
