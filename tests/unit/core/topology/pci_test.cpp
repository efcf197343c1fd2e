#include "core/topology/pci.hpp"

#include "core/error.hpp"

#include <gtest/gtest.h>

namespace muster::topology {
namespace {

TEST(PciAddressText, IsReadAsEveryToolWritesIt) {
  const PciAddress expected{0, 7, 0, 0};
  EXPECT_EQ(PciAddress::parse("0000:07:00.0"), expected);
  EXPECT_EQ(PciAddress::parse("00000000:07:00.0"), expected);
  EXPECT_EQ(PciAddress::parse("07:00.0"), expected);
  const PciAddress other{0x35, 0xaf, 0x1f, 7};
  EXPECT_EQ(PciAddress::parse("0035:AF:1f.7"), other);
  EXPECT_EQ(to_string(other), "0035:af:1f.7");
}

TEST(PciAddressText, ThatIsWrongIsRefused) {
  for (const char* bad : {"", "7", "0000:07:00", "0000:07.0", "0000:100:00.0", "0000:07:20.0",
                          "0000:07:00.8", "g:07:00.0", "0000:07:00.0 ", ":07:00.0", "-1:07:00.0"})
    EXPECT_THROW(PciAddress::parse(bad), Error) << bad;
}

TEST(PciAddressOrder, IsByDomainBusDeviceAndFunction) {
  EXPECT_LT(PciAddress::parse("0000:ff:1f.7"), PciAddress::parse("0001:00:00.0"));
  EXPECT_LT(PciAddress::parse("0000:07:00.0"), PciAddress::parse("0000:07:00.1"));
}

}  // namespace
}  // namespace muster::topology
