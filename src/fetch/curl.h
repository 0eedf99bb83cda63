/*
 * fetch/curl.h - libcurl, loaded when it is first needed: a process that
 * fetches nothing runs without it.
 */
#ifndef TR_FETCH_CURL_H
#define TR_FETCH_CURL_H

#include "base/err.h"

#include <curl/curl.h>

/* What we use of it. */
struct tr_fetch_curl {
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_easy_init) *easy_init;
    __typeof__(curl_easy_setopt) *easy_setopt;
    __typeof__(curl_easy_getinfo) *easy_getinfo;
    __typeof__(curl_easy_cleanup) *easy_cleanup;
    __typeof__(curl_slist_append) *slist_append;
    __typeof__(curl_slist_free_all) *slist_free_all;
    __typeof__(curl_multi_init) *multi_init;
    __typeof__(curl_multi_setopt) *multi_setopt;
    __typeof__(curl_multi_add_handle) *multi_add;
    __typeof__(curl_multi_remove_handle) *multi_remove;
    __typeof__(curl_multi_socket_action) *multi_socket_action;
    __typeof__(curl_multi_assign) *multi_assign;
    __typeof__(curl_multi_info_read) *multi_info_read;
    __typeof__(curl_multi_cleanup) *multi_cleanup;
};

/* TR_E_UNSUPPORTED without it. It stays loaded: what it has set up cannot be
 * taken down again. */
TR_NODISCARD tr_status tr_fetch_curl_load(struct tr_fetch_curl *out,
                                          struct tr_err *err);

#endif
