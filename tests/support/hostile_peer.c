/* SPDX-License-Identifier: Apache-2.0 */
#include "support/hostile_peer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    MESSAGE_MAX = 16 * 1024,
    READ_MAX = 64 * 1024 * 1024,
    FRAMES = 4,
};

/* Rows of session_events. */
enum {
    FRAME_OUR_WORLD = 2,
    FRAME_MAIN_WORLD = 3,
    FRAME_ATTACHED = 19,
    ALERT = 25,
    DIALOG_CLOSED = 29,
    DOWNLOAD_BEGINS = 51,
};

/* One answer fits all commands that have one: each reader takes the members that it knows. */
static const char *const with_answer[] = {".get",      ".create",    ".evaluate", ".call",
                                          ".navigate", ".resolve",   ".describe", ".capture",
                                          ".print",    ".addScript", ".close"};
static const char good[] =
    "{\"product\":\"HeadlessChrome/156.0.1.2\",\"browserContextId\":\"$c\",\"targetId\":\"$t\","
    "\"frameTree\":{\"frame\":{\"id\":\"$T\",\"loaderId\":\"L1\",\"url\":\"https://a.test/\"},"
    "\"childFrames\":[]},\"frameId\":\"$T\",\"loaderId\":\"L2\",\"identifier\":\"1\","
    "\"result\":{\"type\":\"object\",\"subtype\":\"node\",\"objectId\":\"o1\",\"description\":\"d\",\"value\":{"
    "\"url\":\"https://a.test/\",\"title\":\"t\",\"x\":1,\"y\":2,\"width\":3,\"height\":4,"
    "\"role\":\"button\",\"name\":\"n\",\"tag\":\"a\",\"focused\":\"textbox\",\"kind\":\"$k\",\"text\":\"- link [ref=e1]\","
    "\"last\":3,\"items\":[[\"k\",\"v\"]],\"origin\":\"https://a.test\",\"local\":\"[]\","
    "\"session\":\"[]\",\"changed\":1,\"results\":[{\"text\":\"r\"}],\"elements\":[{\"ref\":\"e1\"}],"
    "\"count\":1,\"frames\":[$f],\"selected\":[\"a\"],\"clicks\":1,"
    "\"inputs\":1,\"total\":1,\"checked\":true,\"typed\":$y,\"same\":true,\"taken\":true,\"now\":\"a\",\"v\":1}},"
    "\"cookies\":[{\"name\":\"a\",\"value\":\"b\",\"domain\":\"a.test\",\"path\":\"/\"}],"
    "\"model\":{\"content\":[1,2,3,2,3,4,1,4]},\"backendNodeId\":7,\"nodeId\":7,"
    "\"node\":{\"frameId\":\"F1\",\"backendNodeId\":7,\"nodeName\":\"IFRAME\"},"
    "\"object\":{\"objectId\":\"o2\"},\"root\":{\"nodeId\":1},\"data\":\"QUJD\",\"body\":\"Qg==\","
    "\"base64Encoded\":true,\"eof\":true,\"success\":true,\"currentIndex\":1,"
    "\"entries\":[{\"id\":1,\"url\":\"https://a.test/1\"},{\"id\":2,\"url\":\"https://a.test/2\"},"
    "{\"id\":3,\"url\":\"https://a.test/3\"}],\"targetInfos\":[{\"targetId\":\"T1\",\"title\":\"t\"}],"
    "\"cssContentSize\":{\"width\":800,\"height\":600},\"cssVisualViewport\":{\"pageX\":0,"
    "\"pageY\":0,\"clientWidth\":800,\"clientHeight\":600,\"scale\":1},\"cssLayoutViewport\":{"
    "\"clientWidth\":800,\"clientHeight\":600}}";

