/* How a C compiler sees muster.h, as JSON for test_abi.py. */
#include "muster/muster.h"

#include <stdio.h>

#define STRUCTURE(type) printf("\"%s\": {\"size\": %zu, \"fields\": {", #type, sizeof(type))
#define FIELD(type, name, end) \
  printf("\"%s\": [%zu, %zu]%s", #name, offsetof(type, name), sizeof(((type *)0)->name), end)
#define NUMBER(name, end) printf("\"%s\": %lld%s", #name, (long long)(name), end)

static void structures(void) {
  STRUCTURE(muster_options);
  FIELD(muster_options, size, ", ");
  FIELD(muster_options, timeout_ms, ", ");
  FIELD(muster_options, transport, ", ");
  FIELD(muster_options, numbering, "}}, ");
  STRUCTURE(muster_blob);
  FIELD(muster_blob, rank, ", ");
  FIELD(muster_blob, data, ", ");
  FIELD(muster_blob, size, "}}, ");
  STRUCTURE(muster_endpoint);
  FIELD(muster_endpoint, node, ", ");
  FIELD(muster_endpoint, address, "}}, ");
  STRUCTURE(muster_nccl_options);
  FIELD(muster_nccl_options, size, ", ");
  FIELD(muster_nccl_options, timeout_ms, ", ");
  FIELD(muster_nccl_options, roots, ", ");
  FIELD(muster_nccl_options, ranks_per_root, ", ");
  FIELD(muster_nccl_options, generation, ", ");
  FIELD(muster_nccl_options, device, ", ");
  FIELD(muster_nccl_options, cuda_version, ", ");
  FIELD(muster_nccl_options, flags, ", ");
  FIELD(muster_nccl_options, config, ", ");
  FIELD(muster_nccl_options, cga_cluster_size, ", ");
  FIELD(muster_nccl_options, min_ctas, ", ");
  FIELD(muster_nccl_options, max_ctas, ", ");
  FIELD(muster_nccl_options, split_share, ", ");
  FIELD(muster_nccl_options, traffic_class, ", ");
  FIELD(muster_nccl_options, collnet_enable, ", ");
  FIELD(muster_nccl_options, cta_policy, ", ");
  FIELD(muster_nccl_options, nvls_ctas, ", ");
  FIELD(muster_nccl_options, net_name, ", ");
  FIELD(muster_nccl_options, comm_name, "}}");
}

static void numbers(void) {
  NUMBER(MUSTER_VERSION_MAJOR, ", ");
  NUMBER(MUSTER_VERSION_MINOR, ", ");
  NUMBER(MUSTER_VERSION_PATCH, ", ");
  NUMBER(MUSTER_DEFAULT, ", ");
  NUMBER(MUSTER_UNSET, ", ");
  NUMBER(MUSTER_NCCL_ID_BYTES, ", ");
  NUMBER(MUSTER_NCCL_SHARED_GPU, ", ");
  NUMBER(MUSTER_NCCL_IDS_ONLY, ", ");
  NUMBER(MUSTER_SPLIT_NODE, ", ");
  NUMBER(MUSTER_SPLIT_NONE, ", ");
  NUMBER(MUSTER_TRANSPORT_AUTO, ", ");
  NUMBER(MUSTER_TRANSPORT_PMIX, ", ");
  NUMBER(MUSTER_TRANSPORT_TCP, ", ");
  NUMBER(MUSTER_TRANSPORT_SINGLE, ", ");
  NUMBER(MUSTER_RANKS_AUTO, ", ");
  NUMBER(MUSTER_RANKS_SLURM, ", ");
  NUMBER(MUSTER_RANKS_CONTIGUOUS, "");
}

int main(void) {
  printf("{\"structures\": {");
  structures();
  printf("}, \"numbers\": {");
  numbers();
  printf("}}\n");
  return 0;
}
