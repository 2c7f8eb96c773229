// Puts load on a server, from a process of its own so that it does not slow down who measures.
// Takes one argument, a plan as JSON (see LoadPlan in libs/testing), and prints what became of it as JSON.
import autocannon from 'autocannon';

const { url, method = 'GET', headers, body, connections, seconds, perSecond } = JSON.parse(process.argv[2]);

const statuses = {};
const acceptedMs = [];

const run = autocannon({
  url,
  method,
  headers,
  body,
  connections,
  duration: seconds,
  timeout: 10,
  ...(perSecond ? { overallRate: perSecond } : {}),
});
run.on('response', (_client, status, _bytes, ms) => {
  statuses[status] = (statuses[status] ?? 0) + 1;
  if (status < 300) acceptedMs.push(ms);
});
const { errors, duration } = await run;

acceptedMs.sort((a, b) => a - b);
const percentile = (share) => acceptedMs[Math.floor((acceptedMs.length - 1) * share)] ?? null;
process.stdout.write(
  JSON.stringify({
    statuses,
    errors,
    acceptedPerSecond: acceptedMs.length / duration,
    acceptedMs: { median: percentile(0.5), p99: percentile(0.99) },
  }),
);
