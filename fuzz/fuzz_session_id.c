/*
 * Any bytes as the id of a session: never one that is taken up, unless they are
 * what we gave out. The first byte says how the rest is used: as an id, or as
 * changes to one that was made here, for its caller or for another.
 */
#include "base/limits.h"
#include "mcp/session_id.h"
#include "sealing.h"

#define NOW 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_id(tr_str id, tr_str who, int64_t now_s, bool is_ours)
{
    const struct tr_access_authority caller = {.principal = who};
    struct tr_mcp_session_id told;
    struct tr_err err = {0};
    size_t loop;
    tr_status status = tr_mcp_session_id_read(keys_of_the_run(), now_s, id,
                                              &caller, &told, &err);
    must(status == TR_OK || status == TR_E_INVALID);
    must((status == TR_OK) == is_ours);
    must(status != TR_OK || tr_mcp_session_id_loop(id, &loop));
}

/* An id of this caller; what it may be asked for comes from the input, too. */
static tr_str make(struct tr_arena *arena, tr_str who, unsigned client)
{
    const struct tr_access_authority owner = {.principal = who};
    const struct tr_mcp_session_id_draft draft = {
        .keys = keys_of_the_run(),
        .purpose = TR_MCP_SESSION_ID_HTTP,
        .loop = client % 7,
        .owner = &owner,
        .now_s = NOW,
        .revision = TR_MCP_2025_11_25,
        .client = client,
    };
    tr_str id;
    must(tr_mcp_session_id_make(arena, &draft, &id, NULL) == TR_OK);
    must(id.len == TR_MCP_SESSION_ID_BYTES);
    return id;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tr_arena arena;
    tr_str rest = tr_str_skip((tr_str){(const char *)data, size}, 1);
    tr_arena_init(&arena, TR_MIB(1));
    if (size == 0 || data[0] % 2 == 0) {
        try_id(rest, TR_STR(""), NOW, false);
    } else if (rest.len < TR_KIB(32)) {
        tr_str who = data[0] & 2 ? rest : TR_STR("ann");
        tr_str id = make(&arena, who, data[0]);
        char changed[TR_MCP_SESSION_ID_BYTES];
        memcpy(changed, id.ptr, id.len);
        for (size_t i = 0; i < rest.len && i < id.len; i++)
            changed[i] = (char)(changed[i] ^ (rest.ptr[i] & 3));
        tr_str text = {changed, id.len};
        try_id(text, who, NOW, tr_str_eq(text, id));
        try_id(id, TR_STR("ann"), NOW, tr_str_eq(who, TR_STR("ann")));
        try_id(id, who, NOW + TR_LIMIT_SESSION_ID_S, false);
    }
    tr_arena_done(&arena);
    return 0;
}
