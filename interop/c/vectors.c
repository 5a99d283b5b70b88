/* The driver's calls from C, as NVIDIA's cuda.h spells them: a device, a context, memory, a kernel of
 * PTX, streams and events, and functions by name. Built with -DCUDA_API_PER_THREAD_DEFAULT_STREAM too. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        CUresult code = (call);                                                                    \
        if (code != CUDA_SUCCESS) {                                                                \
            const char *name = NULL;                                                               \
            cuGetErrorName(code, &name);                                                           \
            fprintf(stderr, "line %d: %s: %d %s\n", __LINE__, #call, code, name ? name : "?");     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { COUNT = 1000 };

/* y[i] += a * x[i] for i below n. */
static const char saxpy[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n) {\n"
    ".reg .pred %p; .reg .f32 %f<4>; .reg .u32 %r<5>; .reg .u64 %d<6>;\n"
    "ld.param.f32 %f0, [a]; ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; ld.param.u32 %r0, [n];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; setp.ge.u32 %p, %r4, %r0; @%p ret;\n"
    "mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d0, %d2; add.u64 %d4, %d1, %d2;\n"
    "ld.global.f32 %f1, [%d3]; ld.global.f32 %f2, [%d4]; fma.rn.f32 %f3, %f0, %f1, %f2;\n"
    "st.global.f32 [%d4], %f3; ret;\n}\n";

static void by_name(void) {
    CUresult (*count_of)(int *) = NULL;
    CUdriverProcAddressQueryResult status;
    CHECK(cuGetProcAddress("cuDeviceGetCount", (void **)&count_of, CUDA_VERSION > 13000 ? 13000 : CUDA_VERSION,
                           CU_GET_PROC_ADDRESS_DEFAULT, &status));
    int count = 0;
    EXPECT(status == CU_GET_PROC_ADDRESS_SUCCESS && count_of(&count) == CUDA_SUCCESS && count > 0);
    void *none = &status;
    CHECK(cuGetProcAddress("cuNoSuchCall", &none, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    EXPECT(!none && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

int main(void) {
    CUdevice device;
    CUcontext context, current = NULL;
    CUmodule module;
    CUfunction function;
    CUstream stream;
    CUevent begin, end;
    CUdeviceptr x, y;
    float host[COUNT], result[COUNT], a = 3, elapsed = -1;
    char name[64];
    int n = COUNT, major = 0;

    CHECK(cuInit(0));
    by_name();
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetName(name, sizeof name, device));
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxPushCurrent(context));
    CHECK(cuCtxGetCurrent(&current));
    EXPECT(current == context);

    CHECK(cuModuleLoadData(&module, saxpy));
    CHECK(cuModuleGetFunction(&function, module, "saxpy"));
    CHECK(cuMemAlloc(&x, sizeof host));
    CHECK(cuMemAlloc(&y, sizeof host));
    for (int i = 0; i < COUNT; i++) host[i] = (float)i;
    CHECK(cuMemcpyHtoD(x, host, sizeof host));
    CHECK(cuMemsetD32(y, 0x3f800000, COUNT));
    CHECK(cuStreamSynchronize(0));

    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    CHECK(cuEventRecord(begin, stream));
    void *params[] = {&a, &x, &y, &n};
    CHECK(cuLaunchKernel(function, (COUNT + 127) / 128, 1, 1, 128, 1, 1, 0, stream, params, NULL));
    CHECK(cuEventRecord(end, stream));
    CHECK(cuMemcpyDtoHAsync(result, y, sizeof result, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuEventElapsedTime(&elapsed, begin, end));
    EXPECT(elapsed >= 0);
    for (int i = 0; i < COUNT; i++) EXPECT(result[i] == 3 * (float)i + 1);
    EXPECT(cuMemFree(x + 4) == CUDA_ERROR_INVALID_VALUE);

    /* The legacy stream, which waits for blocking streams, and that of the thread by its handle. */
    CHECK(cuMemsetD8Async(y, 7, 4, CU_STREAM_LEGACY));
    CHECK(cuStreamSynchronize(CU_STREAM_LEGACY));
    CHECK(cuMemsetD8Async(y, 9, 2, CU_STREAM_PER_THREAD));
    CHECK(cuMemcpyDtoH(result, y, 4));
    EXPECT(!memcmp(result, "\x09\x09\x07\x07", 4));

    CHECK(cuEventDestroy(begin));
    CHECK(cuEventDestroy(end));
    CHECK(cuStreamDestroy(stream));
    CHECK(cuMemFree(x));
    CHECK(cuMemFree(y));
    CHECK(cuModuleUnload(module));
    CHECK(cuCtxPopCurrent(&current));
    CHECK(cuDevicePrimaryCtxRelease(device));
    printf("C: %s, compute capability %d\n", name, major);
    return 0;
}
