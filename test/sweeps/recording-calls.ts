import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Laid between a program and the C library, in all its processes. It appends to the file RECORD_TO, in the order in which
 * they happen, all calls that change something on disk in the folder RECORD_UNDER, with their bytes; and the bytes that are
 * sent over TCP. Of a write and a sync both its beginning and its end are recorded: what it is about is on disk only after
 * its end, but may be from its beginning on. A change of names is recorded when it is made, before anybody knows of it.
 *
 * Each record is a head of 8 numbers of 64 bits, little-endian, and bytes: kind, id of the call, time in ns, file or
 * socket, a number, a second one, the length of the bytes, and 0.
 */
const SOURCE = String.raw`
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { END = 1, WRITE, TRUNCATE, SYNC, SEND, CREATE, MKDIR, SYMLINK, SOCKET, LINK, RENAME, REMOVE, UNKNOWN };

static int record_fd = -1;
static char under[PATH_MAX];
static size_t under_length;
static atomic_ullong calls;

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *to = getenv("RECORD_TO"), *folder = getenv("RECORD_UNDER");
  if (!to || !folder || strlen(folder) >= sizeof under) return;
  strcpy(under, folder);
  under_length = strlen(under);
  record_fd = (int)syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
  if (record_fd < 0) abort();
}

/* One write for each record: those of several threads and processes do not mix. */
static void put(uint64_t kind, uint64_t id, uint64_t file, uint64_t a, uint64_t b, const struct iovec *parts, int many) {
  struct timespec now;
  size_t length = 0;
  int saved = errno;
  for (int i = 0; i < many; i++) length += parts[i].iov_len;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t head[8] = {kind, id, (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec, file, a, b, length, 0};
  char *record = malloc(sizeof head + length), *at = record + sizeof head;
  if (!record) abort();
  memcpy(record, head, sizeof head);
  for (int i = 0; i < many; i++) {
    memcpy(at, parts[i].iov_base, parts[i].iov_len);
    at += parts[i].iov_len;
  }
  if (syscall(SYS_write, record_fd, record, sizeof head + length) != (ssize_t)(sizeof head + length)) abort();
  free(record);
  errno = saved;
}

static uint64_t begin_call(uint64_t kind, uint64_t file, uint64_t a, uint64_t b, const struct iovec *parts, int many) {
  uint64_t id = ((uint64_t)getpid() << 32) | (atomic_fetch_add(&calls, 1) + 1);
  put(kind, id, file, a, b, parts, many);
  return id;
}

static void end_call(uint64_t id, int64_t result) {
  if (id) put(END, id, 0, (uint64_t)result, 0, NULL, 0);
}

static int is_under(const char *path) {
  return record_fd >= 0 && strncmp(path, under, under_length) == 0 && (path[under_length] == '/' || !path[under_length]);
}

/* The file behind a descriptor, if it is in the folder. */
static uint64_t file_of(int fd) {
  char link[64], path[PATH_MAX];
  struct stat stat;
  int saved = errno;
  uint64_t file = 0;
  if (record_fd < 0 || fd == record_fd) return 0;
  if (fstat(fd, &stat) == 0 && (S_ISREG(stat.st_mode) || S_ISDIR(stat.st_mode))) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) {
      path[length] = 0;
      if (is_under(path)) file = stat.st_ino;
    }
  }
  errno = saved;
  return file;
}

/* The TCP socket behind a descriptor, and its own port. */
static uint64_t socket_of(int fd, uint64_t *port) {
  struct stat stat;
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  int saved = errno;
  uint64_t found = 0;
  if (record_fd >= 0 && fstat(fd, &stat) == 0 && S_ISSOCK(stat.st_mode) &&
      getsockname(fd, (struct sockaddr *)&address, &length) == 0) {
    if (address.ss_family == AF_INET) *port = ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) *port = ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    if (address.ss_family == AF_INET || address.ss_family == AF_INET6) found = stat.st_ino;
  }
  errno = saved;
  return found;
}

/* Whether every write to the descriptor waits for the disk. */
static uint64_t is_synced(int fd) {
  return (fcntl(fd, F_GETFL) & O_DSYNC) != 0;
}

static uint64_t begin_write(int fd, const struct iovec *parts, int many, uint64_t at) {
  uint64_t file = file_of(fd);
  return file ? begin_call(WRITE, file, at, is_synced(fd), parts, many) : 0;
}

/* Where a write without a place goes. */
static uint64_t place_of(int fd) {
  struct stat stat;
  if (fcntl(fd, F_GETFL) & O_APPEND) return fstat(fd, &stat) == 0 ? (uint64_t)stat.st_size : 0;
  return (uint64_t)lseek(fd, 0, SEEK_CUR);
}

static uint64_t begin_plain(int fd, const struct iovec *parts, int many) {
  uint64_t port = 0, file = file_of(fd);
  if (file) return begin_call(WRITE, file, place_of(fd), is_synced(fd), parts, many);
  uint64_t socket = socket_of(fd, &port);
  return socket ? begin_call(SEND, socket, port, 0, parts, many) : 0;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(write);
  struct iovec part = {(void *)bytes, length};
  uint64_t id = begin_plain(fd, &part, 1);
  ssize_t result = real(fd, bytes, length);
  end_call(id, result);
  return result;
}
ssize_t writev(int fd, const struct iovec *parts, int many) {
  REAL(writev);
  uint64_t id = begin_plain(fd, parts, many);
  ssize_t result = real(fd, parts, many);
  end_call(id, result);
  return result;
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  REAL(sendmsg);
  uint64_t port = 0, socket = socket_of(fd, &port);
  uint64_t id = socket ? begin_call(SEND, socket, port, 0, message->msg_iov, (int)message->msg_iovlen) : 0;
  ssize_t result = real(fd, message, flags);
  end_call(id, result);
  return result;
}
#define PWRITE(name, offset_type) \
  ssize_t name(int fd, const void *bytes, size_t length, offset_type at) { \
    REAL(name); \
    struct iovec part = {(void *)bytes, length}; \
    uint64_t id = begin_write(fd, &part, 1, (uint64_t)at); \
    ssize_t result = real(fd, bytes, length, at); \
    end_call(id, result); \
    return result; \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)
#define PWRITEV(name, offset_type) \
  ssize_t name(int fd, const struct iovec *parts, int many, offset_type at) { \
    REAL(name); \
    uint64_t id = begin_write(fd, parts, many, (uint64_t)at); \
    ssize_t result = real(fd, parts, many, at); \
    end_call(id, result); \
    return result; \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

#define BY_FILE(name, kind, parameters, arguments, a) \
  int name parameters { \
    REAL(name); \
    uint64_t file = file_of(fd), id = file ? begin_call(kind, file, a, 0, NULL, 0) : 0; \
    int result = real arguments; \
    end_call(id, result); \
    return result; \
  }
BY_FILE(fsync, SYNC, (int fd), (fd), 0)
BY_FILE(fdatasync, SYNC, (int fd), (fd), 0)
BY_FILE(ftruncate, TRUNCATE, (int fd, off_t length), (fd, length), (uint64_t)length)
BY_FILE(ftruncate64, TRUNCATE, (int fd, off64_t length), (fd, length), (uint64_t)length)
BY_FILE(fallocate, UNKNOWN, (int fd, int mode, off_t at, off_t length), (fd, mode, at, length), 0)
BY_FILE(posix_fallocate, UNKNOWN, (int fd, off_t at, off_t length), (fd, at, length), 0)

/* What is copied inside of the system is read from where it comes. */
static uint64_t begin_copy(int from, off64_t *at, int fd, uint64_t place, size_t length) {
  uint64_t file = file_of(fd), id = 0;
  if (!file) return 0;
  char *bytes = malloc(length);
  if (!bytes) abort();
  ssize_t found = pread64(from, bytes, length, at ? *at : lseek(from, 0, SEEK_CUR));
  if (found > 0) {
    struct iovec part = {bytes, (size_t)found};
    id = begin_call(WRITE, file, place, is_synced(fd), &part, 1);
  }
  free(bytes);
  return id;
}
static size_t at_most(size_t length) {
  return length > (1 << 20) ? 1 << 20 : length;
}
#define SENDFILE(name, offset_type) \
  ssize_t name(int fd, int from, offset_type *at, size_t length) { \
    REAL(name); \
    uint64_t id = begin_copy(from, (off64_t *)at, fd, place_of(fd), at_most(length)); \
    ssize_t result = real(fd, from, at, at_most(length)); \
    end_call(id, result); \
    return result; \
  }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)
ssize_t copy_file_range(int from, off64_t *at, int fd, off64_t *to, size_t length, unsigned flags) {
  REAL(copy_file_range);
  uint64_t id = begin_copy(from, at, fd, to ? (uint64_t)*to : place_of(fd), at_most(length));
  ssize_t result = real(from, at, fd, to, at_most(length), flags);
  end_call(id, result);
  return result;
}
long syscall(long number, ...) {
  REAL(syscall);
  va_list list;
  long a[6];
  va_start(list, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_copy_file_range)
    return copy_file_range((int)a[0], (off64_t *)a[1], (int)a[2], (off64_t *)a[3], (size_t)a[4], (unsigned)a[5]);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* A path as one without links to descriptors; NULL outside of the folder. */
static const char *whole(int folder, const char *path, char *found) {
  char link[64], base[PATH_MAX];
  const char *rest = path;
  int saved = errno;
  if (record_fd < 0 || path == NULL) return NULL;
  if (strncmp(path, "/proc/self/fd/", 14) == 0) {
    folder = (int)strtol(path + 14, (char **)&rest, 10);
    if (*rest == '/') rest++;
  } else if (path[0] == '/' || folder == AT_FDCWD) {
    return is_under(path) ? path : NULL;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t length = readlink(link, base, sizeof base - 1);
  errno = saved;
  if (length < 0) return NULL;
  base[length] = 0;
  snprintf(found, 2 * PATH_MAX + 2, "%s/%s", base, rest);
  return is_under(found) ? found : NULL;
}

static uint64_t number_of(const char *path, uint64_t *size) {
  struct stat stat;
  int saved = errno;
  int result = lstat(path, &stat);
  errno = saved;
  if (result != 0) return 0;
  if (size) *size = (uint64_t)stat.st_size;
  return stat.st_ino;
}

static void name_changed(uint64_t kind, uint64_t file, const char *path, const char *other) {
  struct iovec parts[2] = {{(void *)path, strlen(path) + 1}, {(void *)other, strlen(other)}};
  begin_call(kind, file, 0, 0, parts, 2);
}

#define OPEN(name, parameters, folder, arguments) \
  int name parameters { \
    REAL(name); \
    char found[2 * PATH_MAX + 2]; \
    mode_t mode = 0; \
    uint64_t before = 0, size = 0, id = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
      va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); \
    } \
    const char *at = flags & (O_CREAT | O_TRUNC) ? whole(folder, path, found) : NULL; \
    if (at) before = number_of(at, &size); \
    if (before && (flags & O_TRUNC) && size > 0) id = begin_call(TRUNCATE, before, 0, 0, NULL, 0); \
    int result = real arguments; \
    end_call(id, result < 0 ? -1 : 0); \
    if (at && !before && result >= 0) name_changed(CREATE, number_of(at, NULL), at, ""); \
    return result; \
  }
OPEN(open, (const char *path, int flags, ...), AT_FDCWD, (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD, (path, flags, mode))
OPEN(openat, (int folder, const char *path, int flags, ...), folder, (folder, path, flags, mode))
OPEN(openat64, (int folder, const char *path, int flags, ...), folder, (folder, path, flags, mode))

#define MAKES(name, kind, parameters, folder, other, arguments) \
  int name parameters { \
    REAL(name); \
    char found[2 * PATH_MAX + 2]; \
    const char *at = whole(folder, path, found); \
    int result = real arguments; \
    if (at && result == 0) name_changed(kind, number_of(at, NULL), at, other); \
    return result; \
  }
MAKES(mkdir, MKDIR, (const char *path, mode_t mode), AT_FDCWD, "", (path, mode))
MAKES(mkdirat, MKDIR, (int folder, const char *path, mode_t mode), folder, "", (folder, path, mode))
MAKES(symlink, SYMLINK, (const char *to, const char *path), AT_FDCWD, to, (to, path))

#define REMOVES(name, parameters, folder, arguments) \
  int name parameters { \
    REAL(name); \
    char found[2 * PATH_MAX + 2]; \
    const char *at = whole(folder, path, found); \
    uint64_t file = at ? number_of(at, NULL) : 0; \
    int result = real arguments; \
    if (at && result == 0) name_changed(REMOVE, file, at, ""); \
    return result; \
  }
REMOVES(unlink, (const char *path), AT_FDCWD, (path))
REMOVES(unlinkat, (int folder, const char *path, int flags), folder, (folder, path, flags))
REMOVES(rmdir, (const char *path), AT_FDCWD, (path))
REMOVES(remove, (const char *path), AT_FDCWD, (path))

#define MOVES(name, kind) \
  int name(const char *path, const char *to) { \
    REAL(name); \
    char found[2 * PATH_MAX + 2], found_to[2 * PATH_MAX + 2]; \
    const char *at = whole(AT_FDCWD, path, found), *then = whole(AT_FDCWD, to, found_to); \
    uint64_t file = at ? number_of(at, NULL) : 0; \
    int result = real(path, to); \
    if (result == 0 && (at || then)) name_changed(at && then ? kind : UNKNOWN, file, at ? at : "", then ? then : ""); \
    return result; \
  }
MOVES(rename, RENAME)
MOVES(link, LINK)

int bind(int fd, const struct sockaddr *address, socklen_t length) {
  REAL(bind);
  char path[sizeof(struct sockaddr_un) + 1] = {0}, found[2 * PATH_MAX + 2];
  int result = real(fd, address, length);
  if (result != 0 || address->sa_family != AF_UNIX) return result;
  memcpy(path, ((const struct sockaddr_un *)address)->sun_path, length - offsetof(struct sockaddr_un, sun_path));
  const char *at = whole(AT_FDCWD, path, found);
  if (at) name_changed(SOCKET, number_of(at, NULL), at, "");
  return result;
}
`;

/** Builds the library in `folder` and returns its path. */
export function buildRecordingCalls(folder: string): string {
  const [source, library] = [join(folder, 'recording-calls.c'), join(folder, 'recording-calls.so')];
  writeFileSync(source, SOURCE);
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], { stdio: 'pipe' });
  return library;
}
