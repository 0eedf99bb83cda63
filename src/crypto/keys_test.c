#include "base/limits.h"
#include "base/test.h"
#include "crypto/keys_inside.h"
#include "crypto/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOW   INT64_C(1785240000)
#define DAY   INT64_C(86400)
#define DIGIT "0123456789abcdef"
#define KEY   DIGIT DIGIT DIGIT DIGIT

struct place {
    char base[64];
    char folder[96];
    char file[128];
};

static void set_up(struct place *p)
{
    (void)snprintf(p->base, sizeof(p->base), "/tmp/trails-keys-XXXXXX");
    CHECK(mkdtemp(p->base) != NULL);
    (void)snprintf(p->folder, sizeof(p->folder), "%s/data", p->base);
    (void)snprintf(p->file, sizeof(p->file), "%s/keys", p->folder);
}

static void tear_down(const struct place *p)
{
    (void)unlink(p->file);
    (void)rmdir(p->file);
    (void)rmdir(p->folder);
    (void)unlink(p->folder);
    CHECK(rmdir(p->base) == 0);
}

static void write_file(const struct place *p, const char *text, mode_t mode)
{
    (void)mkdir(p->folder, 0700);
    int fd = open(p->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    CHECK(fchmod(fd, mode) == 0);
    CHECK(close(fd) == 0);
}

static unsigned mode_of(const char *path)
{
    struct stat info;
    CHECK(stat(path, &info) == 0);
    return (unsigned)info.st_mode & 07777;
}

static struct tr_crypto_keys *open_keys(const struct place *p, int64_t now)
{
    struct tr_crypto_keys *keys = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_crypto_keys_open(p->file, now, &keys, &err), &err);
    return keys;
}

static tr_str seal(struct tr_arena *arena, const struct tr_crypto_keys *keys)
{
    struct tr_crypto_seal how = {keys, TR_STR("test"), 0, true};
    tr_str out;
    CHECK_OK(tr_crypto_seal(arena, &how, TR_STR("payload"), &out, NULL), NULL);
    return out;
}

static bool opens(struct tr_arena *arena, const struct tr_crypto_keys *keys,
                  tr_str sealed, int64_t now)
{
    struct tr_crypto_unseal how = {keys, TR_STR("test"), now, true};
    tr_str out;
    return tr_crypto_unseal(arena, &how, sealed, &out, NULL) == TR_OK &&
           tr_str_eq(out, TR_STR("payload"));
}

TEST(keys_are_made_once_and_for_us_only)
{
    struct place p = {0};
    struct tr_arena arena;
    set_up(&p);
    tr_arena_init(&arena, TR_MIB(1));
    struct tr_crypto_keys *first = open_keys(&p, NOW);
    struct tr_crypto_keys *second = open_keys(&p, NOW);
    CHECK_INT(mode_of(p.folder), 0700);
    CHECK_INT(mode_of(p.file), 0600);
    CHECK(opens(&arena, second, seal(&arena, first), NOW));
    tr_crypto_keys_free(first);
    tr_crypto_keys_free(second);
    tr_arena_done(&arena);
    tear_down(&p);
}

TEST(a_rotated_key_is_accepted_for_a_day)
{
    struct place p = {0};
    struct tr_arena arena;
    struct tr_err err = {0};
    set_up(&p);
    tr_arena_init(&arena, TR_MIB(1));
    struct tr_crypto_keys *old = open_keys(&p, NOW);
    CHECK_OK(tr_crypto_keys_rotate(p.file, NOW, &err), &err);
    struct tr_crypto_keys *new = open_keys(&p, NOW);
    tr_str sealed = seal(&arena, old);
    CHECK(opens(&arena, new, sealed, NOW));
    CHECK(opens(&arena, new, sealed, NOW + DAY - 1));
    CHECK(!opens(&arena, new, sealed, NOW + DAY));
    CHECK(!opens(&arena, old, seal(&arena, new), NOW));
    struct tr_crypto_keys *again = open_keys(&p, NOW);
    CHECK(tr_crypto_keys_same(new, again));
    CHECK(!tr_crypto_keys_same(new, old));
    tr_crypto_keys_free(again);
    CHECK_OK(tr_crypto_keys_rotate(p.file, NOW + 1, &err), &err);
    struct tr_crypto_keys *newest = open_keys(&p, NOW + 1);
    CHECK(!opens(&arena, newest, sealed, NOW + 1));
    CHECK(opens(&arena, newest, seal(&arena, new), NOW + 1));
    CHECK_INT(mode_of(p.file), 0600);
    tr_crypto_keys_free(old);
    tr_crypto_keys_free(new);
    tr_crypto_keys_free(newest);
    tr_arena_done(&arena);
    tear_down(&p);
}

