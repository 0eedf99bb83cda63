/*
 * install/form.h - how the servers that a host starts stand in its file.
 */
#ifndef TR_INSTALL_FORM_H
#define TR_INSTALL_FORM_H

#include "base/str.h"

struct tr_install_form {
    tr_str servers;      /* the key of the object that has them all */
    const char *host;    /* who reads the file, for messages */
    bool is_toml;        /* else it is JSON */
    bool takes_comments; /* JSON with comments, and commas after the last */
    bool has_type;       /* each says "type": "stdio" */
};

/* One of them; `name` is its key. */
struct tr_install_entry {
    tr_str name;
    tr_str command;
    const tr_str *args;
    size_t arg_count;
};

#endif
