/* Freezes plugin.h for its major version: the place and size of every field and the number behind every name. A failure here means
 * that plug-ins in the field would break; the header is wrong, not this file. New fields and names are added at the ends.
 *
 * There is nothing to run: compiling it is the test. It is compiled as C11, C17, C++17 and C++20. The figures are those of LP64. */
#include <assert.h>
#include <stddef.h>

#include "ringload/plugin.h"

#define RL_SIZE(type, bytes) static_assert(sizeof(struct type) == (bytes), #type " has another size")
#define RL_AT(type, field, at, bytes)                                                                           \
    static_assert(offsetof(struct type, field) == (at) && sizeof(((struct type *)0)->field) == (bytes), \
                  #type "." #field " has moved or has another size")
#define RL_VALUE(name, value) static_assert((name) == (value), #name " has another value")

static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8, "these figures are for LP64");

RL_SIZE(rl_error, 256);
RL_AT(rl_error, size, 0, 4);
RL_AT(rl_error, code, 4, 4);
RL_AT(rl_error, message, 8, 248);

RL_SIZE(rl_option, 64);
RL_AT(rl_option, name, 0, 8);
RL_AT(rl_option, metavar, 8, 8);
RL_AT(rl_option, def, 16, 8);
RL_AT(rl_option, help, 24, 8);
RL_AT(rl_option, choices, 32, 8);
RL_AT(rl_option, min, 40, 8);
RL_AT(rl_option, max, 48, 8);
RL_AT(rl_option, type, 56, 4);
RL_AT(rl_option, flags, 60, 4);

RL_SIZE(rl_value, 24);
RL_AT(rl_value, type, 0, 4);
RL_AT(rl_value, is_set, 4, 4);
RL_AT(rl_value, v, 8, 16);

RL_SIZE(rl_host, 96);
RL_AT(rl_host, size, 0, 4);
RL_AT(rl_host, abi_minor, 4, 4);
RL_AT(rl_host, self, 8, 8);
RL_AT(rl_host, log, 16, 8);
RL_AT(rl_host, alloc, 24, 8);
RL_AT(rl_host, free, 32, 8);
RL_AT(rl_host, now_ns, 40, 8);
RL_AT(rl_host, hist_count, 48, 8);
RL_AT(rl_host, hist_min, 56, 8);
RL_AT(rl_host, hist_max, 64, 8);
RL_AT(rl_host, hist_mean, 72, 8);
RL_AT(rl_host, hist_value_at, 80, 8);
RL_AT(rl_host, hist_each, 88, 8);

RL_SIZE(rl_bytes, 16);
RL_AT(rl_bytes, p, 0, 8);
RL_AT(rl_bytes, n, 8, 8);

RL_SIZE(rl_header, 32);
RL_AT(rl_header, name, 0, 16);
RL_AT(rl_header, value, 16, 16);

RL_SIZE(rl_request_template, 88);
RL_AT(rl_request_template, size, 0, 4);
RL_AT(rl_request_template, header_count, 4, 4);
RL_AT(rl_request_template, method, 8, 16);
RL_AT(rl_request_template, target, 24, 16);
RL_AT(rl_request_template, authority, 40, 16);
RL_AT(rl_request_template, headers, 56, 8);
RL_AT(rl_request_template, body, 64, 16);
RL_AT(rl_request_template, close_after, 80, 4);
RL_AT(rl_request_template, reserved, 84, 4);

RL_SIZE(rl_open, 72);
RL_AT(rl_open, size, 0, 4);
RL_AT(rl_open, worker_count, 4, 4);
RL_AT(rl_open, host, 8, 8);
RL_AT(rl_open, values, 16, 8);
RL_AT(rl_open, value_count, 24, 4);
RL_AT(rl_open, pipeline_depth, 28, 4);
RL_AT(rl_open, seed, 32, 8);
RL_AT(rl_open, rate, 40, 8);
RL_AT(rl_open, requests_max, 48, 8);
RL_AT(rl_open, duration_ns, 56, 8);
RL_AT(rl_open, request, 64, 8);

RL_SIZE(rl_worker, 32);
RL_AT(rl_worker, size, 0, 4);
RL_AT(rl_worker, index, 4, 4);
RL_AT(rl_worker, count, 8, 4);
RL_AT(rl_worker, batch_max, 12, 4);
RL_AT(rl_worker, seed, 16, 8);
RL_AT(rl_worker, start_ns, 24, 8);

RL_SIZE(rl_request, 64);
RL_AT(rl_request, head, 0, 8);
RL_AT(rl_request, body, 8, 8);
RL_AT(rl_request, head_len, 16, 4);
RL_AT(rl_request, body_len, 20, 4);
RL_AT(rl_request, cookie, 24, 8);
RL_AT(rl_request, due_ns, 32, 8);
RL_AT(rl_request, target, 40, 4);
RL_AT(rl_request, klass, 44, 2);
RL_AT(rl_request, flags, 46, 2);
RL_AT(rl_request, reserved, 48, 16);

RL_SIZE(rl_response, 32);
RL_AT(rl_response, cookie, 0, 8);
RL_AT(rl_response, body_bytes, 8, 8);
RL_AT(rl_response, service_ns, 16, 8);
RL_AT(rl_response, status, 24, 2);
RL_AT(rl_response, klass, 26, 2);
RL_AT(rl_response, error, 28, 4);

RL_SIZE(rl_source_ops, 64);
RL_AT(rl_source_ops, size, 0, 4);
RL_AT(rl_source_ops, flags, 4, 4);
RL_AT(rl_source_ops, open, 8, 8);
RL_AT(rl_source_ops, worker_open, 16, 8);
RL_AT(rl_source_ops, fill, 24, 8);
RL_AT(rl_source_ops, recycle, 32, 8);
RL_AT(rl_source_ops, responses, 40, 8);
RL_AT(rl_source_ops, worker_close, 48, 8);
RL_AT(rl_source_ops, close, 56, 8);

