// Situations in which each alert fires or not, for promtool.
import {
  BASE_BACKUP,
  MASTER_IS_UP,
  answersOfProvider,
  archiver,
  auditHead,
  calls,
  checks,
  confirmed,
  fires,
  firesOfService,
  mails,
  metric,
  misconfigured,
  quiet,
  register,
  requests,
  revision,
  rounds,
  sends,
  shed,
  slower,
  steps,
  stores,
  suspended,
  timed,
  up,
  verify,
  waiting,
} from './alert-series.mjs';

/** Cases of each alert, the first of which fires. A case with labels fires at its minute with them, another does not fire. */
export const ALERT_CASES = {
  // the objectives
  ServiceErrors: [
    firesOfService(90, {}, shed('0x500'), calls('status="200"', '0+98x90'), calls('status="503"', '0+2x90')),
    quiet(90, shed('0x500'), calls('status="200"', '0+999x90'), calls('status="503"', '0+1x90')),
    // the only call fails
    quiet(64, shed('0x500'), calls('status="503"', '0x60 1x30')),
    // already over
    quiet(90, shed('0x500'), calls('status="200"', '0+98x90'), calls('status="503"', '0+20x70 1400x20')),
    quiet(90, metric('http_request_duration_seconds_count', 'route="/health/ready",status="503"', '0+60x90')),
  ],
  ServiceErrorsPersist: [
    firesOfService(
      500,
      {},
      shed('0x500'),
      calls('status="200"', '0+99x500'),
      calls('status="500"', '0+1x500'),
    ),
    quiet(500, shed('0x500'), calls('status="200"', '0+999x500'), calls('status="500"', '0+1x500')),
  ],
  ServiceSlow: [
    firesOfService(90, {}, shed('0x500'), calls('status="200"', '0+100x90'), slower('1.5', '0+90x90')),
    quiet(90, shed('0x500'), calls('status="200"', '0+100x90'), slower('1.5', '0+100x90')),
    // waits for a paid look-up
    quiet(90, ...timed('POST', '/api/v1/pan-verification', '0+100x90', '0x90')),
    quiet(90, ...timed('POST', '/api/v1/bank/sync-to-issuer', '0+100x90', '0x90')),
    // only reads its outcome
    firesOfService(90, {}, ...timed('GET', '/api/v1/pan-verification/:verification_id', '0+100x90', '0x90')),
    firesOfService(90, {}, ...timed('GET', '/api/v1/bank/verification/:verification_id', '0+100x90', '0x90')),
  ],
  ServiceSlowPersists: [
    firesOfService(500, {}, shed('0x500'), calls('status="200"', '0+100x500'), slower('1.5', '0+96x500')),
    quiet(500, shed('0x500'), calls('status="200"', '0+100x500'), slower('1.5', '0+100x500')),
  ],
  LoginsFail: [
    fires(90, {}, register('201', '0+9x90'), register('503', '0+2x90'), verify('200', '0+8x90')),
    fires(90, {}, verify('200', '0+8x90'), verify('500', '0+2x90')),
    // the providers hang
    fires(90, {}, register('201', '0+10x90'), sends('open', '0+10x90')),
    // the limit of the whole service is used up
    fires(90, {}, register('429', '0+10x90'), suspended('service', '0+10x90')),
    // refused for their own limits and wrong codes
    quiet(
      90,
      register('201', '0+5x90'),
      register('429', '0+10x90'),
      suspended('prefix', '0+10x90'),
      sends('suspended', '0+10x90'),
      verify('400', '0+10x90'),
    ),
    // another call fails
    quiet(90, register('201', '0+10x90'), requests('GET', '/api/v1/user-profile', '503', '0+50x90')),
    // the only call fails
    quiet(64, register('503', '0x60 1x30')),
    // already over
    quiet(90, register('201', '0+9x90'), register('503', '0+2x70 140x20')),
  ],
  LoginsFailPersist: [
    fires(500, {}, register('201', '0+95x500'), register('503', '0+5x500')),
    quiet(500, register('201', '0+99x500'), register('503', '0+1x500')),
  ],
  // all other alerts
  ServiceDown: [
    firesOfService(10, {}, up('a', '1x20'), up('b', '1x5 0x15')),
    quiet(10, up('a', '1x5 0x0 1x15')),
  ],
  ServiceAbsent: [
    firesOfService(10, { job: 'users-service', namespace: undefined }, MASTER_IS_UP),
    quiet(10, MASTER_IS_UP, metric('up', '', '1x20')),
    // every replica is there, and none answers
    firesOfService(10, {}, MASTER_IS_UP, up('a', '1x5 0x15'), up('b', '1x5 0x15')),
    quiet(10, MASTER_IS_UP, up('a', '1x20'), up('b', '1x5 0x15')),
  ],
  RequestsShed: [
    firesOfService(15, {}, calls('status="200"', '0+90x20'), shed('0+10x20')),
    quiet(15, calls('status="200"', '0+90x20'), shed('0x20')),
    // one of six calls a minute
    quiet(15, calls('status="200"', '0+5x20'), shed('0+1x20')),
  ],
  EventLoopBlocked: [
    firesOfService(15, { pod: 'a' }, metric('nodejs_eventloop_lag_p99_seconds', 'pod="a"', '0.5x20')),
    quiet(15, metric('nodejs_eventloop_lag_p99_seconds', 'pod="a"', '0.5x2 0.05x20')),
  ],
  MemoryHigh: [
    firesOfService(25, { pod: 'a' }, metric('process_resident_memory_bytes', 'pod="a"', '450000000x30')),
    quiet(25, metric('process_resident_memory_bytes', 'pod="a"', '250000000x30')),
  ],
  ManyAreRateLimited: [
    firesOfService(30, {}, shed('0x500'), calls('status="200"', '0+60x40'), calls('status="429"', '0+30x40')),
    quiet(30, shed('0x500'), calls('status="200"', '0+60x40'), calls('status="429"', '0+1x40')),
    quiet(30, shed('0x500'), calls('status="429"', '0+1x40')),
  ],
  OtpSendsRefused: [
    fires(25, {}, sends('sent', '0+8x30'), sends('refused', '0+2x30')),
    quiet(25, sends('sent', '0+100x30'), sends('refused', '0+1x30')),
    quiet(18, sends('refused', '0x10 1x20')),
  ],
  SmsProviderMisconfigured: [
    fires(
      8,
      { provider: 'msg91' },
      metric('sms_sends_total', 'provider="msg91",outcome="misconfigured"', '0x5 1x10'),
    ),
    quiet(8, metric('sms_sends_total', 'provider="msg91",outcome="misconfigured"', '0x15')),
  ],
  OtpSendsSuspended: [
    fires(8, { by: 'prefix' }, metric('otp_sends_suspended_total', 'by="prefix"', '0x5 100x10')),
    quiet(8, metric('otp_sends_suspended_total', 'by="prefix"', '0x5 10x10')),
  ],
  OtpGuessing: [
    fires(50, {}, checks('wrong', '0+8x60'), checks('right', '0+2x60')),
    quiet(50, checks('wrong', '0+2x60'), checks('right', '0+8x60')),
    quiet(50, checks('wrong', '0x20 1x40')),
  ],
  RefreshTokensReused: [
    fires(8, {}, metric('refresh_token_reuses_total', '', '0x5 20x10')),
    quiet(8, metric('refresh_token_reuses_total', '', '0x5 2x10')),
  ],
  ProviderCircuitOpen: [
    fires(8, { provider: 'bank' }, metric('provider_circuit_open', 'provider="bank"', '1x10')),
    quiet(8, metric('provider_circuit_open', 'provider="bank"', '1x1 0x10')),
  ],
  ProviderMisconfigured: [
    fires(8, { provider: 'setu-bank' }, misconfigured('0x5 1x10')),
    quiet(35, misconfigured('1x40')),
  ],
  ProviderContractDrift: [
    fires(
      8,
      { provider: 'setu-bank', operation: 'x' },
      metric('provider_contract_drift_total', 'provider="setu-bank",operation="x"', '0x5 1x10'),
    ),
    quiet(55, metric('provider_contract_drift_total', 'provider="setu-bank",operation="x"', '1x60')),
  ],
  ProviderSlow: [
    fires(35, { provider: 'bank' }, ...answersOfProvider('bank', '0+5x40', '0+10x40')),
    quiet(35, ...answersOfProvider('bank', '0+10x40', '0+10x40')),
    // one call a minute, which takes long
    quiet(35, ...answersOfProvider('bank', '0x40', '0+1x40')),
    // normally takes seconds
    quiet(35, ...answersOfProvider('setu-pan', '0x40', '0+10x40')),
  ],
  MailNotTaken: [
    fires(25, {}, mails('taken', '0+5x30'), mails('timeout', '0+5x30')),
    quiet(25, mails('taken', '0+5x30'), mails('address-refused', '0+5x30')),
    quiet(25, mails('timeout', '0x15 1x15')),
  ],
  CatalogueUnconfirmed: [fires(20, { pod: 'a' }, confirmed('0x30')), quiet(20, confirmed('0+60x30'))],
  CatalogueRevisionsDiffer: [
    fires(8, {}, revision('a', '7x10'), revision('b', '8x10')),
    quiet(8, revision('a', '7x4 8x6'), revision('b', '7x5 8x5')),
  ],
  StoreFails: [
    firesOfService(20, { store: 'redis' }, stores('ok', '0+60x30'), stores('failed', '0+30x30')),
    quiet(20, stores('ok', '0+600x30'), stores('failed', '0+1x30')),
    quiet(20, stores('failed', '0x10 1x20')),
  ],
  DatabasePoolExhausted: [
    firesOfService(8, {}, waiting('a', '3x10'), waiting('b', '1x10')),
    quiet(8, waiting('a', '3x10'), waiting('b', '0x10')),
  ],
  OtpConversionLow: [
    fires(110, {}, sends('sent', '0+10x120'), checks('right', '0+2x120')),
    quiet(110, sends('sent', '0+10x120'), checks('right', '0+8x120')),
    quiet(110, sends('sent', '0+1x120'), checks('right', '0x120')),
  ],
  JourneyStepFails: [
    fires(85, { step: 'BANK', issuer: 'kaveri' }, steps('FAILED', '0+2x90'), steps('DONE', '0+1x90')),
    quiet(85, steps('FAILED', '0+1x90'), steps('DONE', '0+9x90')),
    quiet(85, steps('FAILED', '0x60 3x30'), steps('DONE', '0x90')),
  ],
  BackgroundWorkFails: [
    fires(30, { work: 'bank' }, rounds('failed', '0+50x40'), rounds('ok', '0+10x40')),
    quiet(30, rounds('failed', '0+1x40'), rounds('ok', '0+59x40')),
    // two rounds of a rare worker
    quiet(30, rounds('failed', '0x19 1x4 2x40'), rounds('ok', '0x60')),
  ],
  BankAccountNotWithdrawn: [
    fires(8, {}, metric('bank_withdrawals_total', 'outcome="abandoned"', '0x5 1x10')),
    quiet(8, metric('bank_withdrawals_total', 'outcome="withdrawn"', '0x5 1x10')),
  ],
  PartitionsRunOut: [
    fires(80, {}, metric('partitions_ahead_seconds', '', '864000x90')),
    quiet(80, metric('partitions_ahead_seconds', '', '8640000x90')),
  ],
  AuditTrailForged: [
    fires(8, {}, metric('audit_events_forged_total', '', '0x5 1x10')),
    quiet(8, metric('audit_events_forged_total', '', '0x15')),
  ],
  AuditTrailWaits: [
    fires(15, {}, metric('audit_unsealed_age_seconds', '', '600x20')),
    quiet(15, metric('audit_unsealed_age_seconds', '', '2x20')),
  ],
  AuditCallsUnrecorded: [
    fires(8, {}, metric('audit_calls_unrecorded_total', 'outcome="ok"', '0x5 1x10')),
    quiet(8, metric('audit_calls_unrecorded_total', 'outcome="ok"', '0x15')),
  ],
  AuditHeadCheckFailed: [
    fires(8, { job_name: 'users-service-audit-head-1' }, [
      'kube_job_status_failed{namespace="fd",job_name="users-service-audit-head-1"}',
      '1x10',
    ]),
    quiet(8, ['kube_job_status_failed{namespace="fd",job_name="other"}', '1x10']),
  ],
  AuditHeadUnchecked: [
    fires(250, {}, auditHead('created', '0x300'), auditHead('status_last_successful_time', '60x300')),
    // has never succeeded
    fires(250, {}, auditHead('created', '0x300')),
    quiet(250, auditHead('created', '0x300'), auditHead('status_last_successful_time', '0+60x300')),
    // created 50 minutes ago
    quiet(250, auditHead('created', '_x200 12000x100')),
  ],
  PostgresArchiveFails: [
    fires(15, {}, ...archiver('100x25', '160 220 280x25')),
    // retried successfully
    quiet(15, ...archiver('100 100 300x25', '160 220 280x25')),
  ],
  PostgresBackupOld: [
    fires(2_400, {}, [BASE_BACKUP, '0x2500']),
    quiet(2_400, [BASE_BACKUP, '0x1400 84000x1200']),
  ],
};
