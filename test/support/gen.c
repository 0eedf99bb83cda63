#include "support/gen.h"

#include "base/test.h"
#include "fields/check.h"
#include "fields/pattern.h"
#include "json/reader.h"

#define ARENA_BYTES TR_MIB(64)

static void check_and_run(struct gen_run *run, const struct tr_json *given)
{
    struct tr_field_patterns patterns = {0};
    struct tr_shape_checked checked = {0};
    const struct tr_shape *shape = NULL;
    run->status =
        tr_gen_input(run->call.op, &run->arena, &patterns, &shape, &run->err);
    if (run->status == TR_OK)
        run->status = tr_shape_check_input(shape, given, &run->arena, &checked,
                                           &run->err);
    run->call.arguments = checked.value;
    run->call.errors = checked.errors;
    if (run->status == TR_OK)
        run->status = tr_gen_run(&run->call, &run->err);
    tr_field_patterns_done(&patterns);
}

void gen_run(struct gen_run *run, const char *folder, const char *op,
             const char *arguments)
{
    const struct tr_json *given = NULL;
    *run = (struct gen_run){
        .project = {.folder = folder, .name = TR_STR("local")},
    };
    tr_arena_init(&run->arena, ARENA_BYTES);
    run->call = (struct tr_gen_call){
        .op = tr_gen_find(tr_str_from(op)),
        .project = &run->project,
        .arena = &run->arena,
    };
    if (!run->call.op)
        tr_test_fail("there is such an operation", op, __FILE__, __LINE__);
    run->status = tr_json_read(&run->arena, tr_str_from(arguments), NULL,
                               &given, &run->err);
    if (run->status == TR_OK)
        check_and_run(run, given);
}

void gen_done(struct gen_run *run)
{
    tr_arena_done(&run->arena);
}

const char *gen_message(const struct gen_run *run)
{
    static char text[TR_LIMIT_MESSAGE_BYTES];
    tr_str message = run->call.errors.count ? run->call.errors.items[0].message
                                            : tr_str_from(run->err.msg);
    (void)snprintf(text, sizeof(text), "%.*s", TR_FMT(message));
    return text;
}

const char *gen_text(const char *folder, const char *path)
{
    static char texts[4][TR_KIB(16)];
    static size_t next;
    char whole[512];
    char *text = texts[next++ % 4];
    (void)snprintf(whole, sizeof(whole), "%s/%s", folder, path);
    FILE *file = fopen(whole, "r");
    if (!file)
        return NULL;
    size_t got = fread(text, 1, sizeof(texts[0]) - 1, file);
    text[got] = '\0';
    (void)fclose(file);
    return text;
}
