/*
 * base/limits.h - every size that comes from outside has its maximum here.
 *
 * These are the defaults; where a setting can change one, the comment names it.
 */
#ifndef TR_BASE_LIMITS_H
#define TR_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define TR_KIB(n) ((size_t)(n)*1024)
#define TR_MIB(n) ((size_t)(n)*1024 * 1024)

/* Text of one JSON document. */
#define TR_LIMIT_JSON_BYTES TR_MIB(64)

/*
 * Arrays and objects in each other, of a JSON or TOML document. For what
 * clients send: [mcp] max_nesting
 */
#define TR_LIMIT_NESTING 512

/* Values, keys included, in one JSON or TOML document. */
#define TR_LIMIT_JSON_NODES 8000000

/* A CSV file: columns, bytes of a cell, and of a row. */
#define TR_LIMIT_CSV_COLUMNS 1024
#define TR_LIMIT_CSV_CELL    TR_MIB(16)
#define TR_LIMIT_CSV_ROW     TR_MIB(64)

/* Text of one TOML file. */
#define TR_LIMIT_TOML_BYTES TR_MIB(1)

/* One IRI or literal of an RDF document, and one line of N-Triples. */
#define TR_LIMIT_RDF_TERM TR_MIB(16)

/* Prefixes of one Turtle document, names and IRIs together. */
#define TR_LIMIT_RDF_PREFIX_BYTES TR_MIB(1)

/* Each table of a graph in memory: text, terms, quads in one order. */
#define TR_LIMIT_GRAPH_TABLE TR_MIB(4096)

/* One line of the log; a longer one is cut and says so. */
#define TR_LIMIT_LOG_LINE TR_KIB(8)

/* A diff of two texts: bytes and lines of each, memory beside them, and steps
 * to find the shortest: 30 ms. */
#define TR_LIMIT_DIFF_BYTES  TR_MIB(16)
#define TR_LIMIT_DIFF_LINES  ((size_t)1000000)
#define TR_LIMIT_DIFF_MEMORY TR_MIB(64)
#define TR_LIMIT_DIFF_WORK   ((size_t)5000000)

/* The file of a host that an app is installed in: its text, memory to change
 * it, and bytes of an entry. */
#define TR_LIMIT_INSTALL_BYTES  TR_MIB(16)
#define TR_LIMIT_INSTALL_MEMORY TR_MIB(512)
#define TR_LIMIT_INSTALL_ENTRY  TR_KIB(64)

/* What a command prints from memory at once. */
#define TR_LIMIT_CLI_OUTPUT TR_MIB(16)

/* A report on data: its results, and its text. */
#define TR_LIMIT_CLI_REPORT TR_MIB(512)

/* A line that a person types in answer to a question. */
#define TR_LIMIT_CLI_LINE TR_KIB(4)

/* What a command keeps in memory, its files included. */
#define TR_LIMIT_CLI_MEMORY TR_MIB(64)

/* The text of a credential; a file of keys, and the keys in it. */
#define TR_LIMIT_BEARER_BYTES TR_KIB(8)
#define TR_LIMIT_JWKS_BYTES   TR_KIB(256)
#define TR_LIMIT_JWKS_KEYS    64

/* The secrets of an app, all that they and their names have together, and how
 * many texts and secrets one text is put together from. */
#define TR_LIMIT_SECRETS       ((size_t)64)
#define TR_LIMIT_SECRETS_BYTES TR_KIB(64)
#define TR_LIMIT_SECRET_PARTS  ((size_t)64)

/* A principal, and the name of a token. */
#define TR_LIMIT_PRINCIPAL  256
#define TR_LIMIT_TOKEN_NAME 64

/* Credentials that one loop remembers to have verified. */
#define TR_LIMIT_BEARERS 4096

/* Posts that wait in the inbox of one loop. */
#define TR_LIMIT_LOOP_INBOX 4096

/* Writes that wait for the writer, and that share one commit. */
#define TR_LIMIT_WRITES_WAITING 4096
#define TR_LIMIT_WRITES_GROUP   256

/*
 * Pages in SQLite's log: how many before they are moved into the store, and how
 * many before the writer helps with that (db/checkpoint.h).
 */
