import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Laid between a program and the C library. It counts the calls that change something on disk in the folder CALLS_UNDER,
 * of Node and of LMDB, over all threads, and ends the process with SIGKILL before the call number KILL_AT is made; with
 * KILL_HALF, a write is made by half first. Between two such calls the disk is the same, so a kill there adds nothing.
 * Or it copies the folder, and the file CALLS_TOLD, into COPIES_IN before every call and in the middle of every write: a
 * kill at that call would leave the same, as it takes nothing back that was written.
 */
const SOURCE = String.raw`
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_long calls;
static long kill_at;
static int kill_half;
static int log_fd = -1;
static char under[PATH_MAX];
static size_t under_length;
static const char *copies_in, *told;
static char *no_environment[] = {"PATH=/usr/bin:/bin", NULL};
/* The number of the call that this thread is about to make, or 0. */
static _Thread_local long counted;

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("KILL_AT"), *folder = getenv("CALLS_UNDER"), *log = getenv("CALLS_LOG");
  kill_at = at ? atol(at) : 0;
  kill_half = getenv("KILL_HALF") != NULL;
  if (folder && strlen(folder) < sizeof under) strcpy(under, folder);
  under_length = strlen(under);
  copies_in = getenv("COPIES_IN");
  told = getenv("CALLS_TOLD");
  if (log) log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  unsetenv("LD_PRELOAD");
}

static void end(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static void copy(const char *half) {
  char target[PATH_MAX];
  pid_t copier;
  if (!copies_in) return;
  snprintf(target, sizeof target, "%s/%ld%s", copies_in, counted, half);
  syscall(SYS_mkdirat, AT_FDCWD, target, 0700);
  char *arguments[] = {"cp", "-a", under, (char *)told, target, NULL};
  if (posix_spawnp(&copier, "cp", NULL, NULL, arguments, no_environment) == 0) waitpid(copier, NULL, 0);
}

static int count(const char *call, const char *path) {
  long number = atomic_fetch_add(&calls, 1) + 1;
  counted = number;
  copy("");
  if (log_fd >= 0) {
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%ld %s %s\n", number, call, path + under_length);
    syscall(SYS_write, log_fd, line, length);
  }
  return number == kill_at;
}

static int is_under(const char *path) {
  return under_length > 0 && strncmp(path, under, under_length) == 0;
}

/* By path: whether to end before the call. A descriptor of a folder may stand before the name. */
static int at_path(const char *call, int folder, const char *path) {
  char base[PATH_MAX], link[64], whole[2 * PATH_MAX + 2];
  const char *rest = path;
  int saved = errno;
  if (path == NULL) return 0;
  if (strncmp(path, "/proc/self/fd/", 14) == 0) {
    folder = (int)strtol(path + 14, (char **)&rest, 10);
    if (*rest == '/') rest++;
  } else if (path[0] == '/' || folder == AT_FDCWD) {
    errno = saved;
    return is_under(path) && count(call, path);
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t length = readlink(link, base, sizeof base - 1);
  errno = saved;
  if (length < 0) return 0;
  base[length] = 0;
  snprintf(whole, sizeof whole, "%s/%s", base, rest);
  return is_under(whole) && count(call, whole);
}

static int at_file(const char *call, int fd) {
  char link[64], path[PATH_MAX];
  int saved = errno;
  counted = 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = saved;
  if (length < 0) return 0;
  path[length] = 0;
  return is_under(path) && count(call, path);
}

#define OPEN(name, parameters, folder, arguments) \
  int name parameters { \
    REAL(name); \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
      va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); \
    } \
    if ((flags & (O_CREAT | O_TRUNC)) && at_path(#name, folder, path)) end(); \
    return real arguments; \
  }
OPEN(open, (const char *path, int flags, ...), AT_FDCWD, (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD, (path, flags, mode))
OPEN(openat, (int folder, const char *path, int flags, ...), folder, (folder, path, flags, mode))
OPEN(openat64, (int folder, const char *path, int flags, ...), folder, (folder, path, flags, mode))

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(write);
  if (at_file("write", fd)) { if (kill_half) real(fd, bytes, length / 2); end(); }
  return real(fd, bytes, length);
}
#define PWRITE(name, offset_type) \
  ssize_t name(int fd, const void *bytes, size_t length, offset_type at) { \
    REAL(name); \
    if (at_file(#name, fd)) { if (kill_half) real(fd, bytes, length / 2, at); end(); } \
    if (counted && copies_in && real(fd, bytes, length / 2, at) >= 0) copy("-half"); \
    return real(fd, bytes, length, at); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)
ssize_t writev(int fd, const struct iovec *parts, int many) {
  REAL(writev);
  if (at_file("writev", fd)) { if (kill_half) real(fd, parts, many / 2); end(); }
  return real(fd, parts, many);
}
#define PWRITEV(name, offset_type) \
  ssize_t name(int fd, const struct iovec *parts, int many, offset_type at) { \
    REAL(name); \
    if (at_file(#name, fd)) { if (kill_half) real(fd, parts, many / 2, at); end(); } \
    if (counted && copies_in && many > 1 && real(fd, parts, many / 2, at) >= 0) copy("-half"); \
    return real(fd, parts, many, at); \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

#define BY_FILE(name, parameters, arguments) \
  int name parameters { REAL(name); if (at_file(#name, fd)) end(); return real arguments; }
BY_FILE(fsync, (int fd), (fd))
BY_FILE(fdatasync, (int fd), (fd))
BY_FILE(ftruncate, (int fd, off_t length), (fd, length))
BY_FILE(ftruncate64, (int fd, off64_t length), (fd, length))
BY_FILE(fallocate, (int fd, int mode, off_t at, off_t length), (fd, mode, at, length))
BY_FILE(posix_fallocate, (int fd, off_t at, off_t length), (fd, at, length))
BY_FILE(fchmod, (int fd, mode_t mode), (fd, mode))

#define BY_PATH(name, parameters, folder, arguments) \
  int name parameters { REAL(name); if (at_path(#name, folder, path)) end(); return real arguments; }
BY_PATH(rename, (const char *path, const char *to), AT_FDCWD, (path, to))
BY_PATH(link, (const char *path, const char *to), AT_FDCWD, (path, to))
BY_PATH(symlink, (const char *to, const char *path), AT_FDCWD, (to, path))
BY_PATH(unlink, (const char *path), AT_FDCWD, (path))
BY_PATH(unlinkat, (int folder, const char *path, int flags), folder, (folder, path, flags))
BY_PATH(mkdir, (const char *path, mode_t mode), AT_FDCWD, (path, mode))
BY_PATH(mkdirat, (int folder, const char *path, mode_t mode), folder, (folder, path, mode))
BY_PATH(rmdir, (const char *path), AT_FDCWD, (path))
BY_PATH(chmod, (const char *path, mode_t mode), AT_FDCWD, (path, mode))
BY_PATH(truncate, (const char *path, off_t length), AT_FDCWD, (path, length))

int bind(int fd, const struct sockaddr *address, socklen_t length) {
  REAL(bind);
  if (address->sa_family == AF_UNIX) {
    char path[sizeof(struct sockaddr_un) + 1] = {0};
    memcpy(path, ((const struct sockaddr_un *)address)->sun_path, length - offsetof(struct sockaddr_un, sun_path));
    if (at_path("bind", AT_FDCWD, path)) end();
  }
  return real(fd, address, length);
}
#define SENDFILE(name, offset_type) \
  ssize_t name(int fd, int from, offset_type *at, size_t length) { \
    REAL(name); \
    if (at_file(#name, fd)) { if (kill_half) real(fd, from, at, length / 2); end(); } \
    return real(fd, from, at, length); \
  }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)
ssize_t copy_file_range(int from, off64_t *at, int fd, off64_t *to, size_t length, unsigned flags) {
  REAL(copy_file_range);
  if (at_file("copy_file_range", fd)) { if (kill_half) real(from, at, fd, to, length / 2, flags); end(); }
  return real(from, at, fd, to, length, flags);
}
long syscall(long number, ...) {
  REAL(syscall);
  va_list list;
  long a[6];
  va_start(list, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_copy_file_range && at_file("copy_file_range", (int)a[2])) {
    if (kill_half) real(number, a[0], a[1], a[2], a[3], a[4] / 2, a[5]);
    end();
  }
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
`;

/** Builds the library in `folder` and returns its path. */
export function buildKillingCalls(folder: string): string {
  const [source, library] = [join(folder, 'killing-calls.c'), join(folder, 'killing-calls.so')];
  writeFileSync(source, SOURCE);
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], { stdio: 'pipe' });
  return library;
}
