#include "mcp/page.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "crypto/seal.h"
#include "loop/loop.h"
#include "mcp/inside.h"
#include "mcp/reply.h"

#define CURSOR_PURPOSE    "cursor"
#define CURSOR_SECONDS    (24 * 3600)
#define LIST_TTL_MS       0
#define VIEW_KEY_OF_LIST  UINT64_C(0x4C495354) /* "LIST" */
#define VIEW_KEY_OF_COUNT UINT64_C(0x434F554E) /* "COUN" */

/* Each of these has its bits in the key of a view. */
_Static_assert(TR_MCP_2026_07_28 < 16 && TR_SCOPE_ALL < 16 &&
                   TR_LIMIT_REGISTERED / TR_MCP_PAGE_ITEMS < 0x10000,
               "the key of a view has room for all");

/* Says what this revision may carry, and what the project wants. */
static struct tr_project_mcp_form form_of(enum tr_mcp_revision revision,
                                          const struct tr_project_site *site)
{
    return (struct tr_project_mcp_form){
        .hints = tr_mcp_revision_has(revision, TR_MCP_HAS_HINTS),
        .since_2025_06_18 = tr_mcp_revision_has(revision, TR_MCP_HAS_TITLE),
        .icons = tr_mcp_revision_has(revision, TR_MCP_HAS_ICONS),
        .dialect = tr_mcp_revision_has(revision, TR_MCP_HAS_SCHEMA_DIALECT),
        .plain = site->plain_tools,
        .manifest = tr_project_is_served(TR_PROJECT_JSON_LD, site),
        .base = site->base,
    };
}

void tr_mcp_list_forms(const struct tr_project_site *site,
                       struct tr_project_form *out)
{
    _Static_assert(TR_MCP_FORMS == TR_MCP_REVISIONS, "one for each revision");
    for (unsigned i = 0; i < TR_MCP_FORMS; i++)
        out[i] = (struct tr_project_form){
            tr_mcp_revision_name((enum tr_mcp_revision)i),
            form_of((enum tr_mcp_revision)i, site)};
}

/* Which bytes a view holds: one page of one list, for one revision and one set
 * of scopes. */
struct page {
    const struct tr_mcp_page_list *list;
    struct tr_project_mcp_form form;
    unsigned scopes; /* of who asks */
    size_t shown;    /* items of all pages */
    size_t number;
};

static tr_status count_items(const struct tr_cap_snapshot *snapshot,
                             const void *arg, struct tr_buf *out,
                             struct tr_err *err)
{
    const struct page *page = arg;
    size_t count = 0;
    for (size_t i = 0; i < page->list->count; i++)
        count += page->list->shows(snapshot, i, page->scopes);
    tr_buf_put(out, (tr_str){(const char *)&count, sizeof(count)});
    return tr_buf_check(out, err);
}

/* How many items who asks may see: counted once, as pages are made once. */
static tr_status count_shown(const struct tr_cap_snapshot *snapshot,
                             const struct page *page, size_t *out,
                             struct tr_err *err)
{
    tr_str bytes;
    const struct tr_cap_view view = {
        .key = VIEW_KEY_OF_COUNT << 32 | (uint64_t)page->list->kind << 24 |
               (uint64_t)page->scopes << 20,
        .make = count_items,
        .arg = page,
    };
    TR_TRY(tr_cap_snapshot_view(snapshot, &view, &bytes, err));
    memcpy(out, bytes.ptr, sizeof(*out));
    return TR_OK;
}

static tr_status make_page(const struct tr_cap_snapshot *snapshot,
                           const void *arg, struct tr_buf *out,
                           struct tr_err *err)
{
    const struct page *page = arg;
    struct tr_json_writer w;
    size_t first = page->number * TR_MCP_PAGE_ITEMS;
    size_t seen = 0;
    tr_jw_init(&w, out);
    tr_jw_open(&w, '[');
    for (size_t i = 0;
         i < page->list->count && seen < first + TR_MCP_PAGE_ITEMS; i++) {
        if (!page->list->shows(snapshot, i, page->scopes))
            continue;
        if (seen++ >= first)
            page->list->put(&w, snapshot, i, page->form);
    }
    tr_jw_close(&w, ']');
    return tr_jw_finish(&w, err);
}

