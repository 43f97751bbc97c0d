/* SPDX-License-Identifier: Apache-2.0 */
/* One request of a peer, from its arrival to its answer.
 *
 *   started -> (waits for a call, a timer, the client's own answer) -> answered
 *                    '-> cancelled: nothing more is sent
 *
 * It belongs to its peer and frees itself when it is answered or cancelled; while a call runs for
 * it, it stays until the call is done, with nobody to tell. Where the messages go is the
 * transport's business: struct tb_mcp_out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/list.h"
#include "core/call.h"
#include "front/mcp/envelope.h"
#include "front/mcp/version.h"

struct tb_mcp;
struct tb_mcp_out;
struct tb_mcp_peer;
struct tb_mcp_question;
struct tb_mcp_req;

typedef void tb_mcp_await_fn(struct tb_mcp_req *req, struct tb_str text);

struct tb_mcp_out_ops {
    /* A notification, or a request of ours, on behalf of a request. Lost when nobody reads. */
    void (*send)(struct tb_mcp_out *out, struct tb_str message);
    /* The answer, once; the bytes are taken from the buffer. */
    void (*answer)(struct tb_mcp_out *out, int status, struct tb_buf *message);
    /* Instead of the answer: there is none. */
    void (*drop)(struct tb_mcp_out *out);
    /* The caller is sent away for a while and comes back for the rest. May be NULL. */
    void (*pause)(struct tb_mcp_out *out, int64_t retry_ms);
};

struct tb_mcp_out {
    const struct tb_mcp_out_ops *ops;
    bool answer_only; /* nothing can be sent before the answer: the client reads no events */
};

enum tb_mcp_cache {
    TB_MCP_NOT_CACHED,
    TB_MCP_CACHE_PUBLIC,  /* the same for everybody, for long */
    TB_MCP_CACHE_PRIVATE, /* of one caller, and stale at once */
};

struct tb_mcp_method {
    const char *name;
    enum tb_mcp_era eras;
    enum tb_mcp_cache cache;
    void (*run)(struct tb_mcp_req *req);
};

struct tb_mcp_req {
    struct tb_list link; /* of its peer */
    struct tb_mcp *mcp;
    struct tb_mcp_peer *peer;
    struct tb_mcp_out *out; /* NULL: nobody waits any more */
    const struct tb_mcp_method *method;
    const struct tb_mcp_message *message; /* only while `run` runs */
    enum tb_mcp_version version;
    struct tb_str id; /* JSON, as all the texts here; the request's own */
    struct tb_str progress_token;
    char conversation[TB_CONVERSATION_SIZE];
    bool passing;                       /* see struct tb_caller */
    bool chooses;                       /* the same */
    char session[TB_NAME_SIZE];         /* the same; empty: none */
    int log_level;                      /* -1: nothing is logged to the client */
    struct cJSON *params;               /* only while `run` runs */
    unsigned capabilities;              /* of a modern client; see tb_mcp_capabilities */
    const struct tb_mcp_native *native; /* tools/call of the front's own */
    struct tb_err *odd;                 /* of the message; NULL: nothing is */
    bool shaped; /* by what the caller's session brings, or by its scopes: the answer is for it
                    alone, and for now */
    const struct tb_mcp_resource *resource; /* resources/read */
    char *uri;                              /* the same: what was asked for */
    struct tb_mcp_question *question;       /* that its user may be asked; NULL: none */
    struct tb_call *call;
    void (*call_done)(struct tb_mcp_req *req, struct tb_call *call);
    double progress;
    int64_t progress_ms;
    void *own; /* of a handler that waits */
    void (*own_free)(void *own);
};

/* The row of a method; NULL when there is none. methods.c */
const struct tb_mcp_method *tb_mcp_method_find(const struct tb_jsonrpc *rpc);

/* Ends it without an answer; its call, if it has one, is cancelled. */
void tb_mcp_req_cancel(struct tb_mcp_req *req);
/* The same with an error as its answer. */
void tb_mcp_req_abort(struct tb_mcp_req *req, int code, const char *text);

bool tb_mcp_req_is_modern(const struct tb_mcp_req *req);
/* In whose name it is done. */
struct tb_caller tb_mcp_req_caller(const struct tb_mcp_req *req);
/* The parameters as a tree, NULL when there are none, and when `run` has returned. */
const struct cJSON *tb_mcp_req_params(struct tb_mcp_req *req);
/* What we have to know of the capabilities that a client declares, a bit each. */
unsigned tb_mcp_capabilities(const struct cJSON *declared);
/* True if the client has declared the capability, such as "elicitation". */
bool tb_mcp_req_client_can(struct tb_mcp_req *req, const char *capability);

/* The answer is a finished message; the request is gone afterwards. */
void tb_mcp_req_answer(struct tb_mcp_req *req, int status, struct tb_buf *message);
/* The answer is an error; the request is gone afterwards. `data` is JSON or NULL. */
void tb_mcp_req_fail(struct tb_mcp_req *req, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void tb_mcp_req_fail_data(struct tb_mcp_req *req, int code, const char *text, const char *data);
/* An error for a message that never became a request; `id` may be empty. */
void tb_mcp_out_fault(struct tb_mcp_out *out, struct tb_str id, const struct tb_mcp_fault *fault);

/* The handler returns before the answer: until then it keeps `own`, which is freed with the
 * request. The parameters are gone at once. */
void tb_mcp_req_wait(struct tb_mcp_req *req, void *own, void (*own_free)(void *own));
/* Runs `fn`, which gets a copy of the text, when all sessions are known: at once, if they are. If
 * they do not come, or the peer may not see them, the request is answered with the reason. */
void tb_mcp_req_await_sessions(struct tb_mcp_req *req, struct tb_str text, tb_mcp_await_fn *fn);
/* Nobody waits for it, and its call has ended. */
void tb_mcp_req_free(struct tb_mcp_req *req);

/* notify.c. `params` is a JSON object. */
void tb_mcp_req_notify(struct tb_mcp_req *req, const char *method, struct tb_str params);
/* Only if the client asked for it, and only if it has grown. */
void tb_mcp_req_progress(struct tb_mcp_req *req, double done, double total, const char *message);
/* Only if the client wants this level. */
void tb_mcp_req_log(struct tb_mcp_req *req, int level, struct tb_str text);
/* The number of a level such as "info" (a higher one is worse); -1 when there is no such level. */
int tb_mcp_log_level(struct tb_str name);
