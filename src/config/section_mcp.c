#include "base/limits.h"
#include "config/config.h"
#include "config/section.h"

static const char *const error_forms[] = {"jsonrpc", "tool", NULL};
static const char *const name_forms[] = {"verbatim", "portable", NULL};

static const struct tr_config_setting settings[] = {
    {
        .key = "tool_names",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, mcp.tool_names),
        .fallback = "verbatim",
        .choices = name_forms,
        .is_live = true,
        .help = "Portable names have underscores for dots: more hosts take "
                "them.",
    },
    {
        .key = "errors",
        .alias = "validation_errors",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, mcp.errors),
        .fallback = "jsonrpc",
        .choices = error_forms,
        .is_live = true,
        .help = "How a call that has reached its tool fails: as an error, or "
                "as a tool's result, for hosts that hide errors from the "
                "model.",
    },
    {
        .key = "max_result_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_result_bytes),
        .fallback = "80000",
        .min = 1000,
        .max = 8000000,
        .is_live = true,
        .help = "Text in one result; a longer one is cut, and says so.",
    },
    {
        .key = "annotations",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, mcp.annotations),
        .fallback = "true",
        .help = "Without, tools go without format iri, trails:node_type and "
                "`trails`, of which some hosts complain.",
    },
    {
        .key = "result_meta",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, mcp.result_meta),
        .fallback = "true",
        .is_live = true,
        .help = "Without, results do not name their activity and trace, which "
                "some hosts show the model; both are recorded.",
    },
    {
        .key = "instructions",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, mcp.instructions),
        .fallback = "",
        .is_live = true,
        .help = "What a model should know before it uses the tools.",
    },
    {
        .key = "call_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.call_timeout_s),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_CALL_S),
        .min = 1,
        .max = 86400,
        .is_live = true,
        .help = "Seconds a call may take, questions to the client included.",
    },
    {
        .key = "sessions",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, mcp.sessions),
        .fallback = "true",
        .help = "Without sessions, clients of older revisions may be served "
                "by any process, but not asked or notified.",
    },
    {
        .key = "session_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.session_timeout_s),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_SESSION_S),
        .min = 1,
        .max = 2592000,
        .help = "Seconds after which a session that nobody uses ends.",
    },
    {
        .key = "max_sessions",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_sessions),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_SESSIONS),
        .min = 1,
        .max = 1000000,
        .help = "Sessions of one loop at a time.",
    },
    {
        .key = "max_caller_sessions",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_caller_sessions),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_CALLER_SESSIONS),
        .min = 1,
        .max = 1000000,
        .help = "Sessions of one caller on one loop; callers without a name "
                "share half of max_sessions.",
    },
    {
        .key = "max_streams",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_streams),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_LISTENS),
        .min = 1,
        .max = 1000000,
        .help = "Streams of subscriptions/listen of one loop at a time.",
    },
    {
        .key = "max_subscriptions",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_subscriptions),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_SUBSCRIPTIONS),
        .min = 1,
        .max = 100000,
        .help = "Resources that one session or stream may watch.",
    },
    {
        .key = "max_batch",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_batch),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_BATCH),
        .min = 1,
        .max = 10000,
        .help = "Messages in one batch of revision 2025-03-26.",
    },
    {
        .key = "replay_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.replay_bytes),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_REPLAY),
        .min = 0,
        .max = 67108864,
        .help = "What one session keeps for a client that comes back.",
    },
    {
        .key = "max_nesting",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_nesting),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_NESTING),
        .min = 8,
        .max = TR_LIMIT_NESTING,
        .help = "How deep arrays and objects of a message may stand in "
                "each other.",
    },
    {
        .key = "scopes",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, mcp.scopes),
        .fallback = "runtime",
        .variable = "TRAILS_MCP_SCOPES",
        .help = "What callers may have at most: runtime, builder, dev, with "
                "commas between them.",
    },
};

const struct tr_config_section tr_config_section_mcp = {"mcp", settings,
                                                        TR_LEN(settings)};