/* What stands behind the id of an answer. The first stands for the good one. */
static const char *const answers[] = {
    NULL,
    "\"result\":{}",
    "\"result\":{\"result\":{\"type\":\"undefined\"}}",
    "\"result\":{\"result\":{\"value\":null}}",
    "\"result\":{\"result\":{\"value\":\"text\"}}",
    "\"result\":{\"result\":{\"value\":[1,{}]}}",
    "\"result\":{\"result\":{\"value\":{\"error\":{\"code\":\"element_not_found\",\"message\":\"m\"}}"
    "}}",
    "\"result\":{\"result\":{\"value\":{\"error\":{\"code\":\"dialog_open\"}}}}",
    "\"result\":{\"result\":{\"value\":{\"url\":7,\"title\":[],\"x\":\"a\",\"items\":{},\"text\":{},"
    "\"results\":\"r\",\"elements\":{},\"frames\":[[]],\"name\":{},\"role\":1,\"kind\":[],"
    "\"origin\":1,\"local\":7,\"changed\":{}}},\"cookies\":{},\"model\":[],\"node\":\"n\","
    "\"frameTree\":[],\"targetInfos\":{},\"entries\":[[]],\"data\":{},\"object\":\"o\"}",
    "\"result\":{\"result\":{\"subtype\":\"node\",\"objectId\":\"o3\"},\"exceptionDetails\":{"
    "\"text\":\"Uncaught\",\"exception\":{\"description\":\"Error: x\\n    at y\"}}}",
    "\"result\":{\"exceptionDetails\":{\"exception\":{\"description\":\"ReferenceError: tabard is "
    "not defined\"}}}",
    "\"result\":{\"errorText\":\"net::ERR_FAILED\",\"isDownload\":true}",
    "\"result\":{\"frameId\":\"$T\"}",
    "\"result\":[]",
    "\"result\":\"x\"",
    "\"result\":{\"frameTree\":{\"frame\":{\"id\":\"$F\",\"loaderId\":\"$L\"},\"childFrames\":[{"
    "\"frame\":{\"id\":\"F2\"},\"childFrames\":[{\"frame\":{\"id\":\"$T\"}}]}]}}",
    "\"error\":{\"code\":-32000,\"message\":\"uniqueContextId not found\"}",
    "\"error\":{\"code\":-32000,\"message\":\"Execution context was destroyed.\"}",
    "\"error\":{\"code\":-32000,\"message\":\"Inspected target navigated or closed\"}",
    "\"error\":{\"code\":-32001,\"message\":\"Session with given id not found.\"}",
    "\"error\":{\"code\":-32602,\"message\":\"Invalid parameters\"}",
    "\"error\":{}",
    "\"result\":{\"result\":{\"value\":{}}}",
};

#define DIALOG(type)                                                           \
    "\"method\":\"Page.javascriptDialogOpening\",\"params\":{\"type\":\"" type \
    "\",\"message\":\"m\","                                                    \
    "\"defaultPrompt\":\"d\"}"
#define LIFE(name)                                                                           \
    "\"method\":\"Page.lifecycleEvent\",\"params\":{\"frameId\":\"$T\",\"loaderId\":\"$L\"," \
    "\"name\":\"" name "\"}"
#define TOLD(payload)                                                                                 \
    "\"method\":\"Runtime.bindingCalled\",\"params\":{\"name\":\"tabardTell\",\"payload\":\"" payload \
    "\"}"
#define WORLD(frame, name, main)                                                                   \
    "\"method\":\"Runtime.executionContextCreated\",\"params\":{\"context\":{\"uniqueId\":\"$w\"," \
    "\"name\":\"" name "\",\"auxData\":{\"frameId\":\"" frame "\",\"isDefault\":" main "}}}"
#define NEW_PAGE(more)                                                                         \
    "\"method\":\"Target.attachedToTarget\",\"params\":{\"sessionId\":\"$s\",\"targetInfo\":{" \
    "\"targetId\":\"$t\",\"type\":\"page\",\"browserContextId\":\"$C\"" more "}}"
#define NEW_PART(type, id, session)                                               \
    "\"method\":\"Target.attachedToTarget\",\"params\":{\"sessionId\":\"" session \
    "\",\"targetInfo\":{\"targetId\":\"" id "\",\"type\":\"" type "\",\"parentFrameId\":\"$T\"}}"

#define DOWNLOAD(guid, state)                                                                      \
    "\"method\":\"Browser.downloadProgress\",\"params\":{\"guid\":\"" guid "\",\"state\":\"" state \
    "\",\"totalBytes\":3,\"receivedBytes\":3}"

