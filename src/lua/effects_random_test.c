/*
 * Random apps, whose capabilities declare by chance and do something else by
 * chance, and invoke each other: what lands is what a small model of the rules
 * says, and never more than the descriptor of the tool has promised.
 */
#include "base/test.h"
#include "cap/cap.h"
#include "cap/snapshot.h"
#include "support/lua_world.h"

enum { CASES = 400, CALLS = 6, CAPS = 4, STEPS = 4 };

/* Everything that can be said: two boxes and a node of no type, two values,
 * in each of four graphs, of which the first is the default. */
enum { SUBJECTS = 3, VALUES = 2, GRAPHS = 4 };
enum { QUADS = SUBJECTS * VALUES * GRAPHS };

static const char *const subjects[] = {"ex:b0", "ex:b1", "ex:n"};
static const char *const values[] = {"x", "y"};
static const char *const graphs[] = {"default", "http://ex.org/g",
                                     "http://ex.org/g/1", "http://ex.org/h"};

static int quad_of(int s, int v, int g)
{
    return (s * VALUES + v) * GRAPHS + g;
}

/* What may stand in graph_writes, and which of the graphs that is. */
static const struct {
    const char *text;
    bool has[GRAPHS];
} declared[] = {
    {"default", {true}},
    {"http://ex.org/g", {false, true}},
    {"ex:g", {false, true}},
    {"ex:g*", {false, true, true}},
    {"http://ex.org/g/*", {false, false, true}},
    {"ex:*", {false, true, true, true}},
    {"urn:x", {false}},
    {"*", {true, true, true, true}},
};

enum step_kind { ADD, REMOVE, UPDATE, DELETE, INVOKE, RAISE, STEP_KINDS };

struct step {
    enum step_kind kind;
    bool is_caught;
    int s;
    int v;
    int g;
    unsigned set; /* of an update: which values it has then */
    int callee;
};

struct decl {
    bool is_said;
    unsigned graph_writes; /* a set of `declared` */
    bool is_additive;      /* destructive = false */
    struct step steps[STEPS];
    int step_count;
};

struct program {
    bool in_production;
    struct decl caps[CAPS];
};

static int below(int bound)
{
    return (int)tr_test_random_below((uint64_t)bound);
}

static void draw_step(struct step *step, int own)
{
    *step = (struct step){
        .kind = (enum step_kind)below(STEP_KINDS),
        .is_caught = below(3) == 0,
        .s = below(SUBJECTS),
        .v = below(VALUES),
        .g = below(2) ? 0 : below(GRAPHS),
        .set = (unsigned)below(1 << VALUES),
        .callee = own + 1 + below(CAPS),
    };
    if (step->kind == UPDATE)
        step->s = below(2); /* a box */
    if ((step->kind == INVOKE && step->callee >= CAPS) ||
        (step->kind == RAISE && below(4)))
        step->kind = ADD;
}

static void draw(struct program *program)
{
    program->in_production = below(2);
    for (int i = 0; i < CAPS; i++) {
        struct decl *cap = &program->caps[i];
        *cap = (struct decl){.is_said = below(5) > 0,
                             .is_additive = below(4) == 0,
                             .step_count = 1 + below(STEPS)};
        if (cap->is_said && below(2)) /* most of what it does */
            cap->graph_writes = 1U << (below(2) ? 0 : TR_LEN(declared) - 1);
        for (int k = below(4); cap->is_said && k > 0; k--)
            cap->graph_writes |= 1U << below((int)TR_LEN(declared));
        for (int k = 0; k < cap->step_count; k++)
            draw_step(&cap->steps[k], i);
    }
}

/* The rules, once more. ----------------------------------------------------*/

/* A call on its way, and those that it was invoked by. */
struct frame {
    const struct decl *cap;
    struct frame *parent;
    bool was_refused;
};

struct world {
    const struct program *program;
    bool has[QUADS];
    const struct frame *by[QUADS]; /* who changed it last */
    struct frame frames[128];
    int frame_count;
};

static bool covers(const struct world *w, const struct decl *cap, int g)
{
    bool any = !cap->is_said && !w->program->in_production;
    for (size_t i = 0; i < TR_LEN(declared); i++) {
        bool is_in = cap->graph_writes >> i & 1;
        any |= is_in && (g < 0 || declared[i].has[g]);
    }
    return any;
}

/* Whether everybody permits it; -1 is some graph or other. */
static bool all_cover(const struct world *w, const struct frame *frame, int g)
{
    bool all = true;
    for (; frame; frame = frame->parent)
        all = all && covers(w, frame->cap, g);
    return all;
}

/* Asks before a change. */
static bool ask(const struct world *w, struct frame *frame, int g)
{
    struct frame *outermost = NULL;
    for (struct frame *f = frame; f; f = f->parent) {
        if (!covers(w, f->cap, g))
            outermost = f;
    }
    for (struct frame *f = frame; outermost; f = f->parent) {
        f->was_refused = true;
        if (f == outermost)
            return false;
    }
    return true;
}

