/*
 * cap/resource.h - what an app lets clients read and fill in: resources,
 * resource templates, prompts, and completions for their arguments.
 *
 * Drafts are given to a registry builder, which checks and copies them; zero
 * and empty mean absent. JSON parts (annotations, icons, _meta) are passed on
 * as they are.
 */
#ifndef TR_CAP_RESOURCE_H
#define TR_CAP_RESOURCE_H

#include "cap/cap.h"
#include "json/json.h"

struct tr_cap_uri_template;

/* What resources, templates and prompts have in common. */
struct tr_cap_about {
    tr_str name;
    tr_str title;
    tr_str description;
    tr_str said_once; /* of a template: what it has in common with others, for
                         the instructions; or empty */
    const struct tr_json *icons; /* an array, or NULL */
    const struct tr_json *meta;  /* an object for _meta, or NULL */
    bool is_built_in;            /* every app has it */
    struct tr_cap_guard guard;
};

/* Who hears of it when it changes. */
enum tr_cap_told {
    TR_CAP_TOLD_ALL,    /* all who watch it; of an app's own, by ctx:updated */
    TR_CAP_TOLD_SCOPED, /* those whose scopes show what has changed */
    TR_CAP_TOLD_OWN,    /* the caller whom it is about */
    TR_CAP_TOLD_NEVER,  /* nobody: it cannot be watched */
};

struct tr_cap_resource {
    tr_str uri;          /* unique; with a scheme */
    tr_str uri_template; /* `uri` with a query, as lists show it, or empty */
    struct tr_cap_about about;
    tr_str mime_type;
    int64_t size;                      /* in bytes, when has_size */
    const struct tr_json *annotations; /* an object, or NULL */
    struct tr_cap_handler handler;
    enum tr_cap_told told;
    bool has_size;
    bool takes_query; /* as one with a template does: the handler reads the
                         query from the URI */
};

struct tr_cap_resource_template {
    tr_str uri_template; /* RFC 6570; unique */
    struct tr_cap_about about;
    tr_str mime_type;
    const struct tr_json *annotations;
    struct tr_cap_handler handler;
    tr_str shape_variable; /* names a shape, whose guard then holds; or empty */
    enum tr_cap_told told;

    const struct tr_cap_uri_template *compiled; /* set by registration */
};

struct tr_cap_prompt {
    struct tr_cap_about about;    /* the name is unique among prompts */
    const struct tr_shape *input; /* its arguments, of one value each, texts on
                                     the wire; registered, or NULL: none */
    struct tr_cap_handler handler;
};

enum tr_cap_ref_kind { TR_CAP_REF_PROMPT, TR_CAP_REF_RESOURCE };

/*
 * Answers completion/complete for one argument of a prompt or template, whose
 * guard it has.
 */
struct tr_cap_completion {
    enum tr_cap_ref_kind kind;
    tr_str ref;      /* the prompt's name, or the URI template as written */
    tr_str argument; /* empty: every argument of it */
    struct tr_cap_handler handler;
    tr_str where; /* it was defined, "app.lua:7", or empty */
};

/* An extension of MCP that the app takes part in, for clients to see. */
struct tr_cap_extension {
    tr_str id;                      /* such as io.modelcontextprotocol/ui */
    const struct tr_json *settings; /* an object */
};

#endif