#define TR_LIMIT_LOG_PAGES 1000
#define TR_LIMIT_LOG_MAX   16000

/* Fields that are unique together. */
#define TR_LIMIT_UNIQUE_FIELDS 16

/* Indexes that one type declares, and fields of one of them. */
#define TR_LIMIT_INDEXES      16
#define TR_LIMIT_INDEX_FIELDS 8

/* SHACL: steps of the validation of one changeset, while others wait. */
#define TR_LIMIT_LANDING_WORK ((uint64_t)20000000)

/* Changes of one call, and what they may take while they land. */
#define TR_LIMIT_CHANGE_OPS   1000000
#define TR_LIMIT_CHANGE_BYTES TR_MIB(256)

/* The name of a counter, and the numbers that one call takes. */
#define TR_LIMIT_COUNTER_NAME ((size_t)200)
#define TR_LIMIT_COUNTERS     4096

/* What a call that was too late waits for before its next try: more than these
 * it leaves to chance. */
#define TR_LIMIT_RIVALS 8

/* Tries of a call after its first. [runtime] retries */
#define TR_LIMIT_RETRIES 5

/* Log lines of a call that are remembered, so that its next try does not send
 * them again. */
#define TR_LIMIT_NOTES_KEPT 1000

/* Items per page: default, and maximum. */
#define TR_LIMIT_PAGE_DEFAULT 100
#define TR_LIMIT_PAGE         1000

/* Instances of a type that are compared with the name of one that is not there,
 * and those that are then told. */
#define TR_LIMIT_NEAR       ((size_t)100)
#define TR_LIMIT_NEAR_SHOWN ((size_t)3)

/* Of a picture: code points of a text and of what is told of a box, rows of a
 * box, neighbours of a node by one field, spots that arrows pass, bytes. */
#define TR_LIMIT_DRAWN_TEXT  ((size_t)40)
#define TR_LIMIT_DRAWN_ABOUT ((size_t)400)
#define TR_LIMIT_DRAWN_ROWS  ((size_t)40)
#define TR_LIMIT_DRAWN_NEAR  ((size_t)12)
#define TR_LIMIT_DRAWN_SPOTS ((size_t)20000)

/* A key that is longer is not shown beside the id of the node that has it. */
#define TR_LIMIT_KEY_SHOWN ((size_t)1024)

/* Nodes that are named as those that need one which cannot be deleted; and
 * bytes of each such name. */
#define TR_LIMIT_NEEDED_SHOWN ((size_t)5)
#define TR_LIMIT_SHOWN_NAME   ((size_t)64)

/*
 * The result of one search by a tool that trails makes for a type; it fits into
 * [mcp] max_result_bytes.
 */
#define TR_LIMIT_FIND_BYTES TR_KIB(64)

/* Rows of a table that are counted at most, because a loop waits for it. */
#define TR_LIMIT_GLANCE 100000

/* How far from the first a page may start that is found by counting. */
#define TR_LIMIT_OFFSET ((size_t)100000)

/* How far the matches of a query are counted. */
#define TR_LIMIT_COUNT 10000

/* Nodes or quads that one query looks at, while its loop waits. */
#define TR_LIMIT_QUERY_WORK ((size_t)50000)

/* A filter: conditions in it, how deep `any` stands in `any`, and values that
 * one of them may be equal to. */
#define TR_LIMIT_FILTER_CONDITIONS ((size_t)64)
#define TR_LIMIT_FILTER_DEPTH      4
#define TR_LIMIT_FILTER_ONE_OF     ((size_t)100)

/* Matches of a query that are sorted, where no index has its order. */
#define TR_LIMIT_QUERY_SORTED ((size_t)10000)

/* Groups of an aggregate that are given, and what else than their count is
 * asked of each. */
#define TR_LIMIT_QUERY_GROUPS   ((size_t)1000)
#define TR_LIMIT_QUERY_MEASURES ((size_t)16)

/* Fields whose slow queries are remembered. */
#define TR_LIMIT_QUERY_SCANS ((size_t)32)

/* A walk through the graph: its steps, repetitions counted. */
#define TR_LIMIT_TRAVERSE_DEPTH 16

