/* SPDX-License-Identifier: Apache-2.0 */
/* Every ceiling for what a peer may send, hold or cost. Those that an operator may want to change
 * are rows of core/config.def as well; these are then their defaults. */
#pragma once

enum {
    TB_KIB = 1024,
    TB_MIB = 1024 * 1024,

    /* HTTP */
    TB_HTTP_LINE_MAX = 8 * TB_KIB,
    TB_HTTP_HEAD_MAX = 32 * TB_KIB,
    TB_HTTP_HEADER_COUNT = 100,
    TB_HTTP_BODY_MAX = 8 * TB_MIB,
    TB_HTTP_CHUNK_EXT_MAX = 256,
    TB_HTTP_HEADER_MS = 10 * 1000,
    TB_HTTP_BODY_GRACE_MS = 10 * 1000,
    TB_HTTP_BODY_RATE = TB_KIB, /* bytes a second after the grace */
    TB_HTTP_IDLE_MS = 75 * 1000,
    TB_HTTP_WRITE_MS = 30 * 1000,
    TB_PEER_MS = 18 * 1000, /* without an acknowledgement; with the keepalives below, under 30 s */
    TB_HTTP_CONNECTIONS = 10000,
    TB_SEND_QUEUE_MAX = TB_MIB,

    /* Credentials that did not fit, per peer */
    TB_AUTH_FAILURES = 10,
    TB_AUTH_WINDOW_MS = 60 * 1000,
    TB_AUTH_PEERS = 10000,
    TB_AUTH_GUISES = 1000, /* tenants that the operator has spoken for */
    TB_KEYS_MAX = 10000,
    TB_KEYS_PER_TENANT = 1000, /* then its own admins make no more, and leave some to others */

    /* Refusals, for the audit log: core/flood.h */
    TB_FLOOD_TOLD = 100,
    TB_FLOOD_MS = 60 * 1000,
    TB_REFUSED_TEXT = 256, /* of a header */

    /* What is kept of a peer's User-Agent */
    TB_USER_AGENT_MAX = 256,

    /* Calls and their results */
    TB_CALL_TIMEOUT_MAX_MS = 600 * 1000,
    TB_ARGS_TEXT_DEPTH = 64,      /* of JSON that a caller sends as text */
    TB_ARGS_TEXT_TOKENS = 100000, /* the same: keys and values */
    TB_CALL_GRACE_MS = 1000,      /* for a driver to end what was cancelled */
    TB_RESULT_TEXT_MAX = TB_MIB,
    TB_TALLIES_MAX =
        100, /* sums of a session's calls before they are no longer told by their tools */
    TB_BROUGHT_MAX = 100,                /* tools that a session brings along */
    TB_BROUGHT_NAME_MAX = 128,           /* bytes of their names */
    TB_BROUGHT_JSON_MAX = 64 * TB_KIB,   /* of what describes one */
    TB_BROUGHT_BYTES_MAX = 512 * TB_KIB, /* the same of all of a session */
    TB_BROUGHT_DEPTH = 64,               /* its nesting, and that of what it is given and gives */
    TB_RESULT_IMAGE_MAX = 16 * TB_MIB,
    TB_SECRET_USES_MAX = 64, /* in one text; each is an audit entry */

    TB_EVENT_MAX = 64 * TB_KIB, /* of an event on the bus */
    TB_URL_SHOWN_MAX = TB_KIB,  /* of an address in it */