/* The browser's own. */
static const char *const browser_events[] = {
    NEW_PAGE(""),
    NEW_PAGE(",\"openerId\":\"$T\",\"canAccessOpener\":true"),
    "\"method\":\"Target.attachedToTarget\",\"params\":{\"sessionId\":\"$S\",\"targetInfo\":{"
    "\"targetId\":\"$T\",\"type\":\"page\",\"browserContextId\":\"$C\"}}",
    "\"method\":\"Target.attachedToTarget\",\"params\":{\"sessionId\":7,\"targetInfo\":[]}",
    "\"method\":\"Target.attachedToTarget\",\"params\":{\"sessionId\":\"$s\",\"targetInfo\":{"
    "\"targetId\":\"$t\",\"type\":\"service_worker\",\"browserContextId\":\"$C\"}}",
    "\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"$S\"}",
    "\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"$O\"}",
    "\"method\":\"Target.detachedFromTarget\"",
};

/* Those of a session. */
static const char *const session_events[] = {
    WORLD("$T", "tabard", "false"),
    WORLD("$T", "", "true"),
    WORLD("$F", "tabard", "false"),
    WORLD("$F", "", "true"),
    "\"method\":\"Runtime.executionContextDestroyed\",\"params\":{\"executionContextUniqueId\":\"$W\"}",
    "\"method\":\"Runtime.executionContextsCleared\"",
    "\"method\":\"Page.frameRequestedNavigation\",\"params\":{\"frameId\":\"$T\",\"reason\":"
    "\"anchorClick\",\"disposition\":\"currentTab\"}",
    "\"method\":\"Page.frameRequestedNavigation\",\"params\":{\"frameId\":\"$F\",\"reason\":"
    "\"formSubmissionPost\",\"disposition\":\"currentTab\"}",
    "\"method\":\"Page.frameStartedNavigating\",\"params\":{\"frameId\":\"$T\",\"navigationType\":"
    "\"differentDocument\"}",
    "\"method\":\"Page.frameStartedLoading\",\"params\":{\"frameId\":\"$T\"}",
    "\"method\":\"Page.frameStoppedLoading\",\"params\":{\"frameId\":\"$T\"}",
    "\"method\":\"Page.frameNavigated\",\"params\":{\"frame\":{\"id\":\"$T\",\"loaderId\":\"$L\","
    "\"url\":\"https://$L.test/\"}}",
    "\"method\":\"Page.frameNavigated\",\"params\":{\"frame\":{\"id\":\"$F\",\"parentId\":\"$T\","
    "\"loaderId\":\"$L\",\"url\":\"https://f.test/\"}}",
    "\"method\":\"Page.frameNavigated\",\"params\":{\"frame\":{\"id\":\"$T\",\"loaderId\":\"$L\","
    "\"url\":\"chrome-error://chromewebdata/\",\"unreachableUrl\":\"https://no.test/\"}}",
    "\"method\":\"Page.frameNavigated\",\"params\":{\"frame\":{\"id\":\"$T\",\"unreachableUrl\":7}}",
    "\"method\":\"Page.navigatedWithinDocument\",\"params\":{\"frameId\":\"$T\",\"url\":"
    "\"https://a.test/#$L\"}",
    LIFE("load"),
    LIFE("DOMContentLoaded"),
    LIFE("networkIdle"),
    "\"method\":\"Page.frameAttached\",\"params\":{\"frameId\":\"$F\",\"parentFrameId\":\"$T\"}",
    "\"method\":\"Page.frameAttached\",\"params\":{\"frameId\":\"$F\",\"parentFrameId\":\"F1\"}",
    "\"method\":\"Page.frameAttached\",\"params\":{\"frameId\":\"$T\",\"parentFrameId\":\"$F\"}",
    "\"method\":\"Page.frameDetached\",\"params\":{\"frameId\":\"$F\",\"reason\":\"remove\"}",
    "\"method\":\"Page.frameDetached\",\"params\":{\"frameId\":\"$F\",\"reason\":\"swap\"}",
    "\"method\":\"Page.frameDetached\",\"params\":{\"frameId\":\"$T\",\"reason\":\"remove\"}",
    DIALOG("alert"),
    DIALOG("prompt"),
    DIALOG("beforeunload"),
    "\"method\":\"Page.javascriptDialogOpening\",\"params\":[]",
    "\"method\":\"Page.javascriptDialogClosed\"",
    "\"method\":\"Inspector.targetCrashed\"",
    "\"method\":\"Inspector.targetReloadedAfterCrash\"",
    NEW_PART("iframe", "$F", "$O"),
    NEW_PART("iframe", "$T", "$O"),
    NEW_PART("iframe", "$F", "$S"),
    NEW_PART("worker", "$F", "$O"),
    "\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"$O\"}",
    "\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"$S\"}",
    TOLD(
        "{\\\"clicks\\\":9,\\\"inputs\\\":9,\\\"url\\\":\\\"https://a.test/\\\",\\\"title\\\":\\\"t\\\"}"),
    TOLD("{\\\"clicks\\\":9,\\\"inputs\\\":9,\\\"leadsOn\\\":true}"),
    TOLD("{\\\"status\\\":200,\\\"stage\\\":\\\"load\\\",\\\"url\\\":\\\"https://a.test/\\\"}"),
    TOLD("{\\\"stage\\\":\\\"restored\\\"}"),
    TOLD("[1,"),
    "\"method\":\"Runtime.consoleAPICalled\",\"params\":{\"type\":\"error\",\"args\":[{\"value\":1},"
    "{\"description\":\"d\"},{}]}",
    "\"method\":\"Runtime.exceptionThrown\",\"params\":{\"exceptionDetails\":{\"text\":\"e\"}}",
    "\"method\":\"Log.entryAdded\",\"params\":{\"entry\":{\"level\":\"error\",\"text\":\"e\"}}",
    "\"method\":\"Network.requestWillBeSent\",\"params\":{\"requestId\":\"$L\",\"type\":\"Document\","
    "\"request\":{\"url\":\"https://a.test/\",\"method\":\"GET\",\"headers\":{\"a\":\"b\"}}}",
    "\"method\":\"Network.responseReceived\",\"params\":{\"requestId\":\"$L\",\"response\":{"
    "\"status\":200,\"headers\":{}}}",
    "\"method\":\"Network.loadingFinished\",\"params\":{\"requestId\":\"$L\"}",
    "\"method\":\"Network.loadingFailed\",\"params\":{\"requestId\":\"$L\",\"errorText\":\"x\"}",
    "\"method\":\"Network.requestWillBeSent\",\"params\":{\"requestId\":\"$L\",\"request\":[]}",
    "\"method\":\"Page.downloadWillBegin\",\"params\":{\"guid\":\"$L\",\"suggestedFilename\":\"a\","
    "\"url\":\"https://a.test/\"}",
    "\"method\":\"Page.downloadProgress\",\"params\":{\"guid\":\"$L\",\"state\":\"completed\","
    "\"totalBytes\":3,\"receivedBytes\":3}",
    "\"method\":\"Page.downloadProgress\",\"params\":{\"guid\":\"$L\",\"state\":\"canceled\"}",
    "\"method\":\"Fetch.requestPaused\",\"params\":{\"requestId\":\"r1\"}",
    "\"method\":\"Fetch.requestPaused\",\"params\":{}",
    "\"method\":\"Input.dragIntercepted\",\"params\":{\"data\":{\"items\":[]}}",
    "\"method\":\"Input.dragIntercepted\"",
    TOLD("{\\\"stage\\\":\\\"struck\\\",\\\"struck\\\":true}"),
    TOLD("{\\\"stage\\\":\\\"seeking\\\",\\\"seeking\\\":true}"),
    TOLD("{\\\"stage\\\":\\\"drop\\\",\\\"dropped\\\":true,\\\"instead\\\":\\\"<p>\\\"}"),
    TOLD("{\\\"stage\\\":\\\"input\\\",\\\"same\\\":true,\\\"taken\\\":true}"),
    "\"method\":\"Page.fileChooserOpened\",\"params\":{\"frameId\":\"$T\",\"mode\":"
    "\"selectMultiple\",\"backendNodeId\":7}",
    "\"method\":\"Page.fileChooserOpened\",\"params\":{\"frameId\":\"$F\",\"mode\":7}",
    "\"method\":\"Page.frameNavigated\",\"params\":{\"frame\":{\"id\":\"$T\",\"loaderId\":\"$L\","
    "\"url\":\"file:///etc/passwd\"}}",
    "\"method\":\"Page.frameNavigated\",\"params\":{\"frame\":{\"id\":\"$F\",\"parentId\":\"$T\","
    "\"loaderId\":\"$L\",\"url\":\"file:///etc/passwd\"}}",
    "\"method\":\"Page.frameClearedScheduledNavigation\",\"params\":{\"frameId\":\"$T\"}",
    TOLD("{\\\"stage\\\":\\\"stalled\\\",\\\"stalled\\\":true}"),
    TOLD("{\\\"stage\\\":\\\"struck\\\",\\\"struck\\\":true,\\\"done\\\":true}"),
    TOLD("{\\\"stage\\\":\\\"ticked\\\",\\\"ticked\\\":true}"),
    TOLD("{\\\"stage\\\":\\\"away\\\",\\\"away\\\":\\\"<p>\\\",\\\"aim\\\":1,\\\"keys\\\":1}"),
};