/* What somebody searches for: its text, and words in it. */
#define TR_LIMIT_SEARCH_BYTES TR_KIB(1)
#define TR_LIMIT_SEARCH_WORDS 32

/* Nodes whose text one search looks at, and bytes of these texts. */
#define TR_LIMIT_SEARCH_NODES      ((size_t)10000)
#define TR_LIMIT_SEARCH_TEXT_BYTES TR_MIB(16)

/* An import: quads that are in memory at a time, and the text in them. */
#define TR_LIMIT_LOAD_BATCH 1000000
#define TR_LIMIT_LOAD_TEXT  TR_MIB(256)

/*
 * Import: quads up to which it is validated before it keeps others from
 * writing, memory of that, and how often, when others write meanwhile; and
 * steps of a validation of more, while they wait.
 */
#define TR_LIMIT_LOAD_AHEAD       ((size_t)200000)
#define TR_LIMIT_LOAD_AHEAD_BYTES TR_MIB(512)
#define TR_LIMIT_LOAD_TRIES       3
#define TR_LIMIT_LOAD_WORK        ((uint64_t)200000000)

/* An import of rows: mistakes that are told, memory of one row, and names that
 * are remembered after they were looked up. */
#define TR_LIMIT_TABLE_TOLD  10000
#define TR_LIMIT_TABLE_ROW   TR_MIB(256)
#define TR_LIMIT_TABLE_KNOWN ((size_t)50000)

/* The change feed: rows that are kept. */
#define TR_LIMIT_FEED_ROWS 100000

/*
 * Provenance: ids of each list that an activity keeps, bytes of a name, and of
 * what waits on one loop to be written.
 */
#define TR_LIMIT_PROV_IDS     1000
#define TR_LIMIT_PROV_NAME    1024
#define TR_LIMIT_PROV_WAITING TR_MIB(8)
#define TR_LIMIT_PROV_FETCHES ((size_t)16)
#define TR_LIMIT_PROV_GIVEN   128 /* ids that a connection is remembered by */
#define TR_LIMIT_PROV_FILES   ((size_t)16)

/* Provenance: activities on one page, and rows that are looked at for it. */
#define TR_LIMIT_PROV_PAGE 1000
#define TR_LIMIT_PROV_SCAN 10000

/* Provenance of reads: how long, and how many. [prov] read_days, read_rows */
#define TR_LIMIT_PROV_READ_DAYS 30
#define TR_LIMIT_PROV_READ_ROWS 1000000

/* What calls came to (prov/measure.h): rows of a capability, a version and a
 * month; memory of what waits on one loop to be added. */
#define TR_LIMIT_MEASURED    20000
#define TR_LIMIT_TALLY_BYTES TR_MIB(4)

/* Threads of one worker pool. */
#define TR_LIMIT_WORKERS 64

/* Bytes that wait to be sent to one peer. */
#define TR_LIMIT_STREAM_QUEUE TR_MIB(64)

/* One message on standard input or another stream of lines. */
#define TR_LIMIT_LINE_BYTES TR_MIB(16)

/* HTTP: method, target and version. [server] max_line_bytes */
#define TR_LIMIT_HTTP_LINE 8192

/* HTTP: all header lines, and all trailers. [server] max_header_bytes */
#define TR_LIMIT_HTTP_HEAD 32768

/* HTTP: header lines of one request. */
#define TR_LIMIT_HTTP_HEADERS 100

/* HTTP: the body of one request. [server] max_body_bytes */
#define TR_LIMIT_HTTP_BODY 4194304

/*
 * HTTP: what all requests of one loop may hold together, beyond the first 8 KiB
 * of each. [server] max_buffered_bytes
 */
#define TR_LIMIT_HTTP_BUFFERED 67108864

/* HTTP: size and extensions of one chunk. */
#define TR_LIMIT_HTTP_CHUNK_LINE 256

/* HTTP: what a client may send ahead while its request is being answered. */
#define TR_LIMIT_HTTP_AHEAD TR_KIB(64)

/* HTTP: what is still read of a peer after the last response to it. */
#define TR_LIMIT_HTTP_DRAIN TR_KIB(64)

/* HTTP: head of one response. */
#define TR_LIMIT_HTTP_RESPONSE_HEAD TR_KIB(16)

