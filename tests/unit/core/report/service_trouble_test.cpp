#include "core/report/service_trouble.hpp"

#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

const std::string reset = "ConnectionResetError: [Errno 104] Connection reset by peer";
const std::string packages = "/v/lib/python3.12/site-packages/";

std::string traceback(std::initializer_list<std::string> files) {
  std::string text = "Traceback (most recent call last):\n";
  for (const auto& file : files)
    text += "  File \"" + file + "\", line 7, in f\n    f()\n    ^^^\n";
  return text + reset + "\n";
}

TEST(ServiceTrouble, IsInTheWordsOfHttpClients) {
  for (
      const std::string text :
      {"ConnectionError: ('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))",
       "ConnectionError: HTTPSConnectionPool(host='huggingface.co', port=443): Max retries "
       "exceeded with url: /api/models/x (Caused by "
       "NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x7f>: Failed to "
       "establish a new connection: [Errno 111] Connection refused'))",
       "URLError: <urlopen error [Errno 111] Connection refused>",
       "ClientConnectorError: Cannot connect to host huggingface.co:443 ssl:default [Connection "
       "reset by peer]",
       "EndpointConnectionError: Could not connect to the endpoint URL: \"https://b.s3.amazonaws.com/x\"",
       "requests.exceptions.ConnectionError: [Errno 104] Connection reset by peer"}) {
    EXPECT_TRUE(is_service_trouble(text, "")) << text;
  }
  for (const std::string text :
       {"RuntimeError: [pair.cc:446] Read error [10.0.0.1]:1234: Connection reset by peer",
        "BrokenPipeError: [Errno 32] Broken pipe", ""}) {
    EXPECT_FALSE(is_service_trouble(text, "")) << text;
  }
}

// A rank may serve the others over HTTP.
TEST(ServiceTrouble, IsNotIfTheHostMayBeANode) {
  for (const std::string host : {"node3", "10.0.0.3", "localhost", "::1", "node3.cluster.local"}) {
    const auto text = "ConnectionError: HTTPConnectionPool(host='" + host +
                      "', port=8000): Max retries exceeded with url: /generate";
    EXPECT_FALSE(is_service_trouble(text, traceback({packages + "requests/adapters.py"}))) << host;
  }
  EXPECT_FALSE(
      is_service_trouble("Could not connect to the endpoint URL: \"http://10.0.0.9/b\"", ""));
}

TEST(ServiceTrouble, IsInTheLibraryThatRaisedTheException) {
  const std::string python = "/usr/lib/python3.12/";
  EXPECT_TRUE(is_service_trouble(
      reset, traceback({"train.py", packages + "wandb/sdk/lib/sock_client.py"})));
  EXPECT_TRUE(is_service_trouble(
      reset, traceback({"train.py", packages + "urllib3/connectionpool.py", python + "ssl.py"})));
  EXPECT_TRUE(is_service_trouble(
      reset,
      traceback({packages + "torch/hub.py", python + "urllib/request.py", python + "socket.py"})));
  EXPECT_FALSE(
      is_service_trouble(reset, traceback({"/home/u/wandb/train.py", python + "socket.py"})));
  EXPECT_FALSE(is_service_trouble(reset, ""));
}

// mlflow's autologging and wandb's sweeps call the whole training.
TEST(ServiceTrouble, IsNotInALibraryThatOnlyCalledTheTraining) {
  EXPECT_FALSE(is_service_trouble(
      reset, traceback({packages + "mlflow/utils/autologging_utils/safety.py", "train.py",
                        packages + "torch/distributed/distributed_c10d.py"})));
}

TEST(ServiceTrouble, IsInTheLastTracebackOnly) {
  const auto handled = traceback({packages + "requests/adapters.py"}) +
                       "\nDuring handling of the above exception, another exception occurred:\n\n";
  EXPECT_FALSE(is_service_trouble(
      reset, handled + traceback({packages + "torch/distributed/distributed_c10d.py"})));
}

TEST(ServiceTrouble, IsNotBetweenTorchftsReplicas) {
  EXPECT_FALSE(is_service_trouble("URLError: <urlopen error [Errno 111] Connection refused>",
                                  traceback({packages + "torchft/checkpointing/http_transport.py",
                                             "/usr/lib/python3.12/urllib/request.py"})));
}

}  // namespace
}  // namespace muster::report
