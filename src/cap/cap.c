#include "cap/cap.h"

#include "fields/check.h"

static const char *const reasonings[] = {
    [TR_CAP_REASONING_NONE] = "none",
    [TR_CAP_REASONING_RDFS] = "rdfs",
    [TR_CAP_REASONING_OWL_RL] = "owl-rl",
};
static const char *const assurances[] = {
    [TR_CAP_ASSURANCE_DEFAULT] = "",
    [TR_CAP_ASSURANCE_L1] = "L1",
    [TR_CAP_ASSURANCE_L2] = "L2",
    [TR_CAP_ASSURANCE_L3] = "L3",
};
static const char *const statuses[] = {
    [TR_CAP_VERSION_ACTIVE] = "active",
    [TR_CAP_VERSION_DEPRECATED] = "deprecated",
    [TR_CAP_VERSION_EXPERIMENTAL] = "experimental",
    [TR_CAP_VERSION_RETIRED] = "retired",
};

/* The index of a name; false when it is not there. */
static bool find_name(const char *const *names, size_t count, tr_str name,
                      size_t *out)
{
    for (size_t i = 0; name.len && i < count; i++) {
        if (tr_str_eq(name, tr_str_from(names[i]))) {
            *out = i;
            return true;
        }
    }
    return false;
}

bool tr_cap_reasoning_find(tr_str name, enum tr_cap_reasoning *out)
{
    size_t i;
    if (!find_name(reasonings, TR_LEN(reasonings), name, &i))
        return false;
    *out = (enum tr_cap_reasoning)i;
    return true;
}

bool tr_cap_assurance_find(tr_str name, enum tr_cap_assurance *out)
{
    size_t i;
    if (!find_name(assurances, TR_LEN(assurances), name, &i))
        return false;
    *out = (enum tr_cap_assurance)i;
    return true;
}

bool tr_cap_version_status_find(tr_str name, enum tr_cap_version_status *out)
{
    size_t i;
    if (!find_name(statuses, TR_LEN(statuses), name, &i))
        return false;
    *out = (enum tr_cap_version_status)i;
    return true;
}

const char *tr_cap_reasoning_name(enum tr_cap_reasoning reasoning)
{
    return reasonings[reasoning];
}

const char *tr_cap_assurance_name(enum tr_cap_assurance assurance)
{
    return assurances[assurance];
}

const char *tr_cap_version_status_name(enum tr_cap_version_status status)
{
    return statuses[status];
}

struct tr_cap_meta_parts tr_cap_meta_parts(const struct tr_cap *cap)
{
    tr_str path = tr_str_skip(cap->id, sizeof("trails.") - 1);
    size_t last = path.len;
    size_t start;
    while (last && path.ptr[last - 1] != '.')
        last--;
    start = last > sizeof("meta.") - 1 ? sizeof("meta.") - 1 : 0;
    return (struct tr_cap_meta_parts){
        .space = {path.ptr + start, last ? last - 1 - start : 0},
        .op = tr_str_skip(path, last),
    };
}

bool tr_cap_is_listed(const struct tr_cap *cap, unsigned scopes)
{
    return tr_cap_guard_is_shown(&cap->guard, scopes) &&
           cap->version_status != TR_CAP_VERSION_RETIRED;
}

tr_status tr_cap_check_output(const struct tr_cap *cap,
                              const struct tr_json *value,
                              struct tr_arena *arena,
                              struct tr_shape_checked *out, struct tr_err *err)
{
    *out = (struct tr_shape_checked){0};
    if (!cap->output_shape)
        return TR_OK;
    if (!value)
        return tr_fail(err, TR_E_INTERNAL,
                       "the output does not fit: there is none");
    return tr_shape_check(cap->output_shape, value, arena, out, err);
}