/* HTTP: memory that handling one request may take from its arena. */
#define TR_LIMIT_HTTP_ARENA TR_MIB(64)

/* HTTP: open connections of one loop. [server] max_connections */
#define TR_LIMIT_HTTP_CONNECTIONS 20000

/*
 * HTTP: seconds for a head, for a body (and one more for each 16 KiB of it that
 * arrived), between two requests, and for a peer to take anything of what waits
 * for it. [server] header_timeout_s, body_timeout_s, idle_timeout_s,
 * write_timeout_s
 */
#define TR_LIMIT_HTTP_HEAD_S  15
#define TR_LIMIT_HTTP_BODY_S  30
#define TR_LIMIT_HTTP_IDLE_S  75
#define TR_LIMIT_HTTP_WRITE_S 30

/* Bytes that wait to be sent on one event stream. [server] max_queue_bytes */
#define TR_LIMIT_SSE_QUEUE 1048576

/* The name of a field, a capability or a prompt. */
#define TR_LIMIT_NAME_BYTES 64

/* A description, a title or another text that is shown to clients. */
#define TR_LIMIT_DESCRIPTION_BYTES TR_KIB(16)

/* Icons of one thing, the src of one of them, and its sizes. */
#define TR_LIMIT_ICONS      16
#define TR_LIMIT_ICON_BYTES TR_KIB(32)
#define TR_LIMIT_ICON_SIZES 16

/* Items of a list; objects in a field with many, and how deep they may be in
 * each other. */
#define TR_LIMIT_LIST_ITEMS   1000
#define TR_LIMIT_OBJECTS      100
#define TR_LIMIT_OBJECT_DEPTH 3

/* Fields of one shape, and values one of them may choose from. */
#define TR_LIMIT_FIELDS 256
#define TR_LIMIT_ONE_OF 1000

/* Digits of a decimal before its point, and behind it. */
#define TR_LIMIT_DECIMAL_DIGITS 1000

/* Types of one app, and as many shapes; how many stand above one type. */
#define TR_LIMIT_TYPES   1000
#define TR_LIMIT_EXTENDS 32

/* Prefixes that an app declares. */
#define TR_LIMIT_PREFIXES 1000

/* One file of shapes of an app, and how many it has. */
#define TR_LIMIT_SHAPE_FILE  TR_MIB(4)
#define TR_LIMIT_SHAPE_FILES 100

/*
 * SHACL: shapes of one graph, members of one list, and how deep shapes and
 * paths stand in each other.
 */
#define TR_LIMIT_SHAPES      100000
#define TR_LIMIT_SHAPE_LIST  100000
#define TR_LIMIT_SHAPE_DEPTH 64

/* SHACL: memory of a compiled set of shapes, and of one validation. */
#define TR_LIMIT_SHAPES_BYTES     TR_MIB(256)
#define TR_LIMIT_VALIDATION_BYTES TR_MIB(1024)

/* SHACL: steps of one validation: rows read and values looked at. */
#define TR_LIMIT_VALIDATION_WORK ((uint64_t)10000000000)

/* SHACL: results that are kept; the rest is only counted. */
#define TR_LIMIT_RESULTS ((size_t)1000000)

/* Violations that are reported at once; the rest is only noticed. */
#define TR_LIMIT_FIELD_ERRORS 100

/* The message of one violation, and a value that it echoes. */
#define TR_LIMIT_MESSAGE_BYTES 512
#define TR_LIMIT_ECHO_BYTES    ((size_t)256)

/* The message of an error as callers are told it, with what is wrong with each
 * field. */
#define TR_LIMIT_ERROR_TEXT TR_KIB(2)

/* The source of a regular expression, and a text it may look at. */
#define TR_LIMIT_PATTERN_BYTES   TR_KIB(4)
#define TR_LIMIT_PATTERN_SUBJECT TR_MIB(1)

/*
 * Steps of a match from one offset of the subject, from all of them together,
 * and bytes it may hold. 100,000 steps take a third of a millisecond.
 */
#define TR_LIMIT_PATTERN_MATCH ((size_t)100000)
#define TR_LIMIT_PATTERN_WORK  ((size_t)100000000)
#define TR_LIMIT_PATTERN_HEAP  TR_MIB(4)