static void set(struct world *w, struct frame *frame, int quad, bool has)
{
    if (w->has[quad] == has)
        return;
    w->has[quad] = has;
    w->by[quad] = frame;
}

static void clear(struct world *w, struct frame *frame, int s)
{
    for (int v = 0; v < VALUES; v++) {
        for (int g = 0; g < GRAPHS; g++)
            set(w, frame, quad_of(s, v, g), false);
    }
}

static bool update(struct world *w, struct frame *frame,
                   const struct step *step)
{
    if (!ask(w, frame, -1) || (step->set && !ask(w, frame, 0)))
        return false;
    clear(w, frame, step->s);
    for (int v = 0; v < VALUES; v++) {
        if (step->set >> v & 1)
            set(w, frame, quad_of(step->s, v, 0), true);
    }
    return true;
}

static bool run(struct world *w, int cap, struct frame *parent);

static bool do_step(struct world *w, struct frame *frame,
                    const struct step *step)
{
    int quad = quad_of(step->s, step->v, step->g);
    switch (step->kind) {
    case ADD:
    case REMOVE:
        if (!ask(w, frame, -1) || !ask(w, frame, step->g))
            return false;
        set(w, frame, quad, step->kind == ADD);
        return true;
    case UPDATE:
        return update(w, frame, step);
    case DELETE:
        if (!ask(w, frame, -1))
            return false;
        clear(w, frame, SUBJECTS - 1);
        return true;
    case INVOKE:
        return run(w, step->callee, frame);
    default:
        return false;
    }
}

/* What a call that fails has changed is undone; its frame stays, and what it
 * has made of its callers. */
static bool run(struct world *w, int cap, struct frame *parent)
{
    struct frame *frame = &w->frames[w->frame_count++];
    bool had[QUADS];
    const struct frame *by[QUADS];
    memcpy(had, w->has, sizeof(had));
    memcpy(by, w->by, sizeof(by));
    *frame = (struct frame){&w->program->caps[cap], parent, false};
    bool goes_on = true;
    for (int i = 0; goes_on && i < frame->cap->step_count; i++) {
        const struct step *step = &frame->cap->steps[i];
        goes_on = do_step(w, frame, step) || step->is_caught;
    }
    if (goes_on && !frame->was_refused)
        return true;
    memcpy(w->has, had, sizeof(had));
    memcpy(w->by, by, sizeof(by));
    return false;
}

static bool may_land(const struct world *w, const bool before[QUADS])
{
    for (int q = 0; q < QUADS; q++) {
        if (w->has[q] == before[q])
            continue;
        if (!all_cover(w, w->by[q], q % GRAPHS))
            return false;
        for (const struct frame *f = w->by[q]; f && before[q]; f = f->parent) {
            if (f->cap->is_additive)
                return false;
        }
    }
    return true;
}

/* The app. -----------------------------------------------------------------*/

struct source {
    char text[TR_KIB(12)];
    size_t len;
};

static TR_PRINTF(2, 3) void put(struct source *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(out->text + out->len, sizeof(out->text) - out->len,
                        format, args);
    va_end(args);
    CHECK(len >= 0 && out->len + (size_t)len < sizeof(out->text));
    out->len += (size_t)len;
}

static void put_step(struct source *out, const struct step *step)
{
    put(out, "  %s(function() ", step->is_caught ? "pcall" : "go");
    switch (step->kind) {
    case ADD:
    case REMOVE:
        put(out, "ctx.kg:%s('%s', 'ex:a', '%s'",
            step->kind == ADD ? "add" : "remove", subjects[step->s],
            values[step->v]);
        if (step->g > 0)
            put(out, ", '%s'", graphs[step->g]);
        put(out, ")");
        break;
    case UPDATE:
        put(out, "ctx.kg:update('%s', { a = %s })", subjects[step->s],
            step->set == 0   ? "null"
            : step->set == 1 ? "{ 'x' }"
            : step->set == 2 ? "{ 'y' }"
                             : "{ 'x', 'y' }");
        break;
    case DELETE:
        put(out, "ctx.kg:delete '%s'", subjects[SUBJECTS - 1]);
        break;
    case INVOKE:
        put(out, "ctx:invoke 'c%d'", step->callee);
        break;
    default:
        put(out, "error 'no'");
    }
    put(out, " end)\n");
}

static void put_cap(struct source *out, const struct decl *cap, int i)
{
    put(out, "capability 'c%d' { description = 'd',\n", i);
    if (cap->is_said) {
        put(out, "  side_effects = { graph_writes = {");
        for (size_t k = 0; k < TR_LEN(declared); k++) {
            if (cap->graph_writes >> k & 1)
                put(out, " '%s',", declared[k].text);
        }
        put(out, " } },\n");
    }
    if (cap->is_additive)
        put(out, "  annotations = { destructive = false },\n");
    put(out, "  run = function(ctx)\n");
    for (int k = 0; k < cap->step_count; k++)
        put_step(out, &cap->steps[k]);
    put(out, "  end }\n");
}

