/* Handles and the frame of every exported function. */
#ifndef STUB_STUB_H
#define STUB_STUB_H

#include "machine.h"

/* Of which driver the library is: it lacks what came later (nvidia.md 1.2). */
#ifndef ERA
#define ERA 550
#endif

enum { DEVICE = 1, MIG_DEVICE, GPU_INSTANCE, COMPUTE_INSTANCE };

void *handle(int kind, Machine *machine, Gpu *gpu, Instance *instance, Compute *compute);

/* What a handle stands for; NULL when that is gone. */
Instance *instance_of(Machine *machine, void *handle);
Compute *compute_of(Machine *machine, void *handle);

/* Whether it fell off the bus since this process began its first session: whatever becomes of it, this one has lost it. */
int is_lost(Machine *machine, Gpu *gpu);

/* Copies a text with its end; INSUFFICIENT_SIZE when it does not fit. */
nvmlReturn_t text(const char *from, char *to, unsigned length);

/* Begins a call: alone on the machine, on a GPU that is there. What it answers is final unless it is SUCCESS. */
nvmlReturn_t begin(const char *function, void *of, Machine **machine, Gpu **gpu);

/* Ends it. */
nvmlReturn_t end(nvmlReturn_t answer);

#define EXPORT __attribute__((visibility("default"))) nvmlReturn_t

/* The head of a function that is about a GPU, or a part of one. */
#define ON(of)                                                   \
  Machine *m;                                                    \
  Gpu *g;                                                        \
  nvmlReturn_t begun = begin(__func__, of, &m, &g);              \
  if (begun != SUCCESS) return end(begun)

/* Whether what takes CAP_SYS_ADMIN is done for this process (nvidia.md 1.2). */
int may_administer(void);

/* The same of a function that changes a GPU, or tells what only those are told that may. */
#define ON_TO_ADMINISTER(of) \
  ON(of);                    \
  if (!may_administer()) return end(NO_PERMISSION)

#endif
