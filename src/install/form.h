/*
 * install/form.h - how the servers that a host starts stand in its file.
 */
#ifndef TR_INSTALL_FORM_H
#define TR_INSTALL_FORM_H

#include "base/str.h"

/* What some hosts do not take in JSON, bits; others do, or may. */
enum tr_install_refusals {
    TR_INSTALL_NO_COMMENTS = 1,
    TR_INSTALL_NO_LAST_COMMA = 2, /* before the end of an object or array */
    TR_INSTALL_NO_MARK = 4,       /* of the order of bytes, at the start */
};

struct tr_install_form {
    tr_str servers;   /* the key of the object that has them all */
    const char *host; /* who reads the file, for messages */
    bool is_toml;     /* else it is JSON */
    bool has_type;    /* each says "type": "stdio" */
    unsigned refuses; /* enum tr_install_refusals */
};

/* One of them; `name` is its key. */
struct tr_install_entry {
    tr_str name;
    tr_str command;
    const tr_str *args;
    size_t arg_count;
};

#endif
