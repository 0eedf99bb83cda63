/*
 * fields/rules.h - which fields make sense; for registration.
 */
#ifndef TR_FIELDS_RULES_H
#define TR_FIELDS_RULES_H

#include "fields/field.h"

/* [A-Za-z_][A-Za-z0-9_]*, at most TR_LIMIT_NAME_BYTES. */
bool tr_field_name_is_valid(tr_str name);

/* One or more of the characters RFC 9110 allows in a token. */
bool tr_is_http_token(tr_str text);

/*
 * What can be said of a field before its pattern is compiled: TR_E_INVALID
 * with a message that does not repeat the field's name. `arena` is scratch.
 */
TR_NODISCARD tr_status tr_field_check_rules(const struct tr_field *field,
                                            struct tr_arena *arena,
                                            struct tr_err *err);

#endif
