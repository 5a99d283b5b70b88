// The kernels of kernels.cu in OpenCL C, on the first device of a CPU: PoCL's. Prints for each kernel the user time of
// the process and the elapsed time, the best of some rounds.
//
//     opencl ROUNDS
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static const char *source =
    "#define TILE 16\n"
    "kernel void saxpy(uint n, float a, global const float *x, global float *y) {\n"
    "    uint i = get_global_id(0);\n"
    "    if (i < n) y[i] = fma(a, x[i], y[i]);\n"
    "}\n"
    "kernel void matmul(uint n, global const float *a, global const float *b, global float *c) {\n"
    "    uint row = get_global_id(1), column = get_global_id(0);\n"
    "    float sum = 0;\n"
    "    for (uint k = 0; k < n; k++) sum = fma(a[row * n + k], b[k * n + column], sum);\n"
    "    c[row * n + column] = sum;\n"
    "}\n"
    "kernel void tiled(uint n, global const float *a, global const float *b, global float *c) {\n"
    "    local float left[TILE][TILE], right[TILE][TILE];\n"
    "    uint x = get_local_id(0), y = get_local_id(1);\n"
    "    uint row = get_group_id(1) * TILE + y, column = get_group_id(0) * TILE + x;\n"
    "    float sum = 0;\n"
    "    for (uint tile = 0; tile < n; tile += TILE) {\n"
    "        left[y][x] = a[row * n + tile + x];\n"
    "        right[y][x] = b[(tile + y) * n + column];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (uint k = 0; k < TILE; k++) sum = fma(left[y][k], right[k][x], sum);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[row * n + column] = sum;\n"
    "}\n"
    "kernel void bodies(uint n, global const float4 *at, global float4 *force) {\n"
    "    uint i = get_global_id(0);\n"
    "    float4 own = at[i];\n"
    "    float x = 0, y = 0, z = 0;\n"
    "    for (uint j = 0; j < n; j++) {\n"
    "        float4 other = at[j];\n"
    "        float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;\n"
    "        float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);\n"
    "        float pull = other.w * inverse * inverse * inverse;\n"
    "        x += dx * pull;\n"
    "        y += dy * pull;\n"
    "        z += dz * pull;\n"
    "    }\n"
    "    force[i] = (float4)(x, y, z, 0);\n"
    "}\n";

#define CHECK(call) \
    do { \
        cl_int answer = (call); \
        if (answer != CL_SUCCESS) { \
            fprintf(stderr, "%s: %d\n", #call, answer); \
            exit(1); \
        } \
    } while (0)

static double seconds(struct timeval time) {
    return time.tv_sec + time.tv_usec * 1e-6;
}

static double user(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return seconds(usage.ru_utime);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 3;
    cl_platform_id platform;
    cl_device_id device;
    cl_int answer;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &answer);
    CHECK(answer);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &answer);
    CHECK(answer);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &answer);
    CHECK(answer);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));

    struct {
        const char *name;
        cl_uint n;
        size_t global[2], local[2], elements;
        int arrays;
    } cases[] = {
        {"saxpy", 1 << 24, {1 << 24, 1}, {256, 1}, 1 << 24, 2},
        {"matmul", 512, {512, 512}, {16, 16}, 1 << 18, 3},
        {"tiled", 512, {512, 512}, {16, 16}, 1 << 18, 3},
        {"bodies", 4096, {4096, 1}, {256, 1}, 1 << 14, 2},
    };
    for (int which = 0; which < 4; which++) {
        cl_kernel kernel = clCreateKernel(program, cases[which].name, &answer);
        CHECK(answer);
        size_t bytes = cases[which].elements * sizeof(float);
        float *values = malloc(bytes), factor = 0.5f;
        for (size_t i = 0; i < cases[which].elements; i++) values[i] = (float)(i % 1000) / 1000;
        int argument = 0;
        CHECK(clSetKernelArg(kernel, argument++, sizeof(cl_uint), &cases[which].n));
        if (which == 0) CHECK(clSetKernelArg(kernel, argument++, sizeof(float), &factor));
        for (int array = 0; array < cases[which].arrays; array++) {
            cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, values, &answer);
            CHECK(answer);
            CHECK(clSetKernelArg(kernel, argument++, sizeof(buffer), &buffer));
        }
        double best[2] = {1e9, 1e9};
        // The first one compiles.
        for (int round = 0; round <= rounds; round++) {
            double before[2] = {user(), now()};
            CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, cases[which].global, cases[which].local, 0, NULL, NULL));
            CHECK(clFinish(queue));
            double taken[2] = {user() - before[0], now() - before[1]};
            for (int i = 0; i < 2; i++)
                if (round > 0 && taken[i] < best[i]) best[i] = taken[i];
        }
        printf("%s %.4f %.4f\n", cases[which].name, best[0], best[1]);
        free(values);
    }
    return 0;
}
