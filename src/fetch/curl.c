#include "fetch/curl.h"

#include <dlfcn.h>

/*
 * C has no conversion from the pointer that dlsym returns to one to a function;
 * POSIX says that both look the same, so the bytes are copied.
 */
struct symbol {
    const char *name;
    size_t offset;
};

#define SYMBOL(name, field)                                                    \
    {                                                                          \
        (name), offsetof(struct tr_fetch_curl, field)                          \
    }

static const struct symbol symbols[] = {
    SYMBOL("curl_global_init", global_init),
    SYMBOL("curl_easy_init", easy_init),
    SYMBOL("curl_easy_setopt", easy_setopt),
    SYMBOL("curl_easy_getinfo", easy_getinfo),
    SYMBOL("curl_easy_cleanup", easy_cleanup),
    SYMBOL("curl_slist_append", slist_append),
    SYMBOL("curl_slist_free_all", slist_free_all),
    SYMBOL("curl_multi_init", multi_init),
    SYMBOL("curl_multi_setopt", multi_setopt),
    SYMBOL("curl_multi_add_handle", multi_add),
    SYMBOL("curl_multi_remove_handle", multi_remove),
    SYMBOL("curl_multi_socket_action", multi_socket_action),
    SYMBOL("curl_multi_assign", multi_assign),
    SYMBOL("curl_multi_info_read", multi_info_read),
    SYMBOL("curl_multi_cleanup", multi_cleanup),
};

tr_status tr_fetch_curl_load(struct tr_fetch_curl *out, struct tr_err *err)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < TR_LEN(symbols); i++) {
        void *found = library ? dlsym(library, symbols[i].name) : NULL;
        if (!found)
            return tr_fail(err, TR_E_UNSUPPORTED,
                           "libcurl.so.4 cannot be loaded: install libcurl4");
        memcpy((char *)out + symbols[i].offset, (const void *)&found,
               sizeof(found));
    }
    if (out->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return tr_fail(err, TR_E_NOMEM, "no memory for libcurl");
    return TR_OK;
}
