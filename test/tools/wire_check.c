/*
 * wire_check REVISION: each line of standard input must be a message of this
 * revision of MCP. Says which is not, and exits 1; exits 77 without the suite.
 */
#include "base/file.h"
#include "base/limits.h"
#include "support/wire.h"

int main(int argc, char **argv)
{
    struct wire wire;
    struct tr_arena arena;
    struct tr_err err;
    tr_str rest;
    tr_str line;
    int wrong = 0;
    tr_arena_init(&arena, TR_MIB(64));
    if (argc != 2 || !wire_open(&wire, argv[1]))
        return 77;
    if (tr_file_read(&arena, "-", TR_MIB(16), &rest, &err) != TR_OK)
        return 1;
    while (tr_str_cut(rest, '\n', &line, &rest)) {
        if (wire_check(&wire, line, &err) == TR_OK)
            continue;
        (void)printf("%s\n%.*s\n", err.msg, TR_FMT(line));
        wrong = 1;
    }
    wire_close(&wire);
    tr_arena_done(&arena);
    return wrong;
}
