// Situations in which alerts fire or not, and their series in promtool's notation, with a value each minute.

/** A situation in which the alert of a service fires at the minute AT with further LABELS. */
export const firesOfService = (at, labels, ...series) => ({ at, labels, series });
/** A situation in which an alert without a service fires. */
export const fires = (at, labels, ...series) => firesOfService(at, { job: undefined, ...labels }, ...series);
/** A situation in which it does not fire at the minute AT. */
export const quiet = (at, ...series) => ({ at, series });

/** A metric of users-service with further labels, or none (''). */
export const metric = (name, more, values) => [
  `${name}{namespace="fd",job="users-service"${more && `,${more}`}}`,
  values,
];
export const up = (pod, values) => metric('up', `pod="${pod}"`, values);
export const MASTER_IS_UP = ['up{namespace="fd",job="master-service"}', '1x20'];
export const waiting = (pod, values) => metric('database_pool_waiting', `pod="${pod}"`, values);
export const revision = (pod, values) => [`catalogue_revision{namespace="fd",pod="${pod}"}`, values];
export const confirmed = (values) => [
  'catalogue_confirmed_timestamp_seconds{namespace="fd",pod="a"}',
  values,
];

const REQUESTS = 'http_request_duration_seconds';
export const calls = (more, values) => metric(`${REQUESTS}_count`, `route="/r",${more}`, values);
export const slower = (le, values) => metric(`${REQUESTS}_bucket`, `route="/r",le="${le}"`, values);
const labelsOf = (method, route, status) => `method="${method}",route="${route}",status="${status}"`;
export const requests = (method, route, status, values) =>
  metric(`${REQUESTS}_count`, labelsOf(method, route, status), values);
export const register = (status, values) => requests('POST', '/auth/register', status, values);
export const verify = (status, values) => requests('POST', '/auth/api/v2/register/verify', status, values);
/** Calls of a route with those that took at most 1.5 seconds. */
export const timed = (method, route, all, fast) => [
  requests(method, route, '200', all),
  metric(`${REQUESTS}_bucket`, `${labelsOf(method, route, '200')},le="1.5"`, fast),
];
/** Exists from the start of a service. */
export const shed = (values) => metric('requests_shed_total', 'reason="in_flight"', values);

const PROVIDER_CALLS = 'provider_call_duration_seconds';
export const answersOfProvider = (provider, fast, all) => {
  const labels = `provider="${provider}",operation="x"`;
  return [
    metric(`${PROVIDER_CALLS}_bucket`, `${labels},le="0.5"`, fast),
    ...['1', '+Inf'].map((le) => metric(`${PROVIDER_CALLS}_bucket`, `${labels},le="${le}"`, all)),
    metric(`${PROVIDER_CALLS}_count`, labels, all),
  ];
};
export const misconfigured = (values) =>
  metric(`${PROVIDER_CALLS}_count`, 'provider="setu-bank",operation="x",outcome="misconfigured"', values);

export const suspended = (by, values) => metric('otp_sends_suspended_total', `by="${by}"`, values);
export const sends = (outcome, values) => metric('otp_sends_total', `outcome="${outcome}"`, values);
export const checks = (outcome, values) => metric('otp_checks_total', `outcome="${outcome}"`, values);
export const rounds = (outcome, values) =>
  metric('background_round_duration_seconds_count', `work="bank",outcome="${outcome}"`, values);
export const steps = (state, values) =>
  metric('journey_steps_total', `step="BANK",issuer="kaveri",state="${state}"`, values);
export const stores = (outcome, values) =>
  metric('store_call_duration_seconds_count', `store="redis",outcome="${outcome}"`, values);
export const mails = (outcome, values) =>
  metric('mail_send_duration_seconds_count', `outcome="${outcome}"`, values);
export const auditHead = (name, values) => [
  `kube_cronjob_${name}{namespace="fd",cronjob="users-service-audit-head"}`,
  values,
];

const postgres = '{namespace="fd",pod="postgres-1"}';
/** The last times at which PostgreSQL archived and failed to. */
export const archiver = (archived, failed) => [
  [`cnpg_pg_stat_archiver_last_archived_time${postgres}`, archived],
  [`cnpg_pg_stat_archiver_last_failed_time${postgres}`, failed],
];
export const BASE_BACKUP = `barman_cloud_cloudnative_pg_io_last_available_backup_timestamp${postgres}`;