/* One message of MCP that we write. */
#define TR_LIMIT_MESSAGE TR_MIB(16)

/* Memory of one request, its tree and its handler's data included. */
#define TR_LIMIT_REQUEST_MEMORY TR_MIB(64)

/* Values of now, random, fetch and invoke that a call keeps for later rounds.
 */
#define TR_LIMIT_JOURNAL 1000

/*
 * Going out: a URL, the name of a host, what is sent with a request, and bytes
 * and lines of the head of a reply.
 */
#define TR_LIMIT_FETCH_URL     TR_KIB(8)
#define TR_LIMIT_FETCH_HOST    ((size_t)253)
#define TR_LIMIT_FETCH_HEADERS ((size_t)64)
#define TR_LIMIT_FETCH_SENT    TR_MIB(8)
#define TR_LIMIT_FETCH_HEAD    TR_KIB(64)
#define TR_LIMIT_FETCH_LINES   ((size_t)200)

/*
 * Going out: bytes of the body of a reply and seconds for all of it, unless the
 * handler asks for less or more; and the most that it may ask for. [fetch]
 * max_bytes, timeout_s
 */
#define TR_LIMIT_FETCH_BODY         TR_MIB(1)
#define TR_LIMIT_FETCH_BODY_MOST    8388608
#define TR_LIMIT_FETCH_SECONDS      10
#define TR_LIMIT_FETCH_SECONDS_MOST 60

/* Going out: redirects of one fetch; fetches of one call, those of what it
 * invokes included, and bytes of all their replies. */
#define TR_LIMIT_FETCH_REDIRECTS  5
#define TR_LIMIT_FETCH_CALL       64
#define TR_LIMIT_FETCH_CALL_BYTES TR_MIB(32)

/* Going out: fetches of one process at a time, connections of one loop to a
 * host, and hosts that are counted by name. */
#define TR_LIMIT_FETCHES       256
#define TR_LIMIT_FETCH_AT_ONCE 64
#define TR_LIMIT_FETCH_COUNTED 64

/* Addresses that [fetch] allow names. */
#define TR_LIMIT_FETCH_ALLOW        256
#define TR_LIMIT_FETCH_ALLOW_MEMORY TR_KIB(256)

/* How deep capabilities invoke each other. */
#define TR_LIMIT_INVOKE_DEPTH 8

/* An idempotency key; the result that is kept for it, and how long. */
#define TR_LIMIT_IDEMPOTENCY_KEY_BYTES    ((size_t)255)
#define TR_LIMIT_IDEMPOTENCY_RESULT_BYTES TR_MIB(4)
#define TR_LIMIT_IDEMPOTENCY_S            86400

/* Journals of calls that wait for answers, as rows of the store: of one caller
 * (strangers are one), and of all, and their bytes. */
#define TR_LIMIT_JOURNALS           1000
#define TR_LIMIT_JOURNALS_BYTES     TR_MIB(256)
#define TR_LIMIT_JOURNALS_OWN       64
#define TR_LIMIT_JOURNALS_OWN_BYTES TR_MIB(64)

/*
 * Budgets, in tokens or millionths of a dollar: what one call may report, and
 * where the sum of an account stops.
 */
#define TR_LIMIT_USED    INT64_C(1000000000000)
#define TR_LIMIT_COUNTED INT64_C(1000000000000000000)

/* Policies of an app, and those that decide on one call. */
#define TR_LIMIT_POLICIES          1000
#define TR_LIMIT_POLICIES_REQUIRED 16

/* What one policy may use for one decision, which is but a yes or a no. */
#define TR_LIMIT_POLICY_INSTRUCTIONS 1000000
#define TR_LIMIT_POLICY_RUN_MS       1000
#define TR_LIMIT_POLICY_BYTES        TR_MIB(4)

/* Loops of one process. */
#define TR_LIMIT_LOOPS 256

/* Seconds that one call may take. [mcp] call_timeout_s */
#define TR_LIMIT_CALL_S 300

/* Seconds that a session lives unused. [mcp] session_timeout_s */
#define TR_LIMIT_SESSION_S 3600

/* Seconds for which the id of a session can be taken up again; and how many
 * sessions that one caller has ended are told apart meanwhile. */
