/*
 * Two processes, eight loops in each, and all want the same names: each name
 * has one owner in the end. Also built and run with ThreadSanitizer.
 */
#include "base/test.h"
#include "loop/loop.h"
#include "support/team.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOPS = 8, NAMES = 25 };

/* One loop: it creates the names one after the other. */
struct client {
    struct team team; /* but for its store, its own */
    struct team_call call;
    pthread_t thread;
    unsigned won;
    unsigned lost;
};

static void want(struct client *client, unsigned name)
{
    struct team_call *call = &client->call;
    char fields[64];
    tr_str iri;
    team_begin(call, &client->team);
    (void)snprintf(fields, sizeof(fields), "{\"name\":\"x\",\"email\":\"%u\"}",
                   name);
    CHECK_OK(team_create(call, "Person", "", fields, &iri), &call->err);
    tr_status status = team_land(call);
    if (status == TR_OK) {
        client->won++;
    } else {
        CHECK_INT(status, TR_E_VALIDATION);
        CHECK(strstr(call->write.landing.fields.ptr, "\"code\":\"unique\""));
        client->lost++;
    }
    team_end(call);
}

static void *work(void *data)
{
    struct client *client = data;
    for (unsigned name = 0; name < NAMES; name++)
        want(client, name);
    return NULL;
}

/* All loops of one process; how many names they have won. */
static unsigned compete(const struct folder *folder,
                        const struct tr_model *model)
{
    static struct client clients[LOOPS];
    struct tr_graph_store_opts opts = {.folder = folder->path};
    struct tr_graph_store *store = NULL;
    struct tr_err err = {0};
    unsigned won = 0;
    unsigned lost = 0;
    CHECK_OK(tr_graph_store_open(&opts, &store, &err), &err);
    for (size_t i = 0; i < LOOPS; i++) {
        struct team *team = &clients[i].team;
        *team = (struct team){.store = store, .model = model};
        CHECK_OK(tr_graph_store_reader(store, &team->reader, &err), &err);
        CHECK_OK(tr_loop_create(NULL, &team->loop, &err), &err);
        CHECK_INT(pthread_create(&clients[i].thread, NULL, work, &clients[i]),
                  0);
    }
    for (size_t i = 0; i < LOOPS; i++) {
        (void)pthread_join(clients[i].thread, NULL);
        won += clients[i].won;
        lost += clients[i].lost;
        tr_graph_reader_free(clients[i].team.reader);
        tr_loop_free(clients[i].team.loop);
    }
    tr_graph_store_close(store);
    CHECK_INT(won + lost, LOOPS * NAMES);
    return won;
}

TEST(each_name_is_won_once_by_all_loops_of_all_processes)
{
    struct folder folder;
    const struct tr_model *model = team_model();
    int results[2];
    unsigned theirs = 0;
    folder_open(&folder);
    CHECK_INT(pipe(results), 0);
    pid_t child = fork();
    CHECK(child >= 0);
    (void)close(results[child == 0 ? 0 : 1]); /* who dies is heard to end */
    unsigned ours = compete(&folder, model);
    if (child == 0) {
        bool is_told = write(results[1], &ours, sizeof(ours)) == sizeof(ours);
        _exit(is_told ? 0 : 1);
    }
    CHECK_INT(read(results[0], &theirs, sizeof(theirs)), sizeof(theirs));
    int status = 1;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    CHECK_INT(ours + theirs, NAMES);
    (void)close(results[0]);
    tr_model_free(model);
    folder_close(&folder);
}
