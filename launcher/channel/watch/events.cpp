#include "launcher/channel/watch/events.hpp"

#include "core/error.hpp"
#include "core/text/json.hpp"
#include "launcher/channel/watch/fields.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

namespace muster::watch {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using text::compact_text;

json moment_json(const report::Moment& moment) {
  return json::array({moment.time.count(), moment.error.count()});
}

json place_json(const report::RankPlace& place) {
  return json::array({place.rank, place.local_rank, place.pid});
}

json to_json(const Hello& hello) {
  json ranks = json::array();
  for (const auto& place : hello.ranks) {
    if (ranks.size() < max_ranks_of_node) ranks.push_back(place_json(place));
  }
  json object{{"event", "hello"},
              {"step", one_line(hello.step, max_step_bytes)},
              {"node", one_line(hello.node, max_node_bytes)},
              {"ranks", std::move(ranks)},
              {"started", moment_json(hello.started)},
              {"ranks_of_step", hello.ranks_of_step},
              {"counts", hello.counts}};
  if (hello.agent) {
    object["agent"] = {{"begun", moment_json(hello.agent->begun)},
                       {"came", moment_json(hello.agent->came)},
                       {"met", moment_json(hello.agent->met)}};
  }
  return object;
}

json to_json(const Beat& beat) {
  return {{"event", "beat"}, {"sent", beat.sent.count()}, {"supervisor", beat.supervisor.count()}};
}

json exception_json(const report::Exception& exception) {
  json object{{"message", first_bytes(exception.message, report::max_message_bytes)},
              {"traceback", last_bytes(exception.traceback, report::max_traceback_bytes)}};
  if (exception.time) object["time"] = moment_json(*exception.time);
  if (exception.of_signal) object["of_signal"] = true;
  return object;
}

json to_json(const Ended& ended) {
  const auto& end = ended.end;
  json object{{"event", "ended"},
              {"rank", place_json(end.place)},
              {"status", end.wait_status},
              {"time", moment_json(end.time)}};
  if (end.ended_by_muster) object["ended_by_muster"] = true;
  if (end.out_of_memory) object["out_of_memory"] = true;
  if (end.blamed_peer) object["blamed_peer"] = true;
  if (end.exception) object["exception"] = exception_json(*end.exception);
  if (!end.last_lines.empty()) {
    auto& lines = object["last_lines"] = json::array();
    const auto skipped =
        end.last_lines.size() - std::min(end.last_lines.size(), report::max_last_lines);
    for (auto line = skipped; line < end.last_lines.size(); ++line) {
      lines.push_back(first_bytes(end.last_lines[line], report::max_last_line_bytes));
    }
    object["last_lines_file"] = one_line(end.last_lines_file, max_path_bytes);
    if (end.last_lines_shared) object["last_lines_shared"] = true;
  }
  return object;
}

json to_json(const Remark& remark) {
  return {{"event", "remark"}, {"line", one_line(remark.line, max_remark_bytes)}};
}

json to_json(const Stuck& stuck) {
  auto ranks = stuck.ranks;
  if (ranks.size() > max_ranks_of_node) ranks.resize(max_ranks_of_node);
  return {{"event", "stuck"}, {"ranks", std::move(ranks)}};
}

json to_json(const Hangs& hangs) {
  return {{"event", "hangs"},
          {"rank", hangs.rank},
          {"message", one_line(hangs.message, max_remark_bytes)}};
}

json traffic_json(const status::Traffic& traffic) {
  return {{"in", traffic.in}, {"out", traffic.out}};
}

json to_json(const Counted& counted) {
  const auto& counts = counted.counts;
  json object{{"event", "counted"}, {"number", counted.number}, {"time", counts.time.count()}};
  if (counts.network) object["network"] = traffic_json(*counts.network);
  if (counts.rdma) object["rdma"] = traffic_json(*counts.rdma);
  if (counts.files) object["files"] = traffic_json(*counts.files);
  if (const auto& output = counts.output) {
    object["output"] = {
        {"rank", output->rank}, {"age", output->age.count()}, {"bytes", output->bytes}};
  }
  if (const auto& signs = counts.signs) {
    object["signs"] = {{"output", signs->output},
                       {"storage", signs->storage},
                       {"newest_process", signs->newest_process},
                       {"compilers_ms", signs->compilers_ms}};
    if (const auto& collectives = signs->collectives) {
      object["signs"]["collectives"] = {{"recorders", collectives->recorders},
                                        {"inside", collectives->inside},
                                        {"progress", collectives->progress}};
    }
  }
  return object;
}

json to_json(const Count& count) {
  return {{"event", "count"}, {"number", count.number}};
}

json to_json(const Bye& /*bye*/) {
  return {{"event", "bye"}};
}

json to_json(const End& end) {
  return {{"event", "end"}, {"grace", end.grace.count()}};
}

json to_json(const Signal& signal) {
  return {{"event", "signal"}, {"number", signal.number}};
}

json to_json(const Shown& shown) {
  return {{"event", "shown"},
          {"rank", shown.source.rank},
          {"stream", static_cast<int>(shown.source.stream)},
          {"offset", shown.offset}};
}

json to_json(const Pause& /*pause*/) {
  return {{"event", "pause"}};
}

// Control characters take six times their room in JSON: then less of a text is sent.
std::string fitting_text(json object) {
  auto text = compact_text(object);
  while (text.size() > max_event_bytes && object.contains("exception")) {
    auto& traceback = object["exception"]["traceback"].get_ref<std::string&>();
    if (traceback.empty()) break;
    traceback = last_bytes(traceback, traceback.size() / 2);
    text = compact_text(object);
  }
  if (text.size() <= max_event_bytes) return text;
  object.erase("last_lines");
  object.erase("last_lines_file");
  return compact_text(object);
}

report::Exception exception_of(const Fields& fields) {
  report::Exception exception{.message = fields.text("message", report::max_message_bytes),
                              .traceback = fields.text("traceback", report::max_traceback_bytes),
                              .time = {},
                              .of_signal = fields.flag("of_signal")};
  if (fields.has("time")) exception.time = fields.moment("time");
  return exception;
}

report::AgentTimes agent_of(const Fields& fields) {
  return {
      .begun = fields.moment("begun"), .came = fields.moment("came"), .met = fields.moment("met")};
}

Hello hello_of(const Fields& fields) {
  Hello hello{.step = fields.line("step", max_step_bytes),
              .node = fields.line("node", max_node_bytes),
              .ranks = fields.places("ranks"),
              .started = fields.moment("started"),
              .ranks_of_step = fields.number<std::uint32_t>("ranks_of_step"),
              .counts = fields.flag("counts")};
  if (fields.has("agent")) hello.agent = agent_of(fields.object("agent"));
  return hello;
}

constexpr std::int64_t max_amount = std::int64_t{1} << 56;
constexpr std::int64_t max_output = std::int64_t{1} << 46;  // all nodes' together are a number

std::int64_t amount(const Fields& fields, const char* name) {
  const auto number = fields.number<std::int64_t>(name);
  if (number < 0 || number > max_amount) throw Error("a watch's message has no count");
  return number;
}

std::optional<status::Traffic> traffic_of(const Fields& fields, const char* name) {
  if (!fields.has(name)) return std::nullopt;
  const auto traffic = fields.object(name);
  return status::Traffic{amount(traffic, "in"), amount(traffic, "out")};
}

milliseconds time_of(const Fields& fields, const char* name) {
  return std::min<milliseconds>(milliseconds(amount(fields, name)), max_time);
}

status::Collectives collectives_of(const Fields& fields) {
  return {.recorders = amount(fields, "recorders"),
          .inside = amount(fields, "inside"),
          .progress = amount(fields, "progress")};
}

status::Signs signs_of(const Fields& fields) {
  status::Signs signs{.output = amount(fields, "output"),
                      .storage = amount(fields, "storage"),
                      .newest_process = amount(fields, "newest_process"),
                      .compilers_ms = amount(fields, "compilers_ms")};
  if (fields.has("collectives")) signs.collectives = collectives_of(fields.object("collectives"));
  return signs;
}

Counted counted_of(const Fields& fields) {
  Counted counted{.number = fields.number<std::uint32_t>("number"), .counts = {}};
  counted.counts = {.time = time_of(fields, "time"),
                    .network = traffic_of(fields, "network"),
                    .rdma = traffic_of(fields, "rdma"),
                    .files = traffic_of(fields, "files"),
                    .output = {}};
  if (fields.has("signs")) counted.counts.signs = signs_of(fields.object("signs"));
  if (!fields.has("output")) return counted;
  const auto output = fields.object("output");
  counted.counts.output = {.rank = output.number<std::uint32_t>("rank"),
                           .age = time_of(output, "age"),
                           .bytes = std::min(amount(output, "bytes"), max_output)};
  return counted;
}

Beat beat_of(const Fields& fields) {
  return {.sent = fields.time("sent"), .supervisor = fields.time("supervisor")};
}

End end_of(const Fields& fields) {
  const auto grace = fields.number<std::uint32_t>("grace");
  if (grace > max_grace.count()) throw Error("a watch's message has a grace that is too long");
  return {std::chrono::milliseconds(grace)};
}

Signal signal_of(const Fields& fields) {
  const auto number = fields.number<std::int32_t>("number");
  if (number < 1 || number >= NSIG) throw Error("a watch's message has no signal's number");
  return {number};
}

Shown shown_of(const Fields& fields) {
  const auto stream = fields.number<std::uint8_t>("stream");
  if (stream < 1 || stream > 2) throw Error("a watch's message has no stream's number");
  const auto offset = fields.number<std::int64_t>("offset");
  if (offset < 0) throw Error("a watch's message has no offset");
  return {{fields.number<std::uint32_t>("rank"), static_cast<view::Stream>(stream)},
          static_cast<std::uint64_t>(offset)};
}

// A line that a person reads. No agent has an empty one to send: it would wipe out what the node said before.
std::string spoken_line(const Fields& fields, const char* name) {
  auto line = fields.line(name, max_remark_bytes);
  if (line.empty()) throw Error("a watch's message says nothing where a line belongs");
  return line;
}

Ended ended_of(const Fields& fields) {
  report::RankEnd end;
  end.place = fields.place("rank");
  end.wait_status = fields.number<std::int32_t>("status");
  end.time = fields.moment("time");
  end.ended_by_muster = fields.flag("ended_by_muster");
  end.out_of_memory = fields.flag("out_of_memory");
  end.blamed_peer = fields.flag("blamed_peer");
  if (fields.has("exception")) end.exception = exception_of(fields.object("exception"));
  if (fields.has("last_lines")) {
    end.last_lines =
        fields.texts("last_lines", report::max_last_lines, report::max_last_line_bytes);
    end.last_lines_file = fields.line("last_lines_file", max_path_bytes);
    end.last_lines_shared = fields.flag("last_lines_shared");
  }
  return {std::move(end)};
}

}  // namespace

