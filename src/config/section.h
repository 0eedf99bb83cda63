/*
 * config/section.h - the settings of a section of trails.toml, for this folder
 * only: each has a file of its name, settings.c has them all.
 */
#ifndef TR_CONFIG_SECTION_H
#define TR_CONFIG_SECTION_H

#include "config/settings.h"

struct tr_config_section {
    const char *name;
    const struct tr_config_setting *settings;
    size_t count;
};

extern const struct tr_config_section tr_config_section_project;
extern const struct tr_config_section tr_config_section_server;
extern const struct tr_config_section tr_config_section_store;
extern const struct tr_config_section tr_config_section_prov;
extern const struct tr_config_section tr_config_section_log;
extern const struct tr_config_section tr_config_section_mcp;
extern const struct tr_config_section tr_config_section_http;
extern const struct tr_config_section tr_config_section_manifest;
extern const struct tr_config_section tr_config_section_auth;
extern const struct tr_config_section tr_config_section_budget;
extern const struct tr_config_section tr_config_section_runtime;
extern const struct tr_config_section tr_config_section_lua;
extern const struct tr_config_section tr_config_section_fetch;

/* NULL behind the last one. */
const struct tr_config_section *tr_config_section_at(size_t i);

/* The number of a limit as text, so that defaults need not repeat it. */
#define TR_CONFIG_TEXT_OF(number) #number
#define TR_CONFIG_TEXT(limit)     TR_CONFIG_TEXT_OF(limit)

/* Values that go into headers are visible ASCII without quotes. */
bool tr_config_is_plain(tr_str value);

/* http:// or https:// and visible ASCII. */
tr_config_setting_check_fn tr_config_check_url;

#endif
