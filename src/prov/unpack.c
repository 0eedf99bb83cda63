#include "crypto/encoding.h"
#include "prov/pack.h"

/* What is left to read; once something is missing, all further reads give 0. */
struct source {
    tr_str rest;
    bool is_broken;
};

static tr_str take(struct source *source, size_t len)
{
    if (source->rest.len < len)
        source->is_broken = true;
    if (source->is_broken)
        return (tr_str){NULL, 0};
    tr_str bytes = {source->rest.ptr, len};
    source->rest = tr_str_skip(source->rest, len);
    return bytes;
}

static unsigned take_byte(struct source *source)
{
    tr_str byte = take(source, 1);
    return byte.len ? (unsigned char)byte.ptr[0] : 0;
}

static uint64_t take_number(struct source *source)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned byte = take_byte(source);
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    source->is_broken = true;
    return 0;
}

/* Undoes the zigzag of pack.c. */
static uint64_t take_folded(struct source *source)
{
    uint64_t value = take_number(source);
    return value >> 1 ^ (~(value & 1) + 1);
}

/* An enumerator, which must be below `count`. */
static unsigned take_below(struct source *source, unsigned count)
{
    unsigned value = take_byte(source);
    if (value >= count)
        source->is_broken = true;
    return source->is_broken ? 0 : value;
}

static void take_into(struct source *source, void *out, size_t len)
{
    tr_str bytes = take(source, len);
    if (bytes.len)
        memcpy(out, bytes.ptr, len);
}

static tr_str take_trace(struct source *source, bool as_bytes,
                         struct tr_prov_room *room)
{
    if (!as_bytes)
        return take(source, take_number(source));
    tr_str bytes = take(source, TR_PROV_TRACE_DIGITS / 2);
    if (!bytes.len)
        return bytes;
    tr_crypto_hex_write(bytes, room->trace);
    return (tr_str){room->trace, sizeof(room->trace)};
}

static struct tr_prov_activity_ids take_ids(struct source *source,
                                            uint64_t *items)
{
    uint64_t count = take_number(source);
    uint64_t left_out = take_number(source);
    uint64_t last = 0;
    if (count > TR_LIMIT_PROV_IDS)
        source->is_broken = true;
    for (uint64_t i = 0; i < count && !source->is_broken; i++) {
        last += take_folded(source);
        items[i] = last;
    }
    return (struct tr_prov_activity_ids){items, source->is_broken ? 0 : count,
                                         left_out};
}

static struct tr_prov_activity_fetches
take_fetches(struct source *source, struct tr_prov_activity_fetch *items)
{
    uint64_t count = take_number(source);
    uint64_t left_out = take_number(source);
    if (count > TR_LIMIT_PROV_FETCHES)
        source->is_broken = true;
    for (uint64_t i = 0; i < count && !source->is_broken; i++) {
        items[i].host = take(source, take_number(source));
        items[i].reason = take(source, take_number(source));
        items[i].code = take_number(source);
        items[i].bytes = take_number(source);
        items[i].took_us = take_number(source);
    }
    return (struct tr_prov_activity_fetches){
        items, source->is_broken ? 0 : count, left_out};
}

static void take_meta(struct source *source, struct tr_prov_activity *a,
                      struct tr_prov_activity_file *items)
{
    unsigned scope = take_byte(source);
    uint64_t count = take_number(source);
    uint64_t left_out = take_number(source);
    if (count > TR_LIMIT_PROV_FILES ||
        (scope != TR_SCOPE_RUNTIME && scope != TR_SCOPE_BUILDER &&
         scope != TR_SCOPE_DEV))
        source->is_broken = true;
    for (uint64_t i = 0; i < count && !source->is_broken; i++) {
        items[i].path = take(source, take_number(source));
        take_into(source, items[i].sha256, sizeof(items[i].sha256));
    }
    a->scope = (enum tr_scope)scope;
    a->files = (struct tr_prov_activity_files){
        items, source->is_broken ? 0 : count, left_out};
}

static struct tr_prov_activity_cost take_cost(struct source *source)
{
    struct tr_prov_activity_cost cost;
    cost.instructions = take_number(source);
    cost.running_us = take_number(source);
    cost.result_bytes = take_number(source);
    cost.tokens = take_number(source);
    cost.micro_usd = take_number(source);
    return cost;
}

static bool unpack_more(tr_str more, struct tr_prov_activity *a,
                        struct tr_prov_room *room)
{
    struct source source = {.rest = more};
    unsigned form = take_byte(&source);
    unsigned flags = take_byte(&source);
    a->ended = take_below(&source, TR_PROV_ENDED_ASKED + 1);
    a->status = take_below(&source, TR_E_INTERNAL + 1);
    a->started_us =
        (int64_t)((uint64_t)tr_prov_uuid_us(a->id) + take_folded(&source));
    a->took_us = take_number(&source);
    a->trace_id = take_trace(&source, flags & TR_PROV_HAS_TRACE_BYTES, room);
    if (flags & TR_PROV_HAS_PARENT)
        take_into(&source, a->parent, sizeof(a->parent));
    a->has_args_digest = flags & TR_PROV_HAS_ARGS;
    if (a->has_args_digest)
        take_into(&source, a->args_digest, sizeof(a->args_digest));
    a->has_result_digest = flags & TR_PROV_HAS_RESULT;
    if (a->has_result_digest)
        take_into(&source, a->result_digest, sizeof(a->result_digest));
    a->cost = take_cost(&source);
    a->used = take_ids(&source, room->used);
    a->generated = take_ids(&source, room->generated);
    a->invalidated = take_ids(&source, room->invalidated);
    if (flags & TR_PROV_HAS_ASKED)
        a->asked = take(&source, take_number(&source));
    if (flags & TR_PROV_HAS_TRIES)
        a->tries = (unsigned)take_number(&source);
    if (flags & TR_PROV_HAS_FETCHES)
        a->fetches = take_fetches(&source, room->fetches);
    if (flags & TR_PROV_HAS_SCOPE)
        take_meta(&source, a, room->files);
    return form == TR_PROV_FORM && !source.is_broken && !source.rest.len;
}

static bool unpack_what(tr_str what, struct tr_prov_activity *a)
{
    struct source source = {.rest = what};
    a->kind = take_byte(&source);
    a->version = take(&source, take_byte(&source));
    a->name = source.rest;
    return !source.is_broken && a->kind != 0;
}

tr_status tr_prov_unpack(const struct tr_prov_row *row,
                         struct tr_prov_activity *out,
                         struct tr_prov_room *room, struct tr_err *err)
{
    *out = (struct tr_prov_activity){0};
    bool fits = row->id.len == sizeof(out->id) && row->who.len >= 1 &&
                row->who.ptr[0] == 0;
    if (fits) {
        memcpy(out->id, row->id.ptr, sizeof(out->id));
        out->principal = tr_str_skip(row->who, 1);
        fits = unpack_what(row->what, out) && unpack_more(row->more, out, room);
    }
    if (!fits)
        return tr_fail(err, TR_E_IO, "the store has an activity that is none");
    return TR_OK;
}
