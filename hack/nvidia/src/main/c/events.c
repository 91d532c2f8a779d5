/*
 * What GPUs tell by themselves. Who listens is part of the kernel's state; a FIFO below the root stands in for the file
 * that a listener polls, so that any process can wake it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"

enum { FDS = 65536, PATH = 4352, ACTION_NONE = 0, NOTIFIER_MASK = 0xffff };

/* The number of the FIFO that a file descriptor of this process is of. */
static u32 fifo_of[FDS];

static void fifo(char *path, int pid, u32 number) {
  snprintf(path, PATH, "%s/nvemu.events.%d.%u", kernel_root(), pid, number);
}

/* From now on the file can be polled: it has events only. */
u32 event_open(Kernel *kernel, OsEvent *event) {
  char path[PATH];
  u32 number = ++kernel->fifos;
  fifo(path, getpid(), number);
  int fd = mkfifo(path, 0600) ? -1 : open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || event->fd >= FDS || dup3(fd, event->fd, O_CLOEXEC) < 0) return ERR_INVALID_ARGUMENT;
  close(fd);
  fifo_of[event->fd] = number;
  return OK;
}

u32 event_listen(Kernel *kernel, u32 gpu, u32 client, u32 handle, const EventAlloc *alloc) {
  const EventAlloc470 *old = (const EventAlloc470 *)alloc;
  int is_old = alloc->class != CLASS_OS_EVENT;
  u32 index = is_old ? old->index : alloc->index;
  u64 fd = is_old ? old->fd : alloc->fd;
  for (int i = 0; i < LISTENERS; i++) {
    Listener *l = &kernel->listener[i];
    if (l->pid) continue;
    *l = (Listener){.pid = getpid(), .gpu = gpu, .client = client, .handle = handle, .index = index & NOTIFIER_MASK};
    l->fifo = fd < FDS ? fifo_of[fd] : 0;
    return OK;
  }
  return ERR_INSUFFICIENT_RESOURCES;
}

u32 event_set(Kernel *kernel, u32 gpu, const EventNotification *wanted) {
  for (int i = 0; i < LISTENERS; i++) {
    Listener *l = &kernel->listener[i];
    if (l->pid == getpid() && l->gpu == gpu && l->index == wanted->event) l->on = wanted->action != ACTION_NONE;
  }
  return OK;
}

void event_free(Kernel *kernel, u32 client, u32 handle) {
  for (int i = 0; i < LISTENERS; i++) {
    Listener *l = &kernel->listener[i];
    if (l->pid == getpid() && l->client == client && l->handle == handle) l->pid = 0;
  }
}

void event_close(Kernel *kernel, int fd) {
  if (fd >= FDS || !fifo_of[fd]) return;
  char path[PATH];
  fifo(path, getpid(), fifo_of[fd]);
  unlink(path);
  for (int i = 0; i < LISTENERS; i++)
    if (kernel->listener[i].pid == getpid() && kernel->listener[i].fifo == fifo_of[fd]) kernel->listener[i].pid = 0;
  fifo_of[fd] = 0;
}

static void wake(Listener *l) {
  char path[PATH];
  fifo(path, l->pid, l->fifo);
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, "", 1) != 1) l->on = 0;
  close(fd);
}

static void forget(Listener *l) {
  char path[PATH];
  fifo(path, l->pid, l->fifo);
  unlink(path);
  l->pid = 0;
}

/* All that listen hear it; those whose process is gone are forgotten. */
void event_happens(Kernel *kernel, u32 gpu, u32 index, Told told) {
  for (int i = 0; i < LISTENERS; i++) {
    Listener *l = &kernel->listener[i];
    if (l->pid && kill(l->pid, 0) && errno == ESRCH) forget(l);
    if (!l->pid || !l->on || l->gpu != gpu || l->index != index || l->waiting == WAITING) continue;
    l->told[l->waiting++] = told;
    wake(l);
  }
}

static Listener *next(Kernel *kernel, u32 number) {
  for (int i = 0; i < LISTENERS; i++) {
    Listener *l = &kernel->listener[i];
    if (l->pid == getpid() && l->fifo == number && l->waiting) return l;
  }
  return NULL;
}

/* The oldest of one that listens through the file. */
u32 event_take(Kernel *kernel, int fd, EventData *answer) {
  char byte;
  Listener *l = fd < FDS && fifo_of[fd] && read(fd, &byte, 1) == 1 ? next(kernel, fifo_of[fd]) : NULL;
  if (!l) return ERR_OPERATING_SYSTEM;
  *answer->event = (UnixEvent){.object = l->handle, .index = l->index, .info32 = l->told[0].data, .info16 = l->told[0].instances};
  l->waiting--;
  memmove(l->told, l->told + 1, l->waiting * sizeof *l->told);
  answer->more = next(kernel, fifo_of[fd]) != NULL;
  return OK;
}
