#include "rdf/term_table.h"

#include "base/hash.h"
#include "base/limits.h"

/* What a record is; a literal's other id is its datatype or its language. */
enum record_kind { LANGUAGE_TAG, IRI, BLANK, TYPED, TAGGED };

enum { KIND_BITS = 3, FIRST_SLOTS = 256 };
#define BLOCK_BYTES TR_KIB(256)
#define IDS_MAX     (UINT32_C(1) << (32 - KIND_BITS))

struct record {
    const char *text;
    uint32_t len;
    uint32_t kind_and_other; /* kind in the low bits */
};

/* A term as the table has it: its parts are one text and one id. */
struct key {
    tr_str text;
    uint32_t kind_and_other;
    uint32_t hash;
};

void tr_rdf_term_table_init(struct tr_rdf_term_table *table, size_t max_bytes)
{
    *table = (struct tr_rdf_term_table){.bound = (uint32_t)TR_RDF_ID_FIRST};
    tr_arena_init(&table->blocks, max_bytes);
    tr_buf_init(&table->records, max_bytes);
    tr_buf_init(&table->slots, max_bytes);
    table->seed = tr_hash_seed(table);
}

void tr_rdf_term_table_done(struct tr_rdf_term_table *table)
{
    tr_arena_done(&table->blocks);
    tr_buf_done(&table->records);
    tr_buf_done(&table->slots);
}

static struct record *record_at(const struct tr_rdf_term_table *table,
                                uint32_t id)
{
    return (struct record *)(void *)table->records.ptr + (id - TR_RDF_ID_FIRST);
}

static tr_str text_of(const struct tr_rdf_term_table *table, uint32_t id)
{
    const struct record *record = record_at(table, id);
    return (tr_str){record->text, record->len};
}

static struct tr_rdf_term_slot *slots_of(const struct tr_buf *slots)
{
    return (struct tr_rdf_term_slot *)(void *)slots->ptr;
}

/* The datatype or language of a literal is no part of its hash: it is looked up
 * while the slot of the literal is on its way from memory. */
static uint32_t hash_of(const struct tr_rdf_term_table *table, tr_str text,
                        enum record_kind kind)
{
    return (uint32_t)(tr_hash_bytes(text, table->seed ^ (uint64_t)kind) >> 32);
}

static struct key key_of(tr_str text, uint32_t hash, enum record_kind kind,
                         uint32_t other)
{
    return (struct key){text, other << KIND_BITS | (uint32_t)kind, hash};
}

/* The slot that has the key, or the free one where it belongs. */
static struct tr_rdf_term_slot *probe(const struct tr_rdf_term_table *table,
                                      const struct key *key)
{
    struct tr_rdf_term_slot *slots = slots_of(&table->slots);
    for (uint32_t i = key->hash;; i++) {
        struct tr_rdf_term_slot *slot = &slots[i & table->slot_mask];
        if (slot->id == 0)
            return slot;
        if (slot->hash != key->hash)
            continue;
        const struct record *record = record_at(table, slot->id);
        if (record->kind_and_other == key->kind_and_other &&
            tr_str_eq((tr_str){record->text, record->len}, key->text))
            return slot;
    }
}

static uint32_t find_key(const struct tr_rdf_term_table *table,
                         const struct key *key)
{
    return table->slot_mask ? probe(table, key)->id : 0;
}

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for the terms of a graph");
}

static void copy_slots(struct tr_rdf_term_slot *to, uint32_t mask,
                       const struct tr_rdf_term_table *table)
{
    const struct tr_rdf_term_slot *from = slots_of(&table->slots);
    for (size_t i = 0; table->slot_mask && i <= table->slot_mask; i++) {
        uint32_t at = from[i].hash;
        if (from[i].id == 0)
            continue;
        while (to[at & mask].id)
            at++;
        to[at & mask] = from[i];
    }
}

static tr_status grow_slots(struct tr_rdf_term_table *table, struct tr_err *err)
{
    size_t count = table->slot_mask ? ((size_t)table->slot_mask + 1) * 2
                                    : (size_t)FIRST_SLOTS;
    struct tr_buf larger;
    tr_buf_init(&larger, table->slots.max);
    if (!tr_buf_grow(&larger, count * sizeof(struct tr_rdf_term_slot)))
        return fail_memory(err);
    memset(larger.ptr, 0, count * sizeof(struct tr_rdf_term_slot));
    copy_slots(slots_of(&larger), (uint32_t)(count - 1), table);
    tr_buf_done(&table->slots);
    table->slots = larger;
    table->slot_mask = (uint32_t)(count - 1);
    return TR_OK;
}

/* Small texts share a block; a large one has its own. */
static const char *copy_text(struct tr_rdf_term_table *table, tr_str text)
{
    if (text.len > BLOCK_BYTES / 8) {
        char *own = tr_arena_alloc(&table->blocks, text.len);
        return own ? memcpy(own, text.ptr, text.len) : NULL;
    }
    if (text.len > (size_t)(table->end - table->next) || !table->next) {
        char *block = tr_arena_alloc(&table->blocks, BLOCK_BYTES);
        if (!block)
            return NULL;
        table->next = block;
        table->end = block + BLOCK_BYTES;
    }
    char *copy = table->next;
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    table->next += text.len;
    return copy;
}

