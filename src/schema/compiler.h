/*
 * schema/compiler.h - what a compiled schema is, and how one is made.
 *
 * A document is indexed (index.c): every value that is a schema becomes a node
 * that knows its resource. Nodes that can be reached are compiled to operations
 * (compile.c), one per keyword, in the order of the table in keywords.c.
 * Evaluation (eval.c) walks them.
 */
#ifndef TR_SCHEMA_COMPILER_H
#define TR_SCHEMA_COMPILER_H

#include "base/map.h"
#include "base/vec.h"
#include "fields/pattern.h"
#include "json/number.h"
#include "schema/schema.h"

/* Groups of keywords that a meta-schema can turn on and off. */
enum tr_schema_vocabulary {
    TR_SCHEMA_VOCAB_CORE = 1,
    TR_SCHEMA_VOCAB_APPLICATOR = 2,
    TR_SCHEMA_VOCAB_UNEVALUATED = 4,
    TR_SCHEMA_VOCAB_VALIDATION = 8,
    TR_SCHEMA_VOCAB_FORMAT = 16, /* formats are asserted */
};

struct tr_schema_node;

/* A schema with a URI of its own (2020-12, section 4.3.5), and what is inside
 * it. */
struct tr_schema_resource {
    tr_str uri; /* without fragment */
    const struct tr_json *root;
    enum tr_schema_dialect dialect;
    unsigned vocabularies; /* enum tr_schema_vocabulary */
    struct tr_map anchors; /* name -> struct tr_schema_node */
    struct tr_map dynamic; /* those of $dynamicAnchor */
    bool is_used;          /* one of its nodes is compiled */
};

/* One keyword of one schema, ready to be applied. */
struct tr_schema_op {
    const struct tr_schema_keyword *keyword;
    const struct tr_json *value;   /* what the keyword says */
    const struct tr_json *sibling; /* what another keyword says, or NULL */
    struct tr_schema_node **nodes; /* one per item or member of `value` */
    const struct tr_field_pattern **patterns;
    size_t count; /* of nodes, or of patterns */
    int64_t number;
    tr_json_decimal decimal;
    tr_str anchor; /* of a $dynamicRef that is really dynamic, else empty */
};

struct tr_schema_node {
    const struct tr_json *source;
    struct tr_schema_resource *resource;
    bool is_pending; /* is compiled, or will be */
    const struct tr_schema_op *ops;
    size_t count;
};

struct tr_schema {
    struct tr_schema_node *root;
    bool tracks; /* some schema asks what was evaluated */
};

struct tr_schema_compiler {
    struct tr_arena *arena;
    struct tr_field_patterns *patterns;
    const struct tr_schema_opts *opts;
    const struct tr_json *document; /* the root, for pointers in errors */
    struct tr_map resources;        /* uri -> struct tr_schema_resource */
    struct tr_map nodes;            /* address of the source -> node */
    TR_VEC(struct tr_schema_node *) pending;
    TR_VEC(tr_str) dynamic_names; /* anchors that $dynamicRef looks for */
    bool tracks;
    struct tr_err *err;
};

/* How the value of a keyword holds schemas. */
enum tr_schema_holds {
    TR_SCHEMA_HOLDS_NONE,
    TR_SCHEMA_HOLDS_SCHEMA,
    TR_SCHEMA_HOLDS_ARRAY,
    TR_SCHEMA_HOLDS_MAP,
    TR_SCHEMA_HOLDS_EITHER,  /* a schema or an array of schemas */
    TR_SCHEMA_HOLDS_MAP_MIX, /* a map of schemas and arrays of names */
};

struct tr_schema_frame;
struct tr_schema_run;

/* Prepares an operation; `op->value` and the nodes of the schemas that it holds
 * are set before. */
typedef tr_status
tr_schema_keyword_compile_fn(struct tr_schema_compiler *c,
                             const struct tr_schema_node *node,
                             struct tr_schema_op *op);

/* Whether the frame's value satisfies the operation. Adds an error when it does
 * not, unless the schema is only tried. */
typedef bool tr_schema_keyword_check_fn(struct tr_schema_run *run,
                                        const struct tr_schema_op *op,
                                        struct tr_schema_frame *frame);

struct tr_schema_keyword {
    const char *name;
    unsigned dialects; /* bits 1 << enum tr_schema_dialect */
    unsigned vocabulary;
    enum tr_schema_holds holds;
    tr_schema_keyword_compile_fn *compile; /* NULL: nothing to prepare */
    tr_schema_keyword_check_fn *check;     /* NULL: asserts nothing */
    const char *code;                      /* of a field error */
    const char *says; /* "must match ", before the constraint */
};

/* The table, in the order of evaluation. */
extern const struct tr_schema_keyword tr_schema_keywords[];
extern const size_t tr_schema_keyword_count;

/* Whether a schema of this resource has the keyword. */
bool tr_schema_keyword_is_active(const struct tr_schema_keyword *keyword,
                                 const struct tr_schema_resource *resource);

/* index.c */

/* The node of a value that is a schema; made, with all inside it, when it is
 * new. */
TR_NODISCARD tr_status tr_schema_index(struct tr_schema_compiler *c,
                                       const struct tr_json *source,
                                       struct tr_schema_resource *resource,
                                       struct tr_schema_node **out);

/* Makes the resource of a document. */
TR_NODISCARD tr_status tr_schema_add_document(struct tr_schema_compiler *c,
                                              tr_str uri,
                                              const struct tr_json *tree,
                                              struct tr_schema_node **out);

/* The node that a reference in `node` leads to, and the reference's plain-name
 * fragment, or "". */
TR_NODISCARD tr_status tr_schema_resolve(struct tr_schema_compiler *c,
                                         const struct tr_schema_node *node,
                                         tr_str reference,
                                         struct tr_schema_node **out,
                                         tr_str *anchor);

/* compile.c */

/* Fails with TR_E_INVALID; `at` is the JSON Pointer of `node`. */
TR_PRINTF(3, 4)
tr_status tr_schema_fail(struct tr_schema_compiler *c,
                         const struct tr_schema_node *node, const char *format,
                         ...);
TR_NODISCARD tr_status tr_schema_nomem(struct tr_schema_compiler *c);

/* Has the node compiled, later. */
TR_NODISCARD tr_status tr_schema_need(struct tr_schema_compiler *c,
                                      struct tr_schema_node *node);

/* dialect.c */

/* The dialect and the vocabularies that `$schema` of `source` asks for. */
TR_NODISCARD tr_status tr_schema_read_dialect(
    struct tr_schema_compiler *c, const struct tr_json *source,
    struct tr_schema_resource *resource);

/* A document that the caller has given, or a meta-schema; NULL otherwise. */
TR_NODISCARD tr_status tr_schema_find_document(struct tr_schema_compiler *c,
                                               tr_str uri,
                                               const struct tr_json **out);

#endif
