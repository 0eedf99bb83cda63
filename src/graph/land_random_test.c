/*
 * Random shapes, graphs and changesets, through a real store: a changeset lands
 * exactly when a full validation of what it would make has no result that was
 * not there before; and the store then has what it should have. Some land one
 * by one, some in a group that shares a transaction: that makes no difference.
 */
#include "base/test.h"
#include "base/vec.h"
#include "loop/loop.h"
#include "model/builder.h"
#include "rdf/writer.h"
#include "rows/quads.h"
#include "shacl/report.h"
#include "support/random_shapes.h"
#include "support/team.h"

#include <semaphore.h>

enum { CASES = 400, SETS = 5, OPS = 6, QUADS = 16 }; /* 2,000 changesets */

/* Everything that could be said. */
enum {
    NODES = RANDOM_NODES,
    LINKS = NODES * RANDOM_PREDICATES * NODES,
    TYPES = NODES * RANDOM_CLASSES,
    SUBCLASSES = RANDOM_CLASSES * RANDOM_CLASSES,
    VALUES = NODES * RANDOM_PREDICATES * 3,
    STATEMENTS = LINKS + TYPES + SUBCLASSES + VALUES
};

static uint64_t below(uint64_t bound)
{
    return tr_test_random_below(bound);
}

/* The texts that statements are made of. */
struct words {
    char n[NODES][24];
    char p[RANDOM_PREDICATES][24];
    char c[RANDOM_CLASSES][24];
};

static void spell(struct words *words)
{
    for (int i = 0; i < NODES; i++)
        (void)snprintf(words->n[i], sizeof(words->n[i]), "http://e/n%d", i);
    for (int i = 0; i < RANDOM_PREDICATES; i++)
        (void)snprintf(words->p[i], sizeof(words->p[i]), "http://e/p%d", i);
    for (int i = 0; i < RANDOM_CLASSES; i++)
        (void)snprintf(words->c[i], sizeof(words->c[i]), "http://e/C%d", i);
}

static tr_rdf_term iri(const char *text)
{
    return tr_rdf_term_iri(tr_str_from(text));
}

static tr_rdf_quad statement(const struct words *words, size_t number)
{
    static const char *const values[] = {"1", "+1", "long ago"};
    size_t i = number;
    if (i < LINKS)
        return (tr_rdf_quad){iri(words->n[i % NODES]),
                             iri(words->p[i / NODES % RANDOM_PREDICATES]),
                             iri(words->n[i / NODES / RANDOM_PREDICATES]),
                             {0}};
    i -= LINKS;
    if (i < TYPES)
        return (tr_rdf_quad){iri(words->n[i % NODES]),
                             iri(TR_RDF_IRI_RDF_TYPE),
                             iri(words->c[i / NODES]),
                             {0}};
    i -= TYPES;
    if (i < SUBCLASSES)
        return (tr_rdf_quad){iri(words->c[i % RANDOM_CLASSES]),
                             iri(TR_RDF_NS_RDFS "subClassOf"),
                             iri(words->c[i / RANDOM_CLASSES]),
                             {0}};
    i -= SUBCLASSES;
    return (tr_rdf_quad){
        iri(words->n[i % NODES]),
        iri(words->p[i / NODES % RANDOM_PREDICATES]),
        tr_rdf_term_typed(tr_str_from(values[i / NODES / RANDOM_PREDICATES]),
                          TR_STR(TR_RDF_IRI_XSD_INTEGER)),
        {0}};
}

/* One store for all cases, and what it should have. */
struct trial {
    struct team *team;
    const struct tr_model *model; /* of this case */
    struct words words;
    bool has[STATEMENTS];
    bool wanted[STATEMENTS]; /* after the changeset */
    int64_t versions[NODES + RANDOM_CLASSES];
};

static void play(struct trial *trial, enum tr_graph_op_kind kind, size_t number)
{
    tr_rdf_quad quad = statement(&trial->words, number);
    if (kind == TR_GRAPH_OP_ADD || kind == TR_GRAPH_OP_REMOVE) {
        trial->wanted[number] = kind == TR_GRAPH_OP_ADD;
        return;
    }
    for (size_t i = 0; i < STATEMENTS; i++) {
        tr_rdf_quad other = statement(&trial->words, i);
        if (tr_rdf_term_eq(&quad.subject, &other.subject) &&
            (kind == TR_GRAPH_OP_CLEAR_NODE ||
             tr_rdf_term_eq(&quad.predicate, &other.predicate)))
            trial->wanted[i] = false;
    }
}

