/* SPDX-License-Identifier: Apache-2.0 */
/* A session from the inside, for core/session*.c, core/records.c and those beside them. What
 * happens to one is only noted; its job (tb_session_look) does what follows, once a turn. */
#pragma once

#include "base/list.h"
#include "core/driver.h"
#include "core/event.h"
#include "core/session.h"
#include "core/session_policy.h"
#include "core/session_state.h"
#include "core/toolbox.h"
#include "io/loop.h"
#include "io/timer.h"

struct tb_conversation;
struct tb_holder;
struct tb_op_call;
struct tb_saving;
struct tb_session_spec;
struct tb_sessions;
struct tb_tenant;
struct tb_watch;

enum {
    TB_REFS_AHEAD = 1000, /* so many are reserved at once: the record is not written for each */
};

/* How it was started. */
struct tb_session_traits {
    bool of_conversation; /* made by a call of its owner, and ends with it; else started by name */
    bool brief;           /* the same, but of a toolset that lets it end when it is idle */
    bool hidden;          /* private: nobody but its owner reaches it */
    bool passing;         /* and its owner is gone when the daemon is */
    bool files;           /* its driver keeps downloads; only for this run of the daemon */
};

struct tb_session_times {
    int64_t created_wall_ms;
    int64_t created_ms;
    int64_t last_active_wall_ms;
    int64_t last_active_ms;
    int64_t ttl_at_ms;          /* when its time to live is over; 0: it has none */
    int64_t away_ms;            /* while it is away: since when */
    int64_t peer_wall_ms;       /* when its peer connected; 0: unknown, or it has none */
    int64_t told_ms;            /* the end that session_expiring was told of */
    int64_t hibernate_after_ms; /* not before: it could not be saved */
    int64_t recorded_ms;        /* when the record was written last */
    struct tb_timer timer;      /* the next end, or what comes before it */
};

struct tb_session_queue {
    struct tb_list running; /* of calls: at most the driver's width */
    size_t running_count;
    struct tb_list ops;     /* at work in the driver; one may outlive the call that began it */
    struct tb_list waiting; /* of calls, first come first served; see also core/members_queue.c */
    size_t waiting_count;
    struct tb_holder *holder; /* a person who has taken over, or does when nothing runs any more: no
                             other call begins; NULL: nobody */
};

/* What its driver told of the loss of what it drove. */
struct tb_lost {
    enum tb_end_reason reason;
    enum tb_loss loss;
};

/* What of its pages is lost, or would be with its browser, and who has to hear of it. */
struct tb_session_losses {
    struct tb_lost lost; /* while there is trouble and a driver session, and while it is away */
    char *note;          /* for the next reply, and the first to each who saw the earlier browser */
    bool is_news;        /* nobody has had the note yet */
    char *handed_back;   /* for the next reply: what a person did who had taken over */
    bool unseen; /* its first browser went before the job saw it, so nothing of it is missed */
    char *loss; /* how its browser was lost while no call ran, or went without a last save; NULL: it
                   was not */
    bool typed; /* text stands in its pages that no save has; see also core/session_hibernate.c */
    struct tb_list authors; /* of what was typed: core/authors.h */
    int64_t unaware; /* calls up to this number came from who could not know that what was typed is
                        lost; 0: nothing is, or all know */
};

/* Whose place it has, and who gets its. */
struct tb_session_end {
    char *replaces;      /* the id of the session whose end its owner is to hear of; NULL: none */
    char *replaces_note; /* the words for that; NULL with it */
    char *fallback;      /* the id of the session that was its owner's current one before it, until
                            it is open; NULL: none */
    bool gives_way;      /* it hibernates for another session, and not because it is idle */
    bool astray;         /* it was to make a forbidden move, and ends for that */
    enum tb_end_reason reason; /* once it has ended */
};

/* Who works in it: core/members.h. */
struct tb_session_members {
    struct tb_list list;
    size_t count;
    int64_t none_since_ms;  /* while there is none */
    struct tb_list tallies; /* of their calls: core/call_tally.h */
    size_t tally_count;
};

/* Whose it is, and where it is listed. All whom tb_session_visible lets see it may call it, and
 * `currents` has those who chose it. */
