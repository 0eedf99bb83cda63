#include "cap/snapshot.h"
#include "config/config.h"
#include "doctor/doctor.h"
#include "fields/field.h"

static bool has_format(const struct tr_field *field)
{
    return field->kind == TR_FIELD_REF;
}

static bool has_node_type(const struct tr_field *field)
{
    return field->target.len > 0;
}

/* Which fields have in their schema what whom disturbs, and how;
 * docs/clients.md has the versions that were tried. [mcp] annotations leaves
 * out all of it. */
static const struct {
    struct tr_doctor_complaint complaint;
    bool (*has)(const struct tr_field *field);
} rows[] = {
    {{"hosts.format_iri",
      "references have `format: iri`: Claude Code, Gemini CLI, opencode, "
      "LangChain, mcp-use, Mastra and the Inspector print a line for each of "
      "them when they connect, and OpenAI's strict mode refuses it; [mcp] "
      "annotations = false leaves it out"},
     has_format},
    {{"hosts.node_type",
      "references have `trails:node_type`: AJV in strict mode, which is its "
      "default, and OpenAI's strict mode refuse such schemas; [mcp] "
      "annotations = false leaves it out"},
     has_node_type},
};

_Static_assert(TR_LEN(rows) <= TR_DOCTOR_COMPLAINTS_MAX,
               "there is room for all");

static bool is_in_shape(const struct tr_shape *shape, size_t row)
{
    for (size_t i = 0; shape && i < shape->count; i++) {
        if (rows[row].has(&shape->fields[i]))
            return true;
    }
    return false;
}

static bool is_in_tools(const struct tr_cap_snapshot *snapshot, size_t row)
{
    size_t count = tr_cap_snapshot_counts(snapshot).caps;
    for (size_t i = 0; i < count; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(snapshot, i);
        if (is_in_shape(cap->input_shape, row) ||
            is_in_shape(cap->output_shape, row))
            return true;
    }
    return false;
}

size_t tr_doctor_hosts_complain(
    const struct tr_config *config, const struct tr_cap_snapshot *snapshot,
    struct tr_doctor_complaint out[TR_DOCTOR_COMPLAINTS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; config->mcp.annotations && i < TR_LEN(rows); i++) {
        if (is_in_tools(snapshot, i))
            out[count++] = rows[i].complaint;
    }
    return count;
}
