/* Kinds of GPUs, as NVIDIA documents their MIG profiles. */
#include <string.h>

#include "kernel.h"

#define EACH_OF_SEVEN 1, 7, {0, 1, 2, 3, 4, 5, 6}
#define PAIR_OF_FOUR 2, 4, {0, 2, 4, 6}
#define PAIR_OF_THREE 2, 3, {0, 2, 4}
#define EACH_HALF 4, 2, {0, 4}
#define FIRST_HALF 4, 1, {0}
#define WHOLE 8, 1, {0}

static const Model MODELS[] = {
    {.key = "A100-SXM4-40GB",
     .name = "NVIDIA A100-SXM4-40GB",
     .architecture = 0x170,
     .pci_device = 0x20b0,
     .mib = 40960,
     .compute_class = 0xc6c0,
     .graphics_class = 0xc697,
     .gpcs = {7, 4, 3, 2, 1, 1},
     .sms = {98, 56, 42, 28, 14, 14},
     .profiles = 7,
     .profile = {{PARTITION(MEMORY_FULL, COMPUTE_FULL), WHOLE, 40192, 7, 5, 1, 1},
                 {PARTITION(MEMORY_HALF, COMPUTE_HALF), FIRST_HALF, 19968, 4, 2, 0, 0},
                 {PARTITION(MEMORY_HALF, COMPUTE_MINI_HALF), EACH_HALF, 19968, 3, 2, 0, 0},
                 {PARTITION(MEMORY_QUARTER, COMPUTE_QUARTER), PAIR_OF_THREE, 9984, 2, 1, 0, 0},
                 {PARTITION(MEMORY_QUARTER, COMPUTE_MINI_QUARTER), PAIR_OF_FOUR, 9856, 1, 1, 0, 0, .since = 525},
                 {PARTITION(MEMORY_EIGHTH, COMPUTE_EIGHTH), EACH_OF_SEVEN, 4864, 1, 0, 0, 0},
                 {PARTITION(MEMORY_EIGHTH, COMPUTE_EIGHTH) | PARTITION_DEC_JPG_OFA, EACH_OF_SEVEN, 4864, 1, 1, 1, 1}}},
    {.key = "H100-80GB",
     .name = "NVIDIA H100 80GB HBM3",
     .architecture = 0x180,
     .pci_device = 0x2330,
     .mib = 81559,
     .compute_class = 0xcbc0,
     .graphics_class = 0xcb97,
     .aligned = 1,
     .gpcs = {7, 4, 3, 2, 1, 1},
     .sms = {132, 64, 60, 32, 26, 16},
     .profiles = 7,
     .profile = {{PARTITION(MEMORY_FULL, COMPUTE_FULL), WHOLE, 81152, 8, 7, 7, 1},
                 {PARTITION(MEMORY_HALF, COMPUTE_HALF), FIRST_HALF, 40448, 4, 4, 4, 0},
                 {PARTITION(MEMORY_HALF, COMPUTE_MINI_HALF), EACH_HALF, 40448, 3, 3, 3, 0},
                 {PARTITION(MEMORY_QUARTER, COMPUTE_QUARTER), PAIR_OF_THREE, 20096, 2, 2, 2, 0},
                 {PARTITION(MEMORY_QUARTER, COMPUTE_MINI_QUARTER), PAIR_OF_FOUR, 20096, 1, 1, 1, 0},
                 {PARTITION(MEMORY_EIGHTH, COMPUTE_EIGHTH), EACH_OF_SEVEN, 9984, 1, 1, 1, 0},
                 {PARTITION(MEMORY_EIGHTH, COMPUTE_EIGHTH) | PARTITION_DEC_JPG_OFA, EACH_OF_SEVEN, 9984, 1, 1, 1, 1}}}};

enum { COUNT = sizeof MODELS / sizeof *MODELS };

const Model *model(int number) {
  return number >= 0 && number < COUNT ? &MODELS[number] : NULL;
}

int model_of(const char *key) {
  for (int i = 0; i < COUNT; i++)
    if (!strcmp(MODELS[i].key, key)) return i;
  return -1;
}

int has_compute(const Model *model, u32 compute) {
  return compute < COMPUTE_SIZES && (compute != COMPUTE_MINI_QUARTER || model->aligned);
}

/* With alignment a slot is of the smallest size; without it slots are virtual engines, of which a GPC has one. */
int slots(const Model *model, u32 compute) {
  static const int ALIGNED[COMPUTE_SIZES] = {8, 4, 4, 2, 2, 1};
  return model->aligned ? ALIGNED[compute] : (int)model->gpcs[compute];
}