/*
 * A cursor is "<list>:<page>", sealed: a client can only give back what it was
 * given, and other cursors are -32602 (server/utilities/pagination, Error
 * Handling).
 */
static bool read_cursor(struct tr_mcp_request *request, struct page *page)
{
    const struct tr_json *cursor =
        tr_json_find(request->message.params, TR_STR("cursor"));
    tr_str text;
    tr_str before;
    tr_str after;
    int64_t number;
    int64_t which;
    if (!cursor || cursor->kind == TR_JSON_NULL)
        return true;
    struct tr_crypto_unseal how = {
        .keys = request->mcp->opts.keys,
        .purpose = TR_STR(CURSOR_PURPOSE),
        .now = tr_loop_wall(request->mcp->opts.loop).seconds,
    };
    if (!tr_json_is(cursor, TR_JSON_STRING) ||
        tr_crypto_unseal(&request->arena, &how, tr_json_text(cursor), &text,
                         NULL) != TR_OK ||
        !tr_str_cut(text, ':', &before, &after) ||
        !tr_str_to_i64(before, &which) || which != (int64_t)page->list->kind ||
        !tr_str_to_i64(after, &number) || number < 0 ||
        (uint64_t)number * TR_MCP_PAGE_ITEMS >= page->shown)
        return false;
    page->number = (size_t)number;
    return true;
}

static void put_next_cursor(struct tr_mcp_request *request,
                            const struct page *page)
{
    char text[48];
    tr_str sealed;
    if ((page->number + 1) * TR_MCP_PAGE_ITEMS >= page->shown)
        return;
    (void)snprintf(text, sizeof(text), "%u:%zu", (unsigned)page->list->kind,
                   page->number + 1);
    struct tr_crypto_seal how = {
        .keys = request->mcp->opts.keys,
        .purpose = TR_STR(CURSOR_PURPOSE),
        .expires =
            tr_loop_wall(request->mcp->opts.loop).seconds + CURSOR_SECONDS,
    };
    if (tr_crypto_seal(&request->arena, &how, tr_str_from(text), &sealed,
                       NULL) != TR_OK)
        return;
    tr_jw_put_string(&request->mcp->writer, "nextCursor", sealed);
}

void tr_mcp_page_reply(struct tr_mcp_request *request,
                       const struct tr_mcp_page_list *list)
{
    struct page page = {
        .list = list,
        .form = form_of(request->revision, &request->mcp->opts.site),
        .scopes = tr_mcp_request_scopes(request),
    };
    tr_str items;
    struct tr_err err;
    if (count_shown(request->snapshot, &page, &page.shown, &err) != TR_OK) {
        tr_mcp_reply_failure(request, &err, NULL);
        return;
    }
    if (!read_cursor(request, &page)) {
        tr_mcp_reply_bad_params(request, "Invalid cursor");
        return;
    }
    /* Those who see all see the same bytes. */
    bool has_all = page.shown == list->count;
    struct tr_cap_view view = {
        .key = VIEW_KEY_OF_LIST << 32 | (uint64_t)list->kind << 24 |
               (uint64_t)(has_all ? TR_SCOPE_ALL : page.scopes) << 20 |
               (uint64_t)request->revision << 16 | page.number,
        .make = make_page,
        .arg = &page,
    };
    if (tr_cap_snapshot_view(request->snapshot, &view, &items, &err) != TR_OK) {
        tr_mcp_reply_failure(request, &err, NULL);
        return;
    }
    struct tr_json_writer *w = tr_mcp_reply_open(request);
    tr_jw_key(w, list->member);
    tr_mcp_reply_put_piece(request, items);
    put_next_cursor(request, &page);
    tr_mcp_reply_caching(request, LIST_TTL_MS, true);
    tr_mcp_reply_send(request, NULL);
}
