#include "graph/part.h"

#include "audit/audit.h"
#include "base/test.h"
#include "graph/land.h"
#include "graph/load.h"
#include "model/builder.h"
#include "support/team.h"

#define SHOP "trails://team/Shop/1"

/*
 * Shop   home: Address; depots: Address, many; route: text, list; next: ref
 * Address  city: text; at: Point, optional; notes: text, list
 * Point  north: number
 */
static const struct tr_model *make_model(void)
{
    static const struct tr_field at[] = {
        {.name = TR_STR_INIT("north"), .kind = TR_FIELD_NUMBER}};
    static const struct tr_shape point = {
        .name = TR_STR_INIT("Point"), .fields = at, .count = TR_LEN(at)};
    static const struct tr_field parts[] = {
        {.name = TR_STR_INIT("city")},
        {.name = TR_STR_INIT("at"),
         .kind = TR_FIELD_OBJECT,
         .object = &point,
         .optional = true},
        {.name = TR_STR_INIT("notes"), .list = true, .optional = true},
    };
    static const struct tr_shape address = {.name = TR_STR_INIT("Address"),
                                            .fields = parts,
                                            .count = TR_LEN(parts)};
    static const struct tr_field fields[] = {
        {.name = TR_STR_INIT("home"),
         .kind = TR_FIELD_OBJECT,
         .object = &address,
         .optional = true},
        {.name = TR_STR_INIT("depots"),
         .kind = TR_FIELD_OBJECT,
         .object = &address,
         .many = true,
         .optional = true},
        {.name = TR_STR_INIT("route"), .list = true, .optional = true},
        {.name = TR_STR_INIT("next"),
         .kind = TR_FIELD_REF,
         .target = TR_STR_INIT("Shop"),
         .optional = true},
    };
    const struct tr_model_type_draft draft = {
        .shape = {
            .name = TR_STR("Shop"), .fields = fields, .count = TR_LEN(fields)}};
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("team"), &builder, &err), &err);
    CHECK_OK(tr_model_builder_add_type(builder, &draft, &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

static const char full[] =
    "{\"home\":{\"city\":\"Ulm\",\"at\":{\"north\":48.5},"
    "\"notes\":[\"b\",\"a\",\"b\"]},"
    "\"depots\":[{\"city\":\"Bonn\"},{\"city\":\"Trier\",\"notes\":[\"n\"],"
    "\"at\":{\"north\":1}}],\"route\":[\"q\",\"p\",\"q\"]}";
static const char other[] =
    "{\"home\":{\"city\":\"Bonn\",\"notes\":[\"b\"]},\"depots\":[],"
    "\"route\":[\"p\"]}";

static void open_team(struct team *team)
{
    team_open(team);
    tr_model_free(team->model);
    team->model = make_model();
}

static void create_shop(struct team *team)
{
    struct team_call call;
    tr_str iri;
    team_begin(&call, team);
    CHECK_OK(team_create(&call, "Shop", SHOP, full, &iri), &call.err);
    CHECK_OK(team_land(&call), &call.err);
    team_end(&call);
}

static int64_t count(struct team *team, const char *sql)
{
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row;
    CHECK_OK(tr_db_prepare(team->reader->db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    int64_t value = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return value;
}

static void check_sound(struct team *team, int64_t quads, int64_t nodes)
{
    struct tr_audit_compared found;
    struct tr_err err = {0};
    CHECK_OK(tr_audit_compare(team->reader->db, &found, &err), &err);
    CHECK_INT(found.extra + found.missing + found.unknown + found.counted, 0);
    CHECK_INT(count(team, "SELECT count(*) FROM spo"), quads);
    CHECK_INT(count(team, "SELECT count(*) FROM node"), nodes);
}

/* Names ------------------------------------------------------------------- */

TEST(part_is_named_after_its_owner_with_one_hash)
{
    static const struct {
        const char *owner;
        const char *field;
        size_t number;
        const char *part;
    } rows[] = {
        {"trails://p/S/1", "home", 0, "trails://p/S/1#home"},
        {"trails://p/S/1", "depots", 12, "trails://p/S/1#depots.12"},
        {"trails://p/S/1#home", "at", 0, "trails://p/S/1#home.at"},
        {"trails://p/S/1#depots.2", "at", 3, "trails://p/S/1#depots.2.at.3"},
        {"http://e/x#y", "home", 0, "http://e/x#y.home"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_buf out;
        tr_buf_init(&out, TR_KIB(1));
        tr_graph_part_write(&out, tr_str_from(rows[i].owner),
                            tr_str_from(rows[i].field), rows[i].number);
        CHECK_STR(tr_buf_str(&out), rows[i].part);
        tr_buf_done(&out);
    }
}

TEST(part_may_be_what_has_a_hash_or_was_blank_where_there_are_parts)
{
    static const struct {
        const char *iri;
        bool may_be;
    } rows[] = {
        {"trails://team/Shop/1#home", true},
        {"trails://team/.well-known/genid/l00-1", true},
        {"trails://other/.well-known/genid/b1", true},
        {"trails://team/Shop/1", false},
        {"http://e/.well-known/genid/b1", false},
        {"", false},
    };
    const struct tr_model *model = make_model();
    const struct tr_model *none = team_model();
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_str iri = tr_str_from(rows[i].iri);
        CHECK_ROW(tr_graph_part_may_be(model, iri) == rows[i].may_be,
                  rows[i].iri);
        CHECK_ROW(!tr_graph_part_may_be(none, iri), rows[i].iri);
        CHECK_ROW(!tr_graph_part_may_be(NULL, iri), rows[i].iri);
    }
    tr_model_free(model);
    tr_model_free(none);
}

/* Owners ------------------------------------------------------------------ */

struct load {
    struct team *team;
    const char *text;
    bool is_dry;
};

static tr_status load_text(void *context, struct tr_err *err)
{
    const struct load *asked = context;
    struct tr_graph_load_opts opts = {
        .path = tr_graph_store_path(asked->team->store),
        .model = asked->team->model,
        .project = TR_STR("team"),
        .is_dry = asked->is_dry};
    struct tr_graph_load *load = NULL;
    tr_str rest = tr_str_from(asked->text);
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR(""));
    TR_TRY(tr_graph_load_create(&opts, &load, err));
    struct tr_rdf_sink sink = tr_graph_load_sink(load);
    tr_status status = tr_rdf_read(TR_RDF_TRIG, &source, &sink, err);
    if (status == TR_OK)
        status = tr_graph_load_finish(load, err);
    tr_graph_load_free(load);
    return status;
}

static void load(struct team *team, const struct tr_model *model,
                 const char *text)
{
    const struct tr_model *own = team->model;
    struct load asked = {.team = team, .text = text};
    struct tr_err err = {0};
    team->model = model;
    CHECK_OK(load_text(&asked, &err), &err);
    team->model = own;
}

struct asking {
    struct team *team;
    struct tr_graph_reader *reader;
    const char *part;
    const char *owner; /* NULL: whatever it is */
};

static tr_status ask_owner(const struct asking *a, struct tr_err *err)
{
    struct tr_arena arena;
    const struct tr_rdf_graph *graph = &a->reader->stored.base;
    struct tr_graph_part_owners owners = {
        .graph = graph, .model = a->team->model, .arena = &arena};
    tr_rdf_id id;
    tr_rdf_id found = TR_RDF_ID_NONE;
    tr_rdf_term term = {0};
    TR_TRY(tr_rdf_graph_find_iri(graph, tr_str_from(a->part), &id, err));
    tr_arena_init(&arena, TR_MIB(4));
    tr_map_init(&owners.known, &arena);
    tr_status status = tr_graph_part_owner(&owners, id, &found, err);
    if (status == TR_OK)
        status = tr_rdf_graph_get(graph, found, &term, err);
    if (status == TR_OK && a->owner)
        CHECK_STR(term.text, a->owner);
    tr_arena_done(&arena);
    return status;
}

static tr_status find_owner(void *context, struct tr_err *err)
{
    struct asking *a = context;
    const struct tr_db_opts opts = {.read_only = true};
    TR_TRY(tr_graph_reader_create(tr_graph_store_path(a->team->store), &opts,
                                  &a->reader, err));
    tr_status status = tr_graph_reader_begin(a->reader, err);
    if (status == TR_OK)
        status = ask_owner(a, err);
    tr_graph_reader_end(a->reader);
    tr_graph_reader_free(a->reader);
    return status;
}

/* Named as one, and led to by a predicate that the model has for it. */
static const char told[] =
    "@prefix s: <trails://team/Shop#> . @prefix a: <trails://team/Address#> ."
    "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ."
    "@prefix g: <trails://team/.well-known/genid/> ."
    "<http://e/o> s:home <http://e/o#home> ; s:route g:c1 ;"
    " s:next <http://e/o#next> ; a:city \"x\" ."
    "<http://e/o#home> a:at <http://e/o#home.at> ; a:city \"Ulm\" ;"
    " s:home <http://e/else#home> ."
    "<http://e/o#home.at> a:city \"deep\" ."
    "g:c1 rdf:first \"a\" ; rdf:rest g:c2 . g:c2 rdf:first \"b\" ;"
    " rdf:rest () . <http://e/else#home> a:city \"y\" ."
    "<http://e/o#next> a:city \"z\" ."
    "<http://e/o#near> a:city \"nobody leads here\" .";

TEST(part_has_the_owner_that_leads_to_it)
{
    static const struct asking rows[] = {
        {.part = "http://e/o", .owner = "http://e/o"},
        {.part = "http://e/o#home", .owner = "http://e/o"},
        {.part = "http://e/o#home.at", .owner = "http://e/o"},
        {.part = "http://e/else#home", .owner = "http://e/else#home"},
        {.part = "http://e/o#next", .owner = "http://e/o#next"},
        {.part = "http://e/o#near", .owner = "http://e/o#near"},
        {.part = "trails://team/.well-known/genid/c1", .owner = "http://e/o"},
        {.part = "trails://team/.well-known/genid/c2", .owner = "http://e/o"},
    };
    struct team team;
    struct tr_err err = {0};
    open_team(&team);
    load(&team, NULL, told);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct asking asking = rows[i];
        asking.team = &team;
        CHECK_OK(find_owner(&asking, &err), &err);
    }
    team_close(&team);
}

/* What leads in a circle has no end, and is not walked for ever. */
TEST(part_of_a_list_that_bites_its_tail_ends)
{
    static const char circle[] =
        "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ."
        "@prefix g: <trails://team/.well-known/genid/> ."
        "g:a rdf:rest g:b . g:b rdf:rest g:c . g:c rdf:rest g:a .";
    struct team team;
    struct tr_err err = {0};
    struct asking asking = {.team = &team,
                            .part = "trails://team/.well-known/genid/b"};
    open_team(&team);
    load(&team, NULL, circle);
    CHECK_OK(find_owner(&asking, &err), &err);
    team_close(&team);
}

TEST(part_owner_survives_every_allocation_that_fails)
{
    struct team team;
    struct asking asking = {
        .team = &team, .part = "http://e/o#home.at", .owner = "http://e/o"};
    open_team(&team);
    load(&team, NULL, told);
    tr_test_sweep(find_owner, &asking);
    team_close(&team);
}

/* Writes ------------------------------------------------------------------ */

TEST(part_goes_when_nothing_leads_to_it)
{
    struct team team;
    struct team_call call;
    bool found;
    open_team(&team);
    create_shop(&team);
    /* Its type; ways to three addresses, two points, three lists; what they
     * say, and two statements for each of seven cells. */
    check_sound(&team, 1 + 3 + 2 + 3 + 3 + 2 + 14, 1);
    team_begin(&call, &team);
    CHECK_OK(team_update(&call, TR_STR(SHOP), other), &call.err);
    CHECK_OK(team_land(&call), &call.err);
    team_end(&call);
    check_sound(&team, 1 + 1 + 2 + 1 + 4, 1);
    team_begin(&call, &team);
    CHECK_OK(
        tr_graph_kg_delete(&call.kg, TR_STR(SHOP), NULL, &found, &call.err),
        &call.err);
    CHECK_OK(team_land(&call), &call.err);
    team_end(&call);
    check_sound(&team, 0, 0);
    team_close(&team);
}

struct writing {
    struct team *team;
    const struct tr_json *fields[2];
};

/* A call that makes a node, changes it and deletes it, and does not land. */
static tr_status write_all(void *context, struct tr_err *err)
{
    const struct writing *w = context;
    const struct tr_model_type *type =
        tr_model_find(w->team->model, TR_STR("Shop"));
    const struct tr_graph_kg_update update = {.fields = w->fields[1]};
    struct team_call call;
    tr_str iri;
    bool found;
    team_begin(&call, w->team);
    tr_status status = tr_graph_kg_create(&call.kg, type, TR_STR(SHOP),
                                          w->fields[0], &iri, err);
    if (status == TR_OK)
        status = tr_graph_kg_update(&call.kg, iri, &update, err);
    if (status == TR_OK)
        status = tr_graph_kg_delete(&call.kg, iri, NULL, &found, err);
    team_end(&call);
    return status;
}

TEST(part_write_survives_every_allocation_that_fails)
{
    struct team team;
    struct team_call call;
    struct tr_err err = {0};
    open_team(&team);
    team_begin(&call, &team);
    struct writing writing = {
        &team, {team_json(&call, full), team_json(&call, other)}};
    CHECK_OK(write_all(&writing, &err), &err); /* what is kept is there */
    tr_test_sweep(write_all, &writing);
    team_end(&call);
    team_close(&team);
}

/* Landings ---------------------------------------------------------------- */

struct landing {
    struct team *team;
    const struct tr_graph_changeset *changes;
};

static tr_status land(const struct landing *l, struct tr_db *db,
                      struct tr_err *err)
{
    struct tr_graph_lander *lander = NULL;
    struct tr_arena arena;
    bool is_other;
    struct tr_graph_landing landing = {
        .changes = l->changes, .model = l->team->model, .arena = &arena};
    tr_arena_init(&arena, TR_MIB(16));
    tr_status status = tr_graph_lander_create(db, &lander, err);
    if (status == TR_OK)
        status = tr_graph_lander_begin(lander, &is_other, err);
    if (status == TR_OK)
        status = tr_graph_land(lander, &landing, err);
    if (status == TR_OK)
        status = tr_graph_lander_settle(lander, err);
    tr_graph_lander_free(lander);
    tr_arena_done(&arena);
    return status;
}

/* All that the writer does, on this thread; nothing of it stays. */
static tr_status land_once(void *context, struct tr_err *err)
{
    const struct landing *l = context;
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(tr_graph_store_path(l->team->store), NULL, &db, err));
    tr_status status = tr_db_begin(db, TR_DB_WRITE, err);
    if (status == TR_OK)
        status = land(l, db, err);
    tr_db_close(db); /* rolls back */
    return status;
}

static void sweep_landing(struct team *team, struct team_call *call)
{
    struct landing landing = {team, &call->kg.changes};
    struct tr_err err = {0};
    CHECK_OK(land_once(&landing, &err), &err);
    tr_test_sweep(land_once, &landing);
}

TEST(part_landing_survives_every_allocation_that_fails)
{
    struct team team;
    struct team_call call;
    tr_str iri;
    bool found;
    open_team(&team);
    team_begin(&call, &team);
    CHECK_OK(team_create(&call, "Shop", SHOP, full, &iri), &call.err);
    sweep_landing(&team, &call);
    team_end(&call);
    check_sound(&team, 0, 0);
    create_shop(&team);
    team_begin(&call, &team);
    CHECK_OK(team_update(&call, TR_STR(SHOP), other), &call.err);
    sweep_landing(&team, &call);
    team_end(&call);
    team_begin(&call, &team);
    CHECK_OK(
        tr_graph_kg_delete(&call.kg, TR_STR(SHOP), NULL, &found, &call.err),
        &call.err);
    sweep_landing(&team, &call);
    team_end(&call);
    check_sound(&team, 28, 1);
    team_close(&team);
}

/* Imports ----------------------------------------------------------------- */

TEST(part_import_survives_every_allocation_that_fails)
{
    static const char text[] =
        "@prefix s: <trails://team/Shop#> ."
        "@prefix a: <trails://team/Address#> ."
        "<" SHOP "> a <trails://team/Shop> ; s:route ( \"a\" \"b\" ) ;"
        " s:home [ a:city \"Ulm\" ; a:notes ( \"n\" ) ] .";
    struct team team;
    struct load asked = {&team, text, .is_dry = true};
    struct tr_err err = {0};
    open_team(&team);
    tr_test_sweep(load_text, &asked);
    check_sound(&team, 0, 0);
    asked.is_dry = false;
    CHECK_OK(load_text(&asked, &err), &err);
    check_sound(&team, 11, 1);
    team_close(&team);
}
