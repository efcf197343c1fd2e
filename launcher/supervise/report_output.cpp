#include "launcher/supervise/report_output.hpp"
