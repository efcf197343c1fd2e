// Metrics as text for Prometheus. Pure.
#pragma once

#include "core/status/status.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace muster::metrics {

enum class Form : std::uint8_t {
  prometheus,   // text format 0.0.4, as node_exporter's textfile collector reads it
  openmetrics,  // OpenMetrics 1.0.0
};

// The value of Content-Type.
std::string_view content_type(Form form);

// What a scraper that sends this value of Accept wants.
Form form_for(std::string_view accept);

// The metrics of all steps whose supervisor says what its run costs. Each has the labels job and step, and
// cluster and user if they are known.
std::string to_text(std::span<const status::Step> steps, Form form);

}  // namespace muster::metrics