    /* Events to the outside */
    TB_EVENTS_KEPT = 4096,             /* for readers that come back, or are behind */
    TB_EVENTS_KEPT_BYTES = 4 * TB_MIB, /* the same */
    TB_EVENTS_AWAY_MS = 600 * 1000,    /* after it left, a reader may come back for so long */
    TB_EVENTS_START_MS = 10 * 1000,    /* after a start, one from before it */
    TB_EVENTS_READERS = 4096,          /* of /api/events */
    TB_STREAMS_PER_KEY = 64,           /* of these, and of subscriptions/listen */
    TB_STREAMS_PER_TENANT = 512,
    TB_EVENTS_SEND_MAX = 32 * TB_KIB,   /* waiting to be sent to one of them */
    TB_EVENTS_KEEPALIVE_MS = 10 * 1000, /* between signs of life */
    TB_HOOKS = 16,
    TB_HOOK_SECRET_MIN = 16,
    TB_HOOK_QUEUE = 1000,              /* events that wait for one webhook */
    TB_HOOK_QUEUE_BYTES = TB_MIB,      /* the same */
    TB_HOOK_TIMEOUT_MS = 5 * 1000,     /* for its answer */
    TB_HOOK_ANSWER_MAX = 64 * TB_KIB,  /* of that answer, which nobody reads */
    TB_HOOK_RETRY_MS = 500,            /* before the second attempt; then twice as long each time */
    TB_HOOK_RETRY_MAX_MS = 300 * 1000, /* the longest wait */
    TB_HOOK_ATTEMPTS = 17,             /* about half an hour, then the event is given up */

    /* The store */
    TB_SAVED_MAX = 8 * TB_MIB,         /* what a session's browser had, before it is sealed */
    TB_RECORD_MAX = 16 * TB_MIB,       /* of a record's value */
    TB_RECORD_LIGHT_MAX = 32 * TB_KIB, /* of a light one, and of an audit entry */
    TB_REMOVALS_MAX = 10000, /* ended sessions that it could not remove and is asked to again */
    TB_CLAIM_KEY_MAX = 256,  /* of what a node claims */
    TB_NODE_NAME_MAX = 64,
    TB_TOPIC_MAX = 256,
    TB_MESSAGE_MAX = 32 * TB_MIB, /* on a topic: a result with its image, in another form */

    /* Ends of sessions that are remembered */
    TB_ENDS_KEPT = 200,                /* of a tenant */
    TB_ENDS_MS = 7 * 24 * 3600 * 1000, /* for so long */
    TB_END_MISSED_MAX = 50,            /* conversations that are told of one without naming it */

    /* Conversations of a tenant that have chosen a current session */
    TB_CURRENT_MAX = 1000,

    /* The forward proxy */
    TB_PROXY_LINE_MAX = 64 * TB_KIB,   /* addresses are longer here than in our own requests */
    TB_PROXY_HEAD_MAX = 256 * TB_KIB,  /* what browsers take from servers */
    TB_PROXY_HEADER_COUNT = 500,       /* the same */
    TB_PROXY_QUEUE_MAX = 256 * TB_KIB, /* waiting for one side: the other is not read */
    TB_PROXY_LOOKUP_MS = 10 * 1000,    /* of a name */
    TB_PROXY_CONNECT_MS = 20 * 1000,   /* that, and to connect */
    TB_PROXY_NEXT_MS = 250,            /* a further address is tried beside a slow one */
    TB_PROXY_IDLE_MS = 30 * 60 * 1000, /* a connection on which nothing moves */
    TB_PROXY_HALF_MS = 60 * 1000,      /* the same when one side has ended */
    TB_PROXY_LINGER_MS = 2 * 1000,     /* for a browser to take a refusal */
    TB_EGRESS_HOSTS = 500,             /* of one session that are counted apart */

    /* The DevTools line to a browser */
    TB_CDP_MESSAGE_MAX = 64 * TB_MIB,
    TB_CDP_SEND_MAX = 64 * TB_MIB,
    TB_CDP_FRAMES_MAX = 1000,  /* of one tab; further ones are not entered */
    TB_DOWNLOADS_MAX = 1000,   /* of one session */
    TB_CDP_TARGETS_MAX = 1000, /* workers and frames of other processes, of one tab */

    /* Answers */
    TB_ANSWER_BESIDE = 2 * TB_KIB, /* of one, for what stands beside its text and picture */

