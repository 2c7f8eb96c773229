// What `npm start` prints.
import { apiKey, partners, samplePhone } from './sandbox-data.mjs';
import { PORTS } from '../workspace.mjs';

const WIDTH = 18;
const variable = (name, text) => `  ${name.padEnd(WIDTH)} ${text}`;

const portLines = PORTS.map(({ service, setting, variable: name, usual }) =>
  variable(name, `${setting} of ${service} (${usual})`),
).join('\n');

export const help = `npm start [-- OPTIONS]

Builds and starts users-service, master-service and the sandbox on this machine, with a PostgreSQL and a
Redis of their own. Ctrl-C ends everything. Data is kept in .data; "npm run reset" drops it.

Options
  --vendors=A,B  ask these vendors, as the sandbox plays them, in this order: cashfree and setu (PAN, bank account,
                 document locker; cashfree for hosted eKYC, too), msg91 and twilio (short messages)
  --verbose      show every log line of the services, not only warnings and errors
  --help         this text

Environment
${portLines}
${variable('DATABASE_URL', 'a PostgreSQL to use instead of the one that is started (postgres://...)')}
${variable('REDIS_URL', 'a Redis to use instead of the one that is started (redis://...)')}
${variable('LOG_LEVEL', 'trace, debug, info (default), warn, error: what the services write to .data/logs')}
${variable('NO_APT', '1: never install Redis with apt-get, even as root on a machine that has none')}

Every other setting of a service (JWT_KEYS, OTP_TEST_RULES, RATE_LIMIT_PER_MINUTE, ...) is taken from the
environment when it is set there; what is not set is made up once and kept in .data/dev-env.json.`;

/** How to use the running services. URLS by service. */
export function summary(urls) {
  const users = urls['users-service'];
  const master = urls['master-service'];
  const body = JSON.stringify({ phone: samplePhone.phone });
  return `
  users-service    ${users}    try it: ${users}/docs
  master-service   ${master}    try it: ${master}/docs
  sandbox          ${urls.sandbox}    open this page: the developer console
  guide            ${urls.sandbox}/guide/    the documentation, built in the background when it changed

  API key          ${apiKey.key}  (header "apikey" of master-service)
  partner_url      ${partners.map(({ url }) => url).join('  or  ')}
  Sample login     phone ${samplePhone.phone}, code ${samplePhone.code}
  Logs             .data/logs
  A whole journey  npm run demo    from a new person's login to a deposit that can be booked

  curl -i ${users}/auth/register -H 'Content-Type: application/json' -d '${body}'
`;
}
