/*
 * test/support/world.h - a small store with a model, for tests that read.
 *
 * The types: w:Thing {title, size, tag*}, w:Task (a Thing) {done, due, share,
 * owner -> Person, needs* -> Task}, w:Person {name, owner -> Person}. Fields
 * are w:<field>, but for person:name and w:boss, the owner of a Person.
 */
#ifndef TR_TEST_SUPPORT_WORLD_H
#define TR_TEST_SUPPORT_WORLD_H

#include "graph/read_ctx.h"
#include "json/json.h"
#include "support/folder.h"

struct world {
    struct folder folder;
    struct tr_db *db;
    struct tr_graph_terms *terms;
    struct tr_graph_stored_graph stored;
    struct tr_graph_value_set values;
    const struct tr_model *model;
    struct tr_arena arena;
    struct tr_graph_overlay *overlay; /* NULL until world_change */
};

void world_open(struct world *world);
void world_close(struct world *world);

/* Adds TriG to what is stored, or to the changes once there are some; the
 * prefixes w: (http://w/), person:, rdfs: and xsd: are there. */
void world_add(struct world *world, const char *trig);
void world_remove(struct world *world, const char *trig);
void world_add_quad(struct world *world, const tr_rdf_quad *quad);
void world_remove_quad(struct world *world, const tr_rdf_quad *quad);

/*
 * Brings up to date what is kept beside the quads: rows of nodes, counts,
 * search, the indexes that the model declares.
 */
void world_land(struct world *world);

/* The last of these alone, for another model. */
void world_index(struct world *world);

/* From here on everything is a change that has not landed. */
void world_change(struct world *world);

struct tr_graph_read_ctx world_read_ctx(struct world *world);
const struct tr_model_type *world_type(const struct world *world,
                                       const char *name);

/* Fails the test unless a value is this JSON, byte by byte. */
void world_check_json(const struct tr_json *value, const char *expected);

#endif
