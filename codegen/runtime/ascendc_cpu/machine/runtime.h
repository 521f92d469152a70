// Everything the machine's own files share, to be precompiled once for all of them. Includes nothing that a kernel must not see: kernels
// include kernel_operator.h.
#pragma once

#include "../launch.h"
#include "dma_calls.h"
#include "gm_access.h"
#include "library.h"
#include "library_calls.h"
#include "queue_calls.h"
#include "reduce_lanes.h"
#include "rendezvous.h"
#include "sync_calls.h"
#include "vector_calls.h"