#define TR_LIMIT_SESSION_ID_S   86400
#define TR_LIMIT_ENDED_SESSIONS 1000

/* Messages of one batch. [mcp] max_batch */
#define TR_LIMIT_BATCH 100

/* Bytes that a session keeps for a client that resumes. [mcp] replay_bytes */
#define TR_LIMIT_REPLAY 262144

/* Sessions and listen streams, per loop. [mcp] max_sessions, max_streams */
#define TR_LIMIT_SESSIONS 10000
#define TR_LIMIT_LISTENS  10000

/* Sessions of one caller, per loop. [mcp] max_caller_sessions */
#define TR_LIMIT_CALLER_SESSIONS 1000

/* What a session keeps of its client: each name, and the text of capabilities.
 */
#define TR_LIMIT_CLIENT_NAME         ((size_t)256)
#define TR_LIMIT_CLIENT_CAPABILITIES TR_KIB(2)

/* What a session keeps of its client's texts, or a listen stream's filter. */
#define TR_LIMIT_SESSION_MEMORY TR_KIB(256)

/*
 * Bytes that wait on a listen stream before its changes are kept as one mark
 * per URI, and URIs of changes that a busy loop has not seen yet.
 */
#define TR_LIMIT_LISTEN_QUEUE TR_KIB(128)
#define TR_LIMIT_CHANGES      TR_MIB(1)

/* URIs that one session or listen stream watches. [mcp] max_subscriptions */
#define TR_LIMIT_SUBSCRIPTIONS 1000

/* A sealed requestState. */
#define TR_LIMIT_STATE TR_KIB(64)

/* What one app may hold in memory when it is registered. */
#define TR_LIMIT_SNAPSHOT_BYTES TR_MIB(256)

/* Capabilities of an app; also resources, templates, prompts, completions. */
#define TR_LIMIT_REGISTERED 10000

/* Meta-capabilities: all are ours. */
#define TR_LIMIT_METAS 64

/*
 * Of meta-capabilities that run on threads: how many at a time, the memory of
 * one beside its answer, the bytes of a text that is imported, mistakes of it
 * that are told, and the steps of a validation.
 */
#define TR_LIMIT_META_JOBS  4
#define TR_LIMIT_META_BYTES TR_MIB(64)
#define TR_LIMIT_META_TEXT  TR_MIB(1)
#define TR_LIMIT_META_TOLD  ((size_t)100)
#define TR_LIMIT_META_FILES ((size_t)16) /* texts that are tried together */
#define TR_LIMIT_META_WORK  ((uint64_t)20000000)

/* One view of a snapshot, such as a page of tools/list, and their number. */
#define TR_LIMIT_VIEW_BYTES TR_MIB(16)
#define TR_LIMIT_VIEWS      1024

/* A URI or URI template, and the steps one may take to match the other. */
#define TR_LIMIT_URI_BYTES       TR_KIB(8)
#define TR_LIMIT_URI_MATCH_STEPS 20000

/* A sealed text: a cursor, a requestState, a session id. */
#define TR_LIMIT_SEALED_BYTES TR_KIB(64)

/* The path of a file. */
#define TR_LIMIT_PATH_BYTES 4096

/* A JSON Schema that an app gives, and the schemas in it. */
#define TR_LIMIT_SCHEMA_BYTES TR_MIB(1)
#define TR_LIMIT_SCHEMA_NODES 100000

/* How deep schemas apply each other, and steps to check one value. */
#define TR_LIMIT_SCHEMA_DEPTH 1600
#define TR_LIMIT_SCHEMA_WORK  1000000

/*
 * Lua: instructions, seconds of running and memory of one call. [lua]
 * instructions, call_seconds, call_bytes
 */
#define TR_LIMIT_LUA_INSTRUCTIONS 50000000
#define TR_LIMIT_LUA_RUN_S        30
#define TR_LIMIT_LUA_CALL_BYTES   33554432

/*
 * A store up to this size is compared as a whole: by trails://doctor, which
 * keeps a loop from its clients for some 15 ms for each megabyte, and by
 * `trails check` without --store.
 */
