/*
 * model/uri.h - the URIs under which clients see types and their instances, and
 * the queries that such a URI may have.
 *
 *     trails://kg/Task                    all of a type
 *     trails://kg/Task/01a1...            trails://project/Task/01a1...
 *     trails://kg/Task/http%3A%2F%2F...   an instance with another IRI
 */
#ifndef TR_MODEL_URI_H
#define TR_MODEL_URI_H

#include "base/buf.h"
#include "model/model.h"

/* What is told of all types together: how many instances, and statements. */
#define TR_MODEL_URI_TYPES "trails://kg/types"
#define TR_MODEL_URI_STATS "trails://stats"

/* Whether the app is well. */
#define TR_MODEL_URI_DOCTOR "trails://doctor"

/*
 * The IRIs that the last part of such a URI, decoded, may stand for: what it
 * would be in this project, and what it is; in `arena`. False without memory.
 */
TR_NODISCARD bool tr_model_kg_uri_iris(struct tr_arena *arena,
                                       const struct tr_model_type *type,
                                       tr_str id, const struct tr_model *model,
                                       tr_str out[2]);

/*
 * Whether it is the URI of a type or an instance as the two below write it:
 * subscribers hear of changes under those forms only. Whether there is such an
 * instance does not matter.
 */
bool tr_model_kg_uri_is_ours(tr_str uri, const struct tr_model *model);

/*
 * The end of an IRI that trails://project/Type/ begins, where that type is
 * `type`, or above or below it; with NULL, any of the model. Else the IRI as it
 * is.
 */
tr_str tr_model_short_id(const struct tr_model *model,
                         const struct tr_model_type *type, tr_str iri);

/* Appends; an empty `iri` is for the type. */
void tr_model_kg_uri_write(struct tr_buf *out, const struct tr_model_type *type,
                           tr_str iri, const struct tr_model *model);

/*
 * Appends the other URI under which an instance of the type can be read: with
 * what its IRI has behind the name of this type, or of one above or below.
 * False, and nothing appended, when there is none.
 */
TR_NODISCARD bool tr_model_kg_uri_write_end(struct tr_buf *out,
                                            const struct tr_model_type *type,
                                            tr_str iri,
                                            const struct tr_model *model);

/*
 * Which instances of a type a URI asks for:
 *
 *     trails://kg/Task?where=status=open&limit=50&offset=100
 *
 * One clause, equality, one value: the text becomes a value of the field's
 * kind and is bound as that, never interpreted. What a client may write raw it
 * may also write percent-encoded.
 */

/* Why a URI was refused. */
struct tr_model_uri_refusal {
    tr_str field;       /* or the parameter; bounded */
    const char *reason; /* "type_mismatch", "syntax", ... */
    tr_str expected;    /* "xsd:integer", ..., or "" */
    tr_str hint;        /* the field that may have been meant, or "" */
};

/* What is asked for. Texts live in the arena, or are those of the URI. */
struct tr_model_uri_query {
    tr_str where; /* decoded, or "" */
    const struct tr_field *field;
    struct tr_json value; /* of the field's kind */
    size_t limit;         /* at most TR_LIMIT_PAGE; may be 0 */
    size_t offset;        /* at most TR_LIMIT_OFFSET */
    tr_str cursor;        /* as it stands there, or "" */
};

/*
 * Reads what stands behind the '?' of a URI of instances. Fails with
 * TR_E_INVALID, and then says why, or with TR_E_NOMEM.
 */
TR_NODISCARD tr_status tr_model_uri_query_parse(
    struct tr_arena *arena, const struct tr_model_type *type, tr_str text,
    struct tr_model_uri_query *out, struct tr_model_uri_refusal *why,
    struct tr_err *err);

/* "xsd:integer", ...: the datatype of a field for people; "iri" for a ref. */
tr_str tr_model_datatype_name(enum tr_field_kind kind);

/*
 * The end of the IRI that a new node of a type with TR_MODEL_IRI_CONTENT has
 * for what it says, in `arena`. The same content has the same name, in whatever
 * order its fields, and the values of a set, are given. They have been checked.
 */
TR_NODISCARD tr_status tr_model_content_name(const struct tr_model_type *type,
                                             const struct tr_json *fields,
                                             struct tr_arena *arena,
                                             tr_str *out, struct tr_err *err);

/*
 * Blank nodes have IRIs in a store (RDF 1.1 Concepts, 3.5). Appends
 * trails://project/.well-known/genid/ ; no project is "local".
 */
void tr_model_genid_start(struct tr_buf *out, tr_str project);

/* The blank node that an IRI stands for; false when the IRI was not made by
 * an import. `start` is what tr_model_genid_start writes. */
bool tr_model_genid_is_blank(tr_str start, const tr_rdf_term *term,
                             tr_rdf_term *out);

#endif
