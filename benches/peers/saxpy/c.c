// saxpy by hand: prints the nanoseconds until its first launch is enqueued.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(CUresult code) {
    if (code != CUDA_SUCCESS) {
        fprintf(stderr, "the driver answers %d\n", code);
        exit(1);
    }
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

extern const char kernels[];
__asm__(".section .rodata\nkernels: .incbin \"" KERNELS "\"\n.byte 0\n.previous\n");

int main(void) {
    long long start = now(), launched;
    CUdevice device;
    CUcontext context;
    CUstream stream;
    CUmodule module;
    CUfunction saxpy;
    CUdeviceptr x_dev, y_dev;
    float a = 2, x[256], y[256];
    unsigned n = 256;
    for (unsigned i = 0; i < n; i++)
        x[i] = 2, y[i] = 1;
    check(cuInit(0));
    check(cuDeviceGet(&device, 0));
    check(cuDevicePrimaryCtxRetain(&context, device));
    check(cuCtxPushCurrent(context));
    check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check(cuModuleLoadData(&module, kernels));
    check(cuModuleGetFunction(&saxpy, module, "saxpy"));
    check(cuMemAlloc(&x_dev, sizeof x));
    check(cuMemAlloc(&y_dev, sizeof y));
    check(cuMemcpyHtoD(x_dev, x, sizeof x));
    check(cuMemcpyHtoD(y_dev, y, sizeof y));
    void *arguments[] = {&n, &a, &x_dev, &y_dev};
    check(cuLaunchKernel(saxpy, 1, 1, 1, n, 1, 1, 0, stream, arguments, NULL));
    launched = now() - start;
    check(cuStreamSynchronize(stream));
    check(cuMemcpyDtoH(y, y_dev, sizeof y));
    for (unsigned i = 0; i < n; i++)
        if (y[i] != 5)
            return 1;
    printf("%lld\n", launched);
    return 0;
}