struct tb_session_places {
    struct tb_tenant *home;
    struct tb_list link;           /* of the tenant's sessions, or of those that are closing */
    struct tb_conversation *owner; /* that started it; NULL once it has ended */
    struct tb_list owned;          /* of the sessions that its owner started */
    struct tb_list awake;          /* of the tenant's sessions that are awake */
    struct tb_list currents;       /* the callers whose current session this is */
    char *peer_agent;              /* what its peer says of itself; NULL: nothing */
};

struct tb_session {
    char id[TB_ID_SIZE];
    char name[TB_NAME_SIZE];
    const char *tenant;
    char key[TB_KEY_SIZE]; /* of the credential that started it; empty: unknown */
    enum tb_session_kind kind;
    enum tb_session_state state; /* moved by tb_session_move alone */
    struct tb_session_traits traits;
    struct tb_session_times times;
    struct tb_session_stats stats;
    char *url;  /* of its current page as far as is known, as core/url.h shows it; NULL: unknown */
    char *args; /* of start_session, sealed; NULL: none */
    int64_t refs; /* of the numbers up to this one any may have been given as a ref */

    struct tb_core *core;
    struct tb_deferred
        job; /* what follows from what the driver or a call did, with a clean stack */
    const struct tb_driver *driver;
    struct tb_driver_session *driver_session; /* NULL until it is open, and while it is asleep */
    enum tb_driver_side side;
    struct tb_session_queue queue;
    struct tb_err *trouble;   /* why it did not open, or was lost */
    struct tb_saving *saving; /* what it needs only while it is not asleep */
    struct tb_watch *watch;   /* NULL: nobody has looked at it yet */
    struct tb_session_bounds bounds;
    bool saved; /* the store has what its browser had */
    struct tb_session_losses losses;
    struct tb_session_end end;

    struct tb_session_places places;
    struct tb_session_members members;
    struct tb_brought_list brought;
};

/* From a link of a tenant's sessions or of those that are closing. */
static inline struct tb_session *tb_session_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tb_session, places.link);
}

/* The same from a link of its owner's. */
static inline struct tb_session *tb_session_owned(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tb_session, places.owned);
}

/* A record without an id, a name and a place in the table. */
struct tb_session *tb_session_new(struct tb_sessions *sessions, const char *tenant);
/* Begins to open one that stands in the table. */
void tb_session_open(struct tb_session *session, const struct tb_session_spec *spec);
/* Looks soon at what there is to do: a call to start, an end to bring about. */
void tb_session_look(struct tb_session *session);
/* One step of a session that has ended: closes the driver, or frees the record. */
void tb_session_wind_up(struct tb_session *session);
/* Begins to close its driver session; the job goes on when that is done. */
void tb_session_close_driver(struct tb_session *session);
void tb_session_record_free(struct tb_session *session);
/* Puts a call into the queue and starts it if it is its turn. TB_E_BUSY, TB_E_AWAY,
 * TB_E_SESSION_ENDED. */
int tb_session_enqueue(struct tb_session *session, struct tb_call *call, struct tb_err *err);
/* A call has left, waiting or running; starts the next one, soon. */
void tb_session_leave(struct tb_session *session, struct tb_call *call);
/* It is used at this moment. */
void tb_session_touch(struct tb_session *session);
void tb_session_fail_running(struct tb_session *session, const struct tb_err *err);
void tb_session_fail_waiting(struct tb_session *session, const struct tb_err *err);
/* Asks what is at work in the driver to end, whether or not a call waits for it. */
void tb_session_cancel_ops(struct tb_session *session);
/* Of a browser that was brought back; NULL: nothing is `missing`. With `again` somebody has not
 * heard yet of text that was lost earlier. */
char *tb_session_restored_words(const struct tb_session *session, const char *missing, bool again);
/* What its driver tells of it, as an object. */
void tb_session_put_capabilities(const struct tb_session *session, struct tb_json_writer *json);
/* The beginning of an event of its own: whose it is, and as the first field its type. */
struct tb_event tb_session_event(const struct tb_session *session, enum tb_event_type type);
/* To the bus, without the secrets that were typed in the session: for what pages have a hand in. */
void tb_session_publish(const struct tb_session *session, struct tb_event *event);
/* To the log and the bus; `words` and `reason` may be NULL. */
void tb_session_tell(struct tb_session *session, enum tb_event_type type, const char *words,
                     const char *reason);

static inline bool tb_session_ended(const struct tb_session *session)
{
    return session->state == TB_STATE_ENDED;
}