std::string to_text(const FromAgent& event) {
  return fitting_text(std::visit([](const auto& each) { return to_json(each); }, event));
}

std::string to_text(const FromSupervisor& event) {
  return compact_text(std::visit([](const auto& each) { return to_json(each); }, event));
}

FromAgent event_from_agent(std::string_view text) {
  const auto object = Fields::parse(text, max_event_bytes);
  const auto name = object.line("event", max_name_bytes);
  if (name == "beat") return beat_of(object);
  if (name == "hello") return hello_of(object);
  if (name == "ended") return ended_of(object);
  if (name == "remark") return Remark{spoken_line(object, "line")};
  if (name == "stuck") return Stuck{object.numbers("ranks")};
  if (name == "hangs") {
    return Hangs{object.number<std::uint32_t>("rank"), spoken_line(object, "message")};
  }
  if (name == "counted") return counted_of(object);
  if (name == "bye") return Bye();
  throw Error("a watch's message has an unknown event");
}

FromSupervisor event_from_supervisor(std::string_view text) {
  const auto object = Fields::parse(text, max_event_bytes);
  const auto name = object.line("event", max_name_bytes);
  if (name == "beat") return beat_of(object);
  if (name == "end") return end_of(object);
  if (name == "signal") return signal_of(object);
  if (name == "shown") return shown_of(object);
  if (name == "count") return Count{object.number<std::uint32_t>("number")};
  if (name == "pause") return Pause();
  throw Error("a watch's message has an unknown event");
}

}  // namespace muster::watch
