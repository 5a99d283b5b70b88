// Stores one value at each index below n.
extern "C" __global__ void fill(unsigned n, unsigned value, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = value;
    }
}
