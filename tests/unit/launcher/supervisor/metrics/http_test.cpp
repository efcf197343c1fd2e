#include "launcher/supervisor/metrics/http.hpp"

#include "fixtures/random_text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::metrics {
namespace {

std::string answered(const std::string& request) {
  return response_to(request, [](std::string_view accept) {
    return Body{"text/plain", "body for" + std::string(accept) + "\n"};
  });
}

TEST(Http, AnswersScrapers) {
  EXPECT_EQ(answered("GET /metrics HTTP/1.1\r\nHost: a\r\nAccept: x/y\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n"
            "Connection: close\r\n\r\nbody for x/y\n");
  EXPECT_TRUE(answered("GET / HTTP/1.0\n\n").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(answered("GET /metrics?a=b HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(answered("HEAD /metrics HTTP/1.1\r\n\r\n").ends_with("close\r\n\r\n"));
}

TEST(Http, RefusesEverythingElse) {
  EXPECT_TRUE(answered("GET /other HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(answered("POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
  for (const auto* const request :
       {"\r\n\r\n", "GET\r\n\r\n", "GET / SMTP\r\n\r\n", "GET / x HTTP/1.1\n\n"})
    EXPECT_TRUE(answered(request).starts_with("HTTP/1.1 400 ")) << request;
  EXPECT_TRUE(answered("GET / HTTP/1.1\r\nA: " + std::string(max_request_bytes, 'x'))
                  .starts_with("HTTP/1.1 431 "));
}

TEST(Http, KnowsWhenARequestIsWhole) {
  EXPECT_FALSE(is_whole("GET / HTTP/1.1\r\nHost: a\r\n"));
  EXPECT_TRUE(is_whole("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_TRUE(is_whole("GET / HTTP/1.1\n\n"));
  EXPECT_TRUE(is_whole(std::string(max_request_bytes + 1, 'x')));
}

TEST(Http, AnswersAnyBytes) {
  fixtures::RandomText random(9);
  for (int i = 0; i < 20'000; ++i) {
    std::string request = "GET /metrics HTTP/1.1\r\nAccept: a\r\n\r\n";
    for (int change = 0; change < 4; ++change)
      request[random.below(request.size())] = static_cast<char>(random.below(256));
    ASSERT_TRUE(answered(request).starts_with("HTTP/1.1 "));
  }
}

}  // namespace
}  // namespace muster::metrics
