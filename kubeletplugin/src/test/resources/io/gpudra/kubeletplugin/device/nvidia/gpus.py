"""What NVIDIA's own binding, nvidia-ml-py, reads of the GPUs, as JSON."""

import json

import pynvml


def profile_info(gpu, number):
    """The binding's own function takes one that came with driver 510."""
    info = pynvml.c_nvmlGpuInstanceProfileInfo_t()
    function = pynvml._nvmlGetFunctionPointer("nvmlDeviceGetGpuInstanceProfileInfo")
    pynvml._nvmlCheckReturn(function(gpu, number, pynvml.byref(info)))
    return info


def profiles(gpu):
    for number in range(pynvml.NVML_GPU_INSTANCE_PROFILE_COUNT):
        try:
            profile = profile_info(gpu, number)
            count = pynvml.c_uint(64)
            places = (pynvml.c_nvmlGpuInstancePlacement_t * count.value)()
            pynvml.nvmlDeviceGetGpuInstancePossiblePlacements(gpu, profile.id, places, pynvml.byref(count))
        except (pynvml.NVMLError_NotSupported, pynvml.NVMLError_InvalidArgument):
            continue
        yield {
            "number": number,
            "id": profile.id,
            "compute": profile.sliceCount,
            "most": profile.instanceCount,
            "memoryMib": profile.memorySizeMB,
            "placements": [[place.start, place.size] for place in places[: count.value]],
        }


def read(gpu):
    cut = pynvml.nvmlDeviceGetMigMode(gpu)[0] == 1
    return {
        "name": pynvml.nvmlDeviceGetName(gpu),
        "uuid": pynvml.nvmlDeviceGetUUID(gpu),
        "busId": pynvml.nvmlDeviceGetPciInfo(gpu).busId.lower()[4:],
        "minor": pynvml.nvmlDeviceGetMinorNumber(gpu),
        "memory": pynvml.nvmlDeviceGetMemoryInfo(gpu).total,
        "brand": pynvml.nvmlDeviceGetBrand(gpu),
        "architecture": pynvml.nvmlDeviceGetArchitecture(gpu),
        "computeCapability": "%d.%d" % tuple(pynvml.nvmlDeviceGetCudaComputeCapability(gpu)),
        "ecc": pynvml.nvmlDeviceGetEccMode(gpu)[0] == 1,
        "mig": cut,
        "computeMode": None if cut else pynvml.nvmlDeviceGetComputeMode(gpu),
        "processes": [one.pid for one in pynvml.nvmlDeviceGetComputeRunningProcesses_v2(gpu)],
        "profiles": list(profiles(gpu)),
    }


pynvml.nvmlInit()
cuda = pynvml.nvmlSystemGetCudaDriverVersion()
handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
print(
    json.dumps(
        {
            "driver": pynvml.nvmlSystemGetDriverVersion(),
            "cuda": "%d.%d" % (cuda // 1000, cuda % 1000 // 10),
            "gpus": [read(gpu) for gpu in handles],
        }
    )
)