static void add_op(struct trial *trial, struct team_call *call,
                   enum tr_graph_op_kind kind, size_t number)
{
    tr_rdf_quad quad = statement(&trial->words, number);
    CHECK_OK(tr_graph_changeset_add(&call->kg.changes, kind, &quad, &call->err),
             &call->err);
    play(trial, kind, number);
}

static void make_changes(struct trial *trial, struct team_call *call)
{
    for (uint64_t i = 1 + below(OPS); i > 0; i--) {
        uint64_t kind = below(10);
        add_op(trial, call,
               kind < 6   ? TR_GRAPH_OP_ADD
               : kind < 8 ? TR_GRAPH_OP_REMOVE
               : kind < 9 ? TR_GRAPH_OP_CLEAR_FIELD
                          : TR_GRAPH_OP_CLEAR_NODE,
               below(STATEMENTS));
    }
}

/* Each result on a line of its own. */
struct lines {
    struct tr_arena *arena;
    const struct tr_shacl_validation *validation;
    TR_VEC(tr_str) list;
};

static void put_id(const struct lines *lines, struct tr_buf *out, tr_rdf_id id)
{
    tr_rdf_term term = {0};
    struct tr_err err = {0};
    if (id != TR_RDF_ID_NONE)
        CHECK_OK(tr_shacl_validation_term(lines->validation, id, &term, &err),
                 &err);
    if (id != TR_RDF_ID_NONE)
        tr_rdf_term_write(out, &term);
    tr_buf_putc(out, ' ');
}

static tr_status keep_line(void *context, const struct tr_shacl_result *result,
                           struct tr_err *err)
{
    struct lines *lines = context;
    struct tr_buf text;
    tr_str line;
    (void)err;
    tr_buf_init(&text, TR_KIB(4));
    tr_buf_putf(&text, "%u %u ", result->shape, result->constraint);
    put_id(lines, &text, result->focus);
    put_id(lines, &text, result->value);
    put_id(lines, &text, result->predicate);
    CHECK(tr_arena_copy(lines->arena, tr_buf_str(&text), &line));
    CHECK(tr_vec_push(lines->arena, &lines->list, line));
    tr_buf_done(&text);
    return TR_OK;
}

static int compare_lines(const void *a, const void *b)
{
    return tr_str_cmp(*(const tr_str *)a, *(const tr_str *)b);
}

/* What a full validation of these statements says, sorted. */
static void judge(const struct trial *trial, const bool *has,
                  struct lines *lines)
{
    struct tr_rdf_memory_graph *graph = NULL;
    struct tr_shacl_validation *validation = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_rdf_memory_graph_create(0, &graph, &err), &err);
    for (size_t i = 0; i < STATEMENTS; i++) {
        tr_rdf_quad quad = statement(&trial->words, i);
        if (has[i])
            CHECK_OK(tr_rdf_memory_graph_add(graph, &quad, &err), &err);
    }
    CHECK_OK(tr_rdf_memory_graph_index(graph, &err), &err);
    CHECK_OK(tr_shacl_validation_create(trial->model->shapes,
                                        tr_rdf_memory_graph_view(graph), NULL,
                                        &validation, &err),
             &err);
    lines->validation = validation;
    CHECK_OK(tr_shacl_validation_run(validation, keep_line, lines, &err), &err);
    if (lines->list.count)
        qsort(lines->list.items, lines->list.count, sizeof(tr_str),
              compare_lines);
    tr_shacl_validation_free(validation);
    tr_rdf_memory_graph_free(graph);
}

/* Whether `after` has a line that `before` has not, or not as often. */
static bool has_more(const struct lines *before, const struct lines *after)
{
    size_t at = 0;
    for (size_t i = 0; i < after->list.count; i++) {
        tr_str line = after->list.items[i];
        while (at < before->list.count &&
               tr_str_cmp(before->list.items[at], line) < 0)
            at++;
        if (at == before->list.count ||
            !tr_str_eq(before->list.items[at], line))
            return true;
        at++;
    }
    return false;
}

static bool should_land(const struct trial *trial, struct tr_arena *arena)
{
    struct lines before = {.arena = arena};
    struct lines after = {.arena = arena};
    judge(trial, trial->has, &before);
    judge(trial, trial->wanted, &after);
    return !has_more(&before, &after);
}