/* Of downloads the browser tells for all its tabs. */
static const char *const download_events[] = {
    DOWNLOAD("$L", "inProgress"),
    DOWNLOAD("$L", "completed"),
    DOWNLOAD("$L", "canceled"),
    DOWNLOAD("../$L", "completed"),
    "\"method\":\"Browser.downloadWillBegin\",\"params\":{\"guid\":\"$L\"}",
};

#define CREDENTIALS(source)                                               \
    "\"method\":\"Fetch.authRequired\",\"params\":{\"requestId\":\"r1\"," \
    "\"authChallenge\":{\"source\":\"" source "\"}}"

/* Those of a session that came later: the numbers of others stay what they are. */
static const char *const more_events[] = {
    CREDENTIALS("Proxy"),
    CREDENTIALS("Server"),
    "\"method\":\"Fetch.authRequired\"",
};

void hostile_open(struct hostile_peer *peer, struct tb_loop *loop, struct tb_stream **ret_to,
                  struct tb_stream **ret_from)
{
    int to[2];
    int from[2];
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, to) == 0);
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, from) == 0);
    *ret_to = tb_stream_open_fd_take(loop, to[0]);
    *ret_from = tb_stream_open_fd_take(loop, from[0]);
    *peer = (struct hostile_peer){.in = to[1], .out = from[1], .read = TB_BUF(READ_MAX)};
}

