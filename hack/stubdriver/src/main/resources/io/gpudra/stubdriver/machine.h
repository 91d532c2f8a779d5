/*
 * What the GPUs of a machine are and how they are cut. Lies in a file beside the library, which every process that loads
 * that library maps: they see the same GPUs. Made from machine.conf when it is not there, as at a boot.
 */
#ifndef STUB_MACHINE_H
#define STUB_MACHINE_H

#include "types.h"

enum { GPUS = 16, PROFILES = 20, STARTS = 16, INSTANCES = 14, COMPUTES = 8, LINKS = 36, FAULTS = 16, EVENTS = 16 };

typedef struct {
  int number; /* by which it is asked for */
  unsigned id, slices, size, most, told; /* told: the number that NVML says instead, wrong for some GPUs */
  unsigned long long mib;
  int starts, start[STARTS];
  char name[64];
} Profile;

typedef struct {
  int used;
  unsigned number, id, start, size; /* size: as the driver tells it, in slots of the smallest kind */
  char uuid[64];
} Compute;

typedef struct {
  int used;
  unsigned number, serial;
  int profile; /* index */
  unsigned start;
  Compute computes[COMPUTES];
} Instance;

typedef struct {
  int switched; /* the other end is a switch */
  int peer;
} Link;

typedef struct {
  char uuid[64], name[64], bus[32];
  unsigned minor, brand, architecture, major_cc, minor_cc;
  unsigned long long mib;
  int ecc;             /* -1: it cannot */
  int mig, pending;    /* -1: it cannot */
  int needs_reset;     /* to switch the mode */
  int compute_mode, time_slice;
  int lost, in_use, hot, fabric; /* fabric: its state; 0 when it has none */
  int absent;                    /* not in the machine */
  int more;                      /* processes of each kind beside the first */
  int dark;                      /* the link that tells nothing, counted from 1 */
  int process, graphics, served; /* the number of one that computes, draws or is a client of MPS on it, or 0 */
  unsigned generation; /* handles of an earlier one are dead */
  unsigned falls;      /* from the bus and back: who began a session before the last has lost it */
  int profiles, links;
  Profile profile[PROFILES];
  Instance instance[INSTANCES];
  Link link[LINKS];
} Gpu;

typedef struct {
  int gpu;
  unsigned long long type, data;
  unsigned instance, compute; /* numbers of the GPU instance and the compute instance, or all bits */
} Event;

typedef struct {
  char driver[80];
  int cuda;
  int gpus;
  unsigned made;          /* instances since the boot */
  int failed[FAULTS];     /* how often each line of faults was met */
  int waits;              /* for events */
  unsigned happened;      /* events since the first boot, of which the last ones are kept */
  Event event[EVENTS];
  Gpu gpu[GPUS];
} Machine;

/* Maps the machine beside the library; 0 when it cannot be read. */
Machine *machine_open(void);

/* Makes it anew. */
void machine_boot(Machine *machine);

/* All that is done to a machine is done by one process and one thread at a time. */
void machine_lock(void);
void machine_unlock(void);

/*
 * The answer that faults.conf, read again for each call, has for a function: lines "<function> <GPU's UUID or *> <answer>
 * <times>" or, with a delay, "<function> <UUID or *> delay <milliseconds>". SUCCESS when it has none.
 */
nvmlReturn_t machine_fault(Machine *machine, const char *function, const char *uuid);

#endif