#define TR_LIMIT_DOCTOR_BYTES TR_MIB(4)
#define TR_LIMIT_CHECK_BYTES  TR_MIB(64)

/* The same: of how many tokens a tools/list is told to be long, a tenth of what
 * models commonly attend to. */
#define TR_LIMIT_FOOTPRINT_TOKENS ((size_t)20000)

/*
 * Lua: counted instructions between two returns to the loop. Code that could be
 * left returns long before; what cannot be left fails.
 */
#define TR_LIMIT_LUA_TURN 2000000

/* Lua: all memory of one state. */
#define TR_LIMIT_LUA_STATE_BYTES TR_MIB(256)

/*
 * Lua: instructions between two checks of the limits, and how many there are
 * before the first check and in coroutines that the app makes itself; bytes
 * moved in large pieces that count as much as HOOK instructions; and full
 * collections that a call may force by living at its limit of memory.
 */
#define TR_LIMIT_LUA_HOOK        10000
#define TR_LIMIT_LUA_HOOK_OWN    1000
#define TR_LIMIT_LUA_MOVED       TR_MIB(16)
#define TR_LIMIT_LUA_COLLECTIONS 64

/* Lua: the text of app.lua, and what is kept beside its states. */
#define TR_LIMIT_LUA_SOURCE TR_MIB(4)
#define TR_LIMIT_LUA_HOST   TR_MIB(16)

/* Lua: files of one app that are required. */
#define TR_LIMIT_LUA_MODULES ((size_t)256)

/* Lua: memory of one C function, such as json.encode; what is kept of it. */
#define TR_LIMIT_LUA_SCRATCH      TR_MIB(64)
#define TR_LIMIT_LUA_SCRATCH_KEPT TR_KIB(256)

/* Lua: steps of one pattern operation, and more for each byte of its text. */
#define TR_LIMIT_LUA_PATTERN_STEPS          1000000
#define TR_LIMIT_LUA_PATTERN_STEPS_PER_BYTE 16

/* Lua: different regular expressions that an app may use. */
#define TR_LIMIT_LUA_REGEXES 1000

/* Lua: tables in tables, and values, of what is turned into JSON. */
#define TR_LIMIT_LUA_DEPTH 128
#define TR_LIMIT_LUA_NODES 1000000

/* Lua: questions of one call, and bytes of the key of one. */
#define TR_LIMIT_LUA_ASKS      100
#define TR_LIMIT_LUA_KEY_BYTES ((size_t)256)

/* Lua: the tokens that ctx:sample asks for when the app does not say. */
#define TR_LIMIT_LUA_SAMPLE_TOKENS 1000

/* Lua: seconds that ctx:sleep may take. */
#define TR_LIMIT_LUA_SLEEP_S 86400

/* The text of GET /metrics. */
#define TR_LIMIT_METRICS TR_MIB(1)

/* Text of one app.lua. */
#define TR_LIMIT_APP_BYTES TR_MIB(4)

/*
 * What may be changed of an app's files: bytes of one, of a path, and of a name
 * in it; folders in each other, files that are listed, files of one change and
 * the bytes of its intent, and declarations that are found in one file.
 */
#define TR_LIMIT_GEN_FILE         TR_MIB(4)
#define TR_LIMIT_GEN_PATH         ((size_t)240)
#define TR_LIMIT_GEN_NAME         ((size_t)64)
#define TR_LIMIT_GEN_DEPTH        ((size_t)8)
#define TR_LIMIT_GEN_FILES        ((size_t)1000)
#define TR_LIMIT_GEN_DIFFS        ((size_t)16)
#define TR_LIMIT_GEN_CHANGE       TR_MIB(24)
#define TR_LIMIT_GEN_DECLARATIONS ((size_t)10000)

/* Milliseconds for which a change of an app's files waits for another. */
#define TR_LIMIT_GEN_WAIT_MS 250

/*
 * The files that an app is made from, while they are watched: how many are
 * known, the memory for that, and how much of one is looked at: more than is
 * ever read of it.
 */
#define TR_LIMIT_SOURCES        ((size_t)1024)
#define TR_LIMIT_SOURCES_MEMORY TR_MIB(8)
#define TR_LIMIT_SOURCE_BYTES   TR_MIB(8)

#endif
