// What the report means, and how a program reads it. Running text, written as mdoc(7).
#include "tools/ringload/docs/docgen.hpp"

namespace rl::cli {
namespace {

constexpr const char* kReport = R"(.Sh THE REPORT
.Bl -tag -width Ds
.It Requests/sec
answers per second of the measured window.
Answers that come in after the end of the window count, but are in no rate.
.It Failed
answers by status and failures in transport.
A status from 200 to 299 is success, any other is a failure by status.
.It Latency
rows of mean, percentiles and maximum.
.Em service
is the time from the first octet of a request sent to the last octet of its answer read.
.Em corrected ,
on a schedule, begins when the request was due, so that waiting for a slow target is counted; requests that failed are in it with the
age that they reached.
.Em send delay
is the time from due to sent.
.It Connect
the time to set up a connection, of those made in the window.
.It Errors
failures in transport, by these words:
.Cm dns_failure ,
the name has no address;
.Cm connect_refused , connect_timeout , connect_failed ,
no connection;
.Cm read_timeout , write_timeout , request_timeout ,
no answer, no progress or no end in time;
.Cm connection_reset , connection_closed ,
the target ended the connection with a reset, or before its answer was whole;
.Cm protocol_error ,
what came was no valid HTTP;
.Cm tls_error , proxy_error
and
.Cm other .
.It Audit
whether the figures can be believed.
.Cm valid :
the client kept pace and the outcomes add up.
.Cm client_saturated :
the client was the limit, or stood still, and the figures tell of it as well as of the target.
.Cm inconsistent :
something does not add up.
.Cm nothing measured :
no answer came.
The reason follows.
.El
)";

constexpr const char* kJson = R"(.Sh JSON
.Fl o Cm json
prints one document, whose keys are always there and hold null where they do not apply:
.Cm schema_version , tool , title , mode , config
say what ran, with every setting under
.Cm config.effective ;
.Cm summary , rate , transfer , schedule
count;
.Cm latency_ms , corrected_latency_ms , send_delay_ms , phases_ms , histogram , histograms
tell of times, all in milliseconds, the last as HdrHistogram V2 in base64;
.Cm statuses , transport_errors , socket_errors
tell of outcomes;
.Cm methods , uri_top , urls , replay , pacing , comparison , steps , baseline , gates
belong to kinds of runs;
.Cm series
has a row for each second;
.Cm audit , warnings , verdict
judge.
The JSON schema, with every key, is installed as
.Pa share/ringload/report.schema.json
below the prefix.
The p99 of a run:
.Pp
.Dl ringload -o json URL | python3 -c 'import json,sys; print(json.load(sys.stdin)["latency_ms"]["p99"])'
)";

}  // namespace

std::string report_sections() { return std::string(kReport) + kJson; }

}  // namespace rl::cli
