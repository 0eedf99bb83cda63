#include "gen/path.h"

#include "base/ascii.h"
#include "base/limits.h"

/* A folder of an app, or with "" the app's own, and what files are in it. */
struct folder {
    const char *name;
    const char *ends; /* of names, with spaces between: ".lua .json"; in the
                         app's own folder whole names */
    bool is_deep;     /* folders in it have such files, too */
};

static const struct folder folders[] = {
    {"", "app.lua trails.toml README.md", false},
    {"lib", ".lua", true},
    {"shapes", ".ttl", false},
    {"connectors", ".json", false},
    {"migrations", ".lua .json", false},
    {"tests", ".lua .json", true},
    {"seeds", ".csv .json .ndjson", false},
};

static bool is_name(tr_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_first = tr_ascii_is_alnum(c) || c == '_';
        if (!is_first && (i == 0 || (c != '-' && c != '.')))
            return false;
    }
    return name.len && name.len <= TR_LIMIT_GEN_NAME;
}

static bool ends_with(tr_str text, tr_str end)
{
    return text.len > end.len &&
           tr_str_eq(tr_str_skip(text, text.len - end.len), end);
}

/* Whether a file of this name can be in it. */
static bool is_one_of(const struct folder *folder, tr_str name)
{
    tr_str rest = tr_str_from(folder->ends);
    for (bool more = true; more;) {
        tr_str end;
        tr_str after = {0};
        more = tr_str_cut(rest, ' ', &end, &after);
        if (!more)
            end = rest;
        if (folder->name[0] ? ends_with(name, end) : tr_str_eq(name, end))
            return true;
        rest = after;
    }
    return false;
}

static const struct folder *find_folder(tr_str name)
{
    for (size_t i = 0; i < TR_LEN(folders); i++) {
        if (tr_str_eq(name, tr_str_from(folders[i].name)))
            return &folders[i];
    }
    return NULL;
}

/* "lib/tax/eu.lua": the folder lib, one folder in it, and the file's name. */
static const struct folder *split(tr_str path, size_t *inside, tr_str *name)
{
    tr_str folder;
    *inside = 0;
    *name = path;
    if (!tr_str_cut(path, '/', &folder, name))
        return &folders[0];
    for (tr_str rest; tr_str_cut(*name, '/', &folder, &rest); (*inside)++)
        *name = rest;
    (void)tr_str_cut(path, '/', &folder, &path);
    return find_folder(folder);
}

static const char *refuse_names(tr_str path)
{
    for (bool more = true; more;) {
        tr_str name;
        tr_str rest = {0};
        more = tr_str_cut(path, '/', &name, &rest);
        if (!more)
            name = path;
        if (tr_str_eq(name, TR_STR(".")) || tr_str_eq(name, TR_STR("..")))
            return "must not have the steps . and ..";
        if (name.len && name.ptr[0] == '.')
            return "must not name a hidden file";
        if (!is_name(name))
            return "must be made of names of 1 to 64 letters, digits, _, - "
                   "and points";
        path = rest;
    }
    return NULL;
}

const char *tr_gen_path_refuse(tr_str path)
{
    size_t inside;
    tr_str name;
    if (!path.len)
        return "must name a file";
    if (memchr(path.ptr, '\0', path.len))
        return "must not have a NUL in it";
    if (path.ptr[0] == '/')
        return "must start in the app's folder, without a / before it";
    if (path.len > TR_LIMIT_GEN_PATH)
        return "must not be longer than 240 bytes";
    const char *why = refuse_names(path);
    if (why)
        return why;
    const struct folder *folder = split(path, &inside, &name);
    if (!folder || !is_one_of(folder, name) || (inside && !folder->is_deep))
        return "must be a file of an app, spelt so: app.lua, trails.toml, "
               "README.md, lib/**.lua, shapes/*.ttl, connectors/*.json, "
               "migrations/*.lua, tests/**.lua, seeds/*.csv";
    return inside >= TR_LIMIT_GEN_DEPTH
               ? "must not have more than 8 folders in each other"
               : NULL;
}

const char *tr_gen_path_refuse_written(tr_str path)
{
    return tr_str_eq(path, TR_STR(".gitignore")) ? NULL
                                                 : tr_gen_path_refuse(path);
}

bool tr_gen_path_is_folder(tr_str path)
{
    tr_str first = path;
    tr_str rest;
    bool is_deep = tr_str_cut(path, '/', &first, &rest);
    const struct folder *folder = find_folder(first);
    return folder && folder->name[0] && (!is_deep || folder->is_deep) &&
           !refuse_names(path);
}
