/*
 * test/support/sample.h - a small app with handlers in C, and one client of it
 * in memory: what unit tests and fuzz targets of mcp/ talk to.
 */
#ifndef TR_TEST_SUPPORT_SAMPLE_H
#define TR_TEST_SUPPORT_SAMPLE_H

#include "base/buf.h"
#include "mcp/peer.h"

struct tr_cap_live;
struct sample {
    struct tr_mcp_sink sink; /* first: its functions find the sample by it */
    struct tr_loop *loop;
    struct tr_cap_registry *registry;
    struct tr_mcp_hub *hub;
    struct tr_crypto_keys *keys;
    struct tr_mcp *mcp;
    struct tr_mcp_peer peer;
    struct tr_buf sent; /* a line per message */
    /* Sees every message in both directions; may be NULL. */
    void (*watch)(struct sample *sample, bool is_ours, tr_str message);
    struct tr_cap_live *live; /* what its calls go by */
};

struct tr_cap_builder;
typedef void sample_add_fn(struct tr_cap_builder *builder);

/*
 * Opens a sample, or ends the program. `add` registers what else a test needs.
 */
void sample_open(struct sample *sample);
void sample_open_with(struct sample *sample, sample_add_fn *add);
void sample_close(struct sample *sample);

/* Sends a message and gives back every line that was sent to the client. */
tr_str sample_send(struct sample *sample, tr_str message);

/* _meta of 2026-07-28 with every client capability, as a JSON member. */
#define SAMPLE_META                                                            \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","   \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},"      \
    "\"sampling\":{},\"roots\":{}}}"

#endif
