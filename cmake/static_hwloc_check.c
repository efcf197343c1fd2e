/* Whether libhwloc.a links with no_udev.c alone (MusterStatic.cmake). */
#include <hwloc.h>

int main(void) {
  hwloc_topology_t topology;
  return hwloc_topology_init(&topology) || hwloc_topology_load(topology);
}