/* `state` tells with a letter for each quad whether it is there. */
static void put_app(struct source *out, const struct program *program)
{
    put(out,
        "node_type 'Box' { ids = 'preserve', open = true, fields = {\n"
        "  name = text,\n"
        "  a = text { many = true, optional = true, iri = 'ex:a' } } }\n"
        "local function go(f) f() end\n"
        "capability 'make' { description = 'd',\n"
        "  side_effects = { graph_writes = { 'default' } },\n"
        "  run = function(ctx)\n"
        "    for _, id in ipairs { 'ex:b0', 'ex:b1' } do\n"
        "      ctx.kg:create('Box', { name = id }, { id = id })\n"
        "    end\n"
        "  end }\n"
        "capability 'state' { description = 'd', side_effects = {},\n"
        "  run = function(ctx)\n"
        "    local has, out = {}, {}\n"
        "    for _, q in ipairs(ctx.kg:quads { predicate = 'ex:a' }) do\n"
        "      has[q.subject .. q.object .. (q.graph or 'default')] = true\n"
        "    end\n"
        "    for _, s in ipairs { 'b0', 'b1', 'n' } do\n"
        "      for _, v in ipairs { 'x', 'y' } do\n"
        "        for _, g in ipairs { 'default', 'http://ex.org/g',\n"
        "            'http://ex.org/g/1', 'http://ex.org/h' } do\n"
        "          out[#out + 1] = has['http://ex.org/' .. s .. v .. g]\n"
        "            and '1' or '0'\n"
        "        end\n"
        "      end\n"
        "    end\n"
        "    return table.concat(out)\n"
        "  end }\n");
    for (int i = 0; i < CAPS; i++)
        put_cap(out, &program->caps[i], i);
}

static bool call(struct lua_world *w, const char *name, char out[256])
{
    struct lua_call c;
    lua_call_init(&c, &w->app, name, "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 1000);
    (void)snprintf(out, 256, "%s", lua_call_text(&c));
    bool worked = c.outcome.status == TR_OK;
    lua_call_done(&c);
    return worked;
}

static void read_state(struct lua_world *w, bool has[QUADS])
{
    char text[256];
    CHECK_ROW(call(w, "state", text), text);
    const char *bits = strpbrk(text, "01");
    CHECK_ROW(bits && strspn(bits, "01") == QUADS, text);
    for (int q = 0; bits && q < QUADS; q++)
        has[q] = bits[q] == '1';
}

/* The promises, by what clients are told. */
static void check_promises(const struct tr_cap *cap, const bool before[QUADS],
                           const bool after[QUADS], const char *source)
{
    for (int q = 0; q < QUADS; q++) {
        tr_str graph = tr_str_from(q % GRAPHS ? graphs[q % GRAPHS] : "");
        if (before[q] == after[q])
            continue;
        CHECK_ROW(!tr_cap_is_read_only(cap), source);
        CHECK_ROW(after[q] || tr_cap_is_destructive(cap), source);
        CHECK_ROW(tr_cap_may_change(cap, &graph, before[q], NULL) == TR_OK,
                  source);
    }
}

/* One call of a root, in the model and in the app. */
static size_t check_call(struct lua_world *lua, struct world *w, int root,
                         const char *source)
{
    char name[8];
    char text[256];
    bool before[QUADS];
    bool after[QUADS];
    memcpy(before, w->has, sizeof(before));
    w->frame_count = 0;
    bool lands = run(w, root, NULL) && may_land(w, before);
    if (!lands)
        memcpy(w->has, before, sizeof(before));
    (void)snprintf(name, sizeof(name), "c%d", root);
    bool worked = call(lua, name, text);
    read_state(lua, after);
    if (worked != lands || memcmp(after, w->has, sizeof(after)) != 0) {
        print_error("%s: %s\n", name, text);
        tr_test_fail(lands ? "it should land" : "it should fail", source,
                     __FILE__, __LINE__);
    }
    check_promises(
        tr_cap_snapshot_find_cap(lua->app.snapshot, tr_str_from(name)), before,
        after, source);
    return memcmp(before, after, sizeof(before)) != 0 ? 2 : !worked;
}

TEST(effects_are_never_more_than_was_promised)
{
    size_t seen[3] = {0};
    size_t cases = tr_test_scaled(CASES);
    for (size_t i = 0; i < cases; i++) {
        static struct source source;
        struct program program;
        struct world w = {.program = &program};
        struct lua_world lua;
        char text[256];
        source.len = 0;
        draw(&program);
        put_app(&source, &program);
        if (program.in_production)
            lua_world_open_in_production(&lua, source.text);
        else
            lua_world_open(&lua, source.text);
        CHECK_ROW(call(&lua, "make", text), text);
        for (int k = 0; k < CALLS; k++)
            seen[check_call(&lua, &w, below(CAPS), source.text)]++;
        lua_world_close(&lua);
    }
    print_message("%zu wrote, %zu failed, %zu changed nothing\n", seen[2],
                  seen[1], seen[0]);
    CHECK(cases < CASES / 10 || (seen[1] > cases / 2 && seen[2] > cases / 2));
}
