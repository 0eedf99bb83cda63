#include "project/lists.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "crypto/digest.h"
#include "json/writer.h"
#include "project/mcp_tool.h"

#define VIEWERS (TR_SCOPE_ALL + 1)

/* What is listed of one snapshot: a digest for each list and viewer. */
struct lists {
    const struct tr_cap_snapshot *snapshot;
    struct tr_project_mcp_form form;
    struct tr_buf text; /* of one item */
    struct tr_crypto_sha256 sums[TR_PROJECT_LISTS][VIEWERS];
    unsigned char digests[TR_PROJECT_LISTS][VIEWERS][TR_CRYPTO_SHA256_BYTES];
};

typedef void put_fn(struct lists *lists, struct tr_json_writer *w, size_t i);
typedef bool shows_fn(const struct lists *lists, size_t i, unsigned scopes);

static void put_tool(struct lists *lists, struct tr_json_writer *w, size_t i)
{
    tr_project_tool(w, tr_cap_snapshot_tool(lists->snapshot, i), lists->form);
}

static bool shows_tool(const struct lists *lists, size_t i, unsigned scopes)
{
    return tr_cap_is_listed(tr_cap_snapshot_tool(lists->snapshot, i), scopes);
}

static void put_resource(struct lists *lists, struct tr_json_writer *w,
                         size_t i)
{
    tr_project_resource(w, tr_cap_snapshot_resource(lists->snapshot, i),
                        lists->form);
}

static bool shows_resource(const struct lists *lists, size_t i, unsigned scopes)
{
    return tr_cap_guard_is_shown(
        &tr_cap_snapshot_resource(lists->snapshot, i)->about.guard, scopes);
}

static void put_template(struct lists *lists, struct tr_json_writer *w,
                         size_t i)
{
    tr_project_template(w, tr_cap_snapshot_template(lists->snapshot, i),
                        lists->form);
}

static bool shows_template(const struct lists *lists, size_t i, unsigned scopes)
{
    return tr_cap_guard_is_shown(
        &tr_cap_snapshot_template(lists->snapshot, i)->about.guard, scopes);
}

static void put_prompt(struct lists *lists, struct tr_json_writer *w, size_t i)
{
    tr_project_prompt(w, tr_cap_snapshot_prompt(lists->snapshot, i),
                      lists->form);
}

static bool shows_prompt(const struct lists *lists, size_t i, unsigned scopes)
{
    return tr_cap_guard_is_shown(
        &tr_cap_snapshot_prompt(lists->snapshot, i)->about.guard, scopes);
}

/* What is listed where; a list may have items of two kinds. */
static const struct part {
    enum tr_project_list list;
    size_t count; /* where it stands in tr_cap_counts */
    put_fn *put;
    shows_fn *shows;
} parts[] = {
    {TR_PROJECT_LIST_TOOLS, offsetof(tr_cap_counts, tools), put_tool,
     shows_tool},
    {TR_PROJECT_LIST_RESOURCES, offsetof(tr_cap_counts, resources),
     put_resource, shows_resource},
    {TR_PROJECT_LIST_RESOURCES, offsetof(tr_cap_counts, templates),
     put_template, shows_template},
    {TR_PROJECT_LIST_PROMPTS, offsetof(tr_cap_counts, prompts), put_prompt,
     shows_prompt},
};

/* Adds an item to the lists of all who see it. */
static tr_status add_item(struct lists *lists, const struct part *part,
                          size_t i, struct tr_err *err)
{
    struct tr_json_writer w;
    tr_buf_clear(&lists->text);
    tr_jw_init(&w, &lists->text);
    part->put(lists, &w, i);
    TR_TRY(tr_jw_finish(&w, err));
    for (unsigned scopes = 0; scopes < VIEWERS; scopes++) {
        if (part->shows(lists, i, scopes))
            tr_crypto_sha256_add(&lists->sums[part->list][scopes],
                                 tr_buf_str(&lists->text));
    }
    return TR_OK;
}

static tr_status add_part(struct lists *lists, const struct part *part,
                          struct tr_err *err)
{
    const tr_cap_counts counts = tr_cap_snapshot_counts(lists->snapshot);
    size_t count;
    memcpy(&count, (const char *)&counts + part->count, sizeof(count));
    for (size_t i = 0; i < count; i++)
        TR_TRY(add_item(lists, part, i, err));
    for (unsigned scopes = 0; scopes < VIEWERS; scopes++)
        tr_crypto_sha256_add(&lists->sums[part->list][scopes], TR_STR("\n"));
    return TR_OK;
}

static tr_status digest(struct lists *lists, struct tr_err *err)
{
    tr_status status = TR_OK;
    for (size_t i = 0; i < TR_PROJECT_LISTS * VIEWERS; i++)
        tr_crypto_sha256_init(&lists->sums[i / VIEWERS][i % VIEWERS]);
    tr_buf_init(&lists->text, TR_LIMIT_VIEW_BYTES);
    for (size_t i = 0; i < TR_LEN(parts) && status == TR_OK; i++)
        status = add_part(lists, &parts[i], err);
    tr_buf_done(&lists->text);
    for (size_t i = 0; i < TR_PROJECT_LISTS * VIEWERS; i++)
        tr_crypto_sha256_done(&lists->sums[i / VIEWERS][i % VIEWERS],
                              lists->digests[i / VIEWERS][i % VIEWERS]);
    return status;
}

tr_status tr_project_lists_compare(const struct tr_cap_snapshot *before,
                                   const struct tr_cap_snapshot *after,
                                   bool plain,
                                   uint32_t changed[TR_PROJECT_LISTS],
                                   struct tr_err *err)
{
    struct tr_project_mcp_form form = {.hints = true,
                                       .since_2025_06_18 = true,
                                       .icons = true,
                                       .dialect = true,
                                       .plain = plain};
    struct lists *sides = calloc(2, sizeof(*sides));
    if (!sides)
        return tr_fail(err, TR_E_NOMEM, "no memory to compare lists");
    sides[0].snapshot = before;
    sides[1].snapshot = after;
    tr_status status = TR_OK;
    for (size_t i = 0; i < 2 && status == TR_OK; i++) {
        sides[i].form = form;
        status = digest(&sides[i], err);
    }
    for (size_t list = 0; list < TR_PROJECT_LISTS && status == TR_OK; list++) {
        changed[list] = 0;
        for (unsigned n = 0; n < VIEWERS; n++) {
            if (memcmp(sides[0].digests[list][n], sides[1].digests[list][n],
                       TR_CRYPTO_SHA256_BYTES) != 0)
                changed[list] |= UINT32_C(1) << n;
        }
    }
    free(sides);
    return status;
}