RL_SIZE(rl_pacer_ops, 56);
RL_AT(rl_pacer_ops, size, 0, 4);
RL_AT(rl_pacer_ops, flags, 4, 4);
RL_AT(rl_pacer_ops, open, 8, 8);
RL_AT(rl_pacer_ops, worker_open, 16, 8);
RL_AT(rl_pacer_ops, grant, 24, 8);
RL_AT(rl_pacer_ops, scheduled, 32, 8);
RL_AT(rl_pacer_ops, worker_close, 40, 8);
RL_AT(rl_pacer_ops, close, 48, 8);

RL_SIZE(rl_node, 40);
RL_AT(rl_node, key, 0, 8);
RL_AT(rl_node, type, 8, 4);
RL_AT(rl_node, count, 12, 4);
RL_AT(rl_node, v, 16, 16);
RL_AT(rl_node, unit, 32, 8);

RL_SIZE(rl_output, 32);
RL_AT(rl_output, size, 0, 4);
RL_AT(rl_output, is_terminal, 4, 4);
RL_AT(rl_output, color, 8, 4);
RL_AT(rl_output, width, 12, 4);
RL_AT(rl_output, self, 16, 8);
RL_AT(rl_output, write, 24, 8);

RL_SIZE(rl_report, 32);
RL_AT(rl_report, size, 0, 4);
RL_AT(rl_report, is_final, 4, 4);
RL_AT(rl_report, root, 8, 8);
RL_AT(rl_report, out, 16, 8);
RL_AT(rl_report, host, 24, 8);

RL_SIZE(rl_reporter_ops, 48);
RL_AT(rl_reporter_ops, size, 0, 4);
RL_AT(rl_reporter_ops, flags, 4, 4);
RL_AT(rl_reporter_ops, open, 8, 8);
RL_AT(rl_reporter_ops, begin, 16, 8);
RL_AT(rl_reporter_ops, sample, 24, 8);
RL_AT(rl_reporter_ops, end, 32, 8);
RL_AT(rl_reporter_ops, close, 40, 8);

RL_SIZE(rl_plugin, 80);
RL_AT(rl_plugin, size, 0, 4);
RL_AT(rl_plugin, abi_major, 4, 2);
RL_AT(rl_plugin, abi_minor, 6, 2);
RL_AT(rl_plugin, kind, 8, 4);
RL_AT(rl_plugin, flags, 12, 4);
RL_AT(rl_plugin, name, 16, 8);
RL_AT(rl_plugin, version, 24, 8);
RL_AT(rl_plugin, summary, 32, 8);
RL_AT(rl_plugin, license, 40, 8);
RL_AT(rl_plugin, build, 48, 8);
RL_AT(rl_plugin, options, 56, 8);
RL_AT(rl_plugin, option_count, 64, 4);
RL_AT(rl_plugin, option_stride, 68, 4);
RL_AT(rl_plugin, ops, 72, 8);

RL_VALUE(RL_OPTION_BOOL, 0);
RL_VALUE(RL_OPTION_I64, 1);
RL_VALUE(RL_OPTION_U64, 2);
RL_VALUE(RL_OPTION_F64, 3);
RL_VALUE(RL_OPTION_STRING, 4);
RL_VALUE(RL_OPTION_DURATION, 5);
RL_VALUE(RL_OPTION_SIZE, 6);
RL_VALUE(RL_OPTION_RATE, 7);

RL_VALUE(RL_OPTION_REQUIRED, 1);
RL_VALUE(RL_OPTION_FILE, 2);

RL_VALUE(RL_LOG_ERROR, 0);
RL_VALUE(RL_LOG_WARNING, 1);
RL_VALUE(RL_LOG_INFO, 2);
RL_VALUE(RL_LOG_DEBUG, 3);

RL_VALUE(RL_REQUEST_HEAD, 1);
RL_VALUE(RL_REQUEST_CLOSE, 2);
RL_VALUE(RL_REQUEST_IDEMPOTENT, 4);
RL_VALUE(RL_REQUEST_CONNECT, 8);

RL_VALUE(RL_SOURCE_STATIC, 1);
RL_VALUE(RL_SOURCE_FINITE, 2);
RL_VALUE(RL_SOURCE_TIMED, 4);
RL_VALUE(RL_SOURCE_WANTS_RESPONSES, 8);

RL_VALUE(RL_PACER_UNLIMITED, 1);
RL_VALUE(RL_PACER_FROM_SOURCE, 2);

RL_VALUE(RL_NODE_NULL, 0);
RL_VALUE(RL_NODE_BOOL, 1);
RL_VALUE(RL_NODE_I64, 2);
RL_VALUE(RL_NODE_U64, 3);
RL_VALUE(RL_NODE_F64, 4);
RL_VALUE(RL_NODE_STRING, 5);
RL_VALUE(RL_NODE_ARRAY, 6);
RL_VALUE(RL_NODE_OBJECT, 7);
RL_VALUE(RL_NODE_HISTOGRAM, 8);

RL_VALUE(RL_KIND_SOURCE, 1);
RL_VALUE(RL_KIND_PACER, 2);
RL_VALUE(RL_KIND_REPORTER, 3);
RL_VALUE(RL_ABI_MAJOR, 1);
RL_VALUE(RL_ABI_MINOR, 0);
RL_VALUE(RL_DUE_NONE, INT64_MIN);
RL_VALUE(RL_END, -1);
RL_VALUE(RL_FAIL, -2);
