#include "rows/bodies.h"

#include "base/limits.h"
#include "db/db.h"
#include "rows/terms_inside.h"

/* A row that took more leaves no room behind. */
#define KEPT_BYTES TR_KIB(16)

static void reset(struct tr_rows_body *body)
{
    tr_buf_init(&body->label, TR_LIMIT_CHANGE_BYTES);
    tr_buf_init(&body->bytes, TR_LIMIT_CHANGE_BYTES);
}

static void release(struct tr_rows_body *body)
{
    tr_buf_done(&body->label);
    tr_buf_done(&body->bytes);
}

void tr_rows_bodies_init(struct tr_rows_bodies *bodies)
{
    *bodies = (struct tr_rows_bodies){.last = bodies->kept};
    for (size_t i = 0; i < TR_LEN(bodies->kept); i++)
        reset(&bodies->kept[i]);
}

void tr_rows_bodies_done(struct tr_rows_bodies *bodies)
{
    for (size_t i = 0; i < TR_LEN(bodies->kept); i++)
        release(&bodies->kept[i]);
}

static void drop(struct tr_rows_bodies *bodies, struct tr_rows_body *body)
{
    body->s = TR_RDF_ID_NONE;
    body->used = 0;
    body->stamp = ++bodies->clock;
}

void tr_rows_bodies_clear(struct tr_rows_bodies *bodies)
{
    for (size_t i = 0; i < TR_LEN(bodies->kept); i++)
        drop(bodies, &bodies->kept[i]);
}

static struct tr_rows_body *find(struct tr_rows_bodies *bodies, tr_rdf_id s)
{
    if (bodies->last->s == s)
        return bodies->last;
    for (size_t i = 0; i < TR_LEN(bodies->kept); i++)
        if (bodies->kept[i].s == s)
            return &bodies->kept[i];
    return NULL;
}

static struct tr_rows_body *oldest(struct tr_rows_bodies *bodies)
{
    struct tr_rows_body *body = bodies->kept;
    for (size_t i = 1; i < TR_LEN(bodies->kept); i++)
        if (bodies->kept[i].used < body->used)
            body = &bodies->kept[i];
    return body;
}

static tr_status fill(struct tr_rows_body *body, struct tr_db_stmt *stmt,
                      struct tr_err *err)
{
    body->type = (tr_rdf_id)tr_db_column_i64(stmt, 0);
    body->version = tr_db_column_i64(stmt, 1);
    body->is_node = body->version > 0;
    tr_buf_put(&body->label, tr_db_column_text(stmt, 2));
    tr_buf_put(&body->bytes, tr_db_column_blob(stmt, 3));
    TR_TRY(tr_buf_check(&body->label, err));
    return tr_buf_check(&body->bytes, err);
}

static tr_status load(struct tr_rows_terms *terms, struct tr_rows_body *body,
                      tr_rdf_id s, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    drop(&terms->bodies, body);
    if (body->label.held + body->bytes.held > KEPT_BYTES) {
        release(body);
        reset(body);
    }
    tr_buf_clear(&body->label);
    tr_buf_clear(&body->bytes);
    body->is_node = false;
    body->type = TR_RDF_ID_NONE;
    body->version = 0;
    TR_TRY(tr_db_prepare(terms->db,
                         "SELECT type, version, label, body FROM node"
                         " WHERE s = ?1",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)s);
    TR_TRY(tr_db_stmt_step(stmt, &body->is_there, err));
    tr_status status = body->is_there ? fill(body, stmt, err) : TR_OK;
    tr_db_stmt_reset(stmt);
    if (status == TR_OK)
        body->s = s;
    return status;
}

tr_status tr_rows_body_read(struct tr_rows_terms *terms, tr_rdf_id s,
                            struct tr_rows_body **out, struct tr_err *err)
{
    struct tr_rows_bodies *bodies = &terms->bodies;
    struct tr_rows_body *body = find(bodies, s);
    if (!body) {
        body = oldest(bodies);
        TR_TRY(load(terms, body, s, err));
    }
    body->used = ++bodies->clock;
    bodies->last = body;
    *out = body;
    return TR_OK;
}

void tr_rows_body_drop(struct tr_rows_terms *terms, tr_rdf_id s)
{
    struct tr_rows_body *body = find(&terms->bodies, s);
    if (body && body->s == s)
        drop(&terms->bodies, body);
}
