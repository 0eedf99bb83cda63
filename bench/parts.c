/*
 * bench/parts.c - what several groups of rows are made with.
 */
#include "bench.h"
#include "model/builder.h"

#include <sys/wait.h>
#include <unistd.h>

tr_status tr_bench_model(const struct tr_model_type_draft *draft,
                         const struct tr_model **out, struct tr_err *err)
{
    struct tr_model_builder *builder = NULL;
    TR_TRY(tr_model_builder_create(TR_STR("bench"), &builder, err));
    tr_status status = tr_model_builder_add_type(builder, draft, err);
    if (status == TR_OK)
        status = tr_model_build(builder, out, err);
    tr_model_builder_free(builder);
    return status;
}

size_t tr_bench_mcp_request(char *out, size_t size, const char *path,
                            const char *method, const char *name,
                            const char *body)
{
    return (size_t)snprintf(
        out, size,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
        "Accept: application/json, text/event-stream\r\n"
        "Content-Type: application/json\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n"
        "Mcp-Name: %s\r\nContent-Length: %zu\r\n\r\n%s",
        path, method, name, strlen(body), body);
}

bool tr_bench_run_line(const char *const argv[], char *line, size_t size)
{
    int ends[2];
    int status = 1;
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        if (dup2(ends[1], STDOUT_FILENO) >= 0)
            (void)execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    (void)close(ends[1]);
    ssize_t len = child > 0 ? read(ends[0], line, size - 1) : -1;
    (void)close(ends[0]);
    line[len > 0 ? len : 0] = '\0';
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 &&
           len > 0;
}
