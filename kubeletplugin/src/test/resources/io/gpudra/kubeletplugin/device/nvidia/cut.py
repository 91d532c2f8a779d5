"""Cuts a GPU whose MIG mode is on, as another process on the node, and is killed right after."""

import os
import signal
import sys

import pynvml

pynvml.nvmlInit()
gpu = pynvml.nvmlDeviceGetHandleByUUID(sys.argv[1])
place = pynvml.c_nvmlGpuInstancePlacement_t(0, 1)
instance = pynvml.nvmlDeviceCreateGpuInstanceWithPlacement(gpu, 19, pynvml.byref(place))
compute = pynvml.c_nvmlComputeInstanceProfileInfo_t()
# The binding's own function takes one that came with driver 510.
ask = pynvml._nvmlGetFunctionPointer("nvmlGpuInstanceGetComputeInstanceProfileInfo")
pynvml._nvmlCheckReturn(ask(instance, 0, 0, pynvml.byref(compute)))
pynvml.nvmlGpuInstanceCreateComputeInstance(instance, compute.id)
print("cut", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