    /* Requests that are not to be done twice: front/once.h */
    TB_ONCE_KEY_MAX = 255,          /* of an Idempotency-Key */
    TB_ONCE_KEPT = 10000,           /* of one credential */
    TB_ONCE_MS = 24 * 3600 * 1000,  /* for so long */
    TB_ONCE_BODY_MAX = 16 * TB_KIB, /* of an answer that is kept */

    /* Looking at sessions */
    TB_VIEWERS_MAX = 32,    /* of one session */
    TB_HOLD_SAID_MAX = 500, /* bytes that a person may say to the agent who gets it back */

    /* Stopping */
    TB_DRAIN_CALLS_MS = 10 * 1000, /* for calls that run to finish */
    TB_DRAIN_SAVE_MS = 5 * 1000,   /* then, for sessions to be saved */

    /* MCP */
    TB_MCP_SESSIONS = 1000,           /* Mcp-Session-Id, of one credential; also of WebSockets,
                                         and of streams of HTTP+SSE */
    TB_MCP_SPARE_MS = 60 * 1000,      /* silent for so long, one without browsers gives way */
    TB_MCP_FORGOTTEN_MS = 86400000,   /* a day: one with a browser that sleeps does, too */
    TB_MCP_REQUESTS = 256,            /* under way for one session or connection */
    TB_MCP_BATCH = 64,                /* messages of a batch (2025-03-26) */
    TB_MCP_LISTENS = 1024,            /* subscriptions/listen */
    TB_MCP_INTERESTS = 64,            /* resources that one of them, or one session, wants */
    TB_MCP_DEPTH = 64,                /* nesting of a message */
    TB_MCP_RESULT_MAX = 1000 * 1000,  /* of one result; clients refuse 1 MiB */
    TB_MCP_REPLAY_BYTES = 2 * TB_MIB, /* events of one session that are kept to be sent again */
    TB_MCP_REPLAY_EVENTS = 256,       /* the same; for answers that were sent once more so many */
    TB_MCP_DUE_BYTES = 8 * TB_MIB,    /* answers of one session that nobody was sent yet */
    TB_MCP_DUE_EVENTS = 1024,         /* the same */
    TB_MCP_REPLAY_MS = 60 * 1000,     /* events of a stream that has ended */
    TB_MCP_KEEPALIVE_MS = 10 * 1000,  /* between signs of life on a stream */
    TB_MCP_ASK_MS = 10 * 60 * 1000,   /* for the client's answer to a question of ours */
    TB_MCP_PROGRESS_MS = 100,         /* between two notes of progress */
    TB_MCP_QUESTIONS = 1000,          /* calls that were left to ask a user */
    TB_MCP_STATE_MS = 10 * 60 * 1000, /* a requestState may come back for so long */
    TB_MCP_STATES = 1024,             /* used ones that are remembered */
    TB_MCP_LISTS = 32,                /* printed tool lists that are kept */

    /* MCP on stdio */
    TB_STDIO_SEND_MAX = 64 * TB_MIB,
    TB_STDIO_PAUSE_BYTES = 4 * TB_MIB,  /* waiting to be sent: nothing more is read */
    TB_STDIO_AHEAD_BYTES = 16 * TB_MIB, /* of an agent that writes before it reads, in the bridge */
    TB_STDIO_LINE_MAX = 16 * TB_MIB,
    TB_STDIO_REPLY_MAX = 128 * TB_MIB,

    /* BTCP */
    TB_BTCP_MESSAGE_MAX = 2 * TB_MIB,
    TB_BTCP_SEND_MAX = 8 * TB_MIB,

    /* Policies */
    TB_POLICY_RULES_MAX = 20000,   /* of one list of domains */
    TB_POLICY_RULE_MAX = 512,      /* bytes of one */
    TB_POLICY_HOST_RULES_MAX = 64, /* for one host or network */
    TB_POLICY_TOOLS_MAX = 1000,    /* names in a list of tools */
    TB_POLICY_KEY_MAX =
        4 * TB_KIB, /* of a key's: it is in its record and in those of its sessions */

    /* The configuration file */
    TB_CONFIG_FILE_MAX = TB_MIB,
};
