// Answers every request with 503, at the least cost that Node.js allows: what a refusal costs on this machine. A separate process, so
// that its processor time is its own; GET /metrics returns that time as a service does. Prints its port, and ends with its standard input, so
// that it does not outlive a failed test.
import { createServer } from 'node:http';

const BODY = JSON.stringify({
  success: 0,
  statusCode: 503,
  message: 'Service Unavailable',
  payload: {},
  error: [],
});
const HEADERS = ['content-type', 'application/json; charset=utf-8', 'content-length', String(BODY.length)];

const server = createServer((request, response) => {
  if (request.url === '/metrics') {
    const { user, system } = process.cpuUsage();
    return response.end(`process_cpu_seconds_total ${(user + system) / 1e6}\n`);
  }
  response.writeHead(503, HEADERS);
  response.end(BODY);
});
process.stdin.on('end', () => process.exit()).resume();
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