void hostile_close(struct hostile_peer *peer)
{
    if (peer->in >= 0) {
        close(peer->in);
        close(peer->out);
        tb_buf_fini(&peer->read);
    }
    *peer = (struct hostile_peer){.in = -1, .out = -1};
}

/* The text behind `key` up to the next quote or comma, as our own writer prints it. */
static void take_member(const char *message, const char *key, char *ret_text, size_t size)
{
    const char *at = strstr(message, key);
    size_t len = at ? strcspn(at + strlen(key), "\",}") : 0;
    snprintf(ret_text, size, "%.*s", (int)(len < size ? len : size - 1),
             at ? at + strlen(key) : "");
}

static void on_command(struct hostile_peer *peer, const char *message)
{
    char id[32];
    if (peer->count == HOSTILE_WAITING_MAX) {
        return; /* never answered */
    }
    struct hostile_command *command = &peer->waiting[peer->count++];
    peer->secrets += strstr(message, HOSTILE_SECRET) != NULL;
    take_member(message, "{\"id\":", id, sizeof(id));
    take_member(message, "\"method\":\"", command->method, sizeof(command->method));
    take_member(message, "\"sessionId\":\"", command->session, sizeof(command->session));
    take_member(message, "\"browserContextId\":\"", command->context, sizeof(command->context));
    take_member(message, "\"targetId\":\"", command->target, sizeof(command->target));
    take_member(message, "\"response\":\"", command->response, sizeof(command->response));
    command->in_frame = strstr(message, "\\\"prefix\\\":");
    command->receives = strstr(message, "tabard.receiver(");
    command->by_keys = strstr(message, "\\\"keys\\\":true");
    command->id = strtoull(id, NULL, 10);
}

void hostile_read(struct hostile_peer *peer)
{
    char block[16 * 1024];
    ssize_t got;
    while (peer->in >= 0 && (got = read(peer->in, block, sizeof(block))) > 0) {
        tb_buf_append(&peer->read, block, (size_t)got);
    }
    const char *end;
    while (peer->read.len && (end = memchr(peer->read.data, '\0', peer->read.len))) {
        on_command(peer, (const char *)peer->read.data);
        tb_buf_consume(&peer->read, (size_t)(end - (const char *)peer->read.data) + 1);
    }
}

