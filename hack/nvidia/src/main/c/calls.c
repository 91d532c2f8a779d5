/*
 * Stands before the C library in the process that it is preloaded into: what a driver's library opens of the driver,
 * looks at and controls is the emulated kernel's, everything else is the machine's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernel.h"

enum { FDS = 65536, DRIVER_MAJOR = 195, CAPABILITIES_MAJOR = 236, CONTROL_MINOR = 255 };

/* Which file descriptors are of device nodes of the driver. */
static char ours[FDS];

#define REAL(name)                  \
  static __typeof__(name) *real;    \
  if (!real) real = dlsym(RTLD_NEXT, #name)

static int is_device(const char *path) {
  static const char PREFIX[] = "/dev/nvidia";
  return path && !strncmp(path, PREFIX, sizeof PREFIX - 1) && kernel_root();
}

/* Where a file of the kernel is; the same path when it is another file. */
static const char *place(const char *path, char *room, size_t size) {
  if (!path || strncmp(path, "/proc/", 6) || !kernel_root()) return path;
  if (strncmp(path, "/proc/driver/nvidia", 19) && strcmp(path, "/proc/devices")) return path;
  snprintf(room, size, "%s%s", kernel_root(), path);
  return room;
}

#define PLACED(path)   \
  char room[4352];     \
  path = place(path, room, sizeof room)

static int open_device(void) {
  REAL(open64);
  int fd = real("/dev/null", O_RDWR | O_CLOEXEC);
  if (fd >= 0 && fd < FDS) ours[fd] = 1;
  return fd;
}

#define OPEN(name)                              \
  EXPORT int name(const char *path, int flags, ...) {  \
    REAL(name);                          \
    va_list rest;                               \
    va_start(rest, flags);                      \
    mode_t mode = va_arg(rest, mode_t);         \
    va_end(rest);                               \
    if (is_device(path)) return open_device();  \
    PLACED(path);                               \
    return real(path, flags, mode);             \
  }

OPEN(open)
OPEN(open64)

#define FOPEN(name)                                          \
  EXPORT FILE *name(const char *path, const char *mode) {    \
    REAL(name);                                              \
    PLACED(path);                                            \
    return real(path, mode);                                 \
  }

FOPEN(fopen)
FOPEN(fopen64)

EXPORT int close(int fd) {
  REAL(close);
  if (fd >= 0 && fd < FDS && ours[fd]) {
    ours[fd] = 0;
    Kernel *kernel = kernel_acquire();
    if (kernel) {
      object_close(kernel, fd);
      event_close(kernel, fd);
      kernel_release();
    }
  }
  return real(fd);
}

EXPORT int ioctl(int fd, unsigned long request, ...) {
  REAL(ioctl);
  va_list rest;
  va_start(rest, request);
  void *params = va_arg(rest, void *);
  va_end(rest);
  return fd >= 0 && fd < FDS && ours[fd] ? driver_ioctl(fd, request, params) : real(fd, request, params);
}

EXPORT int access(const char *path, int mode) {
  REAL(access);
  if (is_device(path)) return 0;
  PLACED(path);
  return real(path, mode);
}

static void describe(const char *path, mode_t *mode, dev_t *number) {
  unsigned minor = CONTROL_MINOR;
  sscanf(path, "/dev/nvidia%u", &minor);
  *mode = S_IFCHR | 0666;
  *number = makedev(DRIVER_MAJOR, minor);
  if (sscanf(path, "/dev/nvidia-caps/nvidia-cap%u", &minor) == 1) *number = makedev(CAPABILITIES_MAJOR, minor);
}

/* Libraries of drivers are linked with the names that glibc had before 2.33; its headers no longer have them. */
int __xstat(int version, const char *path, struct stat *to);
int __xstat64(int version, const char *path, struct stat64 *to);
int __xmknod(int version, const char *path, mode_t mode, dev_t *number);

#define STAT(name, type)                                      \
  EXPORT int name(int version, const char *path, struct type *to) {  \
    REAL(name);                                               \
    if (is_device(path)) {                                    \
      memset(to, 0, sizeof *to);                              \
      describe(path, &to->st_mode, &to->st_rdev);             \
      return 0;                                               \
    }                                                         \
    PLACED(path);                                             \
    return real(version, path, to);                           \
  }

STAT(__xstat, stat)
STAT(__xstat64, stat64)

EXPORT int __xmknod(int version, const char *path, mode_t mode, dev_t *number) {
  REAL(__xmknod);
  return is_device(path) ? 0 : real(version, path, mode, number);
}

EXPORT int chmod(const char *path, mode_t mode) {
  REAL(chmod);
  return is_device(path) ? 0 : real(path, mode);
}

EXPORT int chown(const char *path, uid_t user, gid_t group) {
  REAL(chown);
  return is_device(path) ? 0 : real(path, user, group);
}

EXPORT int remove(const char *path) {
  REAL(remove);
  return is_device(path) ? 0 : real(path);
}
