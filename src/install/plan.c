#include "install/plan.h"

#include "install/editor.h"
#include "install/entry.h"

/* What is known of a file: its entries, and whether the copy with these
 * entries put into it is the file again. */
struct known {
    const struct tr_install_state *now;
    struct tr_install_list ours;
    struct tr_install_list before; /* those that the copy has */
    bool is_replay;
};

static tr_status read_entries(struct tr_arena *arena,
                              const struct tr_install_form *form, tr_str text,
                              struct tr_install_list *out, struct tr_err *err)
{
    const struct tr_json *root = NULL;
    TR_TRY(tr_install_read(arena, form, text, &root, err));
    return tr_install_entries(arena, form, root, out, err);
}

/* Puts the entries that the copy has not, but one, into the copy. *fits becomes
 * false when that cannot be: they were put into another text. */
static tr_status replay(struct tr_arena *arena, const struct known *known,
                        tr_str without, tr_str *out, bool *fits,
                        struct tr_err *err)
{
    tr_str text = known->now->copy.text;
    *fits = true;
    for (size_t i = 0; i < known->ours.count && *fits; i++) {
        const struct tr_install_found *found = &known->ours.items[i];
        tr_str name = found->entry.name;
        if (tr_str_eq(name, without) ||
            tr_install_entry_find(&known->before, name))
            continue;
        tr_status status = found->is_plain
                               ? tr_install_put(arena, known->now->form, text,
                                                &found->entry, &text, err)
                               : TR_E_INVALID;
        if (status == TR_E_NOMEM)
            return status;
        *fits = status == TR_OK;
    }
    *out = text;
    return TR_OK;
}

static tr_status learn(struct tr_arena *arena,
                       const struct tr_install_state *now, struct known *out,
                       struct tr_err *err)
{
    tr_str again = {NULL, 0};
    bool fits = false;
    *out = (struct known){.now = now};
    if (!now->file.is_there)
        return TR_OK;
    TR_TRY(read_entries(arena, now->form, now->file.text, &out->ours, err));
    /* Without a copy there may have been no file; there was one, when nothing
     * in it is ours. */
    if (!now->copy.is_there && !out->ours.count)
        return TR_OK;
    tr_status status =
        read_entries(arena, now->form, now->copy.text, &out->before, err);
    if (status != TR_OK) /* who has spoilt the copy has not spoilt the file */
        return status == TR_E_NOMEM ? status : TR_OK;
    TR_TRY(replay(arena, out, TR_STR(""), &again, &fits, err));
    out->is_replay = fits && tr_str_eq(again, now->file.text);
    return TR_OK;
}

tr_status tr_install_plan_put(struct tr_arena *arena,
                              const struct tr_install_state *now,
                              const struct tr_install_entry *entry,
                              struct tr_install_plan *out, struct tr_err *err)
{
    const struct tr_install_text *file = &now->file;
    struct known known;
    tr_str text = file->text;
    TR_TRY(learn(arena, now, &known, err));
    TR_TRY(tr_install_put(arena, now->form, file->text, entry, &text, err));
    *out = (struct tr_install_plan){
        .file = {true, text},
        .changes = !file->is_there || !tr_str_eq(text, file->text),
    };
    /* A copy of a file that is no more says nothing about the new one. */
    if (!file->is_there && now->copy.is_there)
        out->copy = TR_INSTALL_COPY_GOES;
    else if (out->changes && file->is_there && !known.is_replay)
        out->copy = TR_INSTALL_COPY_MADE;
    return TR_OK;
}

/* Takes an entry out by putting the others into the copy again. */
static tr_status rewind_to(struct tr_arena *arena, const struct known *known,
                           tr_str name, struct tr_install_plan *out, bool *done,
                           struct tr_err *err)
{
    const struct tr_install_text *copy = &known->now->copy;
    tr_str text = copy->text;
    if (tr_install_entry_find(&known->before, name))
        return TR_OK; /* it was there before the copy was made */
    TR_TRY(replay(arena, known, name, &text, done, err));
    if (!*done)
        return TR_OK;
    bool is_last = known->ours.count == known->before.count + 1;
    out->file = is_last ? *copy : (struct tr_install_text){true, text};
    if (is_last && copy->is_there)
        out->copy = TR_INSTALL_COPY_GOES;
    return TR_OK;
}

tr_status tr_install_plan_remove(struct tr_arena *arena,
                                 const struct tr_install_state *now,
                                 tr_str name, struct tr_install_plan *out,
                                 struct tr_err *err)
{
    struct known known;
    tr_str text = now->file.text;
    bool done = false;
    *out = (struct tr_install_plan){.file = now->file};
    TR_TRY(learn(arena, now, &known, err));
    if (!tr_install_entry_find(&known.ours, name))
        return TR_OK;
    out->changes = true;
    if (known.is_replay)
        TR_TRY(rewind_to(arena, &known, name, out, &done, err));
    if (done)
        return TR_OK;
    TR_TRY(tr_install_remove(arena, now->form, text, name, &text, err));
    out->file.text = text;
    out->copy = TR_INSTALL_COPY_MADE;
    return TR_OK;
}
