// The public AscendC names of a vector core (AIV, arch 2201), executed on the CPU. A kernel includes this header and nothing else.
#pragma once

#include "api/platform.h"
// Order: later headers use earlier ones.
#include "api/tensor.h"
#include "api/queue.h"
#include "api/sync.h"
#include "api/data_copy.h"
#include "api/vector_params.h"
#include "api/vector_unary.h"
#include "api/vector_binary.h"
#include "api/vector_scalar.h"
#include "api/vector_compare.h"
#include "api/vector_fill.h"
#include "api/reduce.h"
#include "api/reduce_matrix.h"
#include "api/broadcast.h"
#include "api/gather.h"
#include "api/transpose.h"
#include "api/math.h"
