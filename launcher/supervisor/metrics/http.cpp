#include "launcher/supervisor/metrics/http.hpp"

#include "core/text/list.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace muster::metrics {
namespace {

std::string response(std::string_view status, const Body& body, bool with_body = true) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      status, body.type, body.text.size(), with_body ? body.text : "");
}

std::string refusal(std::string_view status) {
  return response(status, {"text/plain; charset=utf-8", std::string(status) + "\n"});
}

std::string_view head_of(std::string_view request) {
  return request.substr(0, std::min(request.find("\r\n\r\n"), request.find("\n\n")));
}

bool is_named(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == ':' &&
         std::ranges::equal(line.substr(0, name.size()), name, [](char left, char right) {
           return std::tolower(static_cast<unsigned char>(left)) == right;
         });
}

std::string_view header(std::string_view head, std::string_view name) {
  for (const auto line : text::split(head, '\n')) {
    if (is_named(line, name)) return line.substr(name.size() + 1);
  }
  return {};
}

}  // namespace

bool is_whole(std::string_view request) {
  return request.size() > max_request_bytes || head_of(request).size() < request.size();
}

std::string response_to(std::string_view request,
                        const std::function<Body(std::string_view accept)>& make) {
  const auto head = head_of(request);
  if (head.size() > max_request_bytes) return refusal("431 Request Header Fields Too Large");
  const auto words = text::split(head.substr(0, head.find_first_of("\r\n")), ' ');
  if (words.size() != 3 || !words[2].starts_with("HTTP/1.")) return refusal("400 Bad Request");
  if (words[0] != "GET" && words[0] != "HEAD") return refusal("405 Method Not Allowed");
  const auto path = words[1].substr(0, words[1].find('?'));
  if (path != "/" && path != "/metrics") return refusal("404 Not Found");
  return response("200 OK", make(header(head, "accept")), words[0] == "GET");
}

}  // namespace muster::metrics
