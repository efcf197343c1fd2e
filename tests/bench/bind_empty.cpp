// What any C++ program costs at the least.
#include <iostream>

int main() {
  return std::cout.good() ? 0 : 1;
}
