/* The ioctls of /dev/nvidiactl and /dev/nvidiaN. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static int traces(void) {
  static int known = -1;
  if (known < 0) known = getenv("NVEMU_TRACE") != NULL;
  return known;
}

static CardInfo card(const Gpu *gpu) {
  CardInfo card = {
      .valid = 1,
      .gpu_id = gpu_id(gpu),
      .interrupt = 16,
      .registers = 0xd0000000,
      .registers_size = 16 << 20,
      .memory = 1ull << 37,
      .memory_size = model(gpu->model)->mib << 20,
      .minor = gpu->minor};
  card.pci.domain = gpu->domain;
  card.pci.bus = gpu->bus;
  card.pci.vendor = 0x10de;
  card.pci.device = model(gpu->model)->pci_device;
  return card;
}

static void card_info(Kernel *kernel, CardInfo *cards, u32 room) {
  memset(cards, 0, room * sizeof *cards);
  for (u32 i = 0; i < kernel->gpus && room > 0; i++) {
    if (kernel->gpu[i].unbound) continue;
    *cards++ = card(&kernel->gpu[i]);
    room--;
  }
}

/* A library of another version than the kernel module's is refused. */
static int check_version(Kernel *kernel, VersionCheck *check) {
  check->reply = !strncmp(check->version, kernel->driver, sizeof check->version);
  if (check->reply) return 0;
  memcpy(check->version, kernel->driver, sizeof check->version);
  errno = EINVAL;
  return -1;
}

static void alloc(int fd, Kernel *kernel, void *params, u32 size) {
  AllocHead *head = params;
  u32 status = object_alloc(fd, kernel, head);
  if (size == sizeof(AllocParams)) ((AllocParams *)params)->status = status;
  if (size == sizeof(AllocAccessParams)) ((AllocAccessParams *)params)->status = status;
  if (traces())
    fprintf(stderr, "nvemu: alloc %x below %x class %x: %x\n", head->made, head->parent, head->class, status);
}

static void control(Kernel *kernel, ControlParams *p) {
  p->status = object_control(kernel, p);
  if (traces())
    fprintf(stderr, "nvemu: control %x of %x, %u bytes: %x\n", p->command, p->object, p->size, p->status);
}

static void release(Kernel *kernel, FreeParams *p) { p->status = object_free(kernel, p->root, p->old); }

static int run(int fd, Kernel *kernel, u32 number, void *params, u32 size) {
  switch (number) {
    case ESC_CHECK_VERSION: return check_version(kernel, params);
    case ESC_SYS_PARAMS: *(u64 *)params = 128 << 20; break; /* the size of a block of memory */
    case ESC_CARD_INFO: card_info(kernel, params, size / sizeof(CardInfo)); break;
    case ESC_RM_ALLOC: alloc(fd, kernel, params, size); break;
    case ESC_RM_CONTROL: control(kernel, params); break;
    case ESC_RM_FREE: release(kernel, params); break;
    case ESC_ALLOC_OS_EVENT: ((OsEvent *)params)->status = event_open(kernel, params); break;
    case ESC_RM_GET_EVENT_DATA: ((EventData *)params)->status = event_take(kernel, fd, params); break;
    default:
      if (traces()) fprintf(stderr, "nvemu: ioctl %x, %u bytes\n", number, size);
  }
  return 0;
}

int driver_ioctl(int fd, unsigned long request, void *params) {
  Kernel *kernel = kernel_acquire();
  if (!kernel) return -1;
  int answer = run(fd, kernel, request & 0xff, params, request >> 16 & 0x3fff);
  kernel_release();
  return answer;
}
