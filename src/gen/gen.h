/*
 * gen/gen.h - what may be changed of an app's files: generators that write a
 * declaration, an edit that replaces a file, and the list of files.
 *
 * Each is a row of tr_gen_ops: its name, and the shape of what it takes. It
 * says what would change, as file diffs, and changes nothing unless it is told
 * to apply them: then all of them are done or none, also when the process is
 * killed. Who may is the caller's matter. No door is known here: `trails gen`
 * and the meta-capabilities run the same rows and write the same bytes.
 */
#ifndef TR_GEN_GEN_H
#define TR_GEN_GEN_H

#include "fields/error.h"
#include "fields/field.h"

/* A file of the app, by its path from the app's folder. */
struct tr_gen_file {
    tr_str path;
    tr_str text;     /* ptr is NULL where nobody has asked for it */
    size_t bytes;    /* of the text, asked for or not */
    char sha256[65]; /* of it, in lower-case digits; "" beyond
                        TR_LIMIT_GEN_FILE */
};

enum tr_gen_change { TR_GEN_CREATE, TR_GEN_MODIFY, TR_GEN_DELETE };

/* What becomes of one file. */
struct tr_gen_diff {
    tr_str path; /* from the app's folder: "app.lua", "lib/money.lua" */
    enum tr_gen_change change;
    char before_sha256[65]; /* "" of a file that is not there yet */
    char after_sha256[65];  /* "" of a file that goes */
    tr_str after;           /* the whole text; empty of a file that goes */
    tr_str unified_diff;
};

/* Whether the app would load with these texts in place of its own files.
 * TR_E_INVALID says why it would not, with file and line. */
typedef tr_status tr_gen_loads_fn(void *context,
                                  const struct tr_gen_file *files, size_t count,
                                  struct tr_err *err);

struct tr_gen_project {
    const char *folder;     /* that has app.lua, or will have it */
    tr_str name;            /* of the project: gen.app writes it down */
    tr_gen_loads_fn *loads; /* NULL: nobody tries */
    void *context;          /* of `loads` */
};

struct tr_gen_call;
struct tr_gen_argument;
struct tr_gen_tree;

/* An operation. Its meta-capability is trails.meta.<name>. */
struct tr_gen_op {
    const char *name; /* "gen.node-type", "app.edit" */
    const char *title;
    const char *description;
    bool writes;      /* it takes `apply`; the others only tell */
    const char *word; /* of app.lua, that a generator writes; or NULL */
    const struct tr_gen_argument *arguments; /* see tr_gen_input */
    size_t argument_count;
    tr_status (*run)(struct tr_gen_call *call, struct tr_err *err);
};

/* In the order in which they are told. */
extern const struct tr_gen_op tr_gen_ops[];
extern const size_t tr_gen_op_count;

/* By its name; NULL when there is none. */
const struct tr_gen_op *tr_gen_find(tr_str name);

/* The argument that names what is declared, and the one that has its fields;
 * NULL: there is none. */
const char *tr_gen_name_argument(const struct tr_gen_op *op);
const char *tr_gen_fields_argument(const struct tr_gen_op *op);

/*
 * What an operation takes, as a shape: what callers send is checked by it, and
 * the JSON Schema of its tool is a view of it. It lives in the arena.
 */
TR_NODISCARD tr_status tr_gen_input(const struct tr_gen_op *op,
                                    struct tr_arena *arena,
                                    struct tr_field_patterns *patterns,
                                    const struct tr_shape **out,
                                    struct tr_err *err);

/* One run. What it gives lives in the arena. */
struct tr_gen_call {
    const struct tr_gen_op *op;
    const struct tr_gen_project *project;
    const struct tr_json *arguments; /* as the shape has checked them */
    struct tr_arena *arena;
    const struct tr_gen_tree *tree; /* while it runs; NULL: no folder yet */

    /* What comes of it. */
    struct tr_gen_diff *diffs;
    size_t diff_count;
    size_t diff_cap;
    struct tr_gen_file *files; /* of app.source */
    size_t file_count;
    size_t file_cap;
    bool applied;
    struct tr_field_errors errors; /* with TR_E_VALIDATION */
};

/*
 * Runs it. TR_E_VALIDATION: `errors` says what is wrong with which argument, a
 * name that is taken and a path that is not allowed included. TR_E_CONFLICT: a
 * file is not what the caller took it for. TR_E_UNAVAILABLE: somebody else is
 * changing the app now. Also TR_E_INVALID for an app.lua that cannot be read as
 * Lua, TR_E_LIMIT, TR_E_IO, TR_E_NOMEM.
 */
TR_NODISCARD tr_status tr_gen_run(struct tr_gen_call *call, struct tr_err *err);

/*
 * What a run gives, as JSON: {"applied", "files": [{"path", "op",
 * "before_sha256", "after", "unified_diff"}]}; of app.source {"files":
 * [{"path", "bytes", "sha256", "text"?}]}.
 */
void tr_gen_write(struct tr_json_writer *w, const struct tr_gen_call *call);

/*
 * Ends what was left behind by a process that was killed while it applied
 * diffs: either they are all done then, or none is. Does nothing, and costs a
 * look at the folder, when there is nothing to end.
 */
TR_NODISCARD tr_status tr_gen_recover(const char *folder, struct tr_err *err);

#endif
