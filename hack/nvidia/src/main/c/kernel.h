/*
 * What the emulated kernel knows of its GPUs. Lies in one file below the root of the emulated machine, which every
 * process maps: they see the same GPUs, and one that is killed takes nothing with it.
 */
#ifndef NVEMU_KERNEL_H
#define NVEMU_KERNEL_H

#include "controls.h"
#include "mig.h"

#define EXPORT __attribute__((visibility("default")))

enum { GPUS = 16, PROFILES = 12, STARTS = 8, LISTENERS = 64, WAITING = 16 };

/* A kind of GPU instance. */
typedef struct {
  u32 flag;          /* PARTITION_COMPUTE... of it is one of COMPUTE_FULL... */
  int size;          /* in slices of memory */
  int starts, start[STARTS];
  u64 mib;
  u32 copy_engines, decoders, jpegs, ofas;
  int since;         /* the driver that knows it first; 0: every one */
} Profile;

/* A kind of GPU. */
typedef struct {
  const char *key, *name;
  u32 architecture;  /* of MC_GET_ARCH_INFO */
  u16 pci_device;
  u64 mib;
  int aligned;       /* compute instances start at multiples of their slots, of which there are eight */
  u32 compute_class, graphics_class; /* of objects that programs make */
  u32 gpcs[COMPUTE_SIZES], sms[COMPUTE_SIZES]; /* of a compute size */
  int profiles;
  Profile profile[PROFILES];
} Model;

typedef struct {
  int used, size, start; /* a compute size, and a slot */
  char uuid[41];
} ComputeInstance;

typedef struct {
  int used, profile, start;
  u32 id;
  ComputeInstance compute[EXEC_PARTITIONS];
} GpuInstance;

typedef struct {
  char uuid[48];
  int model;
  u32 minor, domain, bus;
  int smc;           /* SMC_ENABLED..., of INFO_SMC_MODE */
  int lost;          /* from the bus */
  int unbound;       /* on the bus, but not the driver's yet */
  u32 compute_mode;
  u32 fabric;        /* state of its probe of an NVLink fabric, or 0 when there is none */
  u32 computing, drawing, served; /* a process that computes, draws or is a client of MPS on it, or 0 */
  GpuInstance instance[PARTITIONS];
} Gpu;

/* What goes with an event, and the instances that it names. */
typedef struct {
  u32 data;
  u16 instances; /* as UnixEvent has them */
} Told;

typedef struct {
  int pid;           /* 0: free */
  u32 fifo;          /* the number of what it polls */
  u32 gpu, client, handle, index;
  int on;
  u32 waiting;
  Told told[WAITING]; /* the oldest first */
} Listener;

typedef struct {
  char driver[64];
  u32 made;          /* compute instances since the boot */
  u32 fifos;         /* made since the boot */
  u32 gpus;
  Gpu gpu[GPUS];
  Listener listener[LISTENERS];
} Kernel;

/* The kinds of GPUs; NULL, or -1, when there is none of that number or key. */
const Model *model(int number);
int model_of(const char *key);

/* Whether it has compute instances of that size: a mini quarter that is as an eighth is none of its own. */
int has_compute(const Model *model, u32 compute);

/* Slots that a compute instance of that size has in its GPU instance. */
int slots(const Model *model, u32 compute);

/* The root of the emulated machine; NULL when there is none, and then nothing is emulated. */
const char *kernel_root(void);

EXPORT void nvemuRoot(const char *directory);

/* Alone on the kernel, as long as it is not released; NULL, and nothing to release, when there is none. */
Kernel *kernel_acquire(void);
void kernel_release(void);

/* One without GPUs in the root, alone on it as above; whatever was there is gone. */
Kernel *kernel_make(void);

Gpu *kernel_gpu(Kernel *kernel, const char *uuid);

/* Such as 0x700 for 0000:07:00.0. */
u32 gpu_id(const Gpu *gpu);

/* Whether its MIG mode is on, whatever it will be after a reset. */
int gpu_is_cut(const Gpu *gpu);

/* What a control answers: a status of RM. Knows the GPU that the object is of. */
typedef struct {
  Kernel *kernel;
  Gpu *gpu;
  GpuInstance *instance; /* of the object, or what its client subscribed to; or NULL */
  ComputeInstance *compute; /* of the object, or NULL */
  void *params;
  u32 size;
} Call;

/* Of a client, a GPU (in three files), a GPU instance and a compute instance. ERR_NOT_SUPPORTED: it is not known. */
u32 control_client(Call *call, u32 command);
u32 control_gpu(Call *call, u32 command);
u32 control_use(Call *call, u32 command);
u32 control_partitions(Call *call, u32 command);
u32 control_instance(Call *call, u32 command);
u32 control_compute(Call *call, u32 command);

/* Files of /proc/driver/nvidia/capabilities, which come and go with instances; compute is -1 for the GPU instance. */
void capability_add(const Gpu *gpu, u32 instance, int compute);
void capability_remove(const Gpu *gpu, u32 instance, int compute);

/* Objects of this process. */
u32 object_alloc(int fd, Kernel *kernel, AllocHead *head);
u32 object_free(Kernel *kernel, u32 client, u32 handle);
u32 object_control(Kernel *kernel, ControlParams *params);
void object_close(Kernel *kernel, int fd);

/* Events: of files that are polled, of objects that listen, and of GPUs that tell. */
u32 event_open(Kernel *kernel, OsEvent *event);
u32 event_listen(Kernel *kernel, u32 gpu, u32 client, u32 handle, const EventAlloc *alloc);
u32 event_set(Kernel *kernel, u32 gpu, const EventNotification *wanted);
void event_free(Kernel *kernel, u32 client, u32 handle);
void event_close(Kernel *kernel, int fd);
void event_happens(Kernel *kernel, u32 gpu, u32 index, Told told);
u32 event_take(Kernel *kernel, int fd, EventData *answer);

/* An ioctl of a device node of the driver; answers as the system call does. */
int driver_ioctl(int fd, unsigned long request, void *params);

#endif
