/* A libcuda.so.1 that does next to nothing, so that what is counted is the caller's. Every call answers
   CUDA_SUCCESS; those that give something out give out something that is not null. What is missing here
   is made by run.sh, and answers CUDA_SUCCESS. */
#include <stdlib.h>

static void *current = 0;

/* Pushes what it creates, which is taken off again. */
int cuCtxCreate_v2(void **context, unsigned f, int d) { static char it; *context = current = &it; return 0; }
int cuCtxPushCurrent_v2(void *context) { current = context; return 0; }
int cuCtxPopCurrent_v2(void **context) { *context = current; return 0; }
int cuCtxGetCurrent(void **context) { *context = current; return 0; }

int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }

#define GIVES(name, ...) int name(void **out, ##__VA_ARGS__) { *out = (void *)0x100; return 0; }
GIVES(cuStreamCreate, unsigned f)
GIVES(cuEventCreate, unsigned f)
GIVES(cuMemAlloc_v2, size_t n)
GIVES(cuMemAllocAsync, size_t n, void *s)
GIVES(cuModuleLoadDataEx, const void *i, unsigned n, void *o, void *v)
GIVES(cuModuleGetFunction, void *m, const char *n)
GIVES(cuGraphInstantiateWithFlags, void *g, unsigned long long f)
/* A fill of 4-byte elements. */
int cuGraphMemsetNodeGetParams(void *n, void *out) {
    struct { unsigned long long dst; size_t pitch; unsigned value, element; size_t width, height; } *params = out;
    params->element = 4;
    return 0;
}
/* The parameters of saxpy. */
int cuFuncGetParamInfo(void *f, size_t at, size_t *offset, size_t *size) {
    if (at >= 4)
        return 1; /* CUDA_ERROR_INVALID_VALUE: so many it has not */
    *offset = at < 2 ? 4 * at : 8 * at - 8;
    *size = at < 2 ? 4 : 8;
    return 0;
}
int cuStreamEndCapture(void *s, void **out) { *out = (void *)0x100; return 0; }
int cuMemHostAlloc(void **out, size_t n, unsigned f) { *out = malloc(n); return 0; }
int cuMemFreeHost(void *p) { free(p); return 0; }
