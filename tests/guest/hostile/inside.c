/* Tries, inside the sandbox, one system call of each class that a guest could use after taking over the emulator, and
 * those that p5scope needs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/sandbox.h"

static unsigned wrong;

static void expect(const char *what, bool allowed, bool done)
{
    if (allowed == done)
        return;
    fprintf(stderr, "%s: expected that it is %s (%s)\n", what, allowed ? "allowed" : "refused",
            strerror(errno));
    wrong++;
}

static bool opens(const char *folder, const char *name, int flags)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, flags | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static void *nothing(void *context)
{
    return context;
}

static void calls(void)
{
    static const struct {
        const char *what;
        long number, arguments[4];
    } refused[] = {{"execve", SYS_execve, {0}},
                   {"clone of a process", SYS_clone, {0}},
                   {"socket", SYS_socket, {2, 1, 0}},
                   {"socketpair", SYS_socketpair, {1, 1, 0}},
                   {"ptrace", SYS_ptrace, {0}},
                   {"process_vm_readv", SYS_process_vm_readv, {1}},
                   {"kill", SYS_kill, {1, 0}},
                   {"tgkill of another", SYS_tgkill, {1, 1, 0}},
                   {"mount", SYS_mount, {0}},
                   {"unshare", SYS_unshare, {0x10000000}},
                   {"setuid", SYS_setuid, {0}},
                   {"chroot", SYS_chroot, {0}},
                   {"bpf", SYS_bpf, {0}},
                   {"keyctl", SYS_keyctl, {0}},
                   {"perf_event_open", SYS_perf_event_open, {0}},
                   {"io_uring_setup", SYS_io_uring_setup, {1}},
                   {"userfaultfd", SYS_userfaultfd, {0}},
                   {"init_module", SYS_init_module, {0}},
#ifdef SYS_fork /* newer architectures do not have them */
                   {"fork", SYS_fork, {0}},
                   {"mknod", SYS_mknod, {0}},
                   {"chmod", SYS_chmod, {0}},
                   {"link", SYS_link, {0}},
#endif
                   {"personality", SYS_personality, {0}}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const long *a = refused[i].arguments;
        errno = 0;
        long result = syscall(refused[i].number, a[0], a[1], a[2], a[3]);
        if (result == 0 && strcmp(refused[i].what, "fork") == 0)
            _exit(0);
        expect(refused[i].what, false, !(result == -1 && errno == EPERM));
    }
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect("memory for code", false, code != MAP_FAILED);
    void *data = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect("memory", true, data != MAP_FAILED);
    expect("data that becomes code", false, mprotect(data, 4096, PROT_READ | PROT_EXEC) == 0);
    pthread_t thread;
    bool started = pthread_create(&thread, NULL, nothing, NULL) == 0;
    expect("a thread", true, started && pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    char text[100], readable[200], writable[200];
    sandbox_describe(text, sizeof text);
    printf("%s\n", text);
    snprintf(readable, sizeof readable, "%s/readable", folder);
    snprintf(writable, sizeof writable, "%s/writable", folder);
    mkdir(readable, 0700);
    mkdir(writable, 0700);
    expect("making a file before", true, opens(readable, "file", O_WRONLY | O_CREAT));
    const p5_share shares[] = {
        {.size = sizeof(p5_share), .host = readable, .guest = "/readable"},
        {.size = sizeof(p5_share), .host = writable, .guest = "/writable", .writable = true}};
    const sandbox_needs needs = {.shares = shares, .share_count = 2};
    sandbox_enter(&needs);
    if (strstr(text, "no seccomp") == NULL && strstr(text, "not built") == NULL)
        calls();
    if (strstr(text, "no Landlock") == NULL) {
        expect("reading a share", true, opens(readable, "file", O_RDONLY));
        expect("writing to a share that is read", false, opens(readable, "file", O_WRONLY));
        expect("making a file there", false, opens(readable, "new", O_WRONLY | O_CREAT));
        expect("writing to a share", true, opens(writable, "new", O_WRONLY | O_CREAT));
        expect("reading outside", false, opens("/etc", "passwd", O_RDONLY));
        expect("making a file outside", false, opens(folder, "outside", O_WRONLY | O_CREAT));
        expect("out of a share", false, opens(writable, "../readable/../outside", O_WRONLY | O_CREAT));
    }
    return wrong != 0;
}
