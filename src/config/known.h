/*
 * config/known.h - which sections and keys a configuration may have; for this
 * folder only.
 */
#ifndef TR_CONFIG_KNOWN_H
#define TR_CONFIG_KNOWN_H

#include "base/err.h"
#include "base/str.h"

/* The name as the table has it; NULL when it is none. */
const char *tr_config_find_section(tr_str name);

/* Whether sections stand in this one: "a" where there is an "a.b". */
bool tr_config_is_outer(tr_str name);

/* Whether the section is the app's own: its keys are checked elsewhere. */
bool tr_config_is_own(const char *section);

bool tr_config_is_key(const char *section, tr_str key);

/* Fails for a key that is no setting, or for a section when `section` is NULL,
 * and names the nearest one that is. */
TR_NODISCARD tr_status tr_config_refuse_unknown(tr_str key, const char *section,
                                                tr_str toml,
                                                struct tr_err *err);

/* Keys and values are views of the file's text: their address is the place. */
void tr_config_add_place(struct tr_err *err, tr_str toml, const char *at);

#endif
