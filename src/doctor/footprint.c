#include "doctor/footprint.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "doctor/inside.h"

const struct tr_doctor_scope_set tr_doctor_scope_sets[TR_DOCTOR_SCOPE_SETS] = {
    {"runtime", TR_SCOPE_RUNTIME},
    {"builder", TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER},
    {"dev", TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER | TR_SCOPE_DEV},
};

const char *tr_doctor_list_name(enum tr_doctor_list list)
{
    static const char *const names[TR_DOCTOR_LISTS] = {
        "tools", "resources", "resourceTemplates", "prompts"};
    return names[list];
}

/* One item of a list; false when who has the scopes does not see it. */
struct listing {
    const struct tr_cap_snapshot *snapshot;
    unsigned scopes;
    struct tr_project_mcp_form form;
    struct tr_json_writer w;
    struct tr_buf out;
};

static bool put_tool(struct listing *l, size_t i)
{
    const struct tr_cap *cap = tr_cap_snapshot_tool(l->snapshot, i);
    if (!tr_cap_is_listed(cap, l->scopes))
        return false;
    tr_project_tool(&l->w, cap, l->form);
    return true;
}

static bool put_resource(struct listing *l, size_t i)
{
    const struct tr_cap_resource *resource =
        tr_cap_snapshot_resource(l->snapshot, i);
    if (!tr_cap_guard_is_shown(&resource->about.guard, l->scopes))
        return false;
    tr_project_resource(&l->w, resource, l->form);
    return true;
}

static bool put_template(struct listing *l, size_t i)
{
    const struct tr_cap_resource_template *item =
        tr_cap_snapshot_template(l->snapshot, i);
    if (!tr_cap_guard_is_shown(&item->about.guard, l->scopes))
        return false;
    tr_project_template(&l->w, item, l->form);
    return true;
}

static bool put_prompt(struct listing *l, size_t i)
{
    const struct tr_cap_prompt *prompt = tr_cap_snapshot_prompt(l->snapshot, i);
    if (!tr_cap_guard_is_shown(&prompt->about.guard, l->scopes))
        return false;
    tr_project_prompt(&l->w, prompt, l->form);
    return true;
}

static bool (*const puts_of[TR_DOCTOR_LISTS])(struct listing *l, size_t i) = {
    put_tool, put_resource, put_template, put_prompt};

static size_t count_of(const struct tr_cap_snapshot *snapshot,
                       enum tr_doctor_list list)
{
    tr_cap_counts counts = tr_cap_snapshot_counts(snapshot);
    const size_t all[TR_DOCTOR_LISTS] = {counts.tools, counts.resources,
                                         counts.templates, counts.prompts};
    return all[list];
}

static void note_biggest(struct tr_doctor_footprint *out,
                         const struct listing *l, size_t i)
{
    if (l->out.len <= out->biggest_bytes)
        return;
    out->biggest = tr_cap_snapshot_tool(l->snapshot, i)->name;
    out->biggest_bytes = l->out.len;
}

/* An item at a time: "[a,b]" has a comma more than it has items, and two
 * brackets. */
static tr_status add_list(struct listing *l, enum tr_doctor_list list,
                          struct tr_doctor_footprint *out, struct tr_err *err)
{
    size_t count = count_of(l->snapshot, list);
    for (size_t i = 0; i < count; i++) {
        tr_buf_clear(&l->out);
        tr_jw_init(&l->w, &l->out);
        if (!puts_of[list](l, i))
            continue;
        TR_TRY(tr_jw_finish(&l->w, err));
        out->bytes[list] += l->out.len + (out->items[list] ? 1 : 0);
        out->items[list]++;
        if (list == TR_DOCTOR_LIST_TOOLS)
            note_biggest(out, l, i);
    }
    out->bytes[list] += 2;
    return TR_OK;
}

/* The author's words, and what the templates that are seen have in common, each
 * text once behind an empty line: those with the same one stand together. */
static size_t count_instructions(const struct listing *l, tr_str authors)
{
    size_t count = tr_cap_snapshot_counts(l->snapshot).templates;
    size_t bytes = authors.len;
    tr_str last = TR_STR("");
    for (size_t i = 0; i < count; i++) {
        const struct tr_cap_about *about =
            &tr_cap_snapshot_template(l->snapshot, i)->about;
        if (!about->said_once.len || tr_str_eq(about->said_once, last) ||
            !tr_cap_guard_is_shown(&about->guard, l->scopes))
            continue;
        last = about->said_once;
        bytes += last.len + (bytes ? 2 : 0);
    }
    return bytes;
}

tr_status
tr_doctor_footprint_of(const struct tr_cap_snapshot *snapshot, unsigned scopes,
                       struct tr_project_mcp_form form, tr_str instructions,
                       struct tr_doctor_footprint *out, struct tr_err *err)
{
    struct listing l = {.snapshot = snapshot, .scopes = scopes, .form = form};
    tr_status status = TR_OK;
    *out = (struct tr_doctor_footprint){.biggest = TR_STR("")};
    tr_buf_init(&l.out, TR_LIMIT_MESSAGE);
    for (int i = 0; i < TR_DOCTOR_LISTS && status == TR_OK; i++)
        status = add_list(&l, (enum tr_doctor_list)i, out, err);
    tr_buf_done(&l.out);
    out->instructions = count_instructions(&l, instructions);
    return status;
}

/* Lists of one authority, in the newest revision. */
static tr_status tell_footprint(struct tr_doctor_exam *exam,
                                const struct tr_doctor_scope_set *who,
                                struct tr_err *err)
{
    const struct tr_doctor_outside *outside = exam->patient->outside;
    const struct tr_project_form *newest =
        &outside->forms[outside->form_count - 1];
    struct tr_doctor_footprint found;
    TR_TRY(tr_doctor_footprint_of(exam->patient->snapshot, who->scopes,
                                  newest->form, TR_STR(""), &found, err));
    size_t bytes = found.bytes[TR_DOCTOR_LIST_TOOLS];
    bool is_much = tr_doctor_tokens(bytes) > TR_LIMIT_FOOTPRINT_TOKENS;
    return tr_doctor_tellf(
        exam, is_much ? TR_AUDIT_WARN : TR_AUDIT_WELL,
        is_much ? "give fewer types all their tools, and tools fewer words: "
                  "trails footprint"
                : "",
        err,
        "%s: tools/list has %zu tools, %zu bytes, about %zu tokens; the "
        "biggest, %.*s, has %zu bytes",
        who->name, found.items[TR_DOCTOR_LIST_TOOLS], bytes,
        tr_doctor_tokens(bytes), TR_FMT(found.biggest), found.biggest_bytes);
}

/* Each authority that is within that of who asks. */
tr_status tr_doctor_check_footprint(struct tr_doctor_exam *exam,
                                    struct tr_err *err)
{
    if (!exam->patient->outside->form_count)
        return TR_OK;
    for (size_t i = 0; i < TR_LEN(tr_doctor_scope_sets); i++) {
        const struct tr_doctor_scope_set *who = &tr_doctor_scope_sets[i];
        if ((who->scopes & ~exam->patient->scopes) == 0)
            TR_TRY(tell_footprint(exam, who, err));
    }
    return TR_OK;
}
