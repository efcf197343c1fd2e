#include "core/report/service_trouble.hpp"

#include "core/report/rank_prefix.hpp"
#include "core/report/record.hpp"
#include "core/text/list.hpp"
#include "core/text/lower_case.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace muster::report {
namespace {

// In lower case.
constexpr std::array client_words{std::string_view("connectionpool("),
                                  std::string_view("max retries exceeded"),
                                  std::string_view("('connection aborted.'"),
                                  std::string_view("('connection broken: "),
                                  std::string_view("urlopen error"),
                                  std::string_view("cannot connect to host "),
                                  std::string_view("endpoint url: "),
                                  std::string_view("requests.exceptions."),
                                  std::string_view("urllib3.exceptions."),
                                  std::string_view("urllib.error."),
                                  std::string_view("httpx."),
                                  std::string_view("httpcore."),
                                  std::string_view("aiohttp."),
                                  std::string_view("botocore.exceptions.")};

// What precedes a host's name.
constexpr std::array host_words{std::string_view("(host='"), std::string_view("connect to host "),
                                std::string_view("http://"), std::string_view("https://")};

// Below site-packages or dist-packages.
constexpr std::array libraries{std::string_view("adlfs"),      std::string_view("aiobotocore"),
                               std::string_view("aiohttp"),    std::string_view("azure"),
                               std::string_view("boto3"),      std::string_view("botocore"),
                               std::string_view("clearml"),    std::string_view("comet_ml"),
                               std::string_view("datasets"),   std::string_view("fsspec"),
                               std::string_view("gcsfs"),      std::string_view("google"),
                               std::string_view("h11"),        std::string_view("httpcore"),
                               std::string_view("httpx"),      std::string_view("huggingface_hub"),
                               std::string_view("mlflow"),     std::string_view("neptune"),
                               std::string_view("requests"),   std::string_view("s3fs"),
                               std::string_view("s3transfer"), std::string_view("smart_open"),
                               std::string_view("swanlab"),    std::string_view("urllib3"),
                               std::string_view("wandb")};

constexpr std::string_view packages = "-packages/";

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// A name without a domain, an address, or a name in a private domain. Other names count as the internet's.
bool may_be_node(std::string_view host) {
  constexpr std::array private_domains{std::string_view(".local"), std::string_view(".internal"),
                                       std::string_view(".localdomain")};
  return !has(host, ".") || host.find_first_not_of("0123456789.") == std::string_view::npos ||
         std::ranges::any_of(private_domains,
                             [host](std::string_view domain) { return host.ends_with(domain); });
}

bool names_a_node(std::string_view message) {
  for (const auto word : host_words) {
    for (auto at = message.find(word); at != std::string_view::npos; at = message.find(word, at)) {
      at += word.size();
      const auto host = message.substr(at, message.find_first_of("'\":/, )>", at) - at);
      if (may_be_node(host)) return true;
    }
  }
  return false;
}

// The files of the last traceback's frames, innermost first.
std::vector<std::string_view> files_of(std::string_view traceback) {
  constexpr std::string_view begin = "  File \"";
  const auto last = traceback.rfind("Traceback (most recent call last)");
  if (last != std::string_view::npos) traceback.remove_prefix(last);
  std::vector<std::string_view> files;
  for (auto line : text::split(traceback, '\n')) {
    line = without_rank(line);
    if (!line.starts_with(begin)) continue;
    line.remove_prefix(begin.size());
    files.push_back(line.substr(0, line.find('"')));
  }
  std::ranges::reverse(files);
  return files;
}

// "urllib3" for ".../site-packages/urllib3/connectionpool.py"; empty for all other files.
std::string_view package_of(std::string_view file) {
  const auto at = file.rfind(packages);
  if (at == std::string_view::npos) return {};
  file.remove_prefix(at + packages.size());
  return file.substr(0, file.find('/'));
}

bool is_of_python(std::string_view file) {
  const bool is_below_lib = has(file, "/lib/python3.") || has(file, "/lib64/python3.");
  return is_below_lib && !has(file, packages);
}

bool is_of_service(std::string_view file) {
  if (is_of_python(file))
    return file.ends_with("/http/client.py") || file.ends_with("/urllib/request.py");
  const auto package = package_of(file);
  return !package.empty() && std::ranges::find(libraries, package) != libraries.end();
}

bool was_raised_in_client(const std::vector<std::string_view>& files) {
  const auto innermost = std::ranges::find_if(
      files, [](std::string_view file) { return !is_of_python(file) || is_of_service(file); });
  return innermost != files.end() && is_of_service(*innermost);
}

}  // namespace

bool is_service_trouble(std::string_view message, std::string_view traceback) {
  const auto lower = text::in_lower_case(message.substr(0, max_message_bytes));
  if (names_a_node(lower)) return false;
  const auto files = files_of(traceback);
  const auto is_torchft = [](std::string_view file) { return package_of(file) == "torchft"; };
  if (std::ranges::any_of(files, is_torchft)) return false;
  return std::ranges::any_of(client_words,
                             [&lower](std::string_view word) { return has(lower, word); }) ||
         was_raised_in_client(files);
}

}  // namespace muster::report
