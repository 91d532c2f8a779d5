#include <string.h>
#include <unistd.h>

#include "stub.h"

enum { SETS = 1024, ALL_TYPES = 1 | 2 | 8 };

typedef struct {
  int used;
  unsigned next, gpus; /* a bit for each */
} Set;

static Set sets[SETS];

EXPORT nvmlEventSetCreate(nvmlEventSet_t *made) {
  Machine *m = machine_open();
  if (!m) return UNINITIALIZED;
  machine_lock();
  Set *set = sets;
  while (set->used && set < sets + SETS - 1) set++;
  *set = (Set){.used = 1, .next = m->happened};
  *made = set;
  return end(SUCCESS);
}

EXPORT nvmlEventSetFree(nvmlEventSet_t set) {
  ((Set *)set)->used = 0;
  return SUCCESS;
}

EXPORT nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types) {
  ON(device);
  *types = ALL_TYPES;
  return end(SUCCESS);
}

EXPORT nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set) {
  ON(device);
  if (types & ~(unsigned long long)ALL_TYPES) return end(NOT_SUPPORTED);
  ((Set *)set)->gpus |= 1u << (g - m->gpu);
  return end(SUCCESS);
}

static nvmlReturn_t next(Machine *m, Set *set, nvmlEventData_t *event) {
  while (set->next != m->happened) {
    Event *one = &m->event[set->next++ % EVENTS];
    if (!(set->gpus >> one->gpu & 1)) continue;
    memset(event, 0, sizeof *event);
    event->device = handle(DEVICE, m, &m->gpu[one->gpu], 0, 0);
    event->eventType = one->type;
    event->eventData = one->data;
    event->gpuInstanceId = one->instance;
    event->computeInstanceId = one->compute;
    return SUCCESS;
  }
  for (int i = 0; i < m->gpus; i++)
    if (set->gpus >> i & 1 && is_lost(m, &m->gpu[i])) return GPU_IS_LOST;
  return machine_fault(m, "nvmlEventSetWait_v2", "*") ?: TIMEOUT;
}

/* What is told first is heard first; from then on a GPU that is lost is all that is heard. */
EXPORT nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *event, unsigned millis) {
  Machine *m = machine_open();
  if (m) m->waits++;
  /* Rarely enough that it is seldom in the way of other calls. */
  const unsigned pause = 20;
  for (unsigned waited = 0;; waited += pause) {
    machine_lock();
    nvmlReturn_t answer = end(m ? next(m, set, event) : UNINITIALIZED);
    if (answer != TIMEOUT || waited >= millis) return answer;
    usleep(pause * 1000);
  }
}

/* For tests: a GPU tells something of itself, or of a GPU instance and a compute instance; -1 for none. */
__attribute__((visibility("default"))) int stubTell(const char *uuid, int type, int data, int instance, int compute) {
  Machine *m = machine_open();
  machine_lock();
  for (int i = 0; i < m->gpus; i++)
    if (!strcmp(m->gpu[i].uuid, uuid))
      m->event[m->happened++ % EVENTS] = (Event){.gpu = i, .type = type, .data = data, .instance = instance, .compute = compute};
  machine_unlock();
  return 0;
}
