// What `npm start` prints.
import { apiKey, partners, samplePhone } from './sandbox-data.mjs';
import { PORTS } from '../workspace.mjs';

const WIDTH = 18;
const variable = (name, text) => `  ${name.padEnd(WIDTH)} ${text}`;

const portLines = PORTS.map(({ service, setting, variable: name, usual }) =>
  variable(name, `${setting} of ${service} (${usual})`),
).join('\n');

export const help = `npm start [-- OPTIONS]

Builds and starts users-service, master-service and the sandbox on this machine, with their own PostgreSQL
and Redis. Ctrl-C stops everything. Data is kept in .data; "npm run reset" deletes it.

Options
  --vendors=A,B  use the adapters of these vendors against the sandbox, in this order:
                   cashfree            PAN, bank account, document locker, hosted eKYC
                   setu                PAN, bank account, document locker
                   msg91, twilio, aws  SMS
                   fineract            the APIs of aravalli, kaveri, nilgiri and vindhya
  --verbose      show all log lines of the services, not only warnings and errors
  --help         print this help

Environment
${portLines}
${variable('DATABASE_URL', 'use this PostgreSQL instead of the embedded one (postgres://...)')}
${variable('REDIS_URL', 'use this Redis instead of a local one (redis://...)')}
${variable('LOG_LEVEL', 'trace, debug, info (default), warn, error: level of .data/logs')}
${variable('NO_APT', '1: never install Redis with apt-get')}

The environment overrides every other setting of a service (JWT_KEYS, OTP_TEST_RULES, RATE_LIMIT_PER_MINUTE, ...).
Missing secrets are generated once and stored in .data/dev-env.json.`;

/** The ports of URLS that are not the usual ones, as the environment of another command. */
const chosenPorts = (urls) =>
  PORTS.filter(({ setting }) => setting === 'PORT')
    .map(({ service, variable: name, usual }) => [name, Number(new URL(urls[service]).port), usual])
    .map(([name, port, usual]) => (port === usual ? '' : `${name}=${port} `))
    .join('');

const apiKeyHint = `${apiKey.key}  (header "apikey" of master-service)`;
const loginHint = `phone ${samplePhone.phone}, code ${samplePhone.code}`;

/** What `nx serve` says after the address of a service. */
export const serveHints = {
  'users-service': [
    'the sandbox plays its external services: run "npx nx serve sandbox" in another terminal',
    `Sample login: ${loginHint}, partner_url ${partners[0].url}`,
  ],
  'master-service': [`API key: ${apiKeyHint}`],
};

/** How to use the running services. URLS by service. */
export function summary(urls) {
  const users = urls['users-service'];
  const master = urls['master-service'];
  const body = JSON.stringify({ phone: samplePhone.phone });
  return `
  users-service    ${users}    try it: ${users}/docs
  master-service   ${master}    try it: ${master}/docs
  sandbox          ${urls.sandbox}    open this page: the developer console
  guide            ${urls.sandbox}/guide/    the documentation, built in the background

  API key          ${apiKeyHint}
  partner_url      ${partners.map(({ url }) => url).join('  or  ')}
  Sample login     ${loginHint}
  Logs             .data/logs
  A whole journey  ${chosenPorts(urls)}npm run demo    from a new person's login to a deposit that can be booked

  curl -i ${users}/auth/register -H 'Content-Type: application/json' -d '${body}'
`;
}
