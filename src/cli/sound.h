/*
 * cli/sound.h - whether the store of an app is sound, for `trails check`.
 */
#ifndef TR_CLI_SOUND_H
#define TR_CLI_SOUND_H

#include "audit/audit.h"
#include "base/vec.h"
#include "server/app.h"

/* What was found, in the arena of the command. Empty without a store. */
struct tr_cli_sound {
    TR_VEC(struct tr_audit_finding) items;
    bool has_failed; /* one of them is a fault */
};

struct tr_cli_sound_asked {
    const struct tr_server_app *app;
    struct tr_arena *arena;
    bool is_whole; /* however large it is; else up to TR_LIMIT_CHECK_BYTES */
};

/* TR_E_UNSUPPORTED for a store of a newer version, which is to be left alone.
 */
TR_NODISCARD tr_status tr_cli_sound_refuse_newer(const char *folder,
                                                 struct tr_err *err);

/* Changes nothing in the store. A store that cannot be opened is a fault. */
TR_NODISCARD tr_status tr_cli_sound_find(const struct tr_cli_sound_asked *asked,
                                         struct tr_cli_sound *out,
                                         struct tr_err *err);

#endif
