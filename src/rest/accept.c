#include "rest/accept.h"

#include "base/ascii.h"

/* How close a range is to a type. */
enum { NOT_MEANT, ANY, ANY_OF_KIND, SAME };

/* The best that was found for one offer: a weight in thousandths. */
struct weight {
    int closeness;
    int thousandths;
};

/* Cuts up to `end` off what is left, but not inside of a quoted string. */
static tr_str cut(tr_str *left, char end)
{
    bool is_quoted = false;
    size_t i = 0;
    for (; i < left->len; i++) {
        char c = left->ptr[i];
        if (is_quoted && c == '\\')
            i++;
        else if (c == '"')
            is_quoted = !is_quoted;
        else if (c == end && !is_quoted)
            break;
    }
    if (i > left->len)
        i = left->len;
    tr_str part = {left->ptr, i};
    *left = tr_str_skip(*left, i + 1);
    return tr_str_trim(part);
}

/* 0, 1, 0.xyz, 1.000: RFC 9110, 12.4.2. False when it is none of them. */
static bool read_weight(tr_str text, int *out)
{
    static const int places[] = {100, 10, 1};
    if (!text.len || text.len > 5 || (text.len > 1 && text.ptr[1] != '.') ||
        (text.ptr[0] != '0' && text.ptr[0] != '1'))
        return false;
    *out = (text.ptr[0] - '0') * 1000;
    for (size_t i = 2; i < text.len; i++) {
        if (!tr_ascii_is_digit(text.ptr[i]))
            return false;
        *out += (text.ptr[i] - '0') * places[i - 2];
    }
    return *out <= 1000;
}

/* Parameters other than the weight say nothing that our types have. */
static bool find_weight(tr_str params, int *out)
{
    *out = 1000;
    while (params.len) {
        tr_str name;
        tr_str value;
        tr_str one = cut(&params, ';');
        if (tr_str_cut(one, '=', &name, &value) &&
            tr_http_same_name(tr_str_trim(name), TR_STR("q")))
            return read_weight(tr_str_trim(value), out);
    }
    return true;
}

static int closeness_of(tr_str range, tr_str type)
{
    tr_str kind;
    tr_str rest;
    if (tr_str_eq(range, TR_STR("*/*")))
        return ANY;
    if (tr_http_same_name(range, type))
        return SAME;
    if (!tr_str_cut(range, '/', &kind, &rest) ||
        !tr_str_eq(rest, TR_STR("*")) || type.len <= kind.len)
        return NOT_MEANT;
    return type.ptr[kind.len] == '/' &&
                   tr_http_same_name(kind, (tr_str){type.ptr, kind.len})
               ? ANY_OF_KIND
               : NOT_MEANT;
}

static void weigh(tr_str ranges, tr_str type, struct weight *best)
{
    while (ranges.len) {
        tr_str params = cut(&ranges, ',');
        tr_str range = cut(&params, ';');
        struct weight one = {.closeness = closeness_of(range, type)};
        if (one.closeness == NOT_MEANT ||
            !find_weight(params, &one.thousandths) ||
            one.closeness < best->closeness ||
            (one.closeness == best->closeness &&
             one.thousandths <= best->thousandths))
            continue;
        *best = one;
    }
}

/* A field that comes on several lines is one list (RFC 9110, 5.3). */
static bool weigh_all(const struct tr_http_request *http, tr_str type,
                      struct weight *best)
{
    bool has_any = false;
    *best = (struct weight){0};
    for (size_t i = 0; i < http->header_count; i++) {
        tr_http_field field = tr_http_header_at(http, i);
        if (!tr_http_same_name(field.name, TR_STR("Accept")))
            continue;
        has_any = has_any || field.value.len;
        weigh(field.value, type, best);
    }
    return has_any;
}

bool tr_rest_accept_choose(const struct tr_http_request *http,
                           struct tr_rest_offers offers, size_t *out)
{
    struct weight best = {0};
    for (size_t i = 0; i < offers.count; i++) {
        struct weight one;
        tr_str params = offers.items[i];
        if (!weigh_all(http, cut(&params, ';'), &one)) {
            *out = 0;
            return true;
        }
        if (one.thousandths > best.thousandths ||
            (one.thousandths && one.thousandths == best.thousandths &&
             one.closeness > best.closeness)) {
            best = one;
            *out = i;
        }
    }
    return best.thousandths > 0;
}
