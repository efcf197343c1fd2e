/* A double of libnccl as a file, not the real library: it can be opened and reports a version. */
static int unused(void) {
  return 3;
} /* ncclInternalError */

int ncclGetVersion(int* version) {
  *version = NCCL_DOUBLE_VERSION;
  return 0;
}

#define NOT_DONE(name) \
  int name(void) {     \
    return unused();   \
  }
NOT_DONE(ncclGetUniqueId)
NOT_DONE(ncclCommInitRankConfig)
NOT_DONE(ncclCommSplit)
NOT_DONE(ncclCommGetAsyncError)
NOT_DONE(ncclCommFinalize)
NOT_DONE(ncclCommDestroy)
NOT_DONE(ncclCommAbort)
NOT_DONE(ncclGetErrorString)
NOT_DONE(ncclGetLastError)