/* The store has these statements and no others, in both of its orders. */
static void check_store(const struct trial *trial, const char *text)
{
    struct tr_graph_reader *reader = trial->team->reader;
    const struct tr_rdf_graph *stored = &reader->stored.base;
    tr_rdf_ids all = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                      TR_RDF_ID_ANY};
    struct tr_err err = {0};
    uint64_t expected = 0;
    uint64_t count = 0;
    CHECK_OK(tr_graph_reader_begin(reader, &err), &err);
    for (size_t i = 0; i < STATEMENTS; i++) {
        tr_rdf_quad quad = statement(&trial->words, i);
        tr_rdf_ids ids = {.g = TR_RDF_ID_DEFAULT_GRAPH};
        bool by_subject = false;
        uint64_t by_object = 0;
        CHECK_OK(tr_rdf_graph_find(stored, &quad.subject, &ids.s, &err), &err);
        CHECK_OK(tr_rdf_graph_find(stored, &quad.predicate, &ids.p, &err),
                 &err);
        CHECK_OK(tr_rdf_graph_find(stored, &quad.object, &ids.o, &err), &err);
        CHECK_OK(tr_rdf_graph_has(stored, ids, &by_subject, &err), &err);
        tr_rdf_id subject = ids.s;
        ids.s = TR_RDF_ID_ANY;
        struct tr_rdf_cursor cursor;
        tr_rdf_ids row;
        tr_rdf_graph_match(stored, ids, &cursor);
        while (tr_rdf_cursor_next(&cursor, &row))
            by_object += row.s == subject;
        CHECK_OK(tr_rdf_cursor_close(&cursor, &err), &err);
        CHECK_ROW(by_subject == trial->has[i], text);
        CHECK_ROW((by_object == 1) == trial->has[i], text);
        expected += trial->has[i];
    }
    CHECK_OK(tr_rdf_graph_count(stored, all, &count, &err), &err);
    tr_graph_reader_end(reader);
    CHECK_ROW(count == expected, text);
}

/* The number of a statement's subject: classes stand behind the nodes. */
static size_t subject_of(const struct trial *trial, size_t number)
{
    tr_str text = statement(&trial->words, number).subject.text;
    for (size_t i = 0; i < NODES; i++)
        if (tr_str_eq(text, tr_str_from(trial->words.n[i])))
            return i;
    for (size_t i = 0; i < RANDOM_CLASSES; i++)
        if (tr_str_eq(text, tr_str_from(trial->words.c[i])))
            return NODES + i;
    return 0;
}

/* What was wanted is there now. */
static void accept(struct trial *trial)
{
    bool is_changed[NODES + RANDOM_CLASSES] = {0};
    bool is_there[NODES + RANDOM_CLASSES] = {0};
    for (size_t i = 0; i < STATEMENTS; i++) {
        size_t subject = subject_of(trial, i);
        is_changed[subject] |= trial->has[i] != trial->wanted[i];
        is_there[subject] |= trial->wanted[i];
    }
    for (size_t i = 0; i < TR_LEN(is_there); i++) {
        if (is_changed[i])
            trial->versions[i]++;
        if (!is_there[i])
            trial->versions[i] = 0;
    }
    memcpy(trial->has, trial->wanted, sizeof(trial->has));
}

static int64_t ask(const struct trial *trial, const char *sql, const char *name)
{
    struct tr_graph_reader *reader = trial->team->reader;
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    tr_rdf_id id = TR_RDF_ID_NONE;
    bool row;
    CHECK_OK(tr_rdf_graph_find_iri(&reader->stored.base, tr_str_from(name), &id,
                                   &err),
             &err);
    CHECK_OK(tr_db_prepare(reader->db, sql, &stmt, &err), &err);
    tr_db_bind_i64(stmt, 1, (int64_t)id);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    int64_t value = row ? tr_db_column_i64(stmt, 0) : 0;
    tr_db_stmt_reset(stmt);
    return value;
}

/* What is kept beside the quads: versions, and how many a class has. */
static void check_rows(const struct trial *trial, const char *text)
{
    static const char version[] = "SELECT version FROM node WHERE s = ?1";
    static const char count[] = "SELECT count FROM type_count WHERE type = ?1";
    struct tr_err err = {0};
    CHECK_OK(tr_graph_reader_begin(trial->team->reader, &err), &err);
    for (size_t i = 0; i < NODES; i++)
        CHECK_ROW(ask(trial, version, trial->words.n[i]) == trial->versions[i],
                  text);
    for (size_t i = 0; i < RANDOM_CLASSES; i++) {
        int64_t expected = 0;
        for (size_t j = 0; j < NODES; j++)
            expected += trial->has[LINKS + i * NODES + j];
        CHECK_ROW(ask(trial, version, trial->words.c[i]) ==
                      trial->versions[NODES + i],
                  text);
        CHECK_ROW(ask(trial, count, trial->words.c[i]) == expected, text);
    }
    tr_graph_reader_end(trial->team->reader);
}