void hostile_say(struct hostile_peer *peer, const void *data, size_t len)
{
    if (peer->out >= 0 && len) {
        /* What does not fit is lost: a browser that stops in the middle of a message. */
        assert(write(peer->out, data, len) != 0);
    }
}

/* The names that templates know. A small letter is for what is new. */
static void put_name(struct hostile_peer *peer, char what, uint8_t pick, struct tb_buf *out)
{
    switch (what) {
    case 'k': /* of the field that a file is put into */
        tb_buf_append_cstr(out, peer->answered.receives ? "file" : "text");
        break;
    case 'f': /* those of the tab: one, and nothing in it */
        tb_buf_append_cstr(out, peer->answered.in_frame ? "" : "\"e1\"");
        break;
    case 'y':
        tb_buf_append_cstr(out, peer->answered.by_keys ? "false" : "true");
        break;
    case 'c':
        tb_buf_printf(out, "C%u", peer->contexts);
        break;
    case 's':
        tb_buf_printf(out, "S%u", ++peer->targets);
        break;
    case 't':
        tb_buf_printf(out, "T%u", peer->targets);
        break;
    case 'w':
        tb_buf_printf(out, "W%u", ++peer->worlds);
        break;
    case 'C':
        tb_buf_printf(out, "C%u", 1 + pick % (peer->contexts + 1));
        break;
    case 'S':
    case 'T':
        tb_buf_printf(out, "%c%u", what, 1 + pick % (peer->targets + 1));
        break;
    case 'W':
        tb_buf_printf(out, "W%u", 1 + pick % (peer->worlds + 1));
        break;
    default: /* frames, their sessions, loaders */
        tb_buf_printf(out, "%c%u", what, 1 + pick % FRAMES);
        break;
    }
}

static void expand(struct hostile_peer *peer, const char *text, const uint8_t picks[HOSTILE_PICKS],
                   struct tb_buf *out)
{
    size_t used = 0;
    const char *mark;
    while ((mark = strchr(text, '$'))) {
        tb_buf_append(out, text, (size_t)(mark - text));
        put_name(peer, mark[1], picks[1 + used++ % (HOSTILE_PICKS - 1)], out);
        text = mark + 2;
    }
    tb_buf_append_cstr(out, text);
}

static void send_event(struct hostile_peer *peer, const char *text, const char *session,
                       const uint8_t picks[HOSTILE_PICKS])
{
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(MESSAGE_MAX);
    tb_buf_append_char(&message, '{');
    expand(peer, text, picks, &message);
    if (session) {
        tb_buf_printf(&message, ",\"sessionId\":\"%s\"", session);
    }
    tb_buf_append(&message, "}", 2); /* with its NUL */
    hostile_say(peer, message.data, message.len);
}

void hostile_tell(struct hostile_peer *peer, uint8_t what, const uint8_t picks[HOSTILE_PICKS])
{
    size_t browser = TB_COUNT(browser_events);
    size_t others = browser + TB_COUNT(session_events);
    size_t more = others + TB_COUNT(download_events);
    size_t kind = what % (more + TB_COUNT(more_events));
    char session[32];
    if (kind < browser) {
        send_event(peer, browser_events[kind], NULL, picks);
        return;
    }
    if (kind >= others && kind < more) {
        send_event(peer, download_events[kind - others], NULL, picks);
        return;
    }
    snprintf(session, sizeof(session), "%c%u", picks[0] & 0x80 ? 'O' : 'S',
             1 + (picks[0] & 0x7fU) % (picks[0] & 0x80 ? FRAMES : peer->targets + 1));
    send_event(peer, kind < more ? session_events[kind - browser] : more_events[kind - more],
               session, picks);
}

/* The number of "S7", from 0. */
static uint8_t index_of(const char *id)
{
    return (uint8_t)(strtoul(id[0] ? id + 1 : "1", NULL, 10) - 1);
}

/* Rows of session_events that happen in this tab. */
static void tell_tab(struct hostile_peer *peer, const char *session, const uint8_t *rows,
                     size_t count)
{
    uint8_t own = index_of(session);
    const uint8_t picks[HOSTILE_PICKS] = {own, own, own, own};
    for (size_t i = 0; i < count; i++) {
        send_event(peer, session_events[rows[i]], session, picks);
    }
}

