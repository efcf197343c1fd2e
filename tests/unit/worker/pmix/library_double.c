/* A double of libpmix as a file, not the real library: it can be opened and reports a version. */
const char *PMIx_Get_version(void) { return PMIX_DOUBLE_VERSION; }
const char *PMIx_Error_string(int status) { return status == 0 ? "SUCCESS" : "ERROR"; }

#define NOT_DONE(name) \
  int name(void) { return -47; }
NOT_DONE(PMIx_Init)
NOT_DONE(PMIx_Finalize)
NOT_DONE(PMIx_Abort)
NOT_DONE(PMIx_Put)
NOT_DONE(PMIx_Commit)
NOT_DONE(PMIx_Fence_nb)
NOT_DONE(PMIx_Get_nb)
NOT_DONE(PMIx_Resolve_peers)
