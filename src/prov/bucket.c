#include "prov/tally.h"

static unsigned highest_bit(uint64_t value)
{
    return 63U - (unsigned)__builtin_clzll(value);
}

unsigned tr_prov_bucket_of(uint64_t value)
{
    if (value < 8)
        return (unsigned)value;
    unsigned bit = highest_bit(value);
    return (bit - 2) * 8 + (unsigned)(value >> (bit - 3) & 7);
}

uint64_t tr_prov_bucket_value(unsigned bucket)
{
    if (bucket < 8)
        return bucket;
    unsigned shift = bucket / 8 - 1;
    uint64_t width = UINT64_C(1) << shift;
    return (8 + (uint64_t)(bucket % 8)) * width + width / 2;
}