void hostile_frame(struct hostile_peer *peer, const char *session)
{
    const uint8_t in[HOSTILE_PICKS] = {0, 0, index_of(session), 0};
    const uint8_t first[HOSTILE_PICKS] = {0};
    send_event(peer, session_events[FRAME_ATTACHED], session, in);
    send_event(peer, session_events[FRAME_OUR_WORLD], session, first);
    send_event(peer, session_events[FRAME_MAIN_WORLD], session, first);
}

void hostile_dialog(struct hostile_peer *peer, const char *session)
{
    tell_tab(peer, session, (const uint8_t[]){ALERT}, 1);
}

void hostile_download(struct hostile_peer *peer, const char *session)
{
    const uint8_t first[HOSTILE_PICKS] = {0};
    send_event(peer, session_events[DOWNLOAD_BEGINS], session, first);
    send_event(peer, download_events[0], NULL, first);
    send_event(peer, download_events[1], NULL, first);
}

static bool is_one_of(const char *method, const char *const names[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(method, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* What a browser tells of before or after it answers a command. */
static void tell_around(struct hostile_peer *peer, const struct hostile_command *command,
                        bool before)
{
    static const char *const loads[] = {"Page.navigate", "Page.reload",
                                        "Page.navigateToHistoryEntry"};
    const char *method = command->method;
    if (before && strcmp(method, "Target.createTarget") == 0) {
        uint8_t context = index_of(command->context);
        const uint8_t in[HOSTILE_PICKS] = {0, context, context, context};
        send_event(peer, browser_events[0], NULL, in);
    } else if (!before && strcmp(method, "Runtime.runIfWaitingForDebugger") == 0) {
        tell_tab(peer, command->session, (const uint8_t[]){0, 1}, 2);
    } else if (!before && is_one_of(method, loads, TB_COUNT(loads))) {
        static const uint8_t steps[] = {8, 9, 5, 11, 0, 1, 16, 18, 10};
        uint8_t own = index_of(command->session);
        for (size_t i = 0; i < sizeof(steps); i++) {
            /* A new loader, L2; worlds have the frame in its place. */
            const uint8_t one[HOSTILE_PICKS] = {own, own, steps[i] < 2 ? own : 1, own};
            send_event(peer, session_events[steps[i]], command->session, one);
        }
    } else if (!before && strcmp(method, "Page.handleJavaScriptDialog") == 0) {
        tell_tab(peer, command->session, (const uint8_t[]){DIALOG_CLOSED}, 1);
    } else if (!before && strcmp(method, "Target.closeTarget") == 0) {
        uint8_t own = index_of(command->target);
        const uint8_t picks[HOSTILE_PICKS] = {own, own, own, own};
        send_event(peer, browser_events[5], NULL, picks);
    }
}

static const char *good_answer(const char *method)
{
    for (size_t i = 0; i < TB_COUNT(with_answer); i++) {
        if (strstr(method, with_answer[i])) {
            return good;
        }
    }
    return "{}";
}

void hostile_answer(struct hostile_peer *peer, size_t which, uint8_t how, bool keep)
{
    if (!peer->count) {
        return;
    }
    which %= peer->count;
    struct hostile_command command = peer->waiting[which];
    uint8_t own = index_of(command.session);
    const uint8_t picks[HOSTILE_PICKS] = {own, own, own, own};
    const char *text = answers[how % TB_COUNT(answers)];
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(MESSAGE_MAX);
    if (!keep) {
        peer->count--;
        memmove(&peer->waiting[which], &peer->waiting[which + 1],
                (peer->count - which) * sizeof(peer->waiting[0]));
    }
    if (!text) {
        peer->contexts += strcmp(command.method, "Target.createBrowserContext") == 0;
        tell_around(peer, &command, true);
    }
    peer->answered = command;
    tb_buf_printf(&message, "{\"id\":%llu,", (unsigned long long)command.id);
    tb_buf_append_cstr(&message, text ? "" : "\"result\":");
    expand(peer, text ? text : good_answer(command.method), picks, &message);
    tb_buf_append(&message, "}", 2);
    hostile_say(peer, message.data, message.len);
    if (!text) {
        tell_around(peer, &command, false);
    }
}

void hostile_answer_all(struct hostile_peer *peer)
{
    while (peer->count) {
        hostile_answer(peer, 0, 0, false);
    }
}
