// Stores to, or loads from, whatever address it is given.
extern "C" __global__ void wild(unsigned long long address, unsigned value) {
    *(volatile unsigned *)address = value;
}

extern "C" __global__ void wild_load(unsigned long long address, unsigned *out) {
    *out = *(volatile unsigned *)address;
}
