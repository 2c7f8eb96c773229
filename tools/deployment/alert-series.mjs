// Series of the situations in which alerts fire or not, in promtool's notation, with a value each minute.

export const users = 'namespace="fd",job="users-service"';
export const calls = (more, values) => [
  `http_request_duration_seconds_count{${users},route="/r",${more}}`,
  values,
];
export const slower = (le, values) => [
  `http_request_duration_seconds_bucket{${users},route="/r",le="${le}"}`,
  values,
];
export const requests = (method, route, status, values) => [
  `http_request_duration_seconds_count{${users},method="${method}",route="${route}",status="${status}"}`,
  values,
];
export const register = (status, values) => requests('POST', '/auth/register', status, values);
export const verify = (status, values) => requests('POST', '/auth/api/v2/register/verify', status, values);
export const suspended = (by, values) => [`otp_sends_suspended_total{${users},by="${by}"}`, values];
/** Calls of a route with those that took at most 1.5 seconds. */
export const timed = (method, route, all, fast) => [
  requests(method, route, '200', all),
  [
    `http_request_duration_seconds_bucket{${users},method="${method}",route="${route}",status="200",le="1.5"}`,
    fast,
  ],
];
export const answersOfProvider = (provider, fast, all) => [
  [`provider_call_duration_seconds_bucket{${users},provider="${provider}",operation="x",le="0.5"}`, fast],
  [`provider_call_duration_seconds_bucket{${users},provider="${provider}",operation="x",le="1"}`, all],
  [`provider_call_duration_seconds_bucket{${users},provider="${provider}",operation="x",le="+Inf"}`, all],
  [`provider_call_duration_seconds_count{${users},provider="${provider}",operation="x"}`, all],
];
export const auditHead = (metric, values) => [
  `kube_cronjob_${metric}{namespace="fd",cronjob="users-service-audit-head"}`,
  values,
];
/** Exists from the start of a service. */
export const shed = (values) => [`requests_shed_total{${users},reason="in_flight"}`, values];
export const sends = (outcome, values) => [`otp_sends_total{${users},outcome="${outcome}"}`, values];
export const checks = (outcome, values) => [`otp_checks_total{${users},outcome="${outcome}"}`, values];
export const counter = (name, more, values) => [[`${name}{${users}${more && `,${more}`}}`, values]];
export const rounds = (outcome, values) => [
  `background_round_duration_seconds_count{${users},work="bank",outcome="${outcome}"}`,
  values,
];
export const steps = (state, values) => [
  `journey_steps_total{${users},step="BANK",issuer="kaveri",state="${state}"}`,
  values,
];
export const stores = (outcome, values) => [
  `store_call_duration_seconds_count{${users},store="redis",outcome="${outcome}"}`,
  values,
];
export const mails = (outcome, values) => [
  `mail_send_duration_seconds_count{${users},outcome="${outcome}"}`,
  values,
];

export const postgres = '{namespace="fd",pod="postgres-1"}';
/** The last times at which PostgreSQL archived and failed to. */
export const archiver = (archived, failed) => [
  [`cnpg_pg_stat_archiver_last_archived_time${postgres}`, archived],
  [`cnpg_pg_stat_archiver_last_failed_time${postgres}`, failed],
];
export const BASE_BACKUP = `barman_cloud_cloudnative_pg_io_last_available_backup_timestamp${postgres}`;
