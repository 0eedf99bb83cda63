/*
 * cap/uri_template_parts.h - what a compiled URI template consists of.
 */
#ifndef TR_CAP_URI_TEMPLATE_PARTS_H
#define TR_CAP_URI_TEMPLATE_PARTS_H

#include "cap/uri_template.h"

/* RFC 6570, section 2.4 */
struct tr_cap_uri_spec {
    tr_str name;
    unsigned prefix; /* characters of {var:prefix}, 0 for all */
    bool explode;    /* {var*} */
};

/* A literal, or an expression with its operator. */
struct tr_cap_uri_part {
    bool is_literal;
    char op; /* one of "+#./;?&", or NUL for {var} */
    tr_str literal;
    const struct tr_cap_uri_spec *specs;
    size_t count;
};

struct tr_cap_uri_template {
    const struct tr_cap_uri_part *parts;
    size_t count;
    const tr_str *names;
    size_t name_count;
};

#endif