enum { CHILDREN = 8, TEXT = 128 };

/* A child process: opens the keys, and sends a text it sealed. */
static void seal_and_send(const struct place *p, int end)
{
    struct tr_arena arena;
    struct tr_crypto_keys *keys = NULL;
    char text[TEXT] = {0};
    tr_arena_init(&arena, TR_MIB(1));
    if (tr_crypto_keys_open(p->file, NOW, &keys, NULL) != TR_OK)
        _exit(1);
    tr_str sealed = seal(&arena, keys);
    memcpy(text, sealed.ptr, sealed.len);
    _exit(write(end, text, sizeof(text)) == TEXT ? 0 : 1);
}

static void start_children(const struct place *p, int end)
{
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0)
            seal_and_send(p, end);
    }
}

static void end_child(void)
{
    int status = 0;
    CHECK(wait(&status) > 0);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0);
}

/* Children race for the first start; the parent reads what they sealed. */
TEST(processes_that_start_together_share_their_keys)
{
    struct place p = {0};
    struct tr_arena arena;
    int ends[2];
    set_up(&p);
    tr_arena_init(&arena, TR_MIB(1));
    CHECK(pipe(ends) == 0);
    start_children(&p, ends[1]);
    for (int i = 0; i < CHILDREN; i++)
        end_child();
    struct tr_crypto_keys *keys = open_keys(&p, NOW);
    for (int i = 0; i < CHILDREN; i++) {
        char text[TEXT];
        CHECK(read(ends[0], text, sizeof(text)) == TEXT);
        CHECK(opens(&arena, keys, tr_str_from(text), NOW));
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
    tr_crypto_keys_free(keys);
    tr_arena_done(&arena);
    tear_down(&p);
}

static void check_refused(const struct place *p, tr_status status,
                          const char *part)
{
    struct tr_crypto_keys *keys = NULL;
    struct tr_err err = {0};
    CHECK_INT(tr_crypto_keys_open(p->file, NOW, &keys, &err), status);
    CHECK_ROW(strstr(err.msg, part) != NULL, err.msg);
    CHECK(keys == NULL);
}

TEST(keys_that_others_can_read_are_refused_with_what_to_do)
{
    static const mode_t modes[] = {0640, 0604, 0660, 0602, 0610};
    for (size_t i = 0; i < TR_LEN(modes); i++) {
        struct place p = {0};
        set_up(&p);
        write_file(&p, "", modes[i]);
        check_refused(&p, TR_E_INVALID, "run chmod 600");
        tear_down(&p);
    }
}

TEST(a_folder_that_others_can_write_to_is_refused)
{
    struct place p = {0};
    set_up(&p);
    CHECK(mkdir(p.folder, 0700) == 0 && chmod(p.folder, 0770) == 0);
    check_refused(&p, TR_E_INVALID, "run chmod 700");
    tear_down(&p);
}

TEST(places_where_keys_cannot_be_are_refused)
{
    struct place p = {0};
    struct tr_crypto_keys *keys = NULL;
    char deep[TR_LIMIT_PATH_BYTES + 8];
    set_up(&p);
    write_file(&p, "", 0600);
    CHECK(unlink(p.file) == 0 && mkdir(p.file, 0700) == 0);
    check_refused(&p, TR_E_INVALID, "is not a file");
    CHECK(rmdir(p.file) == 0 && rmdir(p.folder) == 0);
    int fd = open(p.folder, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
    check_refused(&p, TR_E_IO, "cannot open");
    CHECK(unlink(p.folder) == 0 && symlink("nowhere", p.folder) == 0);
    check_refused(&p, TR_E_IO, "cannot open the folder");
    memset(deep, 'd', sizeof(deep));
    deep[TR_LIMIT_PATH_BYTES - 2] = '/';
    deep[sizeof(deep) - 1] = '\0';
    CHECK(tr_crypto_keys_open(deep, NOW, &keys, NULL) != TR_OK);
    tear_down(&p);
}

TEST(a_link_in_the_place_of_the_keys_is_not_followed)
{
    struct place p = {0};
    set_up(&p);
    CHECK(mkdir(p.folder, 0700) == 0);
    CHECK(symlink("/etc/hostname", p.file) == 0);
    check_refused(&p, TR_E_IO, "cannot open");
    tear_down(&p);
}

static const struct {
    const char *text;
    const char *says;
} wrong[] = {
    {"", "begins with"},
    {"trails-keys 2\n", "begins with"},
    {"trails-keys 1", "begins with"},
    {"trails-keys 1\n", "the current key"},
    {"trails-keys 1\nprevious x y\n", "the current key"},
    {"trails-keys 1\ncurrent 2026-07-28T12:00:00Z " KEY, "the current key"},
    {"trails-keys 1\ncurrent \n", "a time and a key"},
    {"trails-keys 1\ncurrent 2026-07-28T12:00:00Z\n", "a time and a key"},
    {"trails-keys 1\ncurrent yesterday " KEY "\n", "RFC 3339"},
    {"trails-keys 1\ncurrent 2026-07-28T12:00:00Z abc\n", "64 digits"},
    {"trails-keys 1\ncurrent 2026-07-28T12:00:00Z " KEY "00\n", "64 digits"},
    {"trails-keys 1\ncurrent 2026-07-28T12:00:00Z x" DIGIT DIGIT DIGIT
     "0123456789abcde\n",
     "64 digits"},
    {"trails-keys 1\ncurrent 2026-07-28T12:00:00Z " KEY "\nprevious\n",
     "nothing stands"},
    {"trails-keys 1\ncurrent 2026-07-28T12:00:00Z " KEY "\nprevious x y\n",
     "RFC 3339"},
    {"trails-keys 1\ncurrent 2026-07-28T12:00:00Z " KEY "\n\n",
     "nothing stands"},
};

TEST(a_file_that_is_not_keys_is_refused_with_its_place)
{
    for (size_t i = 0; i < TR_LEN(wrong); i++) {
        struct tr_crypto_keys_file file;
        struct tr_err err = {0};
        CHECK_ROW(tr_crypto_keys_parse(tr_str_from(wrong[i].text), &file,
                                       &err) == TR_E_SYNTAX,
                  wrong[i].text);
        CHECK_ROW(strstr(err.msg, wrong[i].says) != NULL, wrong[i].text);
        CHECK_ROW(err.place.line > 0, wrong[i].text);
        if (i == 0)
            continue; /* an empty file is made anew */
        struct place p = {0};
        set_up(&p);
        write_file(&p, wrong[i].text, 0600);
        check_refused(&p, TR_E_SYNTAX, p.file);
        CHECK_INT(tr_crypto_keys_rotate(p.file, NOW, NULL), TR_E_SYNTAX);
        tear_down(&p);
    }
}

TEST(an_empty_file_counts_as_none)
{
    struct place p = {0};
    set_up(&p);
    write_file(&p, "", 0600);
    CHECK_INT(tr_crypto_keys_rotate(p.file, NOW, NULL), TR_E_NOT_FOUND);
    tr_crypto_keys_free(open_keys(&p, NOW));
    CHECK_OK(tr_crypto_keys_rotate(p.file, NOW, NULL), NULL);
    tear_down(&p);
}

TEST(a_long_file_is_not_read)
{
    char text[2048];
    struct place p = {0};
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    set_up(&p);
    write_file(&p, text, 0600);
    check_refused(&p, TR_E_LIMIT, "too long");
    tear_down(&p);
}

TEST(what_is_written_is_read_again)
{
    struct tr_crypto_keys_file file = {
        .current_since = NOW, .previous_since = NOW - 1, .has_previous = true};
    struct tr_crypto_keys_file back;
    char storage[1024];
    struct tr_buf text;
    struct tr_err err = {0};
    memset(file.current, 0xC5, sizeof(file.current));
    memset(file.previous, 0x01, sizeof(file.previous));
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    tr_crypto_keys_write(&file, &text);
    CHECK_OK(tr_crypto_keys_parse(tr_buf_str(&text), &back, &err), &err);
    CHECK_INT(back.current_since, NOW);
    CHECK_INT(back.previous_since, NOW - 1);
    CHECK(back.has_previous);
    CHECK(memcmp(back.current, file.current, sizeof(file.current)) == 0);
    CHECK(memcmp(back.previous, file.previous, sizeof(file.previous)) == 0);
}

TEST(rotating_what_is_not_there_is_an_error)
{
    struct place p = {0};
    set_up(&p);
    CHECK_INT(tr_crypto_keys_rotate(p.file, NOW, NULL), TR_E_NOT_FOUND);
    tear_down(&p);
}

static tr_status open_and_free(void *context, struct tr_err *err)
{
    const struct place *p = context;
    struct tr_crypto_keys *keys = NULL;
    tr_status st = tr_crypto_keys_open(p->file, NOW, &keys, err);
    tr_crypto_keys_free(keys);
    return st;
}

TEST(keys_survive_without_memory)
{
    struct place p = {0};
    set_up(&p);
    tr_test_sweep(open_and_free, &p);
    tear_down(&p);
}
