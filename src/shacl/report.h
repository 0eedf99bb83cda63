/*
 * shacl/report.h - the results of a validation, kept and written.
 *
 * A report keeps results in the order they come, up to a maximum, and counts
 * all. To write it, the validation that filled it must still be alive.
 */
#ifndef TR_SHACL_REPORT_H
#define TR_SHACL_REPORT_H

#include "base/vec.h"
#include "json/writer.h"
#include "rdf/iri.h"
#include "rdf/memory_graph.h"
#include "shacl/validator.h"

struct tr_shacl_report {
    struct tr_arena *arena;
    TR_VEC(struct tr_shacl_result) results;
    size_t count; /* of all, kept or not */
    size_t max;
};

/* `max_results` 0 is TR_LIMIT_RESULTS. */
void tr_shacl_report_init(struct tr_shacl_report *report,
                          struct tr_arena *arena, size_t max_results);

/* For tr_shacl_validation_run, with the report as context. */
tr_shacl_result_fn tr_shacl_report_add;

/* Puts behind each result of sh:node why the value does not conform, and so on
 * (`depth`). They do not count, and only the text and the words show them. */
TR_NODISCARD tr_status tr_shacl_report_detail(struct tr_shacl_report *report,
                                              struct tr_shacl_validation *v,
                                              struct tr_err *err);

/* SHACL 3.6.1.1: conforms means no result at all, whatever its severity. */
static inline bool
tr_shacl_report_conforms(const struct tr_shacl_report *report)
{
    return report->count == 0;
}

/*
 * Adds a sh:ValidationReport to `out`, which has to be indexed afterwards.
 * Blank nodes of the data and of the shapes get labels of their own.
 */
TR_NODISCARD tr_status tr_shacl_report_to_graph(
    const struct tr_shacl_report *report, const struct tr_shacl_validation *v,
    struct tr_rdf_memory_graph *out, struct tr_err *err);

/* For people: by node; path, value, what is wrong and what is allowed. */
TR_NODISCARD tr_status tr_shacl_report_write_text(
    const struct tr_shacl_report *report, const struct tr_shacl_validation *v,
    const struct tr_rdf_prefixes *prefixes, struct tr_buf *out,
    struct tr_err *err);

/*
 * For programs: {"conforms", "count", "results": [...]}, where a result is a
 * field error {field, code, message, value, constraint} with the node, path,
 * severity, component and shape; `node_kind` and, where there is a value,
 * `value_kind` say of what kind they are: "iri", "blank" or "literal".
 */
TR_NODISCARD tr_status tr_shacl_report_write_json(
    const struct tr_shacl_report *report, const struct tr_shacl_validation *v,
    struct tr_json_writer *w, struct tr_err *err);

/*
 * One result as a field error (fields/error.h) that also names its node.
 * Values are echoed in a bounded form.
 */
TR_NODISCARD tr_status tr_shacl_result_write_field_error(
    const struct tr_shacl_result *result, const struct tr_shacl_validation *v,
    struct tr_json_writer *w, struct tr_err *err);

/* The name of its field, or "", and its message as in a field error; each may
 * be NULL. */
TR_NODISCARD tr_status tr_shacl_result_write_words(
    const struct tr_shacl_result *result, const struct tr_shacl_validation *v,
    struct tr_buf *field, struct tr_buf *message, struct tr_err *err);

/* A term as the value of a field error: numbers and booleans as JSON has them,
 * all else as text, which is cut at `max_bytes`. */
void tr_shacl_result_put_term(struct tr_json_writer *w, const tr_rdf_term *term,
                              size_t max_bytes);

/* Appends what a value would have to be: "must be at least 3". */
void tr_shacl_explain(struct tr_buf *out, const struct tr_shacl_shapes *shapes,
                      const struct tr_shacl_result *result,
                      const struct tr_rdf_prefixes *prefixes);

#endif
