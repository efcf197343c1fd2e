// The minimum cost of any C++ program.
#include <iostream>

int main() {
  return std::cout.good() ? 0 : 1;
}
