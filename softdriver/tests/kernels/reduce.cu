// Adds n floats to *out: a grid-stride sum per thread, a tree in shared memory
// per block (256 threads), one atomicAdd per block.
extern "C" __global__ void reduce(unsigned n, const float *x, float *out) {
    __shared__ float partial[256];
    unsigned t = threadIdx.x;
    float sum = 0.0f;
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
    }
    partial[t] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            partial[t] += partial[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(out, partial[0]);
    }
}
