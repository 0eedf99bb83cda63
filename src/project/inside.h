/*
 * project/inside.h - what the files that write views share; for this folder
 * only.
 */
#ifndef TR_PROJECT_INSIDE_H
#define TR_PROJECT_INSIDE_H

#include "base/vec.h"
#include "json/writer.h"
#include "project/view.h"

/* A view that is being written. What is measured is left out; it is known
 * where it goes, and whose it is. */
struct tr_project_gap {
    size_t at; /* in the text */
    const struct tr_cap *cap;
};

struct tr_project_writing {
    const struct tr_cap_snapshot *snapshot;
    const struct tr_project_site *site;
    unsigned scopes;
    const struct tr_cap *one; /* alone; NULL: all */
    struct tr_json_writer w;
    struct tr_buf *out;
    struct tr_project_gap *gaps; /* room for one of each capability */
    size_t gap_count;
};

/* The next capability of the view from *i on; NULL at the end. */
const struct tr_cap *tr_project_next(const struct tr_project_writing *v,
                                     size_t *i);

/* Notes that what is measured of the capability goes here: behind a member. */
void tr_project_leave_gap(struct tr_project_writing *v,
                          const struct tr_cap *cap);

/* A URL of the server: its base, and the parts. */
void tr_project_put_url(struct tr_project_writing *v, const char *key,
                        tr_str path, tr_str end);

/* Whether nobody can call it without a credential. */
bool tr_project_needs_bearer(const struct tr_project_writing *v,
                             const struct tr_cap *cap);

/* What the server is called. */
tr_str tr_project_title(const struct tr_project_site *site);

/* The fourteen members of the canonical form, in an object that is open; and
 * some of them, each without its key. */
void tr_project_put_fields(struct tr_json_writer *w, const struct tr_cap *cap);
void tr_project_put_conditions(struct tr_json_writer *w,
                               const struct tr_cap_precondition *list,
                               size_t count);
void tr_project_put_effects(struct tr_json_writer *w,
                            const struct tr_cap_side_effects *effects);
void tr_project_put_cost(struct tr_json_writer *w,
                         const struct tr_cap_cost *cost);
void tr_project_put_strs(struct tr_json_writer *w,
                         const struct tr_cap_strs *strs);
void tr_project_put_or_null(struct tr_json_writer *w, tr_str text);

/* Each writes one view. */
void tr_project_write_json_ld(struct tr_project_writing *v);
void tr_project_write_plain(struct tr_project_writing *v);
void tr_project_write_markdown(struct tr_project_writing *v);
void tr_project_write_openapi(struct tr_project_writing *v);
void tr_project_write_host(struct tr_project_writing *v);
void tr_project_write_card(struct tr_project_writing *v);
void tr_project_write_card_ld(struct tr_project_writing *v);
void tr_project_write_context(struct tr_project_writing *v);
void tr_project_write_tools(struct tr_project_writing *v);

/* What stands in a gap: a member with its comma, or a row of Markdown. */
void tr_project_fill_json(struct tr_buf *out,
                          const struct tr_project_measured *measured);
void tr_project_fill_markdown(struct tr_buf *out,
                              const struct tr_project_measured *measured);

#endif
