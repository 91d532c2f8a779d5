/* Objects of the resource manager that this process has: each of a client, below a parent. They end with their fd. */
#include <pthread.h>
#include <string.h>

#include "kernel.h"

enum { OBJECTS = 8192, FIRST_HANDLE = 0xc1d00001 };

typedef struct {
  int fd; /* by which it was made; -1: free */
  u32 client, handle, parent, class;
  int gpu;      /* its index, or -1 */
  u32 instance, compute; /* ids, where it has them */
} Object;

static Object objects[OBJECTS];
static int count; /* all after it are free */
static u32 next = FIRST_HANDLE;

static Object *find(u32 client, u32 handle) {
  for (int i = 0; i < count; i++)
    if (objects[i].fd >= 0 && objects[i].client == client && objects[i].handle == handle) return &objects[i];
  return NULL;
}

static Object *place(void) {
  for (int i = 0; i < count; i++)
    if (objects[i].fd < 0) return &objects[i];
  return count < OBJECTS ? &objects[count++] : NULL;
}

static GpuInstance *instance_of(Kernel *kernel, const Object *object) {
  if (object->gpu < 0) return NULL;
  for (int i = 0; i < PARTITIONS; i++) {
    GpuInstance *one = &kernel->gpu[object->gpu].instance[i];
    if (one->used && one->id == object->instance) return one;
  }
  return NULL;
}

/* What the class makes of its parameters; parent is NULL for a client. */
static u32 describe(Kernel *kernel, Object *made, const Object *parent, const AllocHead *head) {
  made->gpu = parent ? parent->gpu : -1;
  made->instance = parent ? parent->instance : ~0u;
  if (made->class == CLASS_DEVICE) {
    made->gpu = head->params ? (int)((DeviceAlloc *)head->params)->device : 0;
    if (made->gpu >= (int)kernel->gpus) return ERR_INVALID_ARGUMENT;
  }
  if (made->gpu >= 0 && kernel->gpu[made->gpu].lost) return ERR_GPU_IS_LOST;
  if (made->class == CLASS_GPU_INSTANCE) {
    if (!head->params || made->gpu < 0) return ERR_INVALID_ARGUMENT;
    if (!gpu_is_cut(&kernel->gpu[made->gpu])) return ERR_NOT_SUPPORTED;
    made->instance = ((InstanceAlloc *)head->params)->id;
    if (!instance_of(kernel, made)) return ERR_INVALID_ARGUMENT;
  }
  if (made->class == CLASS_OS_EVENT) {
    if (!head->params || made->gpu < 0) return ERR_INVALID_ARGUMENT;
    return event_listen(kernel, made->gpu, made->client, made->handle, head->params);
  }
  if (made->class == CLASS_COMPUTE_INSTANCE) {
    u32 id = head->params ? ((InstanceAlloc *)head->params)->id : EXEC_PARTITIONS;
    GpuInstance *instance = instance_of(kernel, made);
    if (!instance || id >= EXEC_PARTITIONS || !instance->compute[id].used) return ERR_INVALID_ARGUMENT;
    made->compute = id;
  }
  return OK;
}

u32 object_alloc(int fd, Kernel *kernel, AllocHead *head) {
  int is_client = head->class == CLASS_ROOT || head->class == CLASS_ROOT_CLIENT;
  Object *parent = is_client ? NULL : find(head->root, head->parent);
  if (!is_client && !parent) return ERR_INVALID_OBJECT;
  if (!head->made) head->made = next++;
  if (is_client && !head->root) head->root = head->made;
  Object made = {.fd = fd, .client = head->root, .handle = head->made, .parent = head->parent, .class = head->class};
  u32 status = describe(kernel, &made, parent, head);
  if (status != OK) return status;
  Object *at = place();
  if (!at) return ERR_INSUFFICIENT_RESOURCES;
  *at = made;
  return OK;
}

u32 object_free(Kernel *kernel, u32 client, u32 handle) {
  Object *object = find(client, handle);
  if (!object) return ERR_INVALID_OBJECT;
  object->fd = -1;
  if (object->class == CLASS_OS_EVENT) event_free(kernel, client, handle);
  for (int i = 0; i < count; i++)
    if (objects[i].fd >= 0 && objects[i].client == client && objects[i].parent == handle && objects[i].handle != handle)
      object_free(kernel, client, objects[i].handle);
  return OK;
}

void object_close(Kernel *kernel, int fd) {
  for (int i = 0; i < count; i++)
    if (objects[i].fd == fd) object_free(kernel, objects[i].client, objects[i].handle);
}

/* A subdevice asks for the instance that was subscribed to below it. */
static GpuInstance *subscribed(Kernel *kernel, const Object *object) {
  for (int i = count - 1; i >= 0; i--)
    if (objects[i].fd >= 0 && objects[i].client == object->client && objects[i].parent == object->handle &&
        objects[i].class == CLASS_GPU_INSTANCE)
      return instance_of(kernel, &objects[i]);
  return instance_of(kernel, object);
}

static u32 handle_info(u32 client, HandleInfo *info) {
  Object *object = find(client, info->object);
  if (!object) return ERR_OBJECT_NOT_FOUND;
  info->result = info->index == HANDLE_PARENT ? object->parent : object->class;
  return OK;
}

static u32 compute(Call *call, const Object *object, u32 command) {
  if (object->class != CLASS_COMPUTE_INSTANCE || !call->instance) return ERR_OBJECT_NOT_FOUND;
  call->compute = &call->instance->compute[object->compute];
  return call->compute->used ? control_compute(call, command) : ERR_OBJECT_NOT_FOUND;
}

u32 object_control(Kernel *kernel, ControlParams *params) {
  Object *object = find(params->client, params->object);
  if (!object) return ERR_INVALID_OBJECT;
  Call call = {.kernel = kernel, .params = params->params, .size = params->size};
  if (object->gpu >= 0) {
    call.gpu = &kernel->gpu[object->gpu];
    if (call.gpu->lost) return ERR_GPU_IS_LOST;
    call.instance = subscribed(kernel, object);
  }
  if (params->command == CLIENT_GET_HANDLE_INFO) return handle_info(params->client, params->params);
  switch (params->command >> 16) {
    case CLASS_ROOT: return control_client(&call, params->command);
    case CLASS_DEVICE:
    case CLASS_SUBDEVICE: return call.gpu ? control_gpu(&call, params->command) : ERR_INVALID_OBJECT;
    case CLASS_COMPUTE_INSTANCE: return compute(&call, object, params->command);
    case CLASS_GPU_INSTANCE: return call.instance ? control_instance(&call, params->command) : ERR_OBJECT_NOT_FOUND;
    default: return ERR_NOT_SUPPORTED;
  }
}