/* Sends one off; whether it should land. */
static bool begin_changeset(struct trial *trial, struct team_call *call,
                            bool is_first)
{
    const struct tr_model *kept = trial->team->model;
    team_begin(call, trial->team);
    memcpy(trial->wanted, trial->has, sizeof(trial->has));
    if (is_first) { /* whatever was there goes; nobody judges */
        for (size_t i = 0; i < STATEMENTS; i++)
            if (trial->has[i])
                add_op(trial, call, TR_GRAPH_OP_REMOVE, i);
        for (uint64_t i = below(QUADS); i > 0; i--)
            add_op(trial, call, TR_GRAPH_OP_ADD, below(STATEMENTS));
    } else {
        make_changes(trial, call);
    }
    bool expected = is_first || should_land(trial, &call->arena);
    trial->team->model = is_first ? NULL : trial->model;
    team_submit(call);
    trial->team->model = kept;
    if (expected)
        accept(trial);
    return expected;
}

static void end_changeset(struct team_call *call, bool expected,
                          const char *text)
{
    CHECK_ROW(team_wait(call) == (expected ? TR_OK : TR_E_VALIDATION), text);
    team_end(call);
}

/* Keeps the writer busy until all are there. */
struct gate {
    struct tr_db_write write;
    sem_t is_open;
};

static tr_status wait_for_gate(struct tr_db_write *write, struct tr_db *db,
                               struct tr_err *err)
{
    struct gate *gate = (struct gate *)(void *)write;
    (void)db;
    (void)err;
    while (sem_wait(&gate->is_open) != 0)
        continue;
    return TR_OK;
}

static void leave_gate(struct tr_db_write *write)
{
    tr_loop_release(write->loop);
}

static void run_group(struct trial *trial, const char *text)
{
    struct team_call calls[SETS];
    bool expected[SETS];
    struct gate gate = {.write = {.run = wait_for_gate,
                                  .done = leave_gate,
                                  .loop = trial->team->loop}};
    struct tr_err err = {0};
    CHECK(sem_init(&gate.is_open, 0, 0) == 0);
    tr_loop_hold(trial->team->loop);
    CHECK_OK(tr_db_writer_submit(tr_graph_store_writer(trial->team->store),
                                 &gate.write, &err),
             &err);
    for (size_t i = 0; i < SETS; i++)
        expected[i] = begin_changeset(trial, &calls[i], false);
    CHECK(sem_post(&gate.is_open) == 0);
    for (size_t i = 0; i < SETS; i++)
        end_changeset(&calls[i], expected[i], text);
    CHECK(sem_destroy(&gate.is_open) == 0);
    check_store(trial, text);
    check_rows(trial, text);
}

static void run_changeset(struct trial *trial, const char *text, bool is_first)
{
    struct team_call call;
    bool expected = begin_changeset(trial, &call, is_first);
    end_changeset(&call, expected, text);
    check_store(trial, text);
    check_rows(trial, text);
}

static void run_case(struct trial *trial, const struct tr_buf *text)
{
    struct tr_model_builder *builder = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("e"), &builder, &err), &err);
    CHECK_OK(tr_model_builder_add_turtle(builder, tr_buf_str(text),
                                         TR_STR("shapes.ttl"), &err),
             &err);
    CHECK_OK(tr_model_build(builder, &trial->model, &err), &err);
    tr_model_builder_free(builder);
    run_changeset(trial, text->ptr, true);
    if (below(2) == 0)
        run_group(trial, text->ptr);
    else
        for (size_t i = 0; i < SETS; i++)
            run_changeset(trial, text->ptr, false);
    tr_model_free(trial->model);
}

TEST(a_changeset_lands_exactly_when_nothing_new_is_wrong)
{
    static struct trial trial;
    struct team team;
    struct tr_buf text;
    spell(&trial.words);
    team_open(&team);
    trial.team = &team;
    tr_buf_init(&text, TR_MIB(1));
    for (size_t i = tr_test_scaled(CASES); i > 0; i--) {
        tr_buf_clear(&text);
        random_shapes_write(&text);
        tr_buf_putc(&text, '\0'); /* for the message of a failure */
        text.len--;
        run_case(&trial, &text);
    }
    tr_buf_done(&text);
    team_close(&team);
    trial.team = NULL;
}
