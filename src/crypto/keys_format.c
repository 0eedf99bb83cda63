#include "base/time.h"
#include "crypto/encoding.h"
#include "crypto/keys_inside.h"
#include "crypto/random.h"

#define VERSION_LINE "trails-keys 1"

static tr_status fail_at(tr_str text, const char *at, const char *message,
                         struct tr_err *err)
{
    return tr_fail_in(err, TR_E_SYNTAX, text, (size_t)(at - text.ptr), "%s",
                      message);
}

/* "<name> <time> <key>" */
static tr_status parse_line(tr_str text, tr_str line, int64_t *since,
                            unsigned char key[TR_CRYPTO_KEY_BYTES],
                            struct tr_err *err)
{
    tr_str name;
    tr_str moment;
    tr_str digits;
    tr_time time;
    if (!tr_str_cut(line, ' ', &name, &line) ||
        !tr_str_cut(line, ' ', &moment, &digits))
        return fail_at(text, line.ptr, "expected a time and a key", err);
    if (tr_time_parse(moment, &time, NULL) != TR_OK)
        return fail_at(text, moment.ptr, "this is not an RFC 3339 time", err);
    if (digits.len != 2 * TR_CRYPTO_KEY_BYTES ||
        !tr_crypto_hex_read(digits, key))
        return fail_at(text, digits.ptr, "a key is 64 digits of base 16", err);
    *since = time.seconds;
    return TR_OK;
}

static tr_status parse(tr_str text, struct tr_crypto_keys_file *file,
                       struct tr_err *err)
{
    tr_str rest = text;
    tr_str line;
    if (!tr_str_cut(rest, '\n', &line, &rest) ||
        !tr_str_eq(line, TR_STR(VERSION_LINE)))
        return tr_fail_in(err, TR_E_SYNTAX, text, 0,
                          "a file of keys begins with '" VERSION_LINE "'");
    if (!tr_str_starts(rest, TR_STR("current ")) ||
        !tr_str_cut(rest, '\n', &line, &rest))
        return fail_at(text, rest.ptr, "expected the current key", err);
    TR_TRY(parse_line(text, line, &file->current_since, file->current, err));
    if (tr_str_starts(rest, TR_STR("previous ")) &&
        tr_str_cut(rest, '\n', &line, &rest)) {
        file->has_previous = true;
        TR_TRY(
            parse_line(text, line, &file->previous_since, file->previous, err));
    }
    if (rest.len)
        return fail_at(text, rest.ptr, "nothing stands behind the keys", err);
    return TR_OK;
}

tr_status tr_crypto_keys_parse(tr_str text, struct tr_crypto_keys_file *out,
                               struct tr_err *err)
{
    struct tr_crypto_keys_file file = {0};
    tr_status status = parse(text, &file, err);
    if (status == TR_OK)
        *out = file;
    tr_crypto_secret_wipe(&file, sizeof(file));
    return status;
}

static void write_line(struct tr_buf *out, const char *name, int64_t since,
                       const unsigned char key[TR_CRYPTO_KEY_BYTES])
{
    char digits[2 * TR_CRYPTO_KEY_BYTES];
    tr_crypto_hex_write((tr_str){(const char *)key, TR_CRYPTO_KEY_BYTES},
                        digits);
    tr_buf_put(out, tr_str_from(name));
    tr_buf_putc(out, ' ');
    tr_time_write(out, (tr_time){.seconds = since});
    tr_buf_putc(out, ' ');
    tr_buf_put(out, (tr_str){digits, sizeof(digits)});
    tr_buf_putc(out, '\n');
    tr_crypto_secret_wipe(digits, sizeof(digits));
}

void tr_crypto_keys_write(const struct tr_crypto_keys_file *file,
                          struct tr_buf *out)
{
    tr_buf_put(out, TR_STR(VERSION_LINE "\n"));
    write_line(out, "current", file->current_since, file->current);
    if (file->has_previous)
        write_line(out, "previous", file->previous_since, file->previous);
}
