/* The server for gdb at its socket, with packets that the real gdb does not send, or not in this order. */
#include "linux_guest.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "p5scope/inspect.h"

enum { LIMIT = 1000 };                                  /* instructions of a run that goes on without gdb */
static const uint8_t code[] = {0x90, 0x90, 0x0f, 0x0b}; /* nop; nop; ud2 */

typedef struct session {
    p5_machine *machine;
    char folder[32], path[48]; /* of the socket */
    int socket;
    pthread_t thread; /* of the server */
    p5_status status;
    p5_run_result result;
} session;

static void *serve(void *context)
{
    session *s = context;
    const p5_limits limits = {.size = sizeof limits, .max_instructions = LIMIT, .timeout_seconds = 60};
    p5_error error;
    s->status = p5_machine_run_gdb(s->machine, s->path, &limits, &s->result, &error);
    return NULL;
}

static void open_session(session *s)
{
    const char *const none[] = {NULL};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    p5_error error;
    *s = (session){.folder = "/tmp/p5scope-gdb-XXXXXX", .result.size = sizeof s->result};
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->path, sizeof s->path, "%s/socket", s->folder);
    strcpy(address.sun_path, s->path);
    s->machine = linux_guest_open(none, none);
    assert_int_equal(p5_machine_write_memory(s->machine, LINUX_GUEST_ENTRY, code, sizeof code, &error),
                     P5_OK);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
    s->socket = socket(AF_UNIX, SOCK_STREAM, 0);
    while (connect(s->socket, (struct sockaddr *)&address, sizeof address) != 0)
        usleep(1000);
}

static void close_session(session *s)
{
    close(s->socket);
    pthread_join(s->thread, NULL);
    p5_machine_close(s->machine);
    rmdir(s->folder);
    assert_int_equal(s->status, P5_OK);
}

/* Sends a packet. The reply must be `expected`; NULL: the server closes the connection without one. */
static void ask(session *s, const char *packet, const char *expected)
{
    char frame[64], reply[256] = "";
    unsigned sum = 0;
    for (const char *c = packet; *c != '\0'; c++)
        sum += (uint8_t)*c;
    int length = snprintf(frame, sizeof frame, "$%s#%02x", packet, sum & 0xff);
    assert_int_equal(send(s->socket, frame, (size_t)length, MSG_NOSIGNAL), length);
    size_t size = 0;
    while (size < sizeof reply - 1 && (size < 3 || reply[size - 3] != '#') &&
           recv(s->socket, reply + size, 1, 0) == 1)
        size += size != 0 || reply[0] != '+'; /* the acknowledgement of the packet */
    if (size == 0 && expected != NULL)
        fail_msg("'%s': the connection was closed", packet);
    if (size != 0 && (expected == NULL || size < 4 || strlen(expected) != size - 4 ||
                      memcmp(reply + 1, expected, size - 4) != 0))
        fail_msg("'%s' was answered by '%.*s'", packet, (int)size, reply);
}

/* The manual's "Packets": vKill and D are answered, k is not. */
TEST(test_ends)
{
    static const struct {
        const char *packet, *reply;
        enum p5_end end;
    } rows[] = {{"vKill;1", "OK", P5_END_STOPPED}, {"k", NULL, P5_END_STOPPED}, {"D", "OK", P5_END_SIGNAL}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        session s;
        open_session(&s);
        ask(&s, rows[i].packet, rows[i].reply);
        close_session(&s);
        assert_int_equal(s.result.end, rows[i].end);
    }
}

/* A signal is delivered only by the packet that passes it, and not in the past. 4 is SIGILL. */
TEST(test_passed_signal)
{
    session s;
    open_session(&s);
    ask(&s, "c", "T04thread:1;");
    ask(&s, "c", "T04thread:1;");
    ask(&s, "bc", "T05replaylog:begin;thread:1;");
    ask(&s, "c", "T04thread:1;");         /* the first one again, in the past */
    ask(&s, "vCont;C04", "T04thread:1;"); /* the third one, in the present */
    ask(&s, "c", "T04thread:1;");
    ask(&s, "vCont;C04", "X04");
    ask(&s, "c", "X04");
    close_session(&s);
    assert_int_equal(s.result.end, P5_END_SIGNAL);
}

/* The result may be NULL, as for p5_machine_run. */
TEST(without_a_result)
{
    const char *const none[] = {NULL};
    const p5_limits limits = {.size = sizeof limits, .timeout_seconds = 0.01};
    char folder[] = "/tmp/p5scope-gdb-XXXXXX", path[48];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/socket", folder);
    MACHINE(machine, linux_guest_open(none, none));
    assert_int_equal(p5_machine_run_gdb(machine, path, &limits, NULL, NULL), P5_OK);
    rmdir(folder);
}