static tr_status append(struct tr_rdf_term_table *table, const struct key *key,
                        uint32_t *out, struct tr_err *err)
{
    if (key->text.len > TR_LIMIT_RDF_TERM || table->bound >= IDS_MAX)
        return tr_fail(err, TR_E_LIMIT,
                       "the graph has too many or too long "
                       "terms");
    uint32_t count = table->bound - (uint32_t)TR_RDF_ID_FIRST;
    if (count >= table->slot_mask / 4 * 3)
        TR_TRY(grow_slots(table, err));
    char *room = tr_buf_room(&table->records, sizeof(struct record));
    const char *text = room ? copy_text(table, key->text) : NULL;
    if (!text)
        return fail_memory(err);

    struct record record = {text, (uint32_t)key->text.len, key->kind_and_other};
    memcpy(room, &record, sizeof(record));
    table->records.len += sizeof(record);
    *probe(table, key) = (struct tr_rdf_term_slot){key->hash, table->bound};
    *out = table->bound++;
    return TR_OK;
}

static tr_status add_key(struct tr_rdf_term_table *table, const struct key *key,
                         uint32_t *out, struct tr_err *err)
{
    uint32_t known = find_key(table, key);
    if (!known)
        return append(table, key, out, err);
    *out = known;
    return TR_OK;
}

static enum record_kind kind_of(const tr_rdf_term *term)
{
    switch (term->kind) {
    case TR_RDF_TERM_NONE:
        break;
    case TR_RDF_TERM_IRI:
        return IRI;
    case TR_RDF_TERM_BLANK:
        return BLANK;
    case TR_RDF_TERM_LITERAL:
        return term->language.len ? TAGGED : TYPED;
    }
    return LANGUAGE_TAG;
}

/* The key of the datatype or language tag of a literal. */
static bool other_of(const struct tr_rdf_term_table *table,
                     const tr_rdf_term *term, struct key *out)
{
    if (term->kind != TR_RDF_TERM_LITERAL)
        return false;
    enum record_kind kind = term->language.len ? LANGUAGE_TAG : IRI;
    tr_str text = term->language.len ? term->language : term->datatype;
    *out = key_of(text, hash_of(table, text, kind), kind, 0);
    return true;
}

uint32_t tr_rdf_term_table_hash(const struct tr_rdf_term_table *table,
                                const tr_rdf_term *term)
{
    uint32_t hash = hash_of(table, term->text, kind_of(term));
    if (table->slot_mask)
        __builtin_prefetch(&slots_of(&table->slots)[hash & table->slot_mask]);
    return hash;
}

static bool is_last_datatype(const struct tr_rdf_term_table *table,
                             const tr_rdf_term *term)
{
    return table->datatype && term->kind == TR_RDF_TERM_LITERAL &&
           term->language.len == 0 &&
           tr_str_eq(text_of(table, table->datatype), term->datatype);
}

tr_status tr_rdf_term_table_add(struct tr_rdf_term_table *table,
                                const tr_rdf_term *term, uint32_t hash,
                                uint32_t *out, struct tr_err *err)
{
    struct key key;
    uint32_t other = 0;
    if (is_last_datatype(table, term)) {
        other = table->datatype;
    } else if (other_of(table, term, &key)) {
        TR_TRY(add_key(table, &key, &other, err));
        table->datatype = term->language.len ? 0 : other;
    }
    key = key_of(term->text, hash, kind_of(term), other);
    return add_key(table, &key, out, err);
}

uint32_t tr_rdf_term_table_find(const struct tr_rdf_term_table *table,
                                const tr_rdf_term *term)
{
    struct key key;
    uint32_t other = 0;
    if (term->kind == TR_RDF_TERM_NONE)
        return 0;
    if (other_of(table, term, &key)) {
        other = find_key(table, &key);
        if (!other)
            return 0;
    }
    key = key_of(term->text, hash_of(table, term->text, kind_of(term)),
                 kind_of(term), other);
    return find_key(table, &key);
}

bool tr_rdf_term_table_get(const struct tr_rdf_term_table *table, tr_rdf_id id,
                           tr_rdf_term *out)
{
    if (id < TR_RDF_ID_FIRST || id >= table->bound)
        return false;
    const struct record *record = record_at(table, (uint32_t)id);
    tr_str text = {record->text, record->len};
    uint32_t other = record->kind_and_other >> KIND_BITS;
    switch ((enum record_kind)(record->kind_and_other & 7)) {
    case LANGUAGE_TAG:
        return false;
    case IRI:
        *out = tr_rdf_term_iri(text);
        return true;
    case BLANK:
        *out = tr_rdf_term_blank(text);
        return true;
    case TYPED:
        *out = tr_rdf_term_typed(text, text_of(table, other));
        return true;
    case TAGGED:
        *out = tr_rdf_term_lang(text, text_of(table, other));
        return true;
    }
    return false;
}
