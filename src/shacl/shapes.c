#include "shacl/shapes.h"

#include "rdf/writer.h"

bool tr_shacl_shapes_have_targets(const struct tr_shacl_shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++) {
        if (shapes->shapes[i].target_count)
            return true;
    }
    return false;
}

void tr_shacl_shapes_free(struct tr_shacl_shapes *shapes)
{
    if (!shapes)
        return;
    tr_field_patterns_done(&shapes->patterns);
    tr_arena_done(&shapes->arena);
    free(shapes);
}

bool tr_shacl_shapes_find(const struct tr_shacl_shapes *shapes, tr_str iri,
                          size_t *out)
{
    for (size_t i = 0; i < shapes->count; i++) {
        const tr_rdf_term *term = &shapes->terms[shapes->shapes[i].term];
        if (term->kind == TR_RDF_TERM_IRI && tr_str_eq(term->text, iri)) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool is_simple(const struct tr_shacl_path *path)
{
    return path->kind != TR_SHACL_PATH_SEQUENCE &&
           path->kind != TR_SHACL_PATH_ALTERNATIVE;
}

static void write_part(struct tr_buf *out, const struct tr_shacl_shapes *shapes,
                       const struct tr_shacl_path *path,
                       const struct tr_rdf_prefixes *prefixes)
{
    if (!is_simple(path))
        tr_buf_putc(out, '(');
    tr_shacl_path_write(out, shapes, path, prefixes);
    if (!is_simple(path))
        tr_buf_putc(out, ')');
}

void tr_shacl_path_write(struct tr_buf *out,
                         const struct tr_shacl_shapes *shapes,
                         const struct tr_shacl_path *path,
                         const struct tr_rdf_prefixes *prefixes)
{
    static const char *const after[] = {
        [TR_SHACL_PATH_ZERO_OR_MORE] = "*",
        [TR_SHACL_PATH_ONE_OR_MORE] = "+",
        [TR_SHACL_PATH_ZERO_OR_ONE] = "?",
    };
    const char *between = path->kind == TR_SHACL_PATH_SEQUENCE ? "/" : "|";
    if (path->kind == TR_SHACL_PATH_PREDICATE) {
        const tr_rdf_term *term = &shapes->terms[path->predicate];
        if (prefixes)
            tr_rdf_turtle_write_term(out, prefixes, term);
        else
            tr_rdf_term_write(out, term);
        return;
    }
    if (path->kind == TR_SHACL_PATH_INVERSE)
        tr_buf_putc(out, '^');
    for (size_t i = 0; i < path->count; i++) {
        if (i)
            tr_buf_put(out, tr_str_from(between));
        write_part(out, shapes, path->parts[i], prefixes);
    }
    if (path->kind >= TR_SHACL_PATH_ZERO_OR_MORE)
        tr_buf_put(out, tr_str_from(after[path->kind]));
}
